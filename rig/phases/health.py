"""A phone that is too hot or too empty rests; it goes on only when it is well again, not when it is barely better."""

from dataclasses import asdict

from drivers.interface import Health
from rig.config import HealthRules
from rig.phases.bench import CALL_S, Bench, Refused, Unfit
from rig.phases.link import Changed

DAY_S = 86_400.0
"""A clock that is a day off answers date queries about another day: 1970 and 2009 after a reset are the usual cases."""

BATTERY = "battery"
HEAT = "heat"


def ailment(health: Health, rules: HealthRules, resting: str | None) -> str | None:
    """Why the phone should rest (BATTERY or HEAT), None when it may work. `resting` is why it rests already.

    A reading the phone does not give neither begins a rest nor ends one.
    """
    battery_limit = rules.battery_high if resting == BATTERY else rules.battery_low
    heat_limit = rules.temperature_low_c if resting == HEAT else rules.temperature_high_c
    if health.temperature_c is None:
        if resting == HEAT:
            return HEAT
    elif health.temperature_c > heat_limit or (resting is None and health.temperature_c == heat_limit):
        return HEAT
    if health.battery_percent is None:
        return BATTERY if resting == BATTERY else None
    return BATTERY if health.battery_percent < battery_limit else None


class HealthWatch:
    """Looks at a phone's health every so often and lets it rest."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.rules = bench.protocol.health
        self._next_s = bench.clock.elapsed_s()
        self._skew_told_s = 0.0

    def wait_until_well(self) -> None:
        """Returns when the phone may work; asks it only as often as the protocol says.

        Raises Unfit, Changed (its clock was set to another day), Stopped, PhoneLost.
        """
        clock = self.bench.clock
        if clock.elapsed_s() < self._next_s:
            return
        began, resting, resting_since = clock.elapsed_s(), None, 0.0
        while True:
            health = look(self.bench)
            self._look_at_clock(health.clock_skew_s)
            ill = ailment(health, self.rules, resting)
            if ill is None:
                break
            if ill != resting:
                resting, resting_since = ill, clock.elapsed_s()
                self.bench.tell(
                    "health_pause", why=ill, battery_percent=health.battery_percent, temperature_c=health.temperature_c
                )
                self.bench.board.update(self.bench.letter, error=f"rests: {spoken(ill, health)}")
            self._give_up_in_time(health, ill, clock.elapsed_s() - resting_since)
            self.bench.wait(self.rules.poll_s)
        if resting is not None:
            self.bench.tell("health_resumed", after_s=round(clock.elapsed_s() - began))
            self.bench.board.update(self.bench.letter, error="")
        self._next_s = clock.elapsed_s() + self.rules.every_s

    def _look_at_clock(self, skew_s: float | None) -> None:
        """A clock that was set is told of; one that shows another day makes void what was seen since the last check."""
        if skew_s is None:
            return
        if abs(skew_s) >= DAY_S:
            raise Changed(f"Phone {self.bench.letter}: query: {other_day(skew_s)}")
        if abs(skew_s - self._skew_told_s) > self.rules.clock_skew_s:
            self._skew_told_s = skew_s
            tell_skew(self.bench, skew_s)

    def _give_up_in_time(self, health: Health, ill: str, rested_s: float) -> None:
        cap_s = self.rules.heat_cap_s if ill == HEAT else self.rules.pause_cap_s
        if rested_s >= cap_s:
            raise Unfit(
                f"Phone {self.bench.letter}: rested {rested_s:.0f} s for {ill} and still has {spoken(ill, health)}; "
                f"cool or charge it, then: rig resume RUN"
            )


def look(bench: Bench) -> Health:
    """The phone's health now, recorded and shown."""
    with bench.within(CALL_S, "health"):
        health = bench.link.driver.health()
    bench.keep("health", asdict(health))
    bench.board.update(bench.letter, battery_percent=health.battery_percent, temperature_c=health.temperature_c)
    return health


def spoken(ill: str, health: Health) -> str:
    """The reading behind an ailment."""
    if ill == HEAT:
        return "no temperature reading" if health.temperature_c is None else f"{health.temperature_c:.1f} °C"
    return "no battery reading" if health.battery_percent is None else f"battery at {health.battery_percent} %"


def refuse_unready(bench: Bench) -> None:
    """Before an album goes in: room for it, and a clock that is right. Raises Refused."""
    health = look(bench)
    need = round(sum(item.size_bytes for item in bench.items) * bench.protocol.import_.free_space_factor)
    if health.free_bytes is not None and health.free_bytes < need:
        raise Refused(
            f"Phone {bench.letter}: import: {need} bytes of free storage expected, {health.free_bytes} found; "
            f"free some, then: rig resume RUN"
        )
    skew_s = health.clock_skew_s
    if skew_s is not None and abs(skew_s) >= DAY_S:
        raise Refused(f"Phone {bench.letter}: import: {other_day(skew_s)}")
    if skew_s is not None and abs(skew_s) > bench.protocol.health.clock_skew_s:
        tell_skew(bench, skew_s)


def other_day(skew_s: float) -> str:
    """What is wrong with a clock that is a day off or more, and what to do."""
    return (
        f"its clock is {abs(skew_s) / DAY_S:.1f} days {'ahead' if skew_s > 0 else 'behind'}; set its date, then: rig resume RUN"
    )


def tell_skew(bench: Bench, skew_s: float) -> None:
    """A clock that is wrong is on record."""
    bench.keep("clock_skew", {"seconds": skew_s})
    bench.tell("clock_skew", seconds=skew_s)
