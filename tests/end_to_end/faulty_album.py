"""A tiny album for sweeps in which things go wrong: pictures that matching cannot confuse, names and texts that are awkward."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from html import escape
from pathlib import Path

import numpy as np
from PIL import ExifTags, Image

from rig.album.manifest import write_album, write_queries
from rig.album.scan import scan_folder
from rig.model import Language, Query, SourceType

PHOTOS = (
    *((f"IMG_{number:04}.jpg", ("beach", "flower") if number < 9 else ("beach",)) for number in range(16)),
    *((f"CAT_{number}.jpg", ("cat",)) for number in range(4)),
    ("照片 (1).jpg", ("dog",)),
    ("-dash.jpg", ("dog",)),
    ("🐶 été.jpg", ("dog", "sunset")),
    ("e\u0301te\u0301.jpg", ("sunset",)),
)
"""File names and what the photos are of. The beach is more than a search records, the flowers more than a screen shows."""

TEXTS = {
    "beach": "海边",
    "flowers": "花",
    "cats": "猫",
    "cats again": "cat",
    "beach again": "beach",
    "flowers again": "flower",
    "dogs": "狗",
    "dogs again": "狗",
    "sunsets": "日落",
    "sunsets again": "sunset",
    "day": "2024年3月1日",
    "day again": "2024年3月2日",
    "nothing": "xylophone quartet",
    "quotes": "It's \"Mom's\" $HOME & 50%s 海边 👨‍👩‍👧 \u00e9/e\u0301",
    "decomposed": "e\u0301te\u0301",
}
"""What is asked, by query. Two texts find the same, two queries have one text, and some texts are hard to type."""

SIDE_PX = 320
_XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag>{}</rdf:Bag></dc:subject>'
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
)


def make_album(
    folder: Path, texts: Sequence[str] = tuple(TEXTS), photos: Sequence[tuple[str, tuple[str, ...]]] = PHOTOS
) -> Path:
    """An album folder of `photos` that asks the queries called `texts`."""
    drawn = folder / "photos"
    drawn.mkdir(parents=True)
    for number, (name, keywords) in enumerate(photos):
        _draw(drawn / name, number, keywords)
    write_album(scan_folder(drawn, name="faulty"), folder)
    queries = [Query(name, "faulty", {Language.ZH: TEXTS[name]}, SourceType.V, frozenset(), {}) for name in texts]
    write_queries(queries, folder)
    return folder


def _draw(path: Path, number: int, keywords: Sequence[str]) -> None:
    """Coarse and fine blots of colour, other ones for each number; taken an hour after the one before."""
    chance = np.random.default_rng(number)
    blots = [
        np.asarray(Image.fromarray(chance.integers(0, 256, (cells, cells, 3), np.uint8)).resize((SIDE_PX, SIDE_PX)), np.float64)
        for cells in (5, 23)
    ]
    exif = Image.Exif()
    shot = exif.get_ifd(ExifTags.IFD.Exif)
    taken = datetime(2024, 3, 1, 8) + timedelta(hours=number)  # noqa: DTZ001 - as cameras write it; the offset follows
    shot[ExifTags.Base.DateTimeOriginal] = f"{taken:%Y:%m:%d %H:%M:%S}"
    shot[ExifTags.Base.OffsetTimeOriginal] = "+08:00"
    xmp = _XMP.format("".join(f"<rdf:li>{escape(word)}</rdf:li>" for word in keywords))
    picture = Image.fromarray((0.6 * blots[0] + 0.4 * blots[1]).astype(np.uint8))
    picture.save(path, "JPEG", quality=90, exif=exif, xmp=xmp.encode())
