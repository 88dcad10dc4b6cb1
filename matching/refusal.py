"""Why a screen whose edges can be read as rows of tiles still shows no result grid."""

from collections.abc import Sequence

import numpy as np

from matching.edges import Edges
from matching.lattice import Columns
from matching.model import Box, Cell, Image
from matching.rows import Row

TWO_COLOURS_MAX = 0.75
"""Share of a tile that its two commonest colours (16 levels a channel) may cover in a photo: icon tiles and keys 0.84 and
more, photos 0.1 to 0.5."""
PHOTO_SHARE_MIN = 0.3
"""Share of tiles that must hold photos: black video frames and white documents may be the rest."""


def reason_against(image: Image, edges: Edges, columns: Columns, rows: Sequence[Row], cells: Sequence[Cell]) -> str:
    """In words, what the screen shows instead of a result grid; "" where nothing speaks against one."""
    if not cells:
        return "no tile is visible"
    photos = sum(is_photo_like(image, cell.box) for cell in cells)
    if photos < PHOTO_SHARE_MIN * len(cells):
        return f"{len(cells) - photos} of {len(cells)} tiles hold no photo: keys, icons or categories"
    return ""


def is_photo_like(image: Image, box: Box) -> bool:
    """Whether a tile holds more than a picture symbol or a letter on an even ground."""
    left, top, right, bottom = box
    inset = (right - left) // 20 + 1
    coarse = image[top + inset : bottom - inset : 2, left + inset : right - inset : 2] >> 4
    if not coarse.size:
        return False
    key = (coarse[..., 0].astype(np.int32) << 8) | (coarse[..., 1].astype(np.int32) << 4) | coarse[..., 2]
    return bool(np.sort(np.bincount(key.ravel()))[-2:].sum() <= TWO_COLOURS_MAX * key.size)
