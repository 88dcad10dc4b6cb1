"""Which phone is which letter. Kept beside the runs, never in one: outside a ledger nothing else joins letters and names."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from string import ascii_uppercase

from rig.disk import Lock, write_file
from rig.errors import RigError

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Letters:
    """The map of one lab or study: operator's phone name → letter, and the serial that a letter was first seen with."""

    letter_of: dict[str, str]
    serial_of: dict[str, str]
    """By letter; virtual phones have none."""


def letters_for(names: Sequence[str], file: Path, random: Random | None = None) -> dict[str, str]:
    """The letter of each name. A known name keeps its letter for ever; new ones share the next free letters at random.

    Letters say nothing of name, place in the lab file or score. `random` is for tests; by default the system's own.
    """
    with _held(file):
        known = read_letters(file)
        fresh = [name for name in names if name not in known.letter_of]
        if fresh:
            free = _free_letters(len(fresh), set(known.letter_of.values()))
            (random or secrets.SystemRandom()).shuffle(free)
            known = Letters({**known.letter_of, **dict(zip(fresh, free, strict=True))}, known.serial_of)
            _write(file, known)
        return {name: known.letter_of[name] for name in names}


def meet_serial(letter: str, serial: str, file: Path) -> str | None:
    """Remembers the serial first seen under `letter`; returns the remembered one when it is another, else None."""
    with _held(file):
        known = read_letters(file)
        if letter in known.serial_of:
            return known.serial_of[letter] if known.serial_of[letter] != serial else None
        _write(file, Letters(known.letter_of, {**known.serial_of, letter: serial}))
        return None


def read_letters(file: Path) -> Letters:
    """The map in `file`, empty where there is none. Raises RigError when it cannot be read."""
    try:
        text = json.loads(file.read_text(encoding="utf-8"))
        if text["schema_version"] != SCHEMA_VERSION:
            raise RigError(
                f"{file}: schema_version {SCHEMA_VERSION} expected, {text['schema_version']} found; use the rig that wrote it"
            )
        return Letters(dict(text["letters"]), dict(text["serials"]))
    except FileNotFoundError:
        return Letters({}, {})
    except (ValueError, KeyError, TypeError) as error:
        raise RigError(f"{file}: not a letter map ({error}); put back a copy, or move it away to draw new letters") from error


class _held:  # noqa: N801 - reads as a state in a with statement
    """Each in turn: sweeps that begin at once, and the threads of one sweep that meet their phones at once."""

    def __init__(self, file: Path) -> None:
        self.lock = Lock(file.with_suffix(".lock"), f"the letter map {file}")

    def __enter__(self) -> None:
        self.lock.acquire(wait=True)

    def __exit__(self, *_: object) -> None:
        self.lock.release()


def _free_letters(count: int, taken: set[str]) -> list[str]:
    names = list(ascii_uppercase) + [first + second for first in ascii_uppercase for second in ascii_uppercase]
    return [name for name in names if name not in taken][:count]


def _write(file: Path, letters: Letters) -> None:
    text = {"schema_version": SCHEMA_VERSION, "letters": letters.letter_of, "serials": letters.serial_of}
    write_file(file, (json.dumps(text, ensure_ascii=False, indent=2) + "\n").encode())
