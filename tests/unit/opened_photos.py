"""Photos for full views: a burst, a twin and others, and the phone that shows them in full."""

from collections.abc import Mapping
from functools import cache

import cv2
import numpy as np
from PIL import Image as Pillow
from thumbnail_grids import Picture, moved, painted

from matching.framed import fitted

WIDTH, HEIGHT = 720, 1280
SCREEN = (0, 0, WIDTH, HEIGHT)
BURST = ("burst0.png", "burst1.png", "burst2.png")
SHAKE = [(0.0, 0.0), (2.5, 0.8), (-2.0, 3.1)]
"""px of 1200 × 900: at most 0.3 %. In a 180 px cell of a 900 px square that is less than 0.7 px."""


@cache
def photos() -> Mapping[str, Picture]:
    """By name, all 1200 × 900 px but the tall one."""
    scene = _large(painted(7, 600, 450))
    burst = {name: _grainy(moved(scene, *SHAKE[frame]), frame) for frame, name in enumerate(BURST)}
    tall = np.ascontiguousarray(np.rot90(_large(painted(9, 600, 450))))
    return {**burst, "twin.png": burst["burst1.png"], "other.png": _large(painted(8, 600, 450)), "tall.png": tall}


def _large(picture: Picture) -> Picture:
    height, width = picture.shape[:2]
    return np.asarray(cv2.resize(picture, (2 * width, 2 * height), interpolation=cv2.INTER_CUBIC), np.uint8)


def _grainy(picture: Picture, seed: int) -> Picture:
    noise = np.random.default_rng(seed).normal(0, 3, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def viewed(photo: Picture, *, bars: int = 0, down_px: int = 0, gamma: float = 1.0) -> Picture:
    """The photo in full on a phone of 720 × 1280 px, with a title and buttons over its bars."""
    width, height = fitted((photo.shape[1], photo.shape[0]), SCREEN)
    shown = np.asarray(Pillow.fromarray(photo).resize((width, height), Pillow.Resampling.BILINEAR), np.float32) / 255
    screen = np.full((HEIGHT, WIDTH, 3), bars, np.uint8)
    left, top = (WIDTH - width) // 2, (HEIGHT - height) // 2 + down_px
    screen[top : top + height, left : left + width] = (255 * shown**gamma).astype(np.uint8)
    cv2.putText(screen, "14 March", (40, 90), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (255 - bars,) * 3, 2)
    cv2.circle(screen, (WIDTH // 2, HEIGHT - 60), 22, (255 - bars,) * 3, 3)
    return screen
