"""Elements drawn into a frame. The same elements make the accessibility tree, so a box in it is a box on the screen."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from devices.virtual.gallery.elements import Colour, Element, Paint, Picture, flatten, is_empty
from devices.virtual.gallery.fonts import elided, text_mask
from devices.virtual.gallery.shapes import icon_mask, rounded_mask
from devices.virtual.interface import Box

Pixels = NDArray[np.uint8]
PictureSource = Callable[[Picture, tuple[int, int]], Pixels | None]
"""Pixels of a picture at a size (width, height); None when it cannot be had."""

_BROKEN_INK: Colour = (150, 150, 155)


class Painter:
    """Draws frames of one size; the last one is kept as long as the elements stay the same."""

    def __init__(self, size: tuple[int, int], background: Colour, placeholder: Colour, pictures: PictureSource) -> None:
        self._size = size
        self._blank = np.empty((size[1], size[0], 3), np.uint8)
        self._blank[:] = background
        self._placeholder = placeholder
        self._pictures = pictures
        self._last: tuple[tuple[Element, ...], Pixels] | None = None

    def frame(self, elements: tuple[Element, ...]) -> Pixels:
        """RGB of shape (height, width, 3), read-only; without elements black (the screen is off)."""
        if self._last is not None and self._last[0] == elements:
            return self._last[1]
        pixels = self._draw(elements)
        pixels.setflags(write=False)
        self._last = (elements, pixels)
        return pixels

    def _draw(self, elements: tuple[Element, ...]) -> Pixels:
        width, height = self._size
        # Copying a blank screen is several times faster than filling one with a colour.
        canvas = self._blank.copy() if elements else np.zeros_like(self._blank)
        for element, visible in flatten(elements, (0, 0, width, height)):
            if not is_empty(visible):
                self._element(canvas, element, visible)
        return canvas

    def _element(self, canvas: Pixels, element: Element, visible: Box) -> None:
        paint = element.paint
        if paint.dims:
            part = canvas[visible[1] : visible[3], visible[0] : visible[2]]
            np.right_shift(part, 1, out=part)
        if paint.fill is not None:
            _fill(canvas, element.box, visible, paint)
        if paint.picture is not None:
            self._picture(canvas, element.box, visible, paint.picture)
        if paint.icon:
            _icon(canvas, element.box, visible, paint)
        text = element.text if element.drawn is None else element.drawn
        if text and paint.text_px:
            _text(canvas, element.box, visible, paint, text)

    def _picture(self, canvas: Pixels, box: Box, visible: Box, picture: Picture) -> None:
        size = (box[2] - box[0], box[3] - box[1])
        pixels = self._pictures(picture, size) if picture.photo is not None else None
        if pixels is not None:
            left, top = visible[0] - box[0], visible[1] - box[1]
            part = pixels[top : top + visible[3] - visible[1], left : left + visible[2] - visible[0]]
            canvas[visible[1] : visible[3], visible[0] : visible[2]] = part
            return
        canvas[visible[1] : visible[3], visible[0] : visible[2]] = self._placeholder
        if picture.photo is not None:
            _icon(canvas, box, visible, Paint(ink=_BROKEN_INK, icon="broken"))


def _fill(canvas: Pixels, box: Box, visible: Box, paint: Paint) -> None:
    colour = paint.fill or (0, 0, 0)
    if not paint.radius_px:
        canvas[visible[1] : visible[3], visible[0] : visible[2]] = colour
        return
    _blend(canvas, rounded_mask(box[2] - box[0], box[3] - box[1], paint.radius_px), (box[0], box[1]), visible, colour)


def _icon(canvas: Pixels, box: Box, visible: Box, paint: Paint) -> None:
    width, height = box[2] - box[0], box[3] - box[1]
    side = int(min(width, height) * 0.6)
    if side > 0:
        corner = (box[0] + (width - side) // 2, box[1] + (height - side) // 2)
        _blend(canvas, icon_mask(paint.icon, side, paint.turn), corner, visible, paint.ink)


def _text(canvas: Pixels, box: Box, visible: Box, paint: Paint, text: str) -> None:
    lines = text.split("\n")
    room = box[2] - box[0] - paint.pad_px
    masks = [text_mask(elided(line, paint.text_px, room), paint.text_px, bold=paint.bold) for line in lines]
    y = box[1] + (box[3] - box[1] - sum(mask.shape[0] for mask in masks)) // 2
    for mask in masks:
        x = box[0] + (box[2] - box[0] - mask.shape[1]) // 2 if paint.centred else box[0] + paint.pad_px
        _blend(canvas, mask, (x, y), visible, paint.ink)
        y += mask.shape[0]


def _blend(canvas: Pixels, mask: Pixels, corner: Sequence[int], visible: Box, colour: Colour) -> None:
    """Lays `colour` over the canvas where the mask covers, its corner at `corner`, inside `visible`."""
    left, top = max(corner[0], visible[0]), max(corner[1], visible[1])
    right, bottom = min(corner[0] + mask.shape[1], visible[2]), min(corner[1] + mask.shape[0], visible[3])
    if right <= left or bottom <= top:
        return
    cover = mask[top - corner[1] : bottom - corner[1], left - corner[0] : right - corner[0], None].astype(np.uint16)
    spot = canvas[top:bottom, left:right]
    spot[:] = (spot * (255 - cover) + np.array(colour, np.uint16) * cover) // 255
