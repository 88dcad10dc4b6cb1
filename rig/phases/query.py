"""Query: every search of the trial is tried until it has an answer or its tries are used up.

slice: check who answers ─ search ─ search ─ … ─ check: confirmed      a failed check voids what the slice saw
search: try ─ invalid ─ try ─ answered                                 only infrastructure is retried, never an answer
"""

from pathlib import Path
from statistics import median

from drivers.interface import DriverError, Invalid, PhoneLost, Screen, SearchFailed
from rig.disk import DiskFull, free_bytes, full_sentence
from rig.model import Language, Outcome
from rig.phases.bench import Bench, PhaseFailed, prepared
from rig.phases.health import HealthWatch
from rig.phases.importing import album_still_there
from rig.phases.looking import look_up, save_screen
from rig.phases.opening import Opener
from rig.phases.places import search_folder
from rig.records import Reading, Search, SearchKey, Status
from rig.run import asked_order, final_tries


def query(bench: Bench) -> tuple[Status, str]:
    """Asks whatever has no answer yet. Raises PhaseFailed when the album is gone, Stopped, DriverError, DiskFull."""
    bench.run.ledger.drop_unfinished(bench.attempt.id)
    keys = asked_order(bench.protocol, bench.material, f"{bench.letter}/{bench.trial.album}")
    answered = _answered(bench)
    todo = [key for key in keys if key not in answered]
    asking = _Asking(bench, len(keys), len(answered))
    if todo:
        with prepared(bench):
            size = bench.protocol.query.slice
            for start in range(0, len(todo), size):
                asking.ask_slice(todo[start : start + size])
    missing = len(keys) - len(_answered(bench))
    return (
        (Status.GAPS, f"{missing} of {len(keys)} searches without an answer")
        if missing
        else (Status.DONE, f"{len(keys)} searches")
    )


def _answered(bench: Bench) -> set[SearchKey]:
    final = final_tries(bench.run.ledger.searches(bench.attempt.id))
    return {key for key, search in final.items() if search.outcome is Outcome.ANSWERED}


class _Asking:
    """The state of asking one phone: who it was when last checked, how it feels, what it costs."""

    def __init__(self, bench: Bench, total: int, answered: int) -> None:
        self.bench = bench
        self.health = HealthWatch(bench)
        self.queries = {query.id: query for query in bench.material.queries}
        self.opener = Opener.of(bench)
        self.boot = bench.link.check(bench.attempt.id).boot_count
        self.failed_in_a_row = 0
        self.seconds: list[float] = []
        bench.board.update(bench.letter, done=answered, total=total, answered=answered, invalid=0, retried=0)

    def ask_slice(self, keys: list[SearchKey]) -> None:
        """Asks some searches between two checks of who answers."""
        self._check()
        for key in keys:
            self.bench.check_stop()
            if self._ask(key):
                self.failed_in_a_row = 0
            else:
                self._count_failure(key)
            self._show()
        self._check()

    def _ask(self, key: SearchKey) -> bool:
        """True when the search has an answer now."""
        for number in range(self.bench.protocol.query.attempts):
            try:
                self.health.wait_until_well()
                wait_for_room(self.bench)
                if number:
                    self.bench.board.count(self.bench.letter, retried=1)
                if self._try_once(key):
                    return True
            except PhoneLost as error:
                self.bench.tell("phone_lost", query=key.query, detail=str(error))
                self._reconnect()
        return False

    def _try_once(self, key: SearchKey) -> bool:
        bench, ledger = self.bench, self.bench.run.ledger
        search = ledger.begin_search(bench.attempt.id, key, bench.clock.utc())
        began_s = bench.clock.elapsed_s()
        try:
            ending, reading = self._look_up(search)
        except SearchFailed as error:
            if error.screenshot is not None:
                save_screen(search_folder(bench, search) / "failed.png", error.screenshot)
            self._invalid(search, error.reason, error.detail, began_s)
            return False
        except PhoneLost as error:
            self._invalid(search, Invalid.CONNECTION, str(error), began_s)
            raise
        elapsed_s = bench.clock.elapsed_s() - began_s
        ledger.answer(search.id, ending, elapsed_s, reading)
        bench.tell(
            "answered", query=key.query, language=key.language, repeat=key.repeat, results=len(reading.positions), ending=ending
        )
        self.seconds.append(elapsed_s)
        return True

    def _look_up(self, search: Search) -> tuple[str, Reading]:
        query = self.queries[search.key.query]
        text = query.text[Language(search.key.language)]

        def keep(number: int, screen: Screen) -> Path:
            return _keep(self.bench, search, number, screen)

        if self.opener is None or not query.relevant:
            return look_up(self.bench, text, keep)
        return look_up(self.bench, text, keep, self.opener.for_search(search, query.relevant), self.opener.spare_s)

    def _invalid(self, search: Search, reason: Invalid, detail: str, began_s: float) -> None:
        self.bench.run.ledger.invalidate(search.id, reason, detail, self.bench.clock.elapsed_s() - began_s)
        self.bench.tell(
            "invalid", query=search.key.query, language=search.key.language, number=search.number, reason=reason, detail=detail
        )
        self.bench.board.update(self.bench.letter, error=f"{search.key.query}: {reason}")

    def _count_failure(self, key: SearchKey) -> None:
        self.failed_in_a_row += 1
        self.bench.board.count(self.bench.letter, invalid=1)
        if self.failed_in_a_row >= self.bench.protocol.query.park_after:
            raise DriverError(
                f"Phone {self.bench.letter}: query: {self.failed_in_a_row} searches in a row have no answer, last {key.query}; "
                f"look at the phone and at failed.png of that search, then: rig resume RUN"
            )

    def _check(self) -> None:
        try:
            self._take_boot(self.bench.link.check(self.bench.attempt.id).boot_count)
        except PhoneLost as error:
            self.bench.tell("phone_lost", detail=str(error))
            self._reconnect()

    def _reconnect(self) -> None:
        self._take_boot(self.bench.link.reconnect(self.bench.attempt.id).boot_count)
        self.bench.tell("phone_back")

    def _take_boot(self, boot: str) -> None:
        """A phone that restarted between searches has its index still, if it has its album."""
        if boot != self.boot:
            self.bench.tell("restarted", boot_before=self.boot, boot_after=boot)
            if not album_still_there(self.bench):
                raise PhaseFailed(f"Phone {self.bench.letter}: query: after a restart the album is no longer on the phone")
            self.boot = boot

    def _show(self) -> None:
        done = len(self.seconds)
        board, letter = self.bench.board, self.bench.letter
        line = next(line for line in board.lines() if line.letter == letter)
        left = line.total - line.done - 1
        board.update(
            letter,
            done=line.done + 1,
            answered=line.done + 1 - line.invalid,
            eta_s=median(self.seconds) * left if done else None,
        )


def _keep(bench: Bench, search: Search, number: int, screen: Screen) -> Path:
    """File first, row after: an orphan file is harmless, an orphan row cannot exist."""
    file = search_folder(bench, search) / f"{number:03d}.png"
    digest = save_screen(file, screen.png)
    bench.run.ledger.add_screen(search.id, number, file.relative_to(bench.folder).as_posix(), digest, screen)
    return file


def wait_for_room(bench: Bench) -> None:
    """Returns when the host's disk is above the protocol's watermark. Raises DiskFull after the protocol's longest pause."""
    rules = bench.protocol.disk
    began_s = bench.clock.elapsed_s()
    while free_bytes(bench.folder) < rules.keep_free_bytes:
        if bench.clock.elapsed_s() - began_s >= rules.pause_cap_s:
            raise DiskFull(full_sentence(bench.folder))
        bench.board.update(bench.letter, error="waits for disk space on the host")
        bench.tell("disk_pause", free_bytes=free_bytes(bench.folder))
        bench.wait(bench.protocol.health.poll_s)
