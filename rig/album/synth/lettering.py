"""Real text in English and Chinese, as flat pictures that can be laid onto paper, signs and boards."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from rig.album.synth.canvas import (
    Canvas,
    Colour,
    lay,
    sheet,
)
from rig.errors import RigError

# The wheel that carries Noto Sans CJK, and the file in it; it draws both scripts.
_FONT_PACKAGE, _FONT_FILE = "cvttf_NotoSansCJK_Regular", "NotoSansCJKtc-Regular.otf"


@cache
def _font(size_px: int) -> ImageFont.FreeTypeFont:
    package = find_spec(_FONT_PACKAGE)
    if package is None or package.origin is None:
        raise RigError("drawing an album needs a font with Chinese glyphs; install it with: pip install 'gallery-rig[lab]'")
    return ImageFont.truetype(str(Path(package.origin).with_name(_FONT_FILE)), size_px, layout_engine=ImageFont.Layout.BASIC)


def page(
    height: int, width: int, paper: Colour, ink: Colour, lines: Sequence[tuple[float, float, int, str]], *, slant: float = 0.0
) -> Canvas:
    """A sheet with text: each line is (x, y as parts of the sheet, size in px, text); x below 0 centres.

    `slant` leans the text, as handwriting does.
    """
    image = Image.new("L", (width, height), 0)
    draw = ImageDraw.Draw(image)
    for x, y, size, text in lines:
        font = _font(size)
        left = (width - draw.textlength(text, font=font)) / 2 if x < 0 else x * width
        draw.text((left, y * height), text, fill=255, font=font)
    if slant:
        image = image.transform(
            image.size, Image.Transform.AFFINE, (1, slant, -slant * height / 2, 0, 1, 0), Image.Resampling.BILINEAR
        )
    canvas = sheet(height, width, paper)
    lay(canvas, ink, np.asarray(image, np.float32) / np.float32(255))
    return canvas
