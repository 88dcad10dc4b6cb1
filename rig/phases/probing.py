"""Probe queries: asked only to see whether the gallery's index still changes. Never scored, kept apart from the searches."""

from collections.abc import Sequence
from pathlib import Path

from imagehash import dhash, hex_to_hash
from PIL import Image as Picture

from drivers.interface import Screen, SearchFailed
from rig.phases.bench import Bench, prepared
from rig.phases.looking import look_up, save_screen
from rig.phases.places import attempt_folder
from rig.run import probe_texts

TOP = 30
"""Results compared a probe: what a person looks at, and enough to see an index grow."""

SAME_BITS = 6
"""Of 64: a thumbnail drawn again differs by a badge or a pixel of scroll at most; two unrelated photos by 32 on average."""


def probe_round(bench: Bench, number: int) -> None:
    """Asks every probe once and stores what each shows; a round that is cut short leaves nothing."""
    with prepared(bench):
        seen = [
            (text, _probe(bench, text, number, place)) for place, text in enumerate(probe_texts(bench.protocol, bench.material))
        ]
    ledger = bench.run.ledger
    with ledger.transaction():
        for text, signature in seen:
            ledger.add_probe(bench.attempt.id, number, text, bench.clock.utc(), signature)
    bench.tell("probe_round", round=number, unanswered=sum(isinstance(signature, str) for _, signature in seen))


def _probe(bench: Bench, text: str, number: int, place: int) -> Sequence[str] | str:
    """The signature of what a probe shows: one perceptual hash a position; or why it is not an answer."""
    bench.check_stop()
    files: list[Path] = []

    def keep(screen_number: int, screen: Screen) -> Path:
        file = attempt_folder(bench) / "probes" / f"round-{number}" / f"{place:02d}" / f"{screen_number:03d}.png"
        save_screen(file, screen.png)
        files.append(file)
        return file

    try:
        _, reading = look_up(bench, text, keep)
    except SearchFailed as error:
        return str(error)
    pictures = [Picture.open(file) for file in files]
    return [str(dhash(pictures[screen].crop(box))) for screen, box in (position.sightings[0] for position in reading.positions)]


def agreement(before: Sequence[str], after: Sequence[str]) -> float:
    """Jaccard overlap of two signatures' first results, as multisets of pictures; 1 when both are empty."""
    left = [hex_to_hash(seen) for seen in before[:TOP]]
    right = [hex_to_hash(seen) for seen in after[:TOP]]
    if not left and not right:
        return 1.0
    both = 0
    for seen in right:
        near = min(range(len(left)), key=lambda place: left[place] - seen, default=None)
        if near is not None and left[near] - seen <= SAME_BITS:
            left.pop(near)
            both += 1
    return both / (both + len(left) + len(right) - both)
