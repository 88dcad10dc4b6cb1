"""From a painted scene to a photograph: framing, hand shake, lens softness, vignetting, exposure, tone curve, sensor noise.

Two frames of a burst come from the same painting and differ as real ones do: the camera moves by less than one per cent, the
subject sways by a few pixels, the exposure breathes, and the noise is new.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from rig.album.synth.canvas import Canvas, Rng

Pixels = NDArray[np.uint8]
"""RGB, shape (height, width, 3)."""

# A painting is a little larger than the frame, so that shake finds picture beyond the edge: 3 % on each side.
MARGIN = 0.03


@dataclass(frozen=True, slots=True)
class Shake:
    """How one frame differs from the painting: shift (parts of the long side), turn (radians), zoom, sway (parts), exposure (stops)."""

    shift: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0
    zoom: float = 1.0
    sway: tuple[float, float] = (0.0, 0.0)
    stops: float = 0.0


def shake_of(rng: Rng, frame: int) -> Shake:
    """The first frame of a scene is held still; each later one is moved by under one per cent."""
    if frame == 0:
        return Shake()
    dx, dy, turn, zoom, sway_x, sway_y, stops = rng.normal(0, 1, 7).clip(-2, 2)
    return Shake((dx * 0.0035, dy * 0.0030), turn * 0.0022, 1 + zoom * 0.0022, (sway_x * 0.005, sway_y * 0.003), stops * 0.07)


def expose(canvas: Canvas, rng: Rng, size: tuple[int, int], shake: Shake, *, grain: float) -> Pixels:
    """The photograph of size (width, height); `grain` is the noise in grey levels of 255, more in night shots."""
    width, height = size
    light = _framed(canvas, width, height, shake)
    light *= _falloff(width, height)[..., None] * np.float32(2.0 ** (shake.stops + rng.normal(0, 0.02)))
    picture = cv2.LUT(np.clip(light, 0, 255).astype(np.uint8), _tone(rng))
    return _with_noise(picture, rng, grain)


def _framed(canvas: Canvas, width: int, height: int, shake: Shake) -> Canvas:
    """The canvas on the sensor, 0 to 255, moved and bent by the shake in a single resampling."""
    rows, columns = canvas.shape[:2]
    scale = columns * (1 - 2 * MARGIN) / width / shake.zoom
    c, s = np.float32(np.cos(shake.turn) * scale), np.float32(np.sin(shake.turn) * scale)
    x = np.arange(width, dtype=np.float32)[None, :] - np.float32(width / 2)
    y = np.arange(height, dtype=np.float32)[:, None] - np.float32(height / 2)
    long_side = max(rows, columns)
    map_x = c * x - s * y + np.float32(columns / 2 + shake.shift[0] * long_side)
    map_y = s * x + c * y + np.float32(rows / 2 + shake.shift[1] * long_side)
    if any(shake.sway):
        # What stands in the middle leans; the surroundings stay.
        bump = np.exp(-((x / (0.26 * width)) ** 2)) * np.exp(-(((y - 0.05 * height) / (0.32 * height)) ** 2))
        map_x += bump * np.float32(shake.sway[0] * long_side)
        map_y += bump * np.float32(shake.sway[1] * long_side)
    small = np.clip(canvas * 255, 0, 255).astype(np.uint8)
    seen = cv2.remap(small, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return seen.astype(np.float32)


def _falloff(width: int, height: int) -> NDArray[np.float32]:
    """Lenses give less light towards the corners: a fifth less at the very corner."""
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    return 1.02 - np.float32(0.10) * (x * x + y * y)


def _tone(rng: Rng) -> NDArray[np.uint8]:
    """A camera's curve with its own warmth, one table a channel: lifted blacks, soft shoulders."""
    t = np.linspace(0, 1, 256)
    contrast, lift, warmth = rng.uniform(0.25, 0.6), rng.uniform(0.01, 0.035), rng.normal(0, 0.022)
    curve = t + contrast * (t * t * (3 - 2 * t) - t)
    table = np.stack([curve ** (1 - warmth * side) for side in (1, 0, -1)], axis=1)
    return np.round(255 * (lift + (0.985 - lift) * table)).clip(0, 255).astype(np.uint8)[None]


def _with_noise(picture: Pixels, rng: Rng, grain: float) -> Pixels:
    """Luminance noise of each pixel, colour noise in blotches of two: what is left after a phone's own processing."""
    height, width = picture.shape[:2]
    fine = rng.standard_normal((height, width), dtype=np.float32)
    fine *= np.float32(grain)
    half = rng.standard_normal(((height + 1) // 2, (width + 1) // 2, 2), dtype=np.float32) * np.float32(grain * 0.45)
    blotches = cv2.resize(half, (width, height), interpolation=cv2.INTER_LINEAR)
    red, blue = fine + blotches[..., 0], fine + blotches[..., 1]
    noise = cv2.merge([red, fine, blue])
    return cv2.add(picture, noise, dtype=cv2.CV_8U)
