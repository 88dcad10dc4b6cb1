"""Thumbnails as this phone makes them: cropped, scaled by its own kernel, toned, re-encoded, with its badges on top."""

import io
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageEnhance, ImageFilter

from devices.virtual.gallery.elements import Colour, Picture
from devices.virtual.gallery.shapes import badge, rounded_mask
from devices.virtual.gallery.skin import Kernel, ThumbnailLook
from devices.virtual.gallery.sources import SHARED, Sources, whole

Pixels = NDArray[np.uint8]

KEPT = 400
"""Thumbnails kept per phone: more than any list a protocol reads (100), and 70 MB at most at 240 px."""

_FILTERS = {
    Kernel.BOX: Image.Resampling.BOX,
    Kernel.BILINEAR: Image.Resampling.BILINEAR,
    Kernel.BICUBIC: Image.Resampling.BICUBIC,
    Kernel.LANCZOS: Image.Resampling.LANCZOS,
}


class Thumbnails:
    """One phone's thumbnails. With an executor they are made in its threads and are not ready at once."""

    def __init__(
        self,
        look: ThumbnailLook,
        *,
        radius_px: int,
        background: Colour,
        executor: Executor | None = None,
        sources: Sources = SHARED,
    ) -> None:
        self._look = look
        self._radius = radius_px
        self._background = background
        self._executor = executor
        self._sources = sources
        self._kept: OrderedDict[tuple[Path, int, Picture, tuple[int, int]], Pixels | None] = OrderedDict()
        self._making: set[tuple[Path, int, Picture, tuple[int, int]]] = set()
        self._lock = Lock()

    def clear(self) -> None:
        """The phone's memory of thumbnails is empty."""
        with self._lock:
            self._kept.clear()

    def ready(self, path: Path, mtime_ns: int, picture: Picture, size: tuple[int, int]) -> bool:
        """True when `get` gives it at once; otherwise its making has begun. Without executor always true: `get` makes it."""
        key = (path, mtime_ns, picture, size)
        if self._executor is None:
            return True
        with self._lock:
            if key in self._kept:
                return True
            if key in self._making:
                return False
            self._making.add(key)
        self._executor.submit(self._make_and_keep, key)
        return False

    def get(self, path: Path, mtime_ns: int, picture: Picture, size: tuple[int, int]) -> Pixels | None:
        """RGB of shape (height, width, 3), read-only; None for a photo that cannot be decoded."""
        key = (path, mtime_ns, picture, size)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        return self._make_and_keep(key)

    def _make_and_keep(self, key: tuple[Path, int, Picture, tuple[int, int]]) -> Pixels | None:
        path, _mtime, picture, size = key
        source = whole(path, size) if picture.whole else self._sources.reduced(path)[1]
        made = None if source is None else self._make(source, picture, size)
        with self._lock:
            if picture.whole:  # a viewer shows one photo at a time, as large as thirty thumbnails
                self._forget_wholes()
            self._kept[key] = made
            self._making.discard(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return made

    def _forget_wholes(self) -> None:
        for key in [key for key in self._kept if key[2].whole]:
            del self._kept[key]

    def _make(self, source: Image.Image, picture: Picture, size: tuple[int, int]) -> Pixels:
        if picture.whole:
            pixels = np.array(source.resize(size, Image.Resampling.BILINEAR))
        else:
            pixels = make_thumbnail(source, size, self._look)
            pixels = decorate(pixels, picture, self._radius, self._background)
        pixels.setflags(write=False)
        return pixels


def make_thumbnail(source: Image.Image, size: tuple[int, int], look: ThumbnailLook) -> Pixels:
    """The centre of `source`, scaled, toned and re-encoded as `look` says; RGB of shape (height, width, 3)."""
    image = _scaled(source, _crop_box(source.size, size, look), size, look.kernel)
    for step in _tones(look):
        image = step(image)
    if look.format:
        image = _reencoded(image, look)
    pixels = np.array(image)
    return _rgb565(pixels) if look.rgb565 else pixels


def decorate(pixels: Pixels, picture: Picture, radius_px: int, background: Colour) -> Pixels:
    """`pixels` with the badges of `picture` and with corners rounded onto `background`."""
    for name in [name for name, wanted in (("video", picture.video), ("heart", picture.heart)) if wanted]:
        pixels = badge(pixels, name)
    if not radius_px:
        return pixels
    mask = rounded_mask(pixels.shape[1], pixels.shape[0], radius_px)[..., None].astype(np.uint16)
    ground = np.array(background, np.uint16)
    return ((pixels * mask + ground * (255 - mask)) // 255).astype(np.uint8)


def _crop_box(source: tuple[int, int], size: tuple[int, int], look: ThumbnailLook) -> tuple[float, float, float, float]:
    """The part of the source that fills `size`, moved by the phone's misalignment but never beyond the edge."""
    scale = min(source[0] / size[0], source[1] / size[1])
    left, right = _span(source[0], size[0] * scale, look.shift_x_px * scale)
    top, bottom = _span(source[1], size[1] * scale, look.shift_y_px * scale)
    return left, top, right, bottom


def _span(whole: int, part: float, shift: float) -> tuple[float, float]:
    """A stretch of length `part` around the middle of `whole`, moved by `shift`, inside 0..whole whatever the rounding."""
    start = max(0.0, min((whole - part) / 2 + shift, whole - part))
    return start, min(float(whole), start + part)


def _scaled(source: Image.Image, box: tuple[float, float, float, float], size: tuple[int, int], kernel: Kernel) -> Image.Image:
    if kernel in _FILTERS:
        return source.resize(size, _FILTERS[kernel], box=box)
    part = np.asarray(source.crop((round(box[0]), round(box[1]), round(box[2]), round(box[3]))))
    if kernel is Kernel.NEAREST:
        step = max(1, int(min(part.shape[1] / size[0], part.shape[0] / size[1])))
        part = part[step // 2 :: step, step // 2 :: step]
    return Image.fromarray(cv2.resize(np.ascontiguousarray(part), size, interpolation=cv2.INTER_LINEAR))


def _tones(look: ThumbnailLook) -> list[Callable[[Image.Image], Image.Image]]:
    steps: list[Callable[[Image.Image], Image.Image]] = []
    if look.gamma != 1.0:
        curve = [round(255 * (level / 255) ** look.gamma) for level in range(256)] * 3
        steps.append(lambda image: image.point(curve))
    if look.saturation != 1.0:
        steps.append(lambda image: ImageEnhance.Color(image).enhance(look.saturation))
    if look.sharpen_percent:
        steps.append(lambda image: image.filter(ImageFilter.UnsharpMask(1.0, look.sharpen_percent, 0)))
    return steps


def _reencoded(image: Image.Image, look: ThumbnailLook) -> Image.Image:
    buffer = io.BytesIO()
    options = {"method": 0} if look.format == "WEBP" else {}  # the fastest effort: a phone does not wait either
    image.save(buffer, look.format, quality=look.quality, **options)
    return Image.open(buffer).convert("RGB")


def _rgb565(pixels: Pixels) -> Pixels:
    """Five, six and five bits a channel, spread over 0..255 again."""
    red, green, blue = pixels[..., 0] >> 3, pixels[..., 1] >> 2, pixels[..., 2] >> 3
    return np.stack([red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2], axis=-1)
