"""Why a screen whose edges can be read as rows of tiles still shows no result grid.

few whole borders · tiles not square · first column empty · no photos · dimmed · captions that are names
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.captions import captions_under, carries_name, ink_share
from matching.lattice import Columns
from matching.model import Box, Cell, Image
from matching.rows import SIDE_SEEN, Row, Sides, heaviest_rows, weight_of

FIRM = 0.8
"""Evidence of a tile whose borders are all but wholly seen."""
FIRM_SHARE_MIN = 0.2
"""Share of the tiles claimed that must be firm: night photos on black show 0.3, lists with pictures none."""
OBLONG_GAIN = 1.15
"""By how much more border another height must meet than the square one: portrait tiles of video apps meet 2 times more."""
OBLONG_FROM = 0.12
"""By which share of the width a height must differ to be no square."""
OBLONG_HEIGHTS = (0.55, 1.9)
"""Heights tried, in tile widths."""
TWO_COLOURS_MAX = 0.75
"""Share of a tile that its two commonest colours (16 levels a channel) may cover in a photo: icon tiles and keys 0.84 and
more, photos 0.1 to 0.5."""
PHOTO_SHARE_MIN = 0.3
"""Share of tiles that must hold photos: black video frames and white documents may be the rest."""
BLANK_LEVELS = 6
"""Range of grey levels in a place where nothing is drawn."""
RIM_PX = 3
"""Outlines and soft edges of tiles reach this far beside them."""
PAGE_LEVELS = 10
"""Grey levels (largest channel) up to which a pixel is the page's: JPEG screens colour it by up to 7."""
SPECKS_SHARE_MAX = 0.003
"""Share of the page that may differ: a short word beside a picture covers more."""
DIMMED_SHARE, DIMMED_LEVELS = 0.6, 150
"""Brightest value of dimmed tiles against the brightest elsewhere, and at most: scrims keep 0.4 to 0.55 of the light."""


def reason_against(image: Image, columns: Columns, sides: Sides, rows: Sequence[Row], cells: Sequence[Cell]) -> str:
    """In words, what the screen shows instead of a result grid; "" where nothing speaks against one."""
    if not cells:
        return "no tile is visible"
    return (
        _not_firm(rows, cells)
        or _not_square(sides, columns, rows)
        or _not_from_the_left(rows)
        or _no_photos(image, cells)
        or _dimmed(image, cells)
        or _named(image, columns, rows, cells)
        or _listed(image, columns, rows, cells)
    )


def stands_alone(image: Image, columns: Columns, rows: Sequence[Row]) -> bool:
    """Whether nothing but the page lies left and right of an only row that is not full; true of all other rows.

    A picture with text beside it belongs to a list, and one with more picture beside it is a contour within a photo.
    """
    last = max((j for j, seen in enumerate(rows[0].support) if seen >= SIDE_SEEN), default=0)
    if len(rows) > 1 or last == columns.count - 1:
        return True
    strip = image[rows[0].top : rows[0].bottom]
    return _is_page(strip[:, : max(0, columns.lefts[0] - RIM_PX)]) and _is_page(strip[:, columns.rights[last] + RIM_PX :])


def _is_page(strip: Image) -> bool:
    """Whether a strip is of one colour; true of an empty one."""
    if not strip.size:
        return True
    unlike = np.abs(strip.astype(np.int16) - np.median(strip.reshape(-1, 3), axis=0)).max(axis=2) > PAGE_LEVELS
    return bool(unlike.mean() <= SPECKS_SHARE_MAX)


def nothing_behind(image: Image, cells: Sequence[Cell]) -> str:
    """Why the pixels where the UI tree puts its cells cannot be those cells; "" where they can.

    Results may all be white documents, so that tiles without photos do not count here, as long as something is drawn.
    """
    places = [image[top:bottom, left:right].reshape(-1, 3) for left, top, right, bottom in (cell.box for cell in cells)]
    blank = all(int(np.ptp(place, axis=0).max()) <= BLANK_LEVELS for place in places)
    return "nothing is drawn there" if blank else _dimmed(image, cells)


def _not_firm(rows: Sequence[Row], cells: Sequence[Cell]) -> str:
    firm = sum(support >= FIRM for row in rows for support in row.support)
    if firm >= max(1, FIRM_SHARE_MIN * len(cells)):
        return ""
    return f"{firm} of {len(cells)} tiles show their borders: no grid of pictures"


def _not_square(sides: Sides, columns: Columns, rows: Sequence[Row]) -> str:
    square = weight_of(rows) * rows[0].height
    low, high = (round(share * columns.width) for share in OBLONG_HEIGHTS)
    heights = [h for h in _likely_heights(sides, low, high) if abs(h - columns.width) > OBLONG_FROM * columns.width]
    met, best = max(((weight_of(heaviest_rows(sides, h, columns.gap)) * h, h) for h in heights), default=(0.0, 0))
    return f"tiles are {columns.width} x {best} px, not square: no photo thumbnails" if met > OBLONG_GAIN * square else ""


def _likely_heights(sides: Sides, low: int, high: int) -> list[int]:
    """Distances between strong level lines that are the commonest, at most six."""
    profile = np.sort(sides.level, axis=0)[-2:].mean(axis=0)
    highest = cv2.dilate(np.asarray(profile, np.float32)[None, :], np.ones((1, 5), np.uint8))[0]
    lines = np.flatnonzero((profile == highest) & (profile >= 0.6))
    steps = (lines[None, :] - lines[:, None]).ravel()
    counts = np.bincount(steps[(steps >= low) & (steps <= high)], minlength=high + 1)
    near = counts + np.pad(counts, 1)[:-2] + np.pad(counts, 1)[2:]
    return [int(h) for h in np.argsort(-near, kind="stable")[:6] if near[h] > 0]


def _not_from_the_left(rows: Sequence[Row]) -> str:
    first = [row.support[0] for row in rows]
    others = [max(row.support) for row in rows]
    if sum(first) >= 0.5 * sum(others):
        return ""
    return "tiles stand away from the left margin: a panel over the screen"


def _no_photos(image: Image, cells: Sequence[Cell]) -> str:
    photos = sum(is_photo_like(image, cell.box) for cell in cells)
    if photos >= PHOTO_SHARE_MIN * len(cells):
        return ""
    return f"{len(cells) - photos} of {len(cells)} tiles hold no photo: keys, icons or categories"


def is_photo_like(image: Image, box: Box) -> bool:
    """Whether a tile holds more than a picture symbol or a letter on an even ground."""
    left, top, right, bottom = box
    inset = (right - left) // 20 + 1
    coarse = image[top + inset : bottom - inset : 2, left + inset : right - inset : 2] >> 4
    if not coarse.size:
        return False
    key = (coarse[..., 0].astype(np.int32) << 8) | (coarse[..., 1].astype(np.int32) << 4) | coarse[..., 2]
    return bool(np.sort(np.bincount(key.ravel()))[-2:].sum() <= TWO_COLOURS_MAX * key.size)


def _dimmed(image: Image, cells: Sequence[Cell]) -> str:
    red, green, blue = cv2.split(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_NEAREST))
    light = np.asarray(cv2.max(cv2.max(red, green), blue), np.uint8)
    light[: light.shape[0] // 20] = 0  # the status bar is drawn above every dialog
    tiles = np.zeros(light.shape, bool)
    for left, top, right, bottom in (cell.box for cell in cells):
        tiles[top // 2 : bottom // 2, left // 2 : right // 2] = True
    inside, elsewhere = _brightest(light[tiles]), _brightest(light[~tiles])
    if inside <= DIMMED_LEVELS and inside < DIMMED_SHARE * elsewhere:
        return "tiles are dimmed: something lies over them"
    return ""


def _brightest(light: NDArray[np.uint8]) -> float:
    return float(np.quantile(light, 0.998)) if light.size else 0.0


def _named(image: Image, columns: Columns, rows: Sequence[Row], cells: Sequence[Cell]) -> str:
    if len(cells) == 1 and carries_name(image, cells[0]):
        return "a picture with a name below it: an album, a person or a place"
    captions = captions_under(image, columns, rows, cells)
    if captions.lines >= 2 or (captions.lines == 1 and not captions.alike):
        return "tiles carry names: albums, people or places"
    return ""


def _listed(image: Image, columns: Columns, rows: Sequence[Row], cells: Sequence[Cell]) -> str:
    """One picture a row with text beside it is a list: of albums, songs or suggestions."""
    if len(rows) < 2 or any(cell.box[0] >= columns.rights[0] for cell in cells):
        return ""
    beside = [image[row.top : row.bottom : 2, columns.rights[0] + 4 :: 2] for row in rows]
    inked = [0.003 <= share <= 0.4 for share in (ink_share(strip) for strip in beside)]
    return "a list of pictures with text beside them" if sum(inked) * 2 > len(rows) else ""
