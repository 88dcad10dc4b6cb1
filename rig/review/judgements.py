"""What annotators said, one file a name, only ever added to, each line on the disk before it counts.

RUN/review/annotators/<name>.jsonl     one judgement a line, oldest first; the last one of a question counts
RUN/review/adjudicators/<name>.jsonl   the same, of those who settle disagreements

A line without its end was cut short by a power cut; it was never confirmed to anybody, and is dropped when its file is opened.
"""

import json
import os
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from rig.disk import Lock, disk_full_is_told, safe_name, spoken_name, sync_folder
from rig.errors import RigError
from rig.review.questions import Kind, Question

SCHEMA_VERSION = 1
NAME_LENGTH = 60
"""Characters; a name of any person, and what still fits the page's head."""


class Choice(StrEnum):
    """What can be said of a question."""

    PHOTO = "photo"
    NONE = "none"
    RELEVANT = "relevant"
    NOT_RELEVANT = "not_relevant"
    CANNOT_TELL = "cannot_tell"
    WITHDRAWN = "withdrawn"
    """Undone: the question is open again, and what was said before stays in the file."""


CHOICES = {
    Kind.MATCH: frozenset({Choice.PHOTO, Choice.NONE, Choice.CANNOT_TELL, Choice.WITHDRAWN}),
    Kind.RELEVANCE: frozenset({Choice.RELEVANT, Choice.NOT_RELEVANT, Choice.CANNOT_TELL, Choice.WITHDRAWN}),
}


class Role(StrEnum):
    """In which capacity somebody judges; the name of a folder."""

    ANNOTATOR = "annotators"
    ADJUDICATOR = "adjudicators"


@dataclass(frozen=True, slots=True)
class Said:
    """The content of a judgement; `photo` is set with PHOTO only. Two annotators agree when theirs are equal."""

    choice: Choice
    photo: str | None = None

    @property
    def label(self) -> str:
        """The category it falls into: a photo is a category of its own."""
        return self.choice if self.photo is None else f"photo:{self.photo}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One line of a file."""

    number: int
    """From 1 within its file."""
    at: datetime
    name: str
    question: str
    said: Said


class Judgements:
    """One name's file, held by one process. Raises LockedByAnother when another one holds it."""

    def __init__(self, review: Path, role: Role, name: str) -> None:
        self.name = checked_name(name)
        _refuse_other_role(review, role, self.name)
        self.path = judgements_file(review, role, self.name)
        self._lock = Lock(self.path.with_suffix(".lock"), f"the review of {review.parent.name} as {self.name}")
        self._lock.acquire()
        try:
            self.history = list(_read(self.path))
            self._file = self._open()
        except BaseException:
            self._lock.release()
            raise

    def _open(self) -> int:
        """Cuts off what a power cut left of a last line, and goes on after it."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        whole = self.path.read_bytes()
        os.ftruncate(descriptor, whole.rfind(b"\n") + 1)
        os.fsync(descriptor)
        sync_folder(self.path.parent)
        return descriptor

    def add(self, question: Question, said: Said, at: datetime) -> Judgement:
        """The judgement is on the disk when this returns. Raises DiskFull, and RigError for what cannot be said of it."""
        check_said(question, said)
        judgement = Judgement(len(self.history) + 1, at, self.name, question.id, said)
        line = json.dumps(_to_json(judgement, question), ensure_ascii=False) + "\n"
        with disk_full_is_told(self.path):
            _write_whole(self._file, line.encode())
            os.fsync(self._file)
        self.history.append(judgement)
        return judgement

    def close(self) -> None:
        """The file is closed, and free for another process."""
        os.close(self._file)
        self._lock.release()


def check_said(question: Question, said: Said) -> None:
    """Raises RigError when `said` is no answer to `question`."""
    offered = question.candidates if question.kind is Kind.MATCH else ()
    fits = said.photo in offered if said.choice is Choice.PHOTO else said.photo is None
    if said.choice not in CHOICES[question.kind] or not fits:
        raise RigError(f"review: {said.choice} is no answer to a question about {question.kind}; choose one of those shown")


def latest(history: Iterable[Judgement]) -> dict[str, Judgement]:
    """By question: the judgement that counts. A question whose last one was withdrawn is not in it."""
    last = {judgement.question: judgement for judgement in history}
    return {question: judgement for question, judgement in last.items() if judgement.said.choice is not Choice.WITHDRAWN}


def read_all(review: Path, role: Role) -> dict[str, dict[str, Judgement]]:
    """By name, in order of names: the judgements that count, by question."""
    return {name: latest(_read(judgements_file(review, role, name))) for name in names_in(review, role)}


def names_in(review: Path, role: Role) -> tuple[str, ...]:
    """Who has judged in this role, in order."""
    return tuple(sorted(spoken_name(file.stem) for file in (review / role).glob("*.jsonl")))


def checked_name(name: str) -> str:
    """The name as it is kept. Raises RigError when it is none."""
    name = unicodedata.normalize("NFC", name).strip()
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise RigError(f"--as {name[:NAME_LENGTH]!a}: expected a name of 1 to {NAME_LENGTH} printable characters")
    return name


def _refuse_other_role(review: Path, role: Role, name: str) -> None:
    """One who annotates does not adjudicate; and "anna" beside "Anna" would be one person counted twice."""
    for other in Role:
        for known in names_in(review, other):
            if known.casefold() != name.casefold():
                continue
            if other is not role:
                raise RigError(f"--as {name}: {known} is among this run's {other}; a third name settles disagreements")
            if known != name:
                raise RigError(f"--as {name}: this run already knows {known}; write the name the same way")


def judgements_file(review: Path, role: Role, name: str) -> Path:
    """Where a name's judgements lie; beside it, with the suffix .lock, the lock of who adds to them."""
    return review / role / f"{safe_name(name)}.jsonl"


def _read(path: Path) -> list[Judgement]:
    text = path.read_bytes() if path.is_file() else b""
    lines = text[: text.rfind(b"\n") + 1].splitlines()
    return [_from_json(line, number, path) for number, line in enumerate(lines, start=1)]


def _write_whole(descriptor: int, data: bytes) -> None:
    """All of it, or nothing: half a line would join itself to the next one."""
    start = os.fstat(descriptor).st_size
    try:
        written = 0
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        os.ftruncate(descriptor, start)
        raise


def _to_json(judgement: Judgement, question: Question) -> Mapping[str, object]:
    return {
        "schema_version": SCHEMA_VERSION,
        "number": judgement.number,
        "at": judgement.at.isoformat(),
        "name": judgement.name,
        "question": judgement.question,
        "choice": judgement.said.choice,
        "photo": judgement.said.photo,
        "about": about(question),
    }


def about(question: Question) -> Mapping[str, object]:
    """What a question is about, for one who reads the file; the page never shows it."""
    if question.kind is Kind.RELEVANCE:
        return {"kind": question.kind, "album": question.album, "query": question.query, "photo": question.photo}
    return {"kind": question.kind, "album": question.album, "screen": question.screen, "box": question.box}


def _from_json(line: bytes, number: int, path: Path) -> Judgement:
    try:
        fields: dict[str, Any] = json.loads(line)
        in_place = fields["schema_version"] == SCHEMA_VERSION and fields["number"] == number
        said = Said(Choice(fields["choice"]), fields["photo"])
        told = Judgement(number, datetime.fromisoformat(fields["at"]), str(fields["name"]), str(fields["question"]), said)
    except (ValueError, KeyError, TypeError) as error:
        raise RigError(f"{path}: line {number} is no judgement ({error!r}); put back the file as the review left it") from error
    if not in_place:
        raise RigError(f"{path}: line {number} is not the judgement of that number; put back the file as the review left it")
    return told
