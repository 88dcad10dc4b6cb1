"""What happened, in order, for people and dashboards. Never read back as truth."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Lock

from rig.disk import disk_full_is_told

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `letter` is "" when it concerns the whole run."""

    at: datetime
    kind: str
    letter: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


Sink = Callable[[Event], None]


class EventLog:
    """Appends events to a file, one JSON line each, whole lines only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        path.touch(mode=0o600, exist_ok=True)
        _end_torn_line(path)

    def __call__(self, event: Event) -> None:
        """Writes one event. Raises DiskFull."""
        line = {"v": SCHEMA_VERSION, "at": event.at.isoformat(), "kind": event.kind, "letter": event.letter, **event.data}
        with self._lock, disk_full_is_told(self.path), self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")


def _end_torn_line(path: Path) -> None:
    """A line cut short by a crash stays alone: the next event begins a new one."""
    with disk_full_is_told(path), path.open("rb+") as file:
        if file.seek(0, 2) == 0:
            return
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")
