"""Brings the photo names of a release to the ids of an album's photos."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from rig.model import Query
from rig.photobench.oddities import Oddity, OddityKind


def fold(name: str) -> str:
    """What two spellings of one name have in common: case and Unicode composition do not count."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


class Names:
    """Finds the photo that a name means: its id, its file name, or either but for case; never by guess.

    A name with folders is a whole id and means no photo of another folder. With `every` False the ids are not all of the
    album's: another photo may have the same file name, so that only whole ids are compared.
    """

    def __init__(self, ids: Iterable[str], same_as: Mapping[str, str] | None = None, *, every: bool = True) -> None:
        self._same_as = same_as or {}
        known = sorted({*ids, *self._same_as})
        self._exact = frozenset(known)
        self._by_file_name = _group(known, _file_name) if every else {}
        self._by_folded_file_name = _group(known, lambda photo: fold(_file_name(photo))) if every else {}
        self._by_folded_id = _group(known, fold)

    def find(self, name: str) -> tuple[str | None, OddityKind | None]:
        """(the photo's id or None, what is odd about it or None)."""
        if name in self._exact and name not in self._same_as:
            return name, None
        photo, odd = self._find(name)
        if photo is not None and photo in self._same_as:
            return self._same_as[photo], OddityKind.SAME_BYTES
        return photo, odd

    def _find(self, name: str) -> tuple[str | None, OddityKind | None]:
        if name in self._exact:
            return name, None
        bare = "/" not in name
        groups = (
            (self._by_file_name.get(name) if bare else None, None),
            (self._by_folded_id.get(fold(name)), OddityKind.CASE),
            (self._by_folded_file_name.get(fold(name)) if bare else None, OddityKind.CASE),
        )
        for group, odd in groups:
            if group:
                return (group[0], odd) if len(group) == 1 else (None, OddityKind.AMBIGUOUS_NAME)
        return None, OddityKind.MISSING_PHOTO


def _file_name(photo: str) -> str:
    return photo.rsplit("/", 1)[-1]


def _group(ids: Sequence[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for photo in ids:
        groups[key(photo)].append(photo)
    return groups


_DETAILS = {
    OddityKind.CASE: "{name!r} is taken as {photo!r}: they differ in case or accents only",
    OddityKind.SAME_BYTES: "{name!r} is taken as {photo!r}, which has the same bytes and was kept",
    OddityKind.AMBIGUOUS_NAME: "{name!r} may be several photos of the album; it is kept as written",
    OddityKind.MISSING_PHOTO: "{name!r} is not among the album's photos; it is kept, so that recall cannot reach 1",
}


def fit_to_album(
    queries: Iterable[Query], photo_ids: Iterable[str], *, same_as: Mapping[str, str] | None = None
) -> tuple[tuple[Query, ...], tuple[Oddity, ...]]:
    """(the queries with photo ids for names, what was odd). `same_as` gives the kept photo of each copy left out.

    A name without a photo stays in the ground truth: dropping it would make the query easier than the one published, and
    dropping the last one would turn it into a query whose right answer is nothing.
    """
    names = Names(photo_ids, same_as)
    fitted, oddities = [], []
    for query in queries:
        relevant = set()
        for name in sorted(query.relevant):
            photo, odd = names.find(name)
            relevant.add(name if photo is None else photo)
            if odd is not None:
                oddities.append(Oddity(odd, query.id, _DETAILS[odd].format(name=name, photo=photo)))
        fitted.append(replace(query, relevant=frozenset(relevant)))
    return tuple(fitted), tuple(oddities)
