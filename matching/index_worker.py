"""One process that reads photos for the index: a path a line comes in, a header line and a row of bytes go out.

Run as `python -m matching.index_worker`. One decision: a process of its own, because a decoder fed a hostile file may crash
or never return, and the build must only lose that one file. Started by name rather than forked, so that a caller's threads
and `__main__` play no part.
"""

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import BinaryIO

from matching.decode import MAX_PIXELS
from matching.descriptor import describe, detail, packed
from matching.index_files import Row, row_bytes
from matching.model import UnreadableImage
from matching.views import Views, views_of


def row_of(views: Views) -> Row:
    """A photo's row as it is stored."""
    square, whole = views.square, views.whole
    return (
        square.fine,
        square.coarse,
        packed(describe(square.coarse)),
        whole.fine,
        whole.coarse,
        packed(describe(whole.coarse)),
    )


def answer(path: Path, max_pixels: int, out: BinaryIO) -> None:
    """Writes what `path` holds: a header, followed by its row when it is a picture."""
    sha256 = hash_of(path)
    try:
        views = views_of(path, max_pixels=max_pixels)
    except UnreadableImage as error:
        _say(out, {"sha256": sha256, "reason": str(error)})
        return
    said = {
        "sha256": sha256,
        "width": views.width,
        "height": views.height,
        "detail": detail(views.square.coarse),
        "taken": views.taken,
    }
    _say(out, said)
    out.write(row_bytes(row_of(views)))


def hash_of(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal; "" for what cannot be read as a file."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _say(out: BinaryIO, said: dict[str, object]) -> None:
    out.write(json.dumps(said).encode("ascii") + b"\n")


def main() -> None:
    """Answers paths from stdin until it is closed. What libraries print goes to stderr, never between the answers."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    max_pixels = int(sys.argv[1]) if len(sys.argv) > 1 else MAX_PIXELS
    for line in sys.stdin.buffer:
        answer(Path(json.loads(line)), max_pixels, out)
        out.flush()


if __name__ == "__main__":
    main()
