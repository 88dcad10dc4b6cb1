"""Text as pixels: coverage masks of rendered lines, kept for the next frame."""

import importlib.util
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

FONT_PACKAGE = "cvttf_NotoSansCJK_Regular"


class FontMissing(RuntimeError):
    """There is no font with Chinese glyphs: the extra `lab` is not installed."""


@lru_cache(maxsize=1)
def font_path() -> Path:
    """The font file. Raises FontMissing."""
    spec = importlib.util.find_spec(FONT_PACKAGE)
    found = sorted(Path(spec.origin).parent.glob("*.otf")) if spec and spec.origin else []
    if not found:
        raise FontMissing(
            "Virtual phones: drawing: expected a font with Chinese glyphs, found none; "
            "install the extra `lab`: pip install 'gallery-rig[lab]'"
        )
    return found[0]


@lru_cache(maxsize=32)
def _font(size_px: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(font_path(), size_px, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def text_mask(text: str, size_px: int, *, bold: bool = False) -> NDArray[np.uint8]:
    """Coverage of one line of text, uint8 of shape (line height, width); the line's height depends on the size alone."""
    font = _font(size_px)
    ascent, descent = font.getmetrics()
    stroke = size_px / 40 if bold else 0.0  # the package has no bold face: a stroke stands in
    line = Image.new("L", (int(font.getlength(text) + 2 * stroke) + 2, ascent + descent), 0)
    ImageDraw.Draw(line).text((stroke, ascent), text, fill=255, font=font, anchor="ls", stroke_width=stroke)
    mask = np.array(line)
    mask.setflags(write=False)
    return mask


@lru_cache(maxsize=1024)
def elided(text: str, size_px: int, width_px: int) -> str:
    """`text` as it can be drawn, or its beginning with an ellipsis when it is wider than `width_px`."""
    font = _font(size_px)
    text = text.encode("utf-8", "replace").decode()  # half of a surrogate pair has no glyph and no encoding
    if font.getlength(text) <= width_px:
        return text
    while text and font.getlength(text + "…") > width_px:
        text = text[:-1]
    return text + "…"
