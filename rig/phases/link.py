"""The line to one phone: opened, checked, lost and found again. Who answers is proven before anything else is done."""

from collections.abc import Callable
from threading import Event as Flag

from drivers.interface import DriverError, GalleryDriver, Identity, PhoneLost, WrongPhone
from rig.clock import Clock
from rig.store import Ledger

OpenDriver = Callable[[], GalleryDriver]
"""Opens the one phone of a link."""

KEPT = ("build", "gallery_package", "gallery_version", "locale")
"""What of an identity must not change while a run lasts."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0
"""Between two tries at a lost phone; a restarted adb server is back within a second or two, a rebooted phone in a minute."""


class Changed(DriverError):
    """The right phone, but not the firmware, gallery, language or day that this run began with."""


class StayedAway(PhoneLost):
    """It was waited for as long as the protocol says."""


class Link:
    """One phone's driver, with the identity it must keep."""

    def __init__(
        self,
        *,
        letter: str,
        open_driver: OpenDriver,
        ledger: Ledger,
        clock: Clock,
        stop: Flag,
        reconnect_s: float,
        lost: Callable[[], None] = lambda: None,
        back: Callable[[], None] = lambda: None,
    ) -> None:
        """`lost` and `back` are called when the phone is waited for, and when it answers again."""
        self.letter = letter
        self._lost, self._back = lost, back
        self.reconnect_s = reconnect_s
        self._open_driver = open_driver
        self._ledger = ledger
        self._clock = clock
        self._stop = stop
        self._driver: GalleryDriver | None = None

    @property
    def driver(self) -> GalleryDriver:
        """The open driver. Raises PhoneLost when there is none."""
        if self._driver is None:
            raise PhoneLost(f"Phone {self.letter}: not connected")
        return self._driver

    def open(self) -> Identity:
        """Connects; returns who answers, unchecked."""
        self.close()
        self._driver = self._open_driver()
        return self._driver.identify()

    def close(self) -> None:
        """Connections are closed; a driver that fails at that is gone anyway."""
        driver, self._driver = self._driver, None
        if driver is not None:
            try:
                driver.close()
            except DriverError:
                return

    def check(self, attempt: int | None) -> Identity:
        """Who answers now is whom this run knows by this letter, unchanged. Raises PhoneLost, WrongPhone, Changed.

        With an attempt that has a baseline and the phone still as it was there, what was seen so far is confirmed.
        """
        return self._check(self.driver.identify(), attempt)

    def reconnect(self, attempt: int | None) -> Identity:
        """The phone is back and is the same one, or StayedAway after `reconnect_s`."""
        self._lost()
        until = self._clock.elapsed_s() + self.reconnect_s
        pause = FIRST_PAUSE_S
        while True:
            try:
                identity = self._check(self.open(), attempt)
            except PhoneLost as error:
                if self._clock.elapsed_s() + pause > until or self._clock.wait(pause, self._stop):
                    raise StayedAway(f"Phone {self.letter}: gone for {self.reconnect_s:.0f} s: {error}") from error
                pause = min(2 * pause, LONGEST_PAUSE_S)
            else:
                self._back()
                return identity

    def refuse_other_build(self, attempt: int) -> None:
        """Before a phone is erased again: it still runs the firmware that this run began with. Raises Changed."""
        earlier = self._ledger.identities(self.letter, "baseline")
        if earlier:
            self._refuse_change(earlier[0], self.check(None), attempt, ("build",))

    def set_baseline(self, attempt: int) -> Identity:
        """The phone as an attempt finds it after its reset; the same in every attempt of a run. Raises Changed, WrongPhone."""
        identity = self.driver.identify()
        self._refuse_stranger(identity, attempt)
        earlier = self._ledger.identities(self.letter, "baseline")
        if earlier:
            self._refuse_change(earlier[0], identity, attempt)
        self._ledger.add_identity(self.letter, attempt, "baseline", self._clock.utc(), identity)
        return identity

    def _check(self, identity: Identity, attempt: int | None) -> Identity:
        self._refuse_stranger(identity, attempt)
        baseline = None if attempt is None else self._ledger.baseline(self.letter, attempt)
        if attempt is not None and baseline is not None:
            self._refuse_change(baseline, identity, attempt)
            with self._ledger.transaction():
                self._ledger.add_identity(self.letter, attempt, "check", self._clock.utc(), identity)
                self._ledger.confirm(attempt)
        return identity

    def _refuse_stranger(self, identity: Identity, attempt: int | None) -> None:
        met = self._ledger.identities(self.letter, "met")
        if not met:
            self._ledger.add_identity(self.letter, attempt, "met", self._clock.utc(), identity)
            return
        expected, found = (met[0].serial, met[0].model), (identity.serial, identity.model)
        if expected != found:
            self._ledger.add_identity(self.letter, attempt, "refused", self._clock.utc(), identity)
            raise WrongPhone(
                f"Phone {self.letter}: another phone answers at its address: {expected[1]} {expected[0]} expected, "
                f"{found[1]} {found[0]} found; put the cables back, then: rig resume RUN"
            )

    def _refuse_change(self, baseline: Identity, identity: Identity, attempt: int, names: tuple[str, ...] = KEPT) -> None:
        for name in names:
            was, now = getattr(baseline, name), getattr(identity, name)
            if was != now:
                self._ledger.add_identity(self.letter, attempt, "refused", self._clock.utc(), identity)
                raise Changed(
                    f"Phone {self.letter}: its {name.replace('_', ' ')} changed during the run: {was} expected, {now} found; "
                    f"put it back and go on with rig resume RUN, or begin a new run for the new one"
                )
