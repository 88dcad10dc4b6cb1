"""What phone galleries do to a photo: crop, scaling, cache, tone, codec, decorations, and a lattice a little off.

TUNED     profiles that thresholds were chosen on
UNSEEN    profiles that nothing was chosen on; results on these are the honest ones
HARSHEST  of each, the profile that decimates by nearest neighbour
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw

Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class PhoneProfile:
    """One gallery's way of showing a photo; lengths in px of the cell unless said otherwise."""

    name: str
    cell_px: int
    scaling: str
    codec: tuple[str, int] | None = None
    sharpen: float = 0.0
    gamma: float = 1.0
    contrast: float = 0.0
    saturation: float = 1.0
    brightness: float = 1.0
    wide_gamut: bool = False
    rgb565: bool = False
    corner_px: int = 0
    off_px: float = 0.0
    """The lattice is off by up to this, the same for a whole grid."""
    off_scale: float = 0.0
    decorated: float = 0.0
    """Share of cells with a badge, heart or tick."""
    dark: bool = False


TUNED = (
    PhoneProfile("plain", 256, "area"),
    PhoneProfile("stock", 268, "draft", ("JPEG", 85)),
    PhoneProfile("wide", 348, "bicubic", ("WEBP", 80), sharpen=0.4, wide_gamut=True, corner_px=12, off_px=1),
    PhoneProfile("budget", 240, "cache512", ("JPEG", 70), gamma=1.08, rgb565=True, off_px=2, decorated=0.45),
    PhoneProfile(
        "hdr",
        320,
        "lanczos",
        ("JPEG", 80),
        contrast=0.35,
        brightness=0.82,
        corner_px=20,
        off_px=2,
        off_scale=0.01,
        decorated=0.45,
        dark=True,
    ),
    PhoneProfile(
        "harsh",
        204,
        "nearest",
        ("WEBP", 60),
        sharpen=1.0,
        gamma=0.88,
        saturation=1.25,
        corner_px=8,
        off_px=3,
        off_scale=0.012,
        decorated=0.45,
        dark=True,
    ),
)
UNSEEN = (
    PhoneProfile("small", 168, "mipmap", ("JPEG", 82), off_px=1, decorated=0.3),
    PhoneProfile("rounded", 290, "cache512", ("WEBP", 75), contrast=0.2, corner_px=28, off_px=2, decorated=0.3),
    PhoneProfile(
        "vivid", 222, "bicubic", ("JPEG", 75), gamma=0.93, saturation=1.35, sharpen=0.6, off_px=3, off_scale=0.01, decorated=0.4
    ),
    PhoneProfile("dim", 312, "draft", ("JPEG", 88), brightness=0.7, gamma=1.12, wide_gamut=True, off_px=1, dark=True),
    PhoneProfile("pixelated", 216, "nearest", ("JPEG", 70), sharpen=0.7, gamma=1.1, off_px=3, off_scale=0.01, decorated=0.4),
)
HARSHEST = frozenset({"harsh", "pixelated"})


@dataclass(frozen=True, slots=True)
class Lattice:
    """How a grid's boxes are off, shared by its cells."""

    dx_px: float = 0.0
    dy_px: float = 0.0
    scale: float = 0.0


def lattice_of(profile: PhoneProfile, rng: np.random.Generator) -> Lattice:
    """A lattice as far off as this profile's may be."""
    dx, dy = rng.uniform(-profile.off_px, profile.off_px, 2)
    return Lattice(float(dx), float(dy), float(rng.uniform(-profile.off_scale, profile.off_scale)))


def render(
    photo: Picture,
    profile: PhoneProfile,
    rng: np.random.Generator,
    lattice: Lattice = Lattice(),
    *,
    decorations: Sequence[str] | None = None,
    square: bool = True,
) -> Picture:
    """The cell as cut from a screenshot. `decorations`: exactly these instead of the profile's own chance of some."""
    height, width = photo.shape[:2]
    side = min(height, width)
    if square:
        left, top = round((width - side) / 2), round((height - side) / 2)
        photo = photo[top : top + side, left : left + side]
    height, width = photo.shape[:2]
    cell_w, cell_h = round(profile.cell_px * width / max(1, height)) if not square else profile.cell_px, profile.cell_px
    shown = _SCALINGS[profile.scaling](photo, cell_w, cell_h)
    shown = _toned(shown, profile)
    if profile.codec is not None:
        shown = _through_codec(shown, *profile.codec)
    if profile.rgb565:
        shown = np.stack([shown[..., 0] & 0xF8, shown[..., 1] & 0xFC, shown[..., 2] & 0xF8], -1)
    chosen = decorations if decorations is not None else _some(profile, rng)
    for name in chosen:
        shown = DECORATIONS[name](shown)
    return _cut_from_screen(shown, profile, lattice)


def _area(photo: Picture, width: int, height: int) -> Picture:
    return _as_picture(Pillow.fromarray(photo).resize((width, height), Pillow.Resampling.BOX))


def _bicubic(photo: Picture, width: int, height: int) -> Picture:
    return _as_picture(Pillow.fromarray(photo).resize((width, height), Pillow.Resampling.BICUBIC))


def _lanczos(photo: Picture, width: int, height: int) -> Picture:
    return _as_picture(Pillow.fromarray(photo).resize((width, height), Pillow.Resampling.LANCZOS))


def _draft(photo: Picture, width: int, height: int) -> Picture:
    """The codec's own 1/2, 1/4, 1/8, then bilinear."""
    factor = _power_of_two(photo, width, height, spare=1.0)
    small = cv2.resize(photo, (photo.shape[1] // factor, photo.shape[0] // factor), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _mipmap(photo: Picture, width: int, height: int) -> Picture:
    """Halved until under twice the cell, then bilinear: what a GPU does."""
    while photo.shape[0] >= 2 * height and photo.shape[1] >= 2 * width:
        photo = np.asarray(
            cv2.resize(photo, (photo.shape[1] // 2, photo.shape[0] // 2), interpolation=cv2.INTER_AREA), dtype=np.uint8
        )
    return np.asarray(cv2.resize(photo, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _cache512(photo: Picture, width: int, height: int) -> Picture:
    """A 512 px JPEG as media stores keep, then bilinear."""
    scale = 512 / min(photo.shape[:2])
    if scale < 1:
        size = (round(photo.shape[1] * scale), round(photo.shape[0] * scale))
        photo = np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    cached = _through_codec(photo, "JPEG", 80)
    return np.asarray(cv2.resize(cached, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _nearest(photo: Picture, width: int, height: int) -> Picture:
    """Every second, fourth, eighth pixel, then bilinear: aliased."""
    factor = _power_of_two(photo, width, height, spare=1.5)
    thinned = np.ascontiguousarray(photo[factor // 2 :: factor, factor // 2 :: factor])
    return np.asarray(cv2.resize(thinned, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def _power_of_two(photo: Picture, width: int, height: int, spare: float) -> int:
    factor = 1
    while factor < 8 and photo.shape[0] // (factor * 2) >= height * spare and photo.shape[1] // (factor * 2) >= width * spare:
        factor *= 2
    return factor


_SCALINGS: dict[str, Callable[[Picture, int, int], Picture]] = {
    "area": _area,
    "bicubic": _bicubic,
    "lanczos": _lanczos,
    "draft": _draft,
    "mipmap": _mipmap,
    "cache512": _cache512,
    "nearest": _nearest,
}

_P3_TO_SRGB = np.array([[1.2249, -0.2247, 0], [-0.0420, 1.0419, 0], [-0.0197, -0.0786, 1.0979]], np.float32)
"""Linear light; Display P3 to sRGB, both D65."""


def _toned(picture: Picture, profile: PhoneProfile) -> Picture:
    light = picture.astype(np.float32) / 255
    if profile.wide_gamut:
        light = np.clip((light**2.2) @ _P3_TO_SRGB.T, 0, 1) ** (1 / 2.2)
    light = light**profile.gamma
    light = (1 - profile.contrast) * light + profile.contrast * (light * light * (3 - 2 * light))
    if profile.saturation != 1:
        grey = light @ np.array([0.299, 0.587, 0.114], np.float32)
        light = np.clip(grey[..., None] + (light - grey[..., None]) * profile.saturation, 0, 1)
    if profile.sharpen:
        light = np.clip(light + profile.sharpen * (light - cv2.GaussianBlur(light, (0, 0), 1.0)), 0, 1)
    return np.asarray(np.clip(light * profile.brightness * 255 + 0.5, 0, 255), dtype=np.uint8)


def _through_codec(picture: Picture, codec: str, quality: int) -> Picture:
    buffer = io.BytesIO()
    Pillow.fromarray(picture).save(buffer, codec, quality=quality)
    return _as_picture(Pillow.open(buffer).convert("RGB"))


def _as_picture(image: Pillow.Image) -> Picture:
    return np.asarray(image, dtype=np.uint8)


def _some(profile: PhoneProfile, rng: np.random.Generator) -> list[str]:
    if rng.random() >= profile.decorated:
        return []
    return [str(rng.choice(sorted(DECORATIONS)))]


def _drawn(picture: Picture, draw: Callable[[ImageDraw.ImageDraw, int], None]) -> Picture:
    image = Pillow.fromarray(picture)
    draw(ImageDraw.Draw(image), picture.shape[0])
    return _as_picture(image)


def _video(picture: Picture) -> Picture:
    """A shade over the lower quarter, with a play sign and a duration."""
    side = picture.shape[0]
    shaded = picture.astype(np.float32)
    shaded[-(side // 4) :] *= 1 - np.linspace(0, 0.55, side // 4, dtype=np.float32)[:, None, None]

    def draw(pen: ImageDraw.ImageDraw, s: int) -> None:
        pen.polygon([(s * 0.5, s * 0.86), (s * 0.5, s * 0.94), (s * 0.56, s * 0.9)], fill="white")
        pen.text((s * 0.62, s * 0.84), "0:17", fill="white", font_size=max(8, s // 12))

    return _drawn(shaded.astype(np.uint8), draw)


def _heart(picture: Picture) -> Picture:
    def draw(pen: ImageDraw.ImageDraw, s: int) -> None:
        x, y, r = s * 0.11, s * 0.88, s * 0.025
        pen.ellipse([x - 2 * r, y - r, x, y + r], fill="white")
        pen.ellipse([x, y - r, x + 2 * r, y + r], fill="white")
        pen.polygon([(x - 2 * r, y + r * 0.4), (x + 2 * r, y + r * 0.4), (x, y + 3 * r)], fill="white")

    return _drawn(picture, draw)


def _badge(picture: Picture) -> Picture:
    def draw(pen: ImageDraw.ImageDraw, s: int) -> None:
        pen.rounded_rectangle([s * 0.78, s * 0.05, s * 0.95, s * 0.16], radius=s * 0.03, fill=(240, 240, 240))
        pen.text((s * 0.8, s * 0.06), "12", fill="black", font_size=max(7, s // 14))

    return _drawn(picture, draw)


def _tick(picture: Picture) -> Picture:
    """Selected: dimmed, with a filled ring."""

    def draw(pen: ImageDraw.ImageDraw, s: int) -> None:
        x, y, r = s * 0.13, s * 0.13, s * 0.085
        pen.ellipse([x - r, y - r, x + r, y + r], fill=(40, 110, 240), outline="white", width=max(1, s // 100))
        pen.line([(x - r / 2, y), (x - r / 8, y + r / 3), (x + r / 2, y - r / 3)], fill="white", width=max(1, s // 80))

    return _drawn((picture * 0.75).astype(np.uint8), draw)


DECORATIONS: dict[str, Callable[[Picture], Picture]] = {"video": _video, "heart": _heart, "badge": _badge, "tick": _tick}


def _cut_from_screen(shown: Picture, profile: PhoneProfile, lattice: Lattice) -> Picture:
    """The cell on its background, cut where the lattice says it is."""
    height, width = shown.shape[:2]
    ground = 20 if profile.dark else 250
    if profile.corner_px:
        mask = Pillow.new("L", (width * 4, height * 4), 0)
        corner = profile.corner_px * 4
        ImageDraw.Draw(mask).rounded_rectangle([0, 0, width * 4 - 1, height * 4 - 1], corner, fill=255)
        share = np.asarray(mask.resize((width, height), Pillow.Resampling.BOX), np.float32)[..., None] / 255
        shown = (shown * share + ground * (1 - share)).astype(np.uint8)
    margin = 10
    screen = np.full((height + 2 * margin, width + 2 * margin, 3), ground, np.uint8)
    screen[margin : margin + height, margin : margin + width] = shown
    grow_x, grow_y = round(lattice.scale * width), round(lattice.scale * height)
    left = margin + round(lattice.dx_px) - grow_x // 2
    top = margin + round(lattice.dy_px) - grow_y // 2
    return screen[top : top + height + grow_y, left : left + width + grow_x].copy()
