"""Small albums and the thumbnails of them: painted scenes, bursts of them, and a phone that shows them."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw

Picture = NDArray[np.uint8]


def painted(seed: int, width: int = 640, height: int = 480) -> Picture:
    """A scene with structure at all scales, different for each seed."""
    rng = np.random.default_rng(seed)
    scene = np.full((height, width, 3), rng.integers(60, 190, 3), np.float32)
    for sigma, strength in ((60, 4000.0), (15, 900.0), (4, 160.0)):
        cloud = cv2.GaussianBlur(rng.normal(0, 1, (height, width, 3)).astype(np.float32), (0, 0), sigma)
        scene += cloud * strength / 60 * (sigma / 15)
    image = Pillow.fromarray(np.clip(scene, 0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(image)
    for _ in range(30):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        w, h = rng.uniform(10, width / 4), rng.uniform(10, height / 4)
        pen.rectangle([x, y, x + w, y + h], fill=tuple(int(v) for v in rng.integers(0, 255, 3)))
    return np.asarray(cv2.GaussianBlur(np.asarray(image), (0, 0), 0.8), dtype=np.uint8)


def moved(picture: Picture, dx: float, dy: float) -> Picture:
    """The scene with the camera moved by so many px."""
    height, width = picture.shape[:2]
    matrix = np.array([[1.0, 0.0, dx], [0.0, 1.0, dy]])
    shifted = cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(shifted, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Phone:
    """How a test's phone shows a photo."""

    cell_px: int = 200
    gamma: float = 1.0
    quality: int = 85
    off_px: tuple[int, int] = (0, 0)
    grow_px: int = 0
    decorations: Sequence[str] = ()
    slide: float = 0.0
    """How far the square lies right of and below the photo's middle, where it has room; share of its side."""

    def shows(self, photo: Picture) -> Picture:
        """The thumbnail as cut from the screen."""
        height, width = photo.shape[:2]
        side = min(height, width)
        slide = round(self.slide * side)
        top, left = min((height - side) // 2 + slide, height - side), min((width - side) // 2 + slide, width - side)
        square = Pillow.fromarray(photo[top : top + side, left : left + side])
        shown = np.asarray(square.resize((self.cell_px, self.cell_px), Pillow.Resampling.BILINEAR), np.float32) / 255
        buffer = io.BytesIO()
        Pillow.fromarray((shown**self.gamma * 255).astype(np.uint8)).save(buffer, "JPEG", quality=self.quality)
        image = Pillow.open(buffer).convert("RGB")
        for name in self.decorations:
            image = _DECORATIONS[name](image)
        return self._cut(np.asarray(image))

    def _cut(self, shown: Picture) -> Picture:
        margin = 12
        n = self.cell_px
        screen = np.full((n + 2 * margin, n + 2 * margin, 3), 250, np.uint8)
        screen[margin : margin + n, margin : margin + n] = shown
        left, top = margin + self.off_px[0] - self.grow_px // 2, margin + self.off_px[1] - self.grow_px // 2
        return screen[top : top + n + self.grow_px, left : left + n + self.grow_px].copy()

    def with_decorations(self, *names: str) -> "Phone":
        """The same phone, with these on every cell."""
        return replace(self, decorations=names)


def _ticked(image: Pillow.Image) -> Pillow.Image:
    dimmed = image.point(lambda level: int(level * 0.75))
    n = image.width
    ImageDraw.Draw(dimmed).ellipse([n * 0.05, n * 0.05, n * 0.22, n * 0.22], fill=(40, 110, 240), outline="white", width=2)
    return dimmed


def _badged(image: Pillow.Image) -> Pillow.Image:
    marked = image.copy()
    n = image.width
    ImageDraw.Draw(marked).rounded_rectangle([n * 0.72, n * 0.05, n * 0.95, n * 0.18], radius=n * 0.03, fill=(245, 245, 245))
    return marked


_DECORATIONS = {"tick": _ticked, "badge": _badged}


def save(folder: Path, photos: dict[str, Picture]) -> dict[str, Path]:
    """Name → file of photos written as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, picture in photos.items():
        files[name] = folder / name
        Pillow.fromarray(picture).save(files[name])
    return files
