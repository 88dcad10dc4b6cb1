"""The ledger: the truth of a run, in one SQLite file that survives a power cut at any commit.

The only file that knows sqlite3; its statements lie in `rig/sql/`. One connection, one lock, one owner of every state change. A
phone's thread that was given up as hanging is fenced: whatever it still wants to write is refused.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from datetime import datetime
from pathlib import Path
from threading import RLock, Thread, current_thread
from typing import Any

from drivers.interface import Identity, Screen
from matching.model import Position
from rig.disk import DiskFull, full_sentence
from rig.errors import RigError
from rig.model import Language, Outcome, Phone, Result, Verdict
from rig.records import (
    AlbumRecord,
    Attempt,
    Opened,
    Parked,
    Phase,
    PhaseRecord,
    PhoneRecord,
    Placed,
    Reading,
    RunRecord,
    ScreenRecord,
    Search,
    SearchKey,
    Status,
    Trial,
)

SCHEMA_VERSION = 2
"""Kept in the file's user_version. A ledger of version 1 lacks the table of `opened.sql` and gets it when it is opened."""

SQL = Path(__file__).parent / "sql"


class Fenced(Exception):
    """This thread was given up as hanging; what it learned afterwards is not recorded."""


class Ledger:
    """One run's ledger. All methods may be called from any thread."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self._lock = RLock()
        self._fenced: set[Thread] = set()
        self._sql = _named_statements((SQL / "queries.sql").read_text(encoding="utf-8"))
        if not create and not path.is_file():
            raise RigError(f"{path.parent}: not a run folder: it has no {path.name}; give a folder that rig sweep made")
        if create:
            path.touch(mode=0o600, exist_ok=False)
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.row_factory = sqlite3.Row
        try:
            with self._told():
                self._open(create)
        except BaseException:
            self._connection.close()
            raise

    def _open(self, create: bool) -> None:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 10000"):
            self._connection.execute(f"PRAGMA {pragma}")
        if create:
            self._run_script("schema.sql", "opened.sql")
        found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found == 1:
            self._run_script("opened.sql")
            found = SCHEMA_VERSION
        if found != SCHEMA_VERSION:
            raise RigError(
                f"{self.path}: ledger version {SCHEMA_VERSION} expected, {found} found; use the rig that made this run"
            )

    def _run_script(self, *names: str) -> None:
        statements = " ".join((SQL / name).read_text(encoding="utf-8") for name in names)
        self._connection.executescript(f"BEGIN IMMEDIATE; {statements} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")

    def close(self) -> None:
        """The file is closed; what was committed is on the disk."""
        with self._lock:
            self._connection.close()

    def fence(self, thread: Thread) -> None:
        """From now on `thread` can neither read nor write."""
        with self._lock:
            self._fenced.add(thread)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; on the disk when it ends. Raises DiskFull, Fenced."""
        with self._lock, self._told():
            self._refuse_fenced()
            if self._under_way():
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._commit()
            except BaseException:
                if self._under_way():
                    self._connection.execute("ROLLBACK")
                raise

    def _refuse_fenced(self) -> None:
        if current_thread() in self._fenced:
            raise Fenced(current_thread().name)

    def _under_way(self) -> bool:
        return self._connection.in_transaction

    def _commit(self) -> None:
        self._connection.execute("COMMIT")

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
                raise DiskFull(full_sentence(self.path)) from error
            raise
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise RigError(f"{self.path}: not a ledger, or a damaged one ({error}); restore it from a copy") from error
            raise

    def _do(self, name: str, *values: object) -> int:
        """Runs one named statement in a transaction; returns the id of the row it added."""
        with self.transaction():
            return self._connection.execute(self._sql[name], values).lastrowid or 0

    def _rows(self, name: str, *values: object) -> list[sqlite3.Row]:
        with self._lock, self._told():
            self._refuse_fenced()
            return self._connection.execute(self._sql[name], values).fetchall()

    # The run, its phones and albums

    def add_run(self, run: RunRecord) -> None:
        """The run is named; once a ledger."""
        self._do(
            "add_run",
            run.id,
            run.name,
            _text(run.created_at),
            run.protocol_sha256,
            run.rig_version,
            json.dumps(run.confirm_erase),
        )

    def run(self) -> RunRecord:
        """The run."""
        rows = self._rows("run")
        if not rows:
            raise RigError(
                f"{self.path.parent}: the run was cut short before it was planned; delete it and begin again with rig sweep"
            )
        row = rows[0]
        return RunRecord(
            row["id"],
            row["name"],
            _time(row["created_at"]),
            row["protocol_sha256"],
            row["rig_version"],
            _texts(row["confirm_erase"]),
        )

    def confirm_erase(self, names: Sequence[str]) -> None:
        """These names (and no others) may be erased in this run."""
        self._do("confirm_erase", json.dumps(list(names)))

    def add_phone(self, letter: str, phone: Phone) -> None:
        """A phone takes part under a letter."""
        self._do("add_phone", letter, phone.name, phone.platform, phone.address, phone.profile, json.dumps(dict(phone.options)))

    def phones(self) -> tuple[PhoneRecord, ...]:
        """The run's phones by letter."""
        return tuple(
            PhoneRecord(
                row["letter"], row["name"], row["platform"], row["address"], row["profile"], json.loads(row["options"]),
                Parked(row["parked"]) if row["parked"] else None, row["cause"],
            )
            for row in self._rows("phones")
        )  # fmt: skip

    def park(self, letter: str, parked: Parked, cause: str, at: datetime) -> None:
        """The phone is out of the run for now; the first cause stays."""
        self._do("park", parked, cause, _text(at), letter)

    def unpark(self, letter: str) -> None:
        """The phone may try again."""
        self._do("unpark", letter)

    def add_album(self, album: AlbumRecord, place: int) -> None:
        """An album takes part, in this place of the order."""
        self._do("add_album", album.name, place, album.folder, album.digest, album.inputs_sha256)

    def albums(self) -> tuple[AlbumRecord, ...]:
        """The run's albums in order."""
        return tuple(AlbumRecord(*row) for row in self._rows("albums"))

    def add_trial(self, letter: str, album: str) -> int:
        """A phone is to be measured with an album."""
        return self._do("add_trial", letter, album)

    def trials(self) -> tuple[Trial, ...]:
        """Every trial, by letter, then in the albums' order."""
        return tuple(Trial(*row) for row in self._rows("trials"))

    # Attempts and phases

    def add_attempt(self, trial: int, at: datetime) -> int:
        """A new attempt from reset."""
        return self._do("add_attempt", trial, _text(at))

    def attempts(self, trial: int) -> tuple[Attempt, ...]:
        """The attempts of a trial, first to last, with their phases."""
        return tuple(
            Attempt(row["id"], row["trial"], row["number"], self._phases(row["id"])) for row in self._rows("attempts", trial)
        )

    def _phases(self, attempt: int) -> Mapping[Phase, PhaseRecord]:
        return {
            Phase(row["phase"]): PhaseRecord(
                Phase(row["phase"]), Status(row["status"]), _time(row["started_at"]), _maybe_time(row["ended_at"]),
                _maybe_time(row["due_at"]), row["detail"],
            )
            for row in self._rows("phases", attempt)
        }  # fmt: skip

    def start_phase(self, attempt: int, phase: Phase, at: datetime, due_at: datetime | None = None) -> None:
        """A phase has begun; `due_at` is when a fixed wait ends."""
        self._do("start_phase", attempt, phase, _text(at), _text(due_at) if due_at else None)

    def reopen_phase(self, attempt: int, phase: Phase) -> None:
        """A phase that ended with gaps goes on."""
        self._do("reopen_phase", attempt, phase)

    def end_phase(self, attempt: int, phase: Phase, status: Status, at: datetime, detail: str = "") -> None:
        """A phase has ended."""
        self._do("end_phase", status, _text(at), detail, attempt, phase)

    # Who answered, and what was seen of its state

    def add_identity(self, letter: str, attempt: int | None, moment: str, at: datetime, identity: Identity) -> None:
        """Who answered: when first met, as an attempt's baseline, at a check, or refused."""
        values = astuple(identity)
        self._do("add_identity", letter, attempt, moment, _text(at), *values[:-1], int(identity.virtual))

    def identities(self, letter: str, moment: str | None = None) -> tuple[Identity, ...]:
        """Who answered under a letter, in order; with `moment`, only then."""
        return tuple(_identity(row) for row in self._rows("identities", letter) if moment in (None, row["moment"]))

    def baseline(self, letter: str, attempt: int) -> Identity | None:
        """Who the attempt's album was pushed to; None before that."""
        found = [row for row in self._rows("identities", letter) if row["moment"] == "baseline" and row["attempt"] == attempt]
        return _identity(found[-1]) if found else None

    def add_evidence(self, letter: str, attempt: int | None, kind: str, at: datetime, body: object) -> None:
        """Something worth keeping: a reset's signs, an import report, a reading of health or of indexing."""
        self._do("add_evidence", letter, attempt, kind, _text(at), json.dumps(body, ensure_ascii=False, default=str))

    def evidence(self, letter: str, kind: str) -> tuple[tuple[datetime, Any], ...]:
        """(when, what) of one kind, in order."""
        return tuple(
            (_time(row["at"]), json.loads(row["body"])) for row in self._rows("evidence", letter) if row["kind"] == kind
        )

    def save_settings(self, letter: str, at: datetime, settings: Mapping[str, str]) -> None:
        """What the rig replaced on the phone and owes it."""
        self._do("save_settings", letter, _text(at), json.dumps(dict(settings)))

    def owed_settings(self, letter: str) -> Mapping[str, str]:
        """What is still to be restored; the oldest value of each setting, which is the phone's own."""
        owed: dict[str, str] = {}
        for row in self._rows("unsettled", letter):
            owed = {**json.loads(row["settings"]), **owed}
        return owed

    def settle_settings(self, letter: str, at: datetime, how: str) -> None:
        """Nothing is owed any more: restored, or gone with a factory reset."""
        self._do("settle", _text(at), how, letter)

    # Searches

    def begin_search(self, attempt: int, key: SearchKey, at: datetime) -> Search:
        """A new try of a search."""
        with self.transaction():
            search = self._do("begin_search", attempt, key.query, key.language, key.repeat, _text(at))
            number = self._rows("search_number", search)[0]["number"]
        return Search(search, key, number, None, None, "", None, at, None)

    def add_screen(self, search: int, number: int, path: str, sha256: str, screen: Screen) -> None:
        """A screen whose file is on the disk."""
        cells, labels = (
            None if value is None else json.dumps(value, ensure_ascii=False) for value in (screen.cells, screen.labels)
        )
        sections = json.dumps(screen.sections, ensure_ascii=False)
        self._do("add_screen", search, number, path, sha256, json.dumps(screen.viewport), cells, labels, sections)

    def add_opened(self, search: int, opened: Opened) -> None:
        """A thumbnail was opened in full, its file on the disk; or was not, and why."""
        where = None if opened.viewport is None else json.dumps(opened.viewport)
        box, candidates = json.dumps(opened.box), json.dumps(opened.candidates, ensure_ascii=False)
        self._do("add_opened", search, opened.screen, box, candidates, opened.path, opened.sha256, where, opened.failure)

    def opened(self, search: int) -> tuple[Opened, ...]:
        """What was opened in full during a search, in order."""
        return tuple(
            Opened(
                row["screen"], _box(json.loads(row["box"])), _texts(row["candidates"]), row["path"], row["sha256"],
                None if row["viewport"] is None else _box(json.loads(row["viewport"])), row["failure"],
            )
            for row in self._rows("opened", search)
        )  # fmt: skip

    def answer(self, search: int, ending: str, elapsed_s: float, reading: Reading) -> None:
        """The search is answered; what its screens show is kept with it."""
        with self.transaction():
            self._do("end_search", Outcome.ANSWERED, None, "", ending, elapsed_s, search)
            self.save_reading(search, reading)

    def invalidate(self, search: int, reason: str, detail: str, elapsed_s: float) -> None:
        """The try is not an answer."""
        self._do("end_search", Outcome.INVALID, reason, detail, None, elapsed_s, search)

    def drop_unfinished(self, attempt: int) -> None:
        """Searches that were cut short leave no row (their files are harmless)."""
        self._do("drop_unfinished", attempt)

    def confirm(self, attempt: int) -> None:
        """The right phone answered again: what was seen since the last check stands."""
        self._do("confirm", attempt)

    def void_unconfirmed(self, attempt: int, reason: str, detail: str) -> None:
        """What was seen since the last good check is not an answer."""
        self._do("void_unconfirmed", reason, detail, attempt)

    def searches(self, attempt: int) -> tuple[Search, ...]:
        """Every try of every search of an attempt, in order of time."""
        return tuple(
            Search(
                row["id"], SearchKey(row["query"], Language(row["language"]), row["repeat"]), row["number"],
                Outcome(row["outcome"]) if row["outcome"] else None, row["reason"], row["detail"], row["ending"],
                _time(row["started_at"]), row["elapsed_s"],
            )
            for row in self._rows("searches", attempt)
        )  # fmt: skip

    def screens(self, search: int) -> tuple[ScreenRecord, ...]:
        """The screens of a search, top to bottom."""
        return tuple(
            ScreenRecord(
                row["number"], row["path"], row["sha256"], _box(json.loads(row["viewport"])),
                None if row["cells"] is None else tuple(_box(box) for box in json.loads(row["cells"])),
                None if row["labels"] is None else _texts(row["labels"]),
                tuple((top, title) for top, title in json.loads(row["sections"])),
            )
            for row in self._rows("screens", search)
        )  # fmt: skip

    # What the screens show, and what it was matched to

    def save_reading(self, search: int, reading: Reading) -> None:
        """What the screens show, replacing what was thought before."""
        positions = json.dumps([(position.sightings, position.label) for position in reading.positions], ensure_ascii=False)
        self._do("save_reading", search, reading.eyes, positions, int(reading.end_proven), int(reading.capped), reading.fault)

    def reading(self, search: int, *, places: bool = True) -> Reading | None:
        """What the screens show; None when nobody looked yet. Without `places`, only how it ended, which is quicker."""
        for row in self._rows("reading", search):
            if not places:
                return Reading(row["eyes"], (), bool(row["end_proven"]), bool(row["capped"]), row["fault"])
            positions = tuple(
                Position(tuple((screen, _box(box)) for screen, box in sightings), label)
                for sightings, label in json.loads(row["positions"])
            )
            return Reading(row["eyes"], positions, bool(row["end_proven"]), bool(row["capped"]), row["fault"])
        return None

    def save_match(self, search: int, at: datetime, eyes: str, placed: Sequence[Placed]) -> None:
        """What a search's positions were matched to, replacing an earlier match."""
        with self.transaction():
            self._do("forget_match", search)
            self._do("add_match", search, _text(at), eyes)
            self._connection.executemany(
                self._sql["add_position"],
                [
                    (search, at_rank.rank, at_rank.verdict, at_rank.photo, json.dumps(at_rank.candidates, ensure_ascii=False),
                     json.dumps(dict(at_rank.evidence)), at_rank.screen, json.dumps(at_rank.box))
                    for at_rank in placed
                ],
            )  # fmt: skip

    def forget_match(self, search: int) -> None:
        """The search counts as not matched."""
        self._do("forget_match", search)

    def match_version(self, search: int) -> str | None:
        """Which version of seeing matched a search; None when none did."""
        rows = self._rows("matched", search)
        return rows[0]["eyes"] if rows else None

    def placed(self, search: int) -> tuple[Placed, ...]:
        """What each position of a search was matched to, in order."""
        return tuple(
            Placed(
                row["rank"], Verdict(row["verdict"]), row["photo"], _texts(row["candidates"]), json.loads(row["evidence"]),
                row["screen"], _box(json.loads(row["box"])),
            )
            for row in self._rows("positions", search)
        )  # fmt: skip

    def results(self, search: int) -> tuple[Result, ...]:
        """The same as an answer holds it: what was found, not where it was seen and why it is believed."""
        return tuple(
            Result(row["rank"], Verdict(row["verdict"]), row["photo"], _texts(row["candidates"]))
            for row in self._rows("results", search)
        )

    # Probes

    def add_probe(self, attempt: int, number: int, text: str, at: datetime, seen: Sequence[str] | str) -> None:
        """One probe of a round: its signature, or as a plain text why it is not an answer."""
        reason, signature = (seen, None) if isinstance(seen, str) else (None, json.dumps(list(seen)))
        self._do("add_probe", attempt, number, text, _text(at), reason, signature)

    def probe_rounds(self, attempt: int) -> tuple[Mapping[str, tuple[str, ...] | None], ...]:
        """By round: probe text → signature, None where it was not answered."""
        rounds: dict[int, dict[str, tuple[str, ...] | None]] = {}
        for row in self._rows("probes", attempt):
            rounds.setdefault(row["round"], {})[row["text"]] = None if row["signature"] is None else _texts(row["signature"])
        return tuple(rounds[number] for number in sorted(rounds))


def _named_statements(text: str) -> dict[str, str]:
    """`-- name: x` begins the statement x."""
    parts = text.split("-- name: ")[1:]
    return {name.strip(): statement.strip() for name, _, statement in (part.partition("\n") for part in parts)}


def _text(moment: datetime) -> str:
    return moment.isoformat()


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _maybe_time(text: str | None) -> datetime | None:
    return None if text is None else _time(text)


def _texts(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def _box(values: Sequence[int]) -> tuple[int, int, int, int]:
    left, top, right, bottom = values
    return (left, top, right, bottom)


def _identity(row: sqlite3.Row) -> Identity:
    return Identity(
        row["serial"], row["model"], row["build"], row["os_version"], row["gallery_package"], row["gallery_version"],
        row["locale"], row["boot_count"], bool(row["virtual"]),
    )  # fmt: skip
