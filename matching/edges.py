"""Where a screen has perfectly straight upright and level edges: what thumbnails have and what they show seldom has.

A photo's own contours wander by a pixel or fade; the border of a tile is one pixel wide, exactly straight and as long as the
tile. So an edge pixel counts only where its step stands out from its neighbourhood across the edge *and* most of the pixels
along the edge agree. Black thumbnails on a near-black page still show: a step of three grey levels is enough.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from matching.model import Image

Mask = NDArray[np.uint8]

STEP_MIN = 3
"""Grey levels (largest channel) a border must step by: pages of #121212 against black photos give 3 or more."""
STANDS_OUT = 1.8
"""A border's step against the mean step within `ACROSS_PX`: 1.8 keeps borders between textured photos, drops texture."""
ACROSS_PX = 15
"""Width of that neighbourhood: wider than the widest soft contour of a thumbnail, narrower than a thumbnail."""
AGREEING = 0.55
"""Share of a run's pixels that must be edge pixels: badges and matching colours leave holes in a true border."""


@dataclass(frozen=True, slots=True)
class Edges:
    """The straight edges of one screen.

    `upright[y, x]` is 255 where a straight upright edge runs between pixels x-1 and x at row y; shape (H, W + 1).
    `level[y, x]` likewise between rows y-1 and y; shape (H + 1, W). The image's own border is never an edge.
    """

    upright: Mask
    level: Mask
    run_px: int


def straight_edges(image: Image) -> Edges:
    """The straight edges of `image`, looked for in runs of a twentieth of its width."""
    height, width = image.shape[:2]
    run_px = max(15, width // 20) | 1
    upright = np.zeros((height, width + 1), np.uint8)
    upright[:, 1:width] = _standing_out(_largest(cv2.absdiff(image[:, 1:], image[:, :-1])), (ACROSS_PX, 1), (1, run_px))
    level = np.zeros((height + 1, width), np.uint8)
    level[1:height] = _standing_out(_largest(cv2.absdiff(image[1:], image[:-1])), (1, ACROSS_PX), (run_px, 1))
    return Edges(upright, level, run_px)


def _largest(steps: Image | cv2.typing.MatLike) -> Mask:
    red, green, blue = cv2.split(steps)
    return np.asarray(cv2.max(cv2.max(red, green), blue), np.uint8)


def _standing_out(step: Mask, across: tuple[int, int], along: tuple[int, int]) -> Mask:
    around = cv2.blur(step, across)
    limit = cv2.max(cv2.addWeighted(around, STANDS_OUT, around, 0.0, 2.0), np.full_like(step, STEP_MIN))
    edge = cv2.compare(step, limit, cv2.CMP_GE)
    return np.asarray(cv2.compare(cv2.blur(edge, along), np.full_like(edge, round(AGREEING * 255)), cv2.CMP_GE), np.uint8)
