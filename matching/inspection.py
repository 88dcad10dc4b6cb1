"""A picture of what matching saw: the screen with its boxes, each thumbnail beside its source, its rival and what is left.

┌────────────┬──────────────────────────────────────────────────────┐
│ screenshot │ n  thumbnail | source | rival | residual   verdict … │
└────────────┴──────────────────────────────────────────────────────┘
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from matching.decode import load_image
from matching.index import SourceIndex
from matching.match import verdicts
from matching.model import Cell, Image, Match, UnreadableImage, Verdict
from matching.search import Compared, Search
from matching.thumbnails import Thumbnail

_TILE = 128
_GAP = 8
_TEXT_WIDTH = 560
_HEAD = 28
_AMPLIFIED = 6.0
"""The residual is shown so many times larger than it is, around middle grey: 10 levels become 60."""
_INK = {Verdict.MATCHED: (30, 150, 60), Verdict.AMBIGUOUS: (220, 140, 0), Verdict.STRANGER: (200, 40, 40)}
_PAPER = (250, 250, 250)
_NOT_LOOKED_AT = (80, 80, 160)


@dataclass(frozen=True, slots=True)
class Inspected:
    """The verdicts on a screen's cells, in their order, and the picture that explains them."""

    matches: tuple[Match, ...]
    picture: Image


def inspect(screen: Image, cells: Sequence[Cell], index: SourceIndex, photos: Mapping[str, Path]) -> Inspected:
    """Matches the cells of one screen as one search, and draws why. `photos` says where sources lie."""
    crops = [np.ascontiguousarray(screen[c.box[1] : c.box[3], c.box[0] : c.box[2]]) for c in cells]
    search = Search(index, [Thumbnail(crop) for crop in crops])
    looked = search.look()
    matches = verdicts(index, looked)
    rows = []
    for place, (crop, look, match) in enumerate(zip(crops, looked.second, matches, strict=True)):
        best = int(look.rows[0])
        rival = min(look.rivals, key=lambda other: other.t).row if look.rivals else None
        tiles = [
            _tile(crop),
            _source(index.names[best], photos),
            _source(index.names[rival], photos) if rival is not None else None,
        ]
        rows.append(_row(place + 1, [*tiles, _residual(search.compared(place, best, look))], match, _said(index, best, rival)))
    left = _marked(screen, cells, matches)
    return Inspected(matches, _joined(left, rows))


def _marked(screen: Image, cells: Sequence[Cell], matches: Sequence[Match]) -> Pillow.Image:
    picture = Pillow.fromarray(screen).convert("RGB")
    pen = ImageDraw.Draw(picture)
    width = max(3, screen.shape[1] // 250)
    font = ImageFont.load_default(size=max(16, screen.shape[1] // 30))
    for number, (cell, match) in enumerate(zip(cells, matches, strict=True), start=1):
        left, top, right, bottom = cell.box
        pen.rectangle([left, top, right - 1, bottom - 1], outline=_INK[match.verdict], width=width)
        pen.text(
            (left + 2 * width, top + width),
            str(number),
            fill=_INK[match.verdict],
            font=font,
            stroke_width=2,
            stroke_fill="white",
        )
    return picture


def _row(number: int, tiles: Sequence[Pillow.Image | None], match: Match, said: str) -> Pillow.Image:
    row = Pillow.new("RGB", (len(tiles) * (_TILE + _GAP) + _TEXT_WIDTH, _TILE + _GAP), _PAPER)
    for place, tile in enumerate(tiles):
        if tile is not None:
            row.paste(tile, (place * (_TILE + _GAP), 0))
    pen = ImageDraw.Draw(row)
    left = len(tiles) * (_TILE + _GAP)
    pen.text((left, 0), f"{number}  {match.verdict.value}", fill=_INK[match.verdict], font=ImageFont.load_default(size=18))
    numbers = [f"{name} {value:.3g}" for name, value in match.evidence.items()]
    lines = [said, *(", ".join(numbers[start : start + 4]) for start in range(0, len(numbers), 4))]
    pen.multiline_text((left, 26), "\n".join(lines), fill="black", font=ImageFont.load_default(size=13), spacing=5)
    return row


def _said(index: SourceIndex, best: int, rival: int | None) -> str:
    names = index.names[best] if rival is None else f"{index.names[best]}  |  {index.names[rival]}"
    return names if len(names) <= 70 else names[:69] + "…"


def _joined(left: Pillow.Image, rows: Sequence[Pillow.Image]) -> Image:
    table = max((row.width for row in rows), default=0)
    below = _HEAD + sum(row.height for row in rows)
    sheet = Pillow.new("RGB", (left.width + _GAP + table, max(left.height, below)), _PAPER)
    sheet.paste(left, (0, 0))
    pen = ImageDraw.Draw(sheet)
    for place, title in enumerate(("thumbnail", "source", "rival", f"residual x {_AMPLIFIED:.0f}")):
        pen.text((left.width + _GAP + place * (_TILE + _GAP), 4), title, fill="black", font=ImageFont.load_default(size=15))
    top = _HEAD
    for row in rows:
        sheet.paste(row, (left.width + _GAP, top))
        top += row.height
    return np.asarray(sheet)


def _tile(crop: Image) -> Pillow.Image:
    return Pillow.fromarray(crop).resize((_TILE, _TILE), Pillow.Resampling.LANCZOS)


def _source(name: str, photos: Mapping[str, Path]) -> Pillow.Image | None:
    """The centre square of a source; None where its file is gone since the index was built."""
    try:
        photo = load_image(photos[name])
    except (UnreadableImage, KeyError):
        return None
    height, width = photo.shape[:2]
    side = min(height, width)
    left, top = (width - side) / 2, (height - side) / 2
    box = (left, top, left + side, top + side)
    return Pillow.fromarray(photo).resize((_TILE, _TILE), Pillow.Resampling.LANCZOS, box=box)


def _residual(compared: Compared) -> Pillow.Image:
    """Middle grey where nothing is left, lighter and darker where something is, bluish where it was not looked at."""
    left = np.clip(128 + _AMPLIFIED * (compared.seen - compared.shown), 0, 255).astype(np.uint8)
    coloured = np.repeat(left[..., None], 3, axis=2)
    coloured[compared.weights == 0] = _NOT_LOOKED_AT
    return Pillow.fromarray(coloured).resize((_TILE, _TILE), Pillow.Resampling.BOX)
