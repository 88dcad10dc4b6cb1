"""A small matched run for testing the review: two phones, two queries, drawn photos, and thumbnails cut from real screens.

    Phone A, q0: p0 matched, p1 undecided (p1 or p2)     q1: p3 matched
    Phone B, q0: p0 matched, p1 undecided (p1 or p2)     q1: one undecided (p3, p4 or p5), one undecided without a candidate

q0 is answered by p0 and p1, q1 by p3.
"""

import io
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from engine_lab import SteadyClock
from PIL import Image as Picture
from PIL import ImageDraw

from drivers.interface import Screen
from matching.model import Position
from rig.album.manifest import write_album, write_queries
from rig.album.scan import scan_folder
from rig.disk import write_file
from rig.model import Language, Phone, Query, SourceType, Verdict
from rig.records import Placed, Reading, SearchKey
from rig.run import Run, plan_run

TILE = 120
"""Side of a thumbnail, px; one screen is a row of them."""

PROTOCOL = """
schema_version = 1
name = "review"
languages = LANGUAGES
[index]
mode = "fixed"
hours = 0
"""

PROFILE = """
schema_version = 1
name = "fake"
title = "A gallery made of a file"
platform = "fake"
package = "fake.gallery"
[elements]
field = [{ id = "field" }]
no_results = [{ id = "nothing" }]
"""

MATCHED, OPEN = Verdict.MATCHED, Verdict.AMBIGUOUS
Shown = tuple[Verdict, str | None, tuple[str, ...]]

PHONES: dict[str, dict[str, Sequence[Shown]]] = {
    "A": {
        "q0": [(MATCHED, "p0.jpg", ()), (OPEN, None, ("p1.jpg", "p2.jpg"))],
        "q1": [(MATCHED, "p3.jpg", ())],
    },
    "B": {
        "q0": [(MATCHED, "p0.jpg", ()), (OPEN, None, ("p1.jpg", "p2.jpg"))],
        "q1": [(OPEN, None, ("p3.jpg", "p4.jpg", "p5.jpg")), (OPEN, None, ())],
    },
}


def make_run(
    folder: Path,
    phones: dict[str, dict[str, Sequence[Shown]]] | None = None,
    texts: Sequence[str] = ("the red boat", "a walk by the sea"),
    names: Sequence[str] = tuple(f"p{number}.jpg" for number in range(6)),
    languages: Sequence[str] = ("en",),
    chinese: Sequence[str] = ("红色的船", "海边散步"),
) -> Run:
    """A run whose searches were answered and matched as `phones` says."""
    phones = PHONES if phones is None else phones
    (folder / "fake.toml").write_text(PROFILE)
    (folder / "review.toml").write_text(PROTOCOL.replace("LANGUAGES", json.dumps(languages)))
    run = plan_run(
        runs=folder / "runs",
        protocol_file=folder / "review.toml",
        letters={
            letter: Phone(f"phone-{letter}", "fake", f"fake://{letter}", str(folder / "fake.toml"), {}) for letter in phones
        },
        album_folders=[_album(folder / "album", texts, names, chinese)],
        confirm_erase=(),
        now=SteadyClock().utc(),
    )
    for trial in run.ledger.trials():
        attempt = run.ledger.add_attempt(trial.id, SteadyClock().utc())
        for language in run.protocol.languages:
            for query, shown in phones[trial.letter].items():
                _answer(run, attempt, SearchKey(query, language, 1), shown, trial.letter)
    return run


def _album(folder: Path, texts: Sequence[str], names: Sequence[str], chinese: Sequence[str]) -> Path:
    photos = folder / "photos"
    photos.mkdir(parents=True)
    for number, name in enumerate(names):
        draw_photo(number).save(photos / name, quality=90)
    write_album(scan_folder(photos, name="album"), folder)
    truth = (names[:2], names[3:4])
    queries = [
        Query(f"q{number}", "album", {Language.EN: text, Language.ZH: chinese[number]},
              SourceType.V, frozenset(truth[number]), {})
        for number, text in enumerate(texts)
    ]  # fmt: skip
    write_queries(queries, folder)
    return folder


def draw_photo(number: int) -> Picture.Image:
    """A landscape of its own colours, 640 × 480 px; p1 and p2 differ by one small sail, as a burst does."""
    burst = 1 if number == 2 else number
    random = np.random.default_rng(burst)
    sky, sea, sun = (tuple(int(value) for value in random.integers(60, 240, 3)) for _ in range(3))
    picture = Picture.new("RGB", (640, 480), sky)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 290, 640, 480), fill=sea)
    x, y = (int(value) for value in random.integers(120, 440, 2))
    pen.ellipse((x, y // 3, x + 110, y // 3 + 110), fill=sun)
    pen.polygon([(260, 300), (400, 300), (370, 345), (290, 345)], fill="white")
    top = 190 if number == 2 else 170
    pen.polygon([(330, top), (330, 292), (395, 292)], fill="crimson")
    return picture


def _answer(run: Run, attempt: int, key: SearchKey, shown: Sequence[Shown], letter: str) -> None:
    ledger, clock = run.ledger, SteadyClock()
    search = ledger.begin_search(attempt, key, clock.utc())
    # A real phone's thumbnails have their own size; the page must not let it be seen.
    tile = TILE if letter == "A" else TILE - 20
    sheet = Picture.new("RGB", (max(1, len(shown)) * tile, tile), "white")
    for place, (_verdict, photo, candidates) in enumerate(shown):
        name = photo or (candidates[0] if candidates else None)
        if name is not None:
            source = Picture.open(run.materials["album"].album.root / name)
            sheet.paste(source.crop((80, 0, 560, 480)).resize((tile, tile)), (place * tile, 0))
    file = io.BytesIO()
    sheet.save(file, "PNG")
    path = f"phones/{letter}/{key.query}-{key.language}/000.png"
    write_file(run.folder / path, file.getvalue())
    boxes = [(place * tile, 0, (place + 1) * tile, tile) for place in range(len(shown))]
    screen = Screen(file.getvalue(), (0, 0, *sheet.size), tuple(boxes), None)
    ledger.add_screen(search.id, 0, path, sha256(file.getvalue()).hexdigest(), screen)
    positions = tuple(Position(((0, box),)) for box in boxes)
    ledger.answer(search.id, "end_proven", 1.0, Reading("eyes", positions, end_proven=True, capped=False))
    placed = [Placed(rank, *one, {}, 0, boxes[rank]) for rank, one in enumerate(shown)]
    ledger.save_match(search.id, clock.utc(), "eyes", placed)
