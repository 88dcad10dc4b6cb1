"""The one number that says two albums are the same photos."""

import hashlib
from collections.abc import Iterable

from rig.model import Photo


def digest_of(photos: Iterable[Photo]) -> str:
    """Sha256 over the lines `id NUL sha256 LF` of the photos in id order, as hex."""
    total = hashlib.sha256()
    for photo in sorted(photos, key=lambda photo: photo.id):
        total.update(f"{photo.id}\0{photo.sha256}\n".encode())
    return total.hexdigest()
