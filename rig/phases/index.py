"""Index: the gallery gets its time. Fixed by elapsed time to a stored end, or until probe queries stop changing.

A phone that restarts, is updated or loses the album meanwhile has not had its time: the attempt is void. The rig's own death is
no such thing; the phone goes on, and a later process takes over what is left of the wait, after proving that nothing changed.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import pairwise

from drivers.interface import Identity, PhoneLost
from rig.config import AdaptiveIndex, FixedIndex
from rig.phases.bench import CALL_S, Bench, PhaseFailed
from rig.phases.probing import agreement, probe_round
from rig.records import NOT_CONVERGED

STARTED = "index_start"
"""The kind of evidence that says how the phone was when the wait began."""


def fixed_wait(bench: Bench) -> timedelta | None:
    """How long a fixed wait takes; None for an adaptive one."""
    rules = bench.protocol.index
    return timedelta(hours=rules.hours) if isinstance(rules, FixedIndex) else None


def index(bench: Bench, *, resumed: bool) -> str:
    """Waits as the protocol says. Raises PhaseFailed when the wait is void, Stopped.

    The caller has lined the phone up, and proven that the album is on it.
    """
    began, boot = _start(bench, resumed=resumed)
    wait = _Wait(bench, began, boot)
    wait.refuse_restarted(bench.link.check(bench.attempt.id))
    rules = bench.protocol.index
    return wait.fixed(rules) if isinstance(rules, FixedIndex) else wait.adaptive(rules)


def _start(bench: Bench, *, resumed: bool) -> tuple[datetime, str]:
    """When the wait began and the boot count then, kept so that it can be proven that the phone went on undisturbed.

    The boot count is that of the phone as it was lined up: one that restarts while its album is looked at has restarted.
    """
    kept = _kept(bench)
    if not kept and not resumed:
        boot = bench.run.ledger.identities(bench.letter, "check")[-1].boot_count
        bench.keep(STARTED, {"attempt": bench.attempt.id, "boot_count": boot})
        kept = _kept(bench)
    if resumed and not (kept and kept[-1][1]):
        raise PhaseFailed(
            f"Phone {bench.letter}: index: the rig was cut short in the wait, and the phone cannot tell whether it restarted"
        )
    return kept[-1]


def _kept(bench: Bench) -> list[tuple[datetime, str]]:
    return [
        (when, body["boot_count"])
        for when, body in bench.run.ledger.evidence(bench.letter, STARTED)
        if body["attempt"] == bench.attempt.id
    ]


class _Wait:
    """One wait for the index: how much of it is over, and that nothing disturbed it."""

    def __init__(self, bench: Bench, began: datetime, boot: str) -> None:
        self.bench = bench
        self.boot = boot
        # What passed before this process took over is known by the wall clock only: the stored start against now.
        self.before_s = max(0.0, (bench.clock.utc() - began).total_seconds())
        self.began_s = bench.clock.elapsed_s()

    @property
    def waited_s(self) -> float:
        return self.before_s + self.bench.clock.elapsed_s() - self.began_s

    def fixed(self, rules: FixedIndex) -> str:
        total_s = rules.hours * 3600
        while self.waited_s < total_s:
            self._show(total_s)
            self.bench.wait(min(rules.signal_every_s, total_s - self.waited_s))
            self._look()
        return f"waited {self.waited_s:.0f} s"

    def adaptive(self, rules: AdaptiveIndex) -> str:
        self._pass_until(rules.floor_s, rules)
        while True:
            rounds = self.bench.run.ledger.probe_rounds(self.bench.attempt.id)
            if settled(rounds, rules):
                return f"converged after {len(rounds)} rounds, {self.waited_s:.0f} s"
            if self.waited_s >= rules.cap_s:
                return f"{NOT_CONVERGED} after {len(rounds)} rounds, {self.waited_s:.0f} s"
            if rounds:
                self._pass_until(min(self.waited_s + rules.spacing_s, rules.cap_s), rules)
            try:
                probe_round(self.bench, len(rounds))
            except PhoneLost as error:
                self._await(error)

    def _pass_until(self, moment_s: float, rules: AdaptiveIndex) -> None:
        while self.waited_s < moment_s:
            self._show(rules.cap_s)
            self.bench.wait(min(rules.signal_every_s, moment_s - self.waited_s))
            self._look()

    def _show(self, total_s: float) -> None:
        self.bench.board.update(
            self.bench.letter, done=round(self.waited_s), total=round(total_s), eta_s=total_s - self.waited_s
        )

    def _look(self) -> None:
        """Reads the phone without waking it; a restart or an update voids the wait."""
        while True:
            try:
                identity, signals = self._read()
            except PhoneLost as error:
                self._await(error)
                continue
            self.bench.keep("index_signals", dict(signals))
            self.refuse_restarted(identity)
            return

    def _await(self, error: PhoneLost) -> None:
        """The phone is back and has not restarted. Raises StayedAway."""
        self.bench.tell("phone_lost", detail=str(error))
        self.refuse_restarted(self.bench.link.reconnect(self.bench.attempt.id))
        self.bench.tell("phone_back")

    def refuse_restarted(self, identity: Identity) -> None:
        """Raises PhaseFailed when the phone is not in the boot that it was in when the wait began."""
        if identity.boot_count != self.boot:
            raise PhaseFailed(
                f"Phone {self.bench.letter}: index: it restarted while it indexed "
                f"(boot {self.boot} expected, {identity.boot_count} found): the wait is void"
            )

    def _read(self) -> tuple[Identity, Mapping[str, str]]:
        with self.bench.within(CALL_S, "index signals"):
            return self.bench.link.check(self.bench.attempt.id), self.bench.link.driver.index_signals()


def settled(rounds: tuple[Mapping[str, tuple[str, ...] | None], ...], rules: AdaptiveIndex) -> bool:
    """True when the last rounds were all answered, show something, and agree each with the one before it."""
    last = rounds[-rules.stable_rounds :]
    if len(last) < rules.stable_rounds or any(seen is None for each in last for seen in each.values()):
        return False
    answered = [{text: seen for text, seen in each.items() if seen is not None} for each in last]
    if not any(answered[-1].values()):
        return False
    return all(_agree(before, after, rules) for before, after in pairwise(answered))


def _agree(before: Mapping[str, tuple[str, ...]], after: Mapping[str, tuple[str, ...]], rules: AdaptiveIndex) -> bool:
    if before.keys() != after.keys():
        return False
    overlap = sum(agreement(before[text], after[text]) for text in after) / len(after)
    counts = [sum(map(len, each.values())) for each in (before, after)]
    return overlap >= rules.jaccard and abs(counts[1] - counts[0]) <= rules.count_change * max(counts[0], 1)
