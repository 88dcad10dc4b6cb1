"""From a painted scene to a photograph: framing, hand shake, lens softness, vignetting, exposure, tone curve, sensor noise.

Two frames of a burst come from the same painting and differ as real ones do: the camera moves by less than one per cent, the
subject sways by a few pixels, the exposure breathes, and the noise is new.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

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
    """How one frame differs from the painting: shift and sway in parts of the long side, turn in radians, exposure in stops."""

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


def expose(painting: Pixels, rng: Rng, size: tuple[int, int], shake: Shake, *, grain: float) -> Pixels:
    """The photograph of size (width, height); `grain` is the noise in grey levels of 255, more in night shots."""
    width, height = size
    seen = _framed(painting, width, height, shake)
    gain = 2.0 ** (shake.stops + rng.normal(0, 0.02)) / _FALLOFF_UNIT
    seen = np.asarray(cv2.multiply(seen, _falloff(width, height), scale=gain), np.uint8)
    return _with_noise(np.asarray(cv2.LUT(seen, _tone(rng)), np.uint8), rng, grain)


def develop(canvas: Canvas) -> Pixels:
    """A painting as pixels, which is what `expose` takes."""
    return np.asarray(cv2.convertScaleAbs(np.maximum(canvas, 0), alpha=255), np.uint8)


def _framed(painting: Pixels, width: int, height: int, shake: Shake) -> Pixels:
    """The painting on the sensor, moved and bent by the shake in a single resampling."""
    rows, columns = painting.shape[:2]
    scale = columns * (1 - 2 * MARGIN) / width / shake.zoom
    c, s = np.cos(shake.turn) * scale, np.sin(shake.turn) * scale
    long_side = max(rows, columns)
    centre = (columns / 2 + shake.shift[0] * long_side, rows / 2 + shake.shift[1] * long_side)
    x = np.arange(width, dtype=np.float32)[None, :] - np.float32(width / 2)
    y = np.arange(height, dtype=np.float32)[:, None] - np.float32(height / 2)
    map_x = np.float32(c) * x + (np.float32(centre[0]) - np.float32(s) * y)
    map_y = np.float32(s) * x + (np.float32(centre[1]) + np.float32(c) * y)
    if any(shake.sway):
        # What stands in the middle leans; the surroundings stay.
        bump = np.exp(-((x / (0.26 * width)) ** 2)) * np.exp(-(((y - 0.05 * height) / (0.32 * height)) ** 2))
        map_x += bump * np.float32(shake.sway[0] * long_side)
        map_y += bump * np.float32(shake.sway[1] * long_side)
    return np.asarray(cv2.remap(painting, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), np.uint8)


# The falloff is kept in bytes, 200 for 1.0, because multiplying bytes is what is fast.
_FALLOFF_UNIT = 200


@lru_cache(maxsize=8)
def _falloff(width: int, height: int) -> Pixels:
    """Lenses give less light towards the corners: a fifth less at the very corner."""
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    field = np.round(_FALLOFF_UNIT * (1.02 - np.float32(0.10) * (x * x + y * y))).astype(np.uint8)
    return np.asarray(cv2.merge([field, field, field]), np.uint8)


def _tone(rng: Rng) -> NDArray[np.uint8]:
    """A camera's curve with its own warmth, one table a channel: lifted blacks, soft shoulders."""
    t = np.linspace(0, 1, 256)
    contrast, lift, warmth = rng.uniform(0.25, 0.6), rng.uniform(0.01, 0.035), rng.normal(0, 0.022)
    curve = t + contrast * (t * t * (3 - 2 * t) - t)
    table = np.stack([curve ** (1 - warmth * side) for side in (1, 0, -1)], axis=1)
    return np.round(255 * (lift + (0.985 - lift) * table)).clip(0, 255).astype(np.uint8)[None]


def _with_noise(picture: Pixels, rng: Rng, grain: float) -> Pixels:
    """Luminance noise of each pixel, colour noise in blotches of two: what is left after a phone's own processing.

    Each frame takes its own place, and its own mirroring, of one bank of noise: at the same pixel two frames share nothing.
    """
    height, width = picture.shape[:2]
    bank = _noise_bank()
    y, x = int(rng.integers(bank.shape[0] - height)), int(rng.integers(bank.shape[1] - width))
    noise = bank[y : y + height, x : x + width]
    mirror = int(rng.integers(4))
    if mirror:
        noise = np.asarray(cv2.flip(noise, mirror - 2), np.uint8)
    part = grain / _NOISE_UNIT
    return np.asarray(cv2.addWeighted(picture, 1.0, noise, part, -128 * part), np.uint8)


# Noise is kept in bytes around 128, 16 for one standard deviation: eight fit on each side, and a sixteenth is not seen.
_NOISE_UNIT = 16


@cache
def _noise_bank() -> Pixels:
    """Noise of spread 1 for a frame of up to 1700 pixels a side at many places. Always the same."""
    side = 1900
    rng = np.random.default_rng(20)
    fine = rng.standard_normal((side, side), dtype=np.float32)
    blotches = cv2.resize(rng.standard_normal((side // 2, side // 2, 2), dtype=np.float32) * np.float32(0.45), (side, side))
    noise = cv2.merge([fine + blotches[..., 0], fine, fine + blotches[..., 1]])
    return np.clip(np.round(128 + _NOISE_UNIT * noise), 0, 255).astype(np.uint8)
