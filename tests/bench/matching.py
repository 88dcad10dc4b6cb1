"""`python -m tests.bench.matching [PHOTOS]`: how well and how fast thumbnails are traced, beside the published hashes.

An album of bursts is made from single photos and shown by phones made of software. Thresholds were chosen on TUNED profiles and
one half of the photos; the lines that count are UNSEEN profiles with the other half. Twins (closer than 1 grey level RMS at
192 px) and flat frames are counted apart. Times are processor time of one core.
"""

import argparse
import importlib
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import imagehash
import numpy as np
import psutil
from numpy.typing import NDArray
from PIL import Image as Pillow
from rich.console import Console
from rich.table import Table

from matching.decode import load_image
from matching.descriptor import describe
from matching.index import FLAT, SourceIndex
from matching.match import match_grid
from matching.model import Match, Verdict
from matching.shortlist import nearest
from matching.twins import TWIN_RMS, cosines
from tests.bench.bursts import Frame, Picture, is_tuned_on, made_or_found
from tests.bench.grids import file_of, rendered_grids
from tests.bench.phone_profiles import HARSHEST, TUNED, UNSEEN, PhoneProfile, lattice_of, render

SHARED_PHOTOS = Path(__file__).parents[2].parent / "shared" / "data" / "album"
BINS = (0.0, 0.6, TWIN_RMS, 1.5, 2.0, 3.0, 5.0, 10.0, 1000.0)
"""Grey levels RMS at 192 px to the nearest other photo."""
_LIKE = 0.6
"""Cosine of descriptors from which two photos may be one scene; unrelated ones seldom reach 0.4."""
_FAR = 15.0
"""A base photo this far from every other is unrelated to the album once it is left out."""


@dataclass
class Tally:
    """What was asked and answered of one profile."""

    asked: int = 0
    right: int = 0
    wrong: int = 0
    absent: int = 0
    absent_taken: int = 0
    unrelated: int = 0
    unrelated_taken: int = 0
    cells: int = 0
    seconds: float = 0.0
    hash_right: int = 0
    by_bin: dict[float, list[int]] = field(default_factory=dict)
    """Lower edge → [asked, accepted and right, accepted and wrong], twins included."""


class Bench:
    """The made album with its index, and the hash of every photo for the baseline."""

    def __init__(self, photos: Path, kept: Path) -> None:
        self.kept = kept
        self.frames = made_or_found(photos, kept)
        files = {path.name: path for path in (kept / "album").iterdir()}
        self.index = SourceIndex.build(files, kept / "index")
        self.rows = {name: row for row, name in enumerate(self.index.names)}
        self.unrelated = self._far_from_all(photos)
        self.hashes = _packed([imagehash.phash(_as_pillow(picture), 16) for picture in self.index.rows.square_fine])

    def _far_from_all(self, photos: Path) -> set[str]:
        """Base photos without any like among the others, however they are turned: strangers are shown turned, too."""
        bases = SourceIndex.build({path.name: path for path in photos.iterdir()}, self.kept / "bases")
        far = set()
        for row, name in enumerate(bases.names):
            turned = np.stack(_turned(np.asarray(bases.rows.square_coarse[row])))
            alike = cosines(describe(turned), bases.rows.square)
            alike[:, row] = -1
            if bases.nearest_rms[row] > _FAR and alike.max() < _LIKE:
                far.add(name)
        return far

    def run(
        self, profile: PhoneProfile, frames: Sequence[Frame], count: int, decorations: Sequence[str] | None = None
    ) -> Tally:
        """Matches `count` grids shown by a profile."""
        tally = Tally()
        for grid in rendered_grids(frames, self.kept, profile, count=count, decorations=decorations):
            start = time.process_time()
            matches = match_grid(self.index, grid.crops)
            tally.seconds += time.process_time() - start
            tally.cells += len(matches)
            for frame, crop, match in zip(grid.frames, grid.crops, matches, strict=True):
                self._count(tally, frame, crop, match)
        return tally

    def strangers(self, profile: PhoneProfile, frames: Sequence[Frame]) -> Tally:
        """Grids of which one half shows photos of the album and the other what is not in it, turned, flipped and cropped."""
        known = [frame for frame in frames if frame.kind in {"single", "burst"}]
        foreign = [frame for frame in frames if frame.kind == "unrelated" and frame.base in self.unrelated]
        rng = np.random.default_rng(1)
        tally = Tally()
        for frame in foreign:
            pictures = list(_variants(load_image(file_of(frame, self.kept))))
            chosen = [known[place] for place in rng.choice(len(known), len(pictures))]
            lattice = lattice_of(profile, rng)
            shown = [*pictures, *(load_image(file_of(other, self.kept)) for other in chosen)]
            matches = match_grid(self.index, [render(picture, profile, rng, lattice) for picture in shown])
            tally.unrelated += len(pictures)
            tally.unrelated_taken += sum(match.verdict is Verdict.MATCHED for match in matches[: len(pictures)])
        return tally

    def _count(self, tally: Tally, frame: Frame, crop: Picture, match: Match) -> None:
        taken = match.verdict is Verdict.MATCHED
        if frame.kind == "unrelated" and frame.base in self.unrelated:
            tally.unrelated += 1
            tally.unrelated_taken += taken
        if frame.kind == "absent":
            tally.absent += 1
            tally.absent_taken += taken
        row = self.rows.get(frame.name)
        if row is None:
            return
        right = frame.name in {match.photo, *match.candidates}
        rms = float(self.index.nearest_rms[row])
        edge = max(edge for edge in BINS if edge <= rms)
        counts = tally.by_bin.setdefault(edge, [0, 0, 0])
        counts[0] += 1
        counts[1] += taken and right
        counts[2] += taken and not right
        if rms >= TWIN_RMS and self.index.detail[row] >= FLAT:
            tally.asked += 1
            tally.right += taken and right
            tally.wrong += taken and not right
            nearest_by_hash = int(_distances(_packed([imagehash.phash(Pillow.fromarray(crop), 16)]), self.hashes)[0].argmin())
            tally.hash_right += nearest_by_hash == row


def _variants(picture: Picture) -> Iterator[Picture]:
    """Twenty-four photos out of one: three crops, four turns, mirrored or not."""
    height, width = picture.shape[:2]
    for share, left, top in ((1.0, 0.0, 0.0), (0.7, 0.0, 0.0), (0.7, 0.3, 0.3)):
        x, y = int(left * width), int(top * height)
        cut = picture[y : y + int(share * height), x : x + int(share * width)]
        yield from _turned(cut)


def _turned(picture: Picture) -> list[Picture]:
    """The eight ways to hold a picture, mirrored or not."""
    turned = [np.rot90(picture, turns) for turns in range(4)]
    return [np.ascontiguousarray(way) for one in turned for way in (one, one[:, ::-1])]


def _as_pillow(picture: NDArray[np.uint8]) -> Pillow.Image:
    return Pillow.fromarray(np.ascontiguousarray(picture))


def _packed(hashes: Sequence[imagehash.ImageHash]) -> NDArray[np.uint64]:
    return np.stack([np.packbits(item.hash.ravel()).view(np.uint64) for item in hashes])


def _distances(queries: NDArray[np.uint64], stored: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.bitwise_count(queries[:, None] ^ stored[None]).sum(-1, dtype=np.int64)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} % of {whole}" if whole else "–"


def _accuracy(title: str, results: Sequence[tuple[str, Tally]]) -> Table:
    table = Table(
        "phone",
        "accepted and right",
        "accepted, wrong",
        "absent sibling taken",
        "unrelated taken",
        "phash256 top-1",
        "ms",
        title=title,
    )
    for name, tally in results:
        table.add_row(
            name + (" (harshest)" if name in HARSHEST else ""),
            _share(tally.right, tally.asked),
            _share(tally.wrong, tally.right + tally.wrong),
            _share(tally.absent_taken, tally.absent),
            _share(tally.unrelated_taken, tally.unrelated),
            _share(tally.hash_right, tally.asked),
            f"{1000 * tally.seconds / max(tally.cells, 1):.1f}",
        )
    return table


def _bins(results: Sequence[tuple[str, Tally]]) -> Table:
    table = Table(
        "phone",
        *(f"{low:g}–{high:g}" for low, high in itertools.pairwise(BINS)),
        title="accepted and right (wrong) of asked, by RMS to the nearest other photo",
    )
    for name, tally in results:
        cells = [tally.by_bin.get(edge, [0, 0, 0]) for edge in BINS[:-1]]
        table.add_row(name, *(f"{right} ({wrong}) / {asked}" for asked, right, wrong in cells))
    return table


def _stress(bench: Bench, frames: Sequence[Frame], count: int) -> Iterator[tuple[str, Tally]]:
    """Decorations on every cell, and the lattice as far off as it may be."""
    stock = next(profile for profile in TUNED if profile.name == "stock")
    yield "ticks on every cell", bench.run(stock, frames, count, ["tick"])
    yield "badges on every cell", bench.run(stock, frames, count, ["badge"])
    off = PhoneProfile("off", stock.cell_px, stock.scaling, stock.codec, off_px=3, off_scale=0.01)
    yield "3 px and 1 % off", bench.run(off, frames, count)


def _million(photos: int = 1_000_000, thumbnails: int = 60) -> Iterator[str]:
    """Query of made-up descriptors, memory-mapped as an index's are."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "square.i8"
        stored = np.memmap(place, np.int8, "w+", shape=(photos, 256))
        for start in range(0, photos, 50_000):
            part = rng.normal(0, 1, (min(50_000, photos - start), 256))
            part /= np.linalg.norm(part, axis=1, keepdims=True)
            stored[start : start + len(part)] = np.clip(np.rint(part * 400), -127, 127)
        stored.flush()
        del stored
        mapped = np.memmap(place, np.int8, "r", shape=(photos, 256))
        queries = np.asarray(mapped[:thumbnails], np.float32) / 400
        best = min(_timed(lambda: nearest(queries, mapped)) for _ in range(2))
        resident = psutil.Process().memory_info().rss / 1e9
        yield f"{photos:,} photos: query {1000 * best / thumbnails:.1f} ms a thumbnail, {thumbnails} at once (goal 15)"
        yield f"{photos:,} photos: resident {resident:.2f} GB after it (goal 1.5)"


def _timed(what: Callable[[], object]) -> float:
    start = time.process_time()
    what()
    return time.process_time() - start


def _build(photos: Path) -> Iterator[str]:
    """One core each: the index's own reading against a perceptual-hash encode of the same files."""
    files = sorted(path for path in photos.iterdir() if path.suffix.lower() in {".jpg", ".jpeg"})
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        SourceIndex.build({path.name: path for path in files}, Path(folder), workers=1)
        ours = time.perf_counter() - start
    start = time.perf_counter()
    who = _encode(files)
    theirs = time.perf_counter() - start
    each = 1000 / len(files)
    yield f"build of {len(files)} JPEGs, one worker: {ours * each:.1f} ms a photo; {who}: {theirs * each:.1f} ms"
    yield f"build: {theirs / ours:.1f} × faster (goal 5)"


def _encode(files: Sequence[Path]) -> str:
    """imagededup's own PHash where it is installed, else the same steps: full decode, RGB, LANCZOS to 32 px, grey, hash."""
    try:
        phash = importlib.import_module("imagededup.methods").PHash(verbose=False)
    except ImportError:
        for file in files:
            with Pillow.open(file) as picture:
                imagehash.phash(picture.convert("RGB").resize((32, 32), Pillow.Resampling.LANCZOS).convert("L"))
        return "imagededup's steps (it is not installed)"
    for file in files:
        phash.encode_image(image_file=file)
    return "imagededup PHash"


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "photos", type=Path, nargs="?", default=SHARED_PHOTOS, help="folder of single photos to make bursts from"
    )
    parser.add_argument("--grids", type=int, default=8, help="grids of 48 thumbnails a profile")
    parser.add_argument(
        "--kept", type=Path, default=Path(tempfile.gettempdir()) / "gallery-rig-bench", help="where the made album is kept"
    )
    asked = parser.parse_args()
    say = Console(width=180, highlight=False).print
    cv2.setNumThreads(1)
    bench = Bench(asked.photos, asked.kept)
    say(f"album: {len(bench.index)} photos, {sum(map(len, bench.index.twins))} of them twins, {len(bench.index.flat)} flat")
    tuned = [frame for frame in bench.frames if is_tuned_on(frame.base)]
    unseen = [frame for frame in bench.frames if not is_tuned_on(frame.base)]
    results = [(profile.name, bench.run(profile, unseen, asked.grids)) for profile in UNSEEN]
    say(
        _accuracy(
            "Unseen phones, unseen photos (goals: 98 %, harshest 93 % · 0.05 %, harshest 0.5 % · 5 % · 0.1 % · 6 ms)", results
        )
    )
    say(_bins(results))
    results = [(profile.name, bench.run(profile, tuned, asked.grids)) for profile in TUNED]
    say(_accuracy("Tuned phones, tuned photos", results))
    say(_accuracy("Stock phone, unseen photos, made harder", list(_stress(bench, unseen, asked.grids))))
    for profile in (*TUNED, *UNSEEN):
        tally = bench.strangers(profile, unseen if profile in UNSEEN else tuned)
        say(f"{profile.name}: photos not in the album taken for one of it: {_share(tally.unrelated_taken, tally.unrelated)}")
    for line in (*_build(asked.photos), *_million()):
        say(line)


if __name__ == "__main__":
    main()
