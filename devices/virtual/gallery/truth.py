"""What was truly shown: the log that makes a virtual phone a measuring standard. The rig never reads it during a run.

One entry a search that reached the screen; in it one list for each page of results (the first page, "view all"), and for each
position of a list how much of its thumbnail was ever drawn on a served frame, uncovered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ShownList:
    """One list of results. `names` is the whole list in reading order, with repeats across sections."""

    page: str
    """`results` or `all`."""
    names: tuple[str, ...]
    visible: list[float]
    """For each position the largest share of its cell, 0 to 1, that a served frame showed with its thumbnail in it."""

    def drawn(self, position: int, share: float) -> None:
        """A served frame showed that share of the cell at `position`."""
        self.visible[position] = max(self.visible[position], share)


@dataclass(slots=True)
class ShownSearch:
    """One search whose outcome reached the screen."""

    text: str
    field_text: str
    """What stood in the field, which a fault may have changed."""
    shown_at_s: float
    found: int
    """How many photos the engine found: 0 when the no-results sign was shown."""
    lists: list[ShownList] = field(default_factory=list)

    def list_shown(self, page: str, names: Sequence[str]) -> ShownList:
        """A list of results is on the screen; nothing of it was drawn yet."""
        shown = ShownList(page, tuple(names), [0.0] * len(names))
        self.lists.append(shown)
        return shown


class Truth:
    """The log of one phone."""

    def __init__(self) -> None:
        self.searches: list[ShownSearch] = []

    def clear(self) -> None:
        """The log is empty."""
        self.searches.clear()

    def search_shown(self, text: str, field_text: str, now_s: float, found: int) -> ShownSearch:
        """A search's outcome is on the screen."""
        entry = ShownSearch(text, field_text, now_s, found)
        self.searches.append(entry)
        return entry

    def as_json(self) -> list[dict[str, Any]]:
        """The log as plain values: text, field_text, shown_at_s, found, lists of {page, names, visible}."""
        return [
            {
                "text": entry.text,
                "field_text": entry.field_text,
                "shown_at_s": entry.shown_at_s,
                "found": entry.found,
                "lists": [_list_json(shown.page, shown.names, shown.visible) for shown in entry.lists],
            }
            for entry in self.searches
        ]


def _list_json(page: str, names: Sequence[str], visible: Sequence[float]) -> dict[str, Any]:
    return {"page": page, "names": list(names), "visible": [round(share, 3) for share in visible]}
