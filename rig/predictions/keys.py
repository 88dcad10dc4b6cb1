"""Which query a row of a prediction file means."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rig.model import Language, Query
from rig.photobench.release import album_name
from rig.predictions.rows import Row


@dataclass(frozen=True, slots=True)
class Assigned:
    """The rows of each query, and the rows that have none."""

    rows: Mapping[str, Row]
    """By query id."""
    foreign: tuple[Row, ...]
    """Rows whose key names no query."""
    ambiguous: tuple[tuple[str, tuple[str, ...], bool], ...]
    """(key, the queries it may name, whether its rows were given to them in order) of each key that names several."""
    repeated: tuple[tuple[Row, Row], ...]
    """(row that counts, later row) of one query."""


class Keys:
    """Looks queries up by id, by the release's own id, and by text within an album or over all."""

    def __init__(self, queries: Iterable[Query], own_ids: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self._ids: set[str] = set()
        self._own = own_ids or {}
        self._by_text: dict[tuple[str | None, Language, str], list[str]] = defaultdict(list)
        for query in queries:
            self._ids.add(query.id)
            for language, text in query.text.items():
                self._by_text[None, language, text].append(query.id)
                self._by_text[album_name(query.album), language, text].append(query.id)

    def find(self, row: Row) -> tuple[str, ...]:
        """The ids that the row may mean, in query order; the most telling key that is given decides."""
        if row.query_id is not None:
            return self._by_id(row.query_id)
        album = None if row.album is None else album_name(row.album)
        found = [self._by_text.get((album, language, text), []) for language, text in row.texts]
        if not found:
            return ()
        return tuple(query for query in found[0] if all(query in others for others in found[1:]))

    def _by_id(self, key: str) -> tuple[str, ...]:
        """By our id, by the release's, or by a text where a file calls that the query."""
        if key in self._ids:
            return (key,)
        if key in self._own:
            return self._own[key]
        texts = (self._by_text[None, language, key] for language in Language if (None, language, key) in self._by_text)
        return tuple(dict.fromkeys(query for queries in texts for query in queries))

    def assign(self, rows: Iterable[Row]) -> Assigned:
        """Gives each query its row.

        A key that names several queries gives them its rows in order when there are as many rows as queries, as a file
        written query by query has them; otherwise none of them gets one, because a guess would be scored.
        """
        groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        for row in rows:
            groups[self.find(row)].append(row)
        foreign = tuple(groups.pop((), []))
        assigned: dict[str, Row] = {}
        repeated: list[tuple[Row, Row]] = []
        ambiguous: list[tuple[str, tuple[str, ...], bool]] = []
        for queries, of_key in groups.items():
            if len(queries) > 1:
                in_order = len(of_key) == len(queries)
                ambiguous.append((_key(of_key[0]), queries, in_order))
                if in_order:
                    assigned.update(zip(queries, of_key, strict=True))
                continue
            assigned[queries[0]] = of_key[0]
            repeated.extend((of_key[0], later) for later in of_key[1:])
        return Assigned(assigned, foreign, tuple(ambiguous), tuple(repeated))


def _key(row: Row) -> str:
    """The row's key as people read it."""
    if row.query_id is not None:
        return row.query_id
    texts = " / ".join(text for _, text in row.texts)
    return texts if row.album is None else f"{album_name(row.album)}: {texts}"
