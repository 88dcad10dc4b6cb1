"""Which phone is which letter in one study. Kept in `private/`, never in an export.

A study's letters are drawn by chance, and a phone keeps its own for ever: in every run of the study, and when others join.
They say nothing of names, serials, places in a lab or scores. Two studies share nothing: neither letters nor the key that
draws example queries and seals query sets. (Who publishes again with more phones shows which letters are new.)
"""

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from string import ascii_uppercase

from rig.disk import Lock, safe_name, write_file
from rig.errors import RigError

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Subject:
    """A phone as its run knows it: the operator's name for it, and its serial; "" for a phone that never said one."""

    name: str
    serial: str
    run: str
    """The run's id: a phone that was measured in several runs is A.1, A.2, … in an order that says nothing."""


@dataclass(frozen=True, slots=True)
class Member:
    """A phone of a study."""

    letter: str
    name: str
    serial: str
    runs: tuple[str, ...]
    """Ids of its runs, in drawn order."""


@dataclass(frozen=True, slots=True)
class Study:
    """The map of one study."""

    name: str
    key: bytes
    members: tuple[Member, ...]

    def seal(self, text: str) -> str:
        """A digest of `text` that only this study can make, in hex."""
        return hmac.new(self.key, text.encode(), sha256).hexdigest()

    def label(self, subject: Subject, *, several: bool) -> str:
        """`A`; where the phone has `several` runs in one table, `A.2`."""
        member = next(member for member in self.members if _is_same(member, subject))
        return f"{member.letter}.{1 + member.runs.index(subject.run)}" if several else member.letter


def study_file(private: Path, name: str) -> Path:
    """Where a study's map lies."""
    return private / "studies" / f"{safe_name(name)}.json"


def join_study(file: Path, name: str, subjects: Sequence[Subject], random: Random | None = None) -> Study:
    """The study with these phones in it, made or grown, and written. `random` is for tests; by default the system's own.

    Raises RigError when the map cannot be read, LockedByAnother when another publication draws letters now.
    """
    random = random or secrets.SystemRandom()
    lock = Lock(file.with_suffix(".lock"), f"the study map {file}")
    lock.acquire()
    try:
        study = read_study(file) or Study(name, random.randbytes(32), ())
        if study.name != name:
            raise RigError(f'{file}: is of the study "{study.name}", not "{name}"; choose another name')
        grown = _with_runs(_with_members(study, subjects, random), subjects, random)
        if grown != study or not file.exists():
            _write(file, grown)
        return grown
    finally:
        lock.release()


def read_study(file: Path) -> Study | None:
    """The map in `file`, None where there is none. Raises RigError when it cannot be read."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["schema_version"] != SCHEMA_VERSION:
            raise RigError(
                f"{file}: schema_version {SCHEMA_VERSION} expected, {content['schema_version']} found; use its own rig"
            )
        members = tuple(
            Member(one["letter"], one["name"], one["serial"], tuple(one["runs"])) for one in content["phones"]
        )  # fmt: skip
        return Study(content["study"], bytes.fromhex(content["key"]), members)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RigError(f"{file}: not a study's map ({error}); put back a copy: other letters would be drawn") from error


def _is_same(member: Member, subject: Subject) -> bool:
    """By serial where both have one, else by name."""
    if member.serial and subject.serial:
        return member.serial == subject.serial
    return member.name == subject.name


def _with_members(study: Study, subjects: Sequence[Subject], random: Random) -> Study:
    members, fresh = list(study.members), []
    for subject in subjects:
        place = next((i for i, member in enumerate(members) if _is_same(member, subject)), None)
        if place is None:
            members.append(Member("", subject.name, subject.serial, ()))
            fresh.append(len(members) - 1)
        elif subject.serial and not members[place].serial:
            members[place] = replace(members[place], serial=subject.serial)
    free = _free_letters(len(fresh), {member.letter for member in members})
    random.shuffle(free)
    for place, letter in zip(fresh, free, strict=True):
        members[place] = replace(members[place], letter=letter)
    return replace(study, members=tuple(members))


def _with_runs(study: Study, subjects: Sequence[Subject], random: Random) -> Study:
    """New runs of a phone come after its known ones, among themselves in drawn order."""
    members = []
    for member in study.members:
        fresh = sorted({s.run for s in subjects if _is_same(member, s)} - set(member.runs))
        random.shuffle(fresh)
        members.append(replace(member, runs=(*member.runs, *fresh)))
    return replace(study, members=tuple(members))


def _free_letters(count: int, taken: set[str]) -> list[str]:
    names = [*ascii_uppercase, *(first + second for first in ascii_uppercase for second in ascii_uppercase)]
    return [name for name in names if name not in taken][:count]


def _write(file: Path, study: Study) -> None:
    phones = [{"letter": m.letter, "name": m.name, "serial": m.serial, "runs": list(m.runs)} for m in study.members]
    phones.sort(key=lambda phone: str(phone["letter"]))
    content = {"schema_version": SCHEMA_VERSION, "study": study.name, "key": study.key.hex(), "phones": phones}
    write_file(file, (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode())
