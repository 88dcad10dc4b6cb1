"""Rows that something cuts: the screen's border, an opaque bar, or a bar that the photos shine through.

A bar's edge is a level line across all tiles at once, where the pixels beyond follow the pixels before with less contrast
(translucent) or none (opaque). Contours inside photos do not line up over a row and do not dim it. Everything beyond a bar
is out of sight, even where it shimmers through: dimmed pixels would be matched wrongly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.lattice import Columns
from matching.model import Image
from matching.rows import SIDE_SEEN, SLACK_PX, Row, Sides, row_at, row_pitch

BAR_SHARE = 0.25
"""Of the screen's height, how far bars reach in where small tiles lie below them; where none do, up to the outermost row."""
LINE_SHARE = 0.55
"""Of the tiles' width, the least that is edge along a bar's line."""
CONTRAST_LEFT = 0.88
"""Contrast beyond a bar's line against before it: bars seen keep 0.1 to 0.7."""
FOLLOWS, FOLLOWS_LEAST = 0.9, 0.7
"""Correlation of the pixels beyond with those before: a bar dims what is there, a contour replaces it. On small tiles, where
neighbouring rows of one photo correlate less, as much as those do."""
DULL_SHARE, DULL_LEVELS = 0.35, 12.0
"""Standard deviation along the pixel rows beyond a bar's line, against that before it and at most: JPEG screens blur an opaque
bar's edge, white bars keep a tenth."""
VIVID_LEVELS = 8.0
"""Standard deviation along the line below which the near side says nothing of contrast."""
FIRM_ROW = 0.8
"""Evidence of a row's best tile from which the row's place is trusted for the pitch."""
SLIVER_SHARE = 0.10
"""Of a tile: cut rows lower than this are left out; they can be neither matched nor measured."""
ALL_BUT_SURE = 0.97
"""Evidence from which a whole row is not doubted."""
WALL_SHARE = 0.6
"""Of a cut row's height, the least that a border between columns must run."""
WHOLE_SHARE = 0.97
"""Of a tile, from where a row is whole: edges of whole tiles may be read a pixel or two short."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Window:
    """Rows top ≤ y < bottom of the screen, in which tiles are seen undimmed."""

    top: int
    bottom: int


def open_window(image: Image, sides: Sides, columns: Columns, rows: Sequence[Row], limit: Window) -> Window:
    """What bars leave of `limit`: from the lowest bar line on or above the first row to the highest on or below the last."""
    top, bottom = limit.top, limit.bottom
    lines = [y for y in _lines(sides) if limit.top < y < limit.bottom]
    pitch = row_pitch(rows, columns.gap) or rows[0].height + columns.gap
    lines = [y for y in lines if not _is_row_edge(y, rows) and not _recurs(y, rows, sides, pitch)]
    upper = max(rows[0].bottom, round(BAR_SHARE * sides.height))
    lower = min(rows[-1].top, round((1 - BAR_SHARE) * sides.height))
    top = max((y for y in lines if y < upper and _is_bar(image, columns, y, 1)), default=limit.top)
    bottom = min((y for y in lines if y > max(top, lower) and _is_bar(image, columns, y, -1)), default=limit.bottom)
    return Window(top, bottom)


def _across(sides: Sides) -> Floats:
    """At each height the share of level edge that half of the columns or more reach; of two columns, both."""
    return np.asarray(np.sort(sides.level, axis=0)[(len(sides.level) - 1) // 2], np.float32)


def _lines(sides: Sides) -> list[int]:
    """Heights at which most of the width of all columns is level edge."""
    share = _across(sides)
    highest = cv2.dilate(np.asarray(share, np.float32)[None, :], np.ones((1, 7), np.uint8))[0]
    return [int(y) for y in np.flatnonzero((share == highest) & (share >= LINE_SHARE))]


def _is_row_edge(y: int, rows: Sequence[Row]) -> bool:
    return any(abs(y - edge) <= 2 * SLACK_PX + 1 for row in rows for edge in (row.top, row.bottom))


def _recurs(y: int, rows: Sequence[Row], sides: Sides, pitch: int) -> bool:
    """Whether the line lies at the same place in other rows too: then it belongs to the tiles, not to a bar."""
    home = next((row.top for row in rows if row.top < y < row.bottom), None)
    if home is None:
        home = rows[-1].top + pitch if y >= rows[-1].bottom else rows[0].top - pitch
    share = _across(sides)
    others = [row.top + y - home for row in rows if row.top != home]
    seen = [share[max(0, at - 2) : at + 3].max(initial=0.0) >= LINE_SHARE for at in others]
    return bool(seen) and sum(map(bool, seen)) * 2 >= len(seen)


def _is_bar(image: Image, columns: Columns, y: int, inward: int) -> bool:
    """Whether the line before row y dims or hides what lies beyond; `inward` is +1 where the grid lies below the line."""
    first, beyond = (y, y - 1) if inward > 0 else (y - 1, y)
    if not (3 <= y < image.shape[0] - 9):
        return False
    inner, outer = _along(image, columns, first), _along(image, columns, beyond)
    vivid = float(_along(image, columns, first + 2 * inward).std())
    if vivid < VIVID_LEVELS:
        return False
    dull = [float(_along(image, columns, beyond - k * inward).std()) for k in (2, 4, 6)]
    if max(dull) <= min(DULL_SHARE * vivid, DULL_LEVELS):
        return True
    slope = float(np.cov(inner, outer)[0, 1] / max(float(inner.var()), 1.0))
    likeness, usual = _correlation(inner, outer), _correlation(inner, _along(image, columns, first + inward))
    return slope <= CONTRAST_LEFT and likeness >= min(FOLLOWS, max(FOLLOWS_LEAST, usual - 0.05))


def _correlation(one: Floats, other: Floats) -> float:
    return float(np.corrcoef(one, other)[0, 1]) if one.std() and other.std() else 0.0


def _along(image: Image, columns: Columns, y: int) -> Floats:
    """The values of one pixel row inside the columns."""
    inset = columns.width // 10
    spans = [image[y, left + inset : right - inset] for left, right in zip(columns.lefts, columns.rights, strict=True)]
    return np.concatenate(spans).astype(np.float32).ravel()


def rows_within(rows: Sequence[Row], window: Window) -> list[Row]:
    """The rows that the window shows whole, give or take the edge of a tile."""
    return [row for row in rows if row.top >= window.top - SLACK_PX and row.bottom <= window.bottom + SLACK_PX]


def cut_rows(sides: Sides, columns: Columns, rows: Sequence[Row], window: Window) -> tuple[Row | None, Row | None]:
    """The row that the window's top cuts and the one that its bottom cuts, where there are such."""
    side = rows[0].height
    firm = [row for row in rows if max(row.support) >= FIRM_ROW]
    pitch = row_pitch(firm, columns.gap) or side + columns.gap
    below = _cut_below(sides, rows[-1].bottom, pitch - side, side, window.bottom)
    turned = replace(sides, level=sides.level[:, ::-1], left_sum=_turned(sides.left_sum), right_sum=_turned(sides.right_sum))
    height = sides.height
    above = _cut_below(turned, height - rows[0].top, pitch - side, side, height - window.top)
    if above is not None:
        above = Row(height - above.bottom, height - above.top, above.support)
    return above, below


def trimmed_ends(sides: Sides, rows: Sequence[Row]) -> list[Row]:
    """The rows without a first or last that is rather a cut one: whose side borders end at a line inside it."""
    kept = list(rows)
    while len(kept) > 1 and _ends_inside(sides, kept[0]):
        kept.pop(0)
    while len(kept) > 1 and _ends_inside(sides, kept[-1]):
        kept.pop()
    return kept


def _ends_inside(sides: Sides, row: Row) -> bool:
    """Whether a line inside the row has upright borders on one of its sides only."""
    if max(row.support) >= ALL_BUT_SURE:
        return False
    seen = [j for j, s in enumerate(row.support) if s >= SIDE_SEEN]
    if not seen:
        return True
    profile = sides.level[seen].mean(axis=0)
    for y in _crests(np.asarray(profile, np.float32), row.top + 4, row.bottom - 4):
        less, more = sorted((_wall(sides, row.top, y), _wall(sides, y, row.bottom)))
        if profile[y] >= LINE_SHARE and more >= WALL_SHARE > 2 * less:
            return True
    return False


def _goes_on(sides: Sides, bottom: int, end: int) -> bool:
    """Whether borders between columns run on below a line up to where the tile must end: then the line is in a photo."""
    return end - bottom > 2 * SLACK_PX and _wall(sides, bottom, end) >= WALL_SHARE


def _wall(sides: Sides, top: int, bottom: int) -> float:
    """The longest share that a border between columns runs of the way between two lines."""
    rims = np.concatenate([sides.right_sum[:-1], sides.left_sum[1:]])
    return float((rims[:, bottom] - rims[:, top]).max() / max(1, bottom - top))


def _turned(cumulated: Floats) -> Floats:
    return np.asarray(cumulated[:, -1:] - cumulated[:, ::-1], np.float32)


def _cut_below(sides: Sides, after: int, gap: int, side: int, end: int) -> Row | None:
    """The cut row that begins below `after`: at the usual gap or anywhere, and ends on a line or at `end`."""
    if end - after < SLIVER_SHARE * side:
        return None
    profile = np.sort(sides.level, axis=0)[-max(1, len(sides.level) // 2) :].mean(axis=0)
    crests = _crests(profile, after, end)
    tops = sorted({*(y for y in crests), min(after + max(gap, 0), end - 1)})
    best: tuple[float, Row] | None = None
    for top in tops:
        follows = abs(top - after - gap) <= 2 * SLACK_PX
        for bottom in (*(y for y in crests if y > top), end):
            share = (bottom - top) / side
            if not SLIVER_SHARE <= share < WHOLE_SHARE or _goes_on(sides, bottom, min(top + side, end)):
                continue
            row = row_at(sides, top, bottom, cut_bottom=bottom == sides.height)
            weight = row.weight * (0.6 + 0.4 * share) * (1.0 if follows else 0.8)
            if (
                weight >= (0.5 if follows else 0.9)
                and _wall(sides, top, bottom) >= WALL_SHARE
                and (best is None or weight > best[0])
            ):
                best = (weight, row)
    return best[1] if best else None


def _crests(profile: Floats, after: int, end: int) -> list[int]:
    highest = cv2.dilate(np.asarray(profile, np.float32)[None, :], np.ones((1, 5), np.uint8))[0]
    at = np.flatnonzero((profile == highest) & (profile >= SIDE_SEEN * 0.7))
    return [int(y) for y in at if after - SLACK_PX <= y <= end]
