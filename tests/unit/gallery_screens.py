"""Gallery screens drawn at random: pages of tiles whose boxes are known, in the ways that real galleries differ.

A `Page` is the whole scrolled content; `Page.screen(offset)` is what a phone shows of it. Everything follows from the seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from matching.decode import load_image
from matching.model import Box, Image, UnreadableImage

SCREEN_SIZES = ((1080, 2400), (1440, 3200), (720, 1600), (1170, 2532), (1080, 1920), (480, 854), (320, 640), (1344, 2992))
LIGHT = ((255, 255, 255), (250, 250, 250), (244, 247, 251), (239, 232, 216))
DARK = ((0, 0, 0), (18, 18, 18), (28, 27, 31), (32, 33, 36))


def painted_photo(rng: np.random.Generator, side: int = 256) -> Image:
    """Something like a photo: clouds of colour at all scales, a few soft blobs and an edge."""
    picture = np.zeros((side, side, 3), np.float32)
    for cells, weight in ((3, 1.0), (6, 0.6), (14, 0.35), (40, 0.2), (100, 0.12)):
        noise = rng.normal(0, 1, (cells, cells, 3)).astype(np.float32)
        picture += weight * cv2.resize(noise, (side, side), interpolation=cv2.INTER_CUBIC)
    angle, at = rng.uniform(0, np.pi), rng.uniform(-0.3, 0.3)
    grid_y, grid_x = np.mgrid[-0.5 : 0.5 : side * 1j, -0.5 : 0.5 : side * 1j]
    beyond = (np.cos(angle) * grid_x + np.sin(angle) * grid_y > at).astype(np.float32)
    picture += beyond[..., None] * rng.normal(0, 1.5, 3).astype(np.float32)
    picture = 60 * picture / picture.std() + rng.uniform(70, 180, 3)
    picture += rng.normal(0, 2.0, picture.shape)
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


def album_photos(folder: Path, most: int = 200) -> list[Image]:
    """Centre squares of the photos of a folder, 360 px."""
    squares = []
    for file in sorted(folder.iterdir())[:most]:
        try:
            image = load_image(file)
        except UnreadableImage:
            continue
        side = min(image.shape[:2])
        y, x = (image.shape[0] - side) // 2, (image.shape[1] - side) // 2
        squares.append(cv2.resize(image[y : y + side, x : x + side], (360, 360), interpolation=cv2.INTER_AREA))
    return squares


@dataclass(frozen=True, slots=True)
class Look:
    """How one gallery draws its grid. Lengths in px."""

    width: int
    height: int
    columns: int
    gap: int
    row_gap: int
    left: int
    right: int
    page: tuple[int, int, int]
    corner: int = 0
    headers: bool = False
    top_bar: int = 0
    bottom_bar: int = 0
    bar_light: float = 0.0
    """Share of the page that shines through the bars: 0 for opaque ones."""
    badges: bool = False
    caption: int = 0
    button: bool = False

    @property
    def ink(self) -> tuple[int, int, int]:
        """Text colour."""
        return (30, 30, 30) if sum(self.page) > 380 else (235, 235, 235)

    @property
    def tile(self) -> float:
        """Side of a tile."""
        return (self.width - self.left - self.right - (self.columns - 1) * self.gap) / self.columns


def random_look(rng: np.random.Generator) -> Look:
    """A look drawn from the spread of real galleries."""
    width, height = SCREEN_SIZES[rng.integers(len(SCREEN_SIZES))]
    scale = width / 1080
    columns = int(rng.choice([2, 3, 3, 4, 4, 4, 5, 5, 6, 7, 8]))
    gap = (
        round(float(rng.choice([0, 1, 2, 3, 4, 6, 8, 12, 20, 30, 40])) * scale)
        if columns <= 4
        else int(rng.choice([0, 1, 2, 3, 4]))
    )
    left, right = (round(float(rng.choice([0, 0, gap, 4, 16, 24, 40])) * (scale if k else 1)) for k in (0, 1))
    right = left if rng.random() < 0.6 else right
    page = (DARK if rng.random() < 0.45 else LIGHT)[rng.integers(4)]
    corner = int(rng.choice([0, 0, 6, 16, 28]) * scale) if gap >= 2 else 0
    translucent = rng.random() < 0.3
    return Look(
        width, height, columns, gap, gap if rng.random() < 0.8 else gap + int(rng.integers(0, 5)), left, right, page,
        corner=corner, headers=rng.random() < 0.5,
        top_bar=int(height * rng.uniform(0.08, 0.16)), bottom_bar=int(height * rng.choice([0, 0.05, 0.08, 0.1])),
        bar_light=float(rng.uniform(0.1, 0.5)) if translucent else 0.0,
        badges=rng.random() < 0.4, button=rng.random() < 0.25,
    )  # fmt: skip


@dataclass(slots=True)
class Page:
    """The whole content of one list, and where its tiles lie in it."""

    look: Look
    content: Image
    tiles: list[Box] = field(default_factory=list)
    pictures: list[int] = field(default_factory=list)
    """Which photo each tile shows."""

    @property
    def end(self) -> int:
        """The largest offset: the last row stands on the bottom bar."""
        return max(0, self.content.shape[0] - (self.look.height - self.look.top_bar - self.look.bottom_bar))

    def screen(self, offset: int) -> tuple[Image, list[tuple[Box, float]]]:
        """What the phone shows with the content moved up by `offset` px; and each tile's visible box and share."""
        look = self.look
        image = np.empty((look.height, look.width, 3), np.uint8)
        image[:] = look.page
        low, high = look.top_bar, look.height - look.bottom_bar
        first, last = (0, look.height) if look.bar_light else (low, high)
        start = offset + first - low
        part = self.content[max(0, start) : max(0, start + last - first)]
        at = first + max(0, -start)
        image[at : at + len(part)] = part
        self._bars(image, low, high)
        seen = []
        for left, top, right, bottom in self.tiles:
            upper, lower = max(top - offset + low, low), min(bottom - offset + low, high)
            if lower > upper:
                seen.append(((left, upper, right, lower), (lower - upper) / (bottom - top)))
        return image, seen

    def _bars(self, image: Image, low: int, high: int) -> None:
        look, scale = self.look, self.look.width / 1080
        page = np.array(look.page, np.float32)
        for part in (image[:low], image[high:]):
            part[:] = np.clip(look.bar_light * part + (1 - look.bar_light) * page, 0, 255)
        _text(image, "12:31", int(40 * scale), int(0.3 * low), scale, look.ink)
        _text(image, "dog on the beach", int(120 * scale), int(0.75 * low), 1.3 * scale, look.ink)
        if look.bottom_bar:
            for k in range(3):
                centre = (int(look.width * (k + 0.5) / 3), (high + look.height) // 2)
                cv2.circle(image, centre, int(22 * scale), look.ink, max(1, int(3 * scale)), cv2.LINE_AA)
        if look.button:
            centre = (look.width - int(110 * scale), high - int(140 * scale))
            cv2.circle(image, centre, int(64 * scale), (60, 110, 220), -1, cv2.LINE_AA)


def draw_page(
    rng: np.random.Generator, look: Look, photos: Sequence[Image], count: int, *, pictures: Sequence[int] = ()
) -> Page:
    """A page of `count` tiles showing `pictures` (photo indices; drawn at random where not given)."""
    order = list(pictures) or [int(i) for i in rng.integers(0, len(photos), count)]
    xs = [round(look.left + k * (look.tile + look.gap)) for k in range(look.columns)]
    side = round(look.tile)
    scale = look.width / 1080
    pieces: list[tuple[int, int]] = []  # (top, column) of each tile
    headers: list[int] = []
    y, column, left_in_section = 0, 0, 0
    head = int(rng.uniform(90, 170) * scale)
    for _ in range(count):
        if look.headers and left_in_section == 0:
            y += (side + look.row_gap) if column else 0
            headers.append(y)
            y, column, left_in_section = y + head, 0, int(rng.integers(1, 5 * look.columns))
        pieces.append((y, column))
        column, left_in_section = column + 1, left_in_section - 1
        if column == look.columns:
            y, column = y + side + look.row_gap + look.caption, 0
    bottom = pieces[-1][0] + side + look.caption + int(rng.integers(0, 40))
    content = np.empty((bottom, look.width, 3), np.uint8)
    content[:] = look.page
    for top in headers:
        text = ("Today", "Mon, 3 Jun", "12 August 2024")[rng.integers(3)]
        _text(content, text, int(30 * scale), top + int(0.65 * head), 1.1 * scale, look.ink)
    page = Page(look, content, [], order)
    for index, (top, k) in enumerate(pieces):
        box = (xs[k], top, xs[k] + side, top + side)
        tile = cv2.resize(photos[order[index] % len(photos)], (side, side), interpolation=cv2.INTER_AREA)
        if look.badges and rng.random() < 0.4:
            _badge(tile)
        _paste(content, tile, box, look)
        if look.caption:
            _text(content, f"IMG_{1000 + index}.JPG", box[0] + 4, box[3] + int(0.6 * look.caption), 0.8 * scale, look.ink)
        page.tiles.append(box)
    return page


def _paste(content: Image, tile: Image, box: Box, look: Look) -> None:
    side = tile.shape[0]
    place = content[box[1] : box[3], box[0] : box[2]]
    if not look.corner:
        place[:] = tile
        return
    mask = np.zeros((side, side), np.uint8)
    r = look.corner
    cv2.rectangle(mask, (r, 0), (side - r - 1, side - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (side - 1, side - r - 1), 255, -1)
    for x in (r, side - r - 1):
        for y in (r, side - r - 1):
            cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    share = mask[..., None] / 255.0
    place[:] = (share * tile + (1 - share) * np.array(look.page)).astype(np.uint8)


def _badge(tile: Image) -> None:
    side = tile.shape[0]
    cv2.circle(tile, (int(0.86 * side), int(0.14 * side)), int(0.08 * side), (255, 255, 255), max(1, side // 80), cv2.LINE_AA)
    _text(tile, "0:42", int(0.08 * side), int(0.93 * side), side / 300, (255, 255, 255))


def _text(image: Image, text: str, x: int, y: int, size: float, colour: tuple[int, int, int]) -> None:
    cv2.putText(image, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, colour, max(1, int(2.4 * size)), cv2.LINE_AA)
