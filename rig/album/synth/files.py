"""A photograph becomes a file as a phone writes it: EXIF, GPS, XMP keywords and names, orientation tag, JPEG, PNG or HEIC."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from fractions import Fraction
from html import escape
from pathlib import Path

import pillow_heif
from PIL import ExifTags, Image
from PIL.PngImagePlugin import PngInfo
from PIL.TiffImagePlugin import IFDRational

from rig.album.synth.camera import Pixels
from rig.album.synth.story import Shot
from rig.album.synth.words import KEYWORDS, PEOPLE

pillow_heif.register_heif_opener()

_TURN_BACK = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270}


@dataclass(frozen=True, slots=True)
class Device:
    """What took a photo. The makers are invented: an album must not name a real phone."""

    make: str
    model: str


def write_photo(path: Path, picture: Pixels, shot: Shot, device: Device, *, orientation: int, quality: int) -> None:
    """Writes the upright `picture`; the format follows the name. The file's time is the moment of capture in UTC."""
    image = Image.fromarray(picture)
    if orientation in _TURN_BACK:
        image = image.transpose(_TURN_BACK[orientation])
    exif, xmp = _exif(shot, device, orientation).tobytes(), _xmp(shot)
    kind = path.suffix.lower()
    if kind == ".png":
        # Level 1: sensor noise hardly compresses, and higher levels take seconds.
        image.save(path, "PNG", exif=exif, pnginfo=_png_text(xmp), compress_level=1)
    elif kind == ".heic":
        # The fastest preset: the rig is not a test of encoders.
        image.save(path, "HEIF", exif=exif, xmp=xmp, quality=quality - 20, enc_params={"preset": "ultrafast"})
    else:
        image.save(path, "JPEG", exif=exif, xmp=xmp, quality=quality)
    moment = shot.taken_at.astimezone(UTC).timestamp()
    os.utime(path, (moment, moment))


def _png_text(xmp: bytes) -> PngInfo:
    info = PngInfo()
    # The name of the chunk is the one the XMP specification gives for PNG (part 3, 1.1.5).
    info.add_itxt("XML:com.adobe.xmp", xmp.decode())
    return info


def _exif(shot: Shot, device: Device, orientation: int) -> Image.Exif:
    exif = Image.Exif()
    base = ExifTags.Base
    clock = shot.taken_at.strftime("%Y:%m:%d %H:%M:%S")
    offset = shot.taken_at.strftime("%z")
    exif[base.Make], exif[base.Model] = device.make, device.model
    exif[base.Orientation] = orientation
    exif[base.DateTime] = clock
    detail = exif.get_ifd(ExifTags.IFD.Exif)
    detail[base.DateTimeOriginal] = detail[base.DateTimeDigitized] = clock
    detail[base.OffsetTimeOriginal] = f"{offset[:3]}:{offset[3:5]}"
    if shot.place is not None:
        exif.get_ifd(ExifTags.IFD.GPSInfo).update(_gps(shot.place.latitude_deg, shot.place.longitude_deg))
    return exif


def _gps(latitude: float, longitude: float) -> dict[int, object]:
    gps = ExifTags.GPS
    return {
        gps.GPSLatitudeRef: "N" if latitude >= 0 else "S",
        gps.GPSLatitude: _sexagesimal(abs(latitude)),
        gps.GPSLongitudeRef: "E" if longitude >= 0 else "W",
        gps.GPSLongitude: _sexagesimal(abs(longitude)),
    }


def _sexagesimal(degrees: float) -> tuple[IFDRational, IFDRational, IFDRational]:
    """Degrees, minutes, seconds to a hundredth of a second (30 cm)."""
    hundredths = round(degrees * 360_000)
    whole, rest = divmod(hundredths, 360_000)
    minutes, seconds = divmod(rest, 6000)
    return IFDRational(whole, 1), IFDRational(minutes, 1), IFDRational(*Fraction(seconds, 100).as_integer_ratio())


def _xmp(shot: Shot) -> bytes:
    keywords = [word for key in sorted(shot.keywords) for word in (key, KEYWORDS[key])]
    names = [name for key in shot.people for name in (PEOPLE[key].en, PEOPLE[key].zh)]
    body = _bag("dc:subject", keywords) + _bag("Iptc4xmpExt:PersonInImage", names)
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">'
        f"{body}</rdf:Description></rdf:RDF></x:xmpmeta>"
        '<?xpacket end="w"?>'
    ).encode()


def _bag(name: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    lines = "".join(f"<rdf:li>{escape(item, quote=False)}</rdf:li>" for item in items)
    return f"<{name}><rdf:Bag>{lines}</rdf:Bag></{name}>"
