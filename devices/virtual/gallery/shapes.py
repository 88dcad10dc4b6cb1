"""Shapes as coverage masks: rounded corners, icons, badges. Drawn once at four times the size, then kept."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Mask = NDArray[np.uint8]

_FINE = 4  # supersampling that hides the stairs


@lru_cache(maxsize=256)
def rounded_mask(width: int, height: int, radius_px: int) -> Mask:
    """Coverage of a rectangle with rounded corners, uint8 of shape (height, width)."""
    image = Image.new("L", (width * _FINE, height * _FINE), 0)
    radius = min(radius_px, width // 2, height // 2) * _FINE
    ImageDraw.Draw(image).rounded_rectangle((0, 0, width * _FINE - 1, height * _FINE - 1), radius, fill=255)
    return _shrunk(image, (width, height))


@lru_cache(maxsize=256)
def icon_mask(name: str, side_px: int, turn: int = 0) -> Mask:
    """Coverage of an icon, uint8 of shape (side, side). `turn` is a spinner's step of twelve."""
    side = side_px * _FINE
    image = Image.new("L", (side, side), 0)
    _DRAWINGS[name](ImageDraw.Draw(image), side, turn)
    return _shrunk(image, (side_px, side_px))


def badge(pixels: NDArray[np.uint8], name: str) -> NDArray[np.uint8]:
    """`pixels` with a video or heart badge in a lower corner, as galleries lay it over a thumbnail."""
    height, width = pixels.shape[:2]
    side = max(12, width // 8)
    mask = icon_mask(name, side)[..., None].astype(np.uint16)
    x = width - side - side // 3 if name == "video" else side // 3
    y = height - side - side // 3
    marked = pixels.copy()
    spot = marked[y : y + side, x : x + side]
    marked[y : y + side, x : x + side] = (spot * (255 - mask) + 255 * mask) // 255
    return marked


def _shrunk(image: Image.Image, size: tuple[int, int]) -> Mask:
    mask = np.array(image.resize(size, Image.Resampling.BOX))
    mask.setflags(write=False)
    return mask


def _search(draw: ImageDraw.ImageDraw, side: int, _turn: int) -> None:
    draw.ellipse((side * 0.1, side * 0.1, side * 0.7, side * 0.7), outline=255, width=side // 10)
    draw.line((side * 0.62, side * 0.62, side * 0.9, side * 0.9), fill=255, width=side // 9)


def _back(draw: ImageDraw.ImageDraw, side: int, _turn: int) -> None:
    draw.line([(side * 0.62, side * 0.15), (side * 0.28, side * 0.5), (side * 0.62, side * 0.85)], fill=255, width=side // 9)


def _clear(draw: ImageDraw.ImageDraw, side: int, _turn: int) -> None:
    draw.ellipse((0, 0, side - 1, side - 1), fill=160)
    for a, b in (((0.32, 0.32), (0.68, 0.68)), ((0.68, 0.32), (0.32, 0.68))):
        draw.line([(a[0] * side, a[1] * side), (b[0] * side, b[1] * side)], fill=0, width=side // 10)


def _video(draw: ImageDraw.ImageDraw, side: int, _turn: int) -> None:
    draw.ellipse((0, 0, side - 1, side - 1), outline=255, width=side // 10)
    draw.polygon([(side * 0.38, side * 0.28), (side * 0.38, side * 0.72), (side * 0.75, side * 0.5)], fill=255)


def _heart(draw: ImageDraw.ImageDraw, side: int, _turn: int) -> None:
    draw.ellipse((side * 0.05, side * 0.1, side * 0.55, side * 0.6), fill=255)
    draw.ellipse((side * 0.45, side * 0.1, side * 0.95, side * 0.6), fill=255)
    draw.polygon([(side * 0.08, side * 0.45), (side * 0.92, side * 0.45), (side * 0.5, side * 0.95)], fill=255)


def _spinner(draw: ImageDraw.ImageDraw, side: int, turn: int) -> None:
    draw.arc((side * 0.08, side * 0.08, side * 0.92, side * 0.92), turn * 30, turn * 30 + 270, fill=255, width=side // 10)


def _battery(draw: ImageDraw.ImageDraw, side: int, _turn: int) -> None:
    draw.rounded_rectangle((0, side * 0.28, side * 0.88, side * 0.72), side * 0.1, outline=255, width=side // 14)
    draw.rectangle((side * 0.1, side * 0.38, side * 0.66, side * 0.62), fill=255)
    draw.rectangle((side * 0.9, side * 0.42, side * 0.98, side * 0.58), fill=255)


def _app(draw: ImageDraw.ImageDraw, side: int, _turn: int) -> None:
    for step in range(8):
        angle = math.radians(step * 45)
        x, y = side / 2 + math.cos(angle) * side * 0.24, side / 2 + math.sin(angle) * side * 0.24
        draw.ellipse((x - side * 0.12, y - side * 0.12, x + side * 0.12, y + side * 0.12), fill=255)


def _broken(draw: ImageDraw.ImageDraw, side: int, _turn: int) -> None:
    draw.rectangle((side * 0.15, side * 0.2, side * 0.85, side * 0.8), outline=255, width=side // 16)
    draw.line([(side * 0.2, side * 0.75), (side * 0.8, side * 0.25)], fill=255, width=side // 16)


def _up(draw: ImageDraw.ImageDraw, side: int, _turn: int) -> None:
    draw.line([(side * 0.2, side * 0.62), (side * 0.5, side * 0.32), (side * 0.8, side * 0.62)], fill=255, width=side // 9)


_DRAWINGS = {
    "search": _search, "back": _back, "clear": _clear, "video": _video, "heart": _heart, "spinner": _spinner,
    "battery": _battery, "app": _app, "broken": _broken, "up": _up,
}  # fmt: skip
