"""Where a phone's screens lie in its run folder. Names from outside (albums, queries) become safe, reversible ones."""

from pathlib import Path

from rig.disk import safe_name
from rig.phases.bench import Bench
from rig.records import Search


def attempt_folder(bench: Bench) -> Path:
    """phones/<letter>/<album>/attempt-N"""
    return bench.folder / "phones" / bench.letter / safe_name(bench.trial.album) / f"attempt-{bench.attempt.number}"


def search_folder(bench: Bench, search: Search) -> Path:
    """…/<query>/<language>-<repeat>/try-N"""
    return (
        attempt_folder(bench)
        / "searches"
        / safe_name(search.key.query)
        / f"{search.key.language}-{search.key.repeat}"
        / f"try-{search.number}"
    )
