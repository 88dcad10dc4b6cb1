"""Small photos and queries for tests of albums."""

from pathlib import Path

import numpy as np
from PIL import Image

from rig.model import Depth, Language, Query, SourceType


def draw(path: Path, seed: int, size: tuple[int, int] = (40, 30), **options: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), np.uint8)
    Image.fromarray(pixels).save(path, **options)  # type: ignore[arg-type]
    return path


def a_query(name: str = "q1", **changes: object) -> Query:
    fields: dict[str, object] = {
        "id": name,
        "album": "trip",
        "text": {Language.ZH: "海滩", Language.EN: "beach"},
        "source_type": SourceType.VM,
        "relevant": frozenset({"a.png", "b.png"}),
        "dimensions": {"Object": Depth.FACT},
    }
    return Query(**(fields | changes))  # type: ignore[arg-type]
