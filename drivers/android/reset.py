"""A phone as from the factory, and proof of it.

Strategies are tried in order; each says what must be true before anything is erased. The first whose conditions hold is used,
and no other after it: a half-erased phone is for a person. A soft clean is never called a factory reset.

    before (snapshot, nonces) → conditions → erase → wait for the phone → after (snapshot) → signs
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from tenacity import RetryError, Retrying, retry_if_exception_type, retry_if_result, stop_after_delay, wait_fixed

from drivers.android.condition import parse_focus
from drivers.android.proof import Snapshot, leave_nonce, nonce_left, remove_nonce, shown, signs, snapshot
from drivers.android.transport import Transport
from drivers.interface import DriverError, NeedsPerson, Operator, PhoneLost, ResetProof, Sign
from drivers.readings import parse_uptime
from drivers.waiting import wait_until_gone

_ERASE_S = 30.0
_GONE_S = 120.0
_BACK_S = 900.0  # a full phone decrypts and optimises for minutes after a wipe
_OPERATOR_S = 3600.0
_SETUP = re.compile(r".*(setupwizard|provision|startup|oobe).*", re.IGNORECASE)


class Refused(Exception):
    """The phone did not begin to erase itself."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to erase a phone. `obstacles` are sentences; none means that it may be used."""

    name: str
    obstacles: Callable[[Transport, Snapshot], list[str]]
    erase: Callable[[Transport], None]
    factory: bool = True
    """False for a soft clean, which is used only when it is asked for by name and never called a factory reset."""
    checklist: tuple[str, ...] = ()
    """What a person has to do; empty when the phone comes back by itself."""
    on_return: Callable[[Transport], None] = lambda _phone: None
    """Done each time the phone answers again, until it is ready."""

    @property
    def wait_s(self) -> float:
        """How long the phone may take to come back."""
        return _OPERATOR_S if self.checklist else _BACK_S


@dataclass(frozen=True, slots=True)
class Plan:
    """How a phone is to be reset."""

    settle_s: float
    """How long it is left alone before it is used."""
    pace_s: float
    """Between two looks whether it is back."""
    packages: tuple[str, ...] = ()
    """What a soft clean clears: the gallery and what indexes for it."""
    names: tuple[str, ...] = ()
    """Strategies that may be used, in this order; empty for all factory resets there are."""
    operator: Operator | None = None


def reset(phone: Transport, plan: Plan) -> ResetProof:
    """The phone is reset, with the signs that say so. Raises DriverError; nothing is erased when no strategy fits."""
    before = snapshot(phone)
    strategies = choose(phone, before, plan)
    if not strategies[0].factory:
        return _softly(phone, strategies[0], plan, before)
    return _from_the_factory(phone, strategies, plan, before)


def _from_the_factory(phone: Transport, strategies: Sequence[Strategy], plan: Plan, before: Snapshot) -> ResetProof:
    """The first strategy that the phone does not refuse; a refusal has erased nothing."""
    nonce = leave_nonce(phone)
    refusals = []
    for strategy in strategies:
        left_at = monotonic()
        try:
            _start(phone, strategy, plan)
        except Refused as refusal:
            refusals.append(str(refusal))
            continue
        gone_s = strategy.wait_s if strategy.checklist else _GONE_S
        wait_until_gone(phone.address, lambda: _uptime(phone), left_at, gone_s, plan.pace_s)
        _wait_until_back(phone, strategy, plan.pace_s)
        _wait_until_set_up(phone, strategy.wait_s, plan.settle_s, plan.pace_s)
        found = signs(before, snapshot(phone), nonce_left(phone, nonce), monotonic() - left_at)
        return ResetProof(strategy.name, factory=True, signs=found)
    remove_nonce(phone, nonce)
    by_hand = plan.operator is None and any(strategy.checklist for strategy in strategies)
    raise (NeedsPerson if by_hand else DriverError)(f"{phone.address}: not reset, nothing was erased: {'; '.join(refusals)}")


def _start(phone: Transport, strategy: Strategy, plan: Plan) -> None:
    if strategy.checklist:
        if plan.operator is None:
            raise Refused(f"{strategy.name}: nobody is there to help")
        plan.operator(phone.address, strategy.checklist)
    strategy.erase(phone)


def choose(phone: Transport, before: Snapshot, plan: Plan) -> tuple[Strategy, ...]:
    """The strategies without obstacles, in order. Raises DriverError when there is none."""
    allowed = _named(phone, plan.names)
    if not allowed[0].factory:
        return allowed[:1]
    if before.accounts is None or before.accounts > 0:
        count = "an unknown number of" if before.accounts is None else str(before.accounts)
        raise DriverError(
            f"{phone.address}: not reset: {count} accounts are on the phone, and it would lock itself (FRP); remove them first"
        )
    obstacles = {strategy: strategy.obstacles(phone, before) for strategy in allowed if strategy.factory}
    usable = tuple(strategy for strategy, found in obstacles.items() if not found)
    if not usable:
        reasons = "; ".join(f"{strategy.name}: {', '.join(found)}" for strategy, found in obstacles.items())
        raise DriverError(f"{phone.address}: not reset, nothing was erased: {reasons}")
    return usable


def _named(phone: Transport, names: Sequence[str]) -> tuple[Strategy, ...]:
    """The strategies of these names, in this order. Raises DriverError for an unknown one."""
    if not names:
        return tuple(strategy for strategy in STRATEGIES if strategy.factory)
    known = {strategy.name: strategy for strategy in STRATEGIES}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise DriverError(f"{phone.address}: no way to reset is called {unknown[0]!r}; there are: {', '.join(known)}")
    return tuple(known[name] for name in names)


def _softly(phone: Transport, strategy: Strategy, plan: Plan, before: Snapshot) -> ResetProof:
    """Photos are deleted, the gallery's data is cleared. What the rest of the phone has learned stays."""
    strategy.erase(phone)
    cleared = [phone.text(f"pm clear {package}") for package in plan.packages]
    phone.shell("content call --uri content://media --method scan_volume --arg external_primary", 600)
    after = snapshot(phone)
    data = ", ".join(f"{package}: {said}" for package, said in zip(plan.packages, cleared, strict=True))
    return ResetProof(
        strategy.name,
        factory=False,
        signs=(
            Sign("photos in the library", shown(before.images), shown(after.images), after.images == 0),
            Sign("gallery data", "kept", data, bool(cleared) and cleared[0] == "Success"),
        ),
    )


def _uptime(phone: Transport) -> float | None:
    return parse_uptime(phone.text("cat /proc/uptime", 5.0))


def _wait_until_back(phone: Transport, strategy: Strategy, pace_s: float) -> None:
    """The phone has started, answers, and its storage can be written. Raises DriverError."""

    def back() -> None:
        phone.reconnect(attempts=1)
        strategy.on_return(phone)
        _started(phone)

    again = retry_if_exception_type((PhoneLost, DriverError))  # unauthorised is a station on the way here, not an end
    try:
        Retrying(stop=stop_after_delay(strategy.wait_s), wait=wait_fixed(pace_s), retry=again)(back)
    except RetryError as error:
        last = error.last_attempt.exception()
        raise DriverError(
            f"{phone.address}: not back {strategy.wait_s:.0f} s after the reset ({last}): look at its screen"
        ) from error


def _started(phone: Transport) -> None:
    booted, android, storage = phone.texts(
        ["getprop sys.boot_completed", "pm path android", "touch /sdcard/.rig-probe && rm /sdcard/.rig-probe && echo writable"]
    )
    if booted != "1" or not android.startswith("package:") or storage != "writable":
        raise PhoneLost(f"{phone.address}: still starting")


def _wait_until_set_up(phone: Transport, seconds: float, settle_s: float, pace_s: float) -> None:
    """No setup assistant is in front, and none has been for `settle_s`. Raises DriverError."""
    quiet_since: list[float] = []

    def set_up() -> bool:
        if _SETUP.fullmatch(parse_focus(phone.text("dumpsys window"))):
            quiet_since.clear()
            return False
        quiet_since.append(monotonic())
        return quiet_since[-1] - quiet_since[0] >= settle_s

    waiting = Retrying(
        stop=stop_after_delay(seconds), wait=wait_fixed(pace_s / 2), retry=retry_if_result(lambda done: not done)
    )
    try:
        waiting(set_up)
    except RetryError as error:
        raise DriverError(f"{phone.address}: its setup assistant is still in front: skip it without an account") from error


def _harness_obstacles(phone: Transport, before: Snapshot) -> list[str]:
    services, pst, secure = phone.texts(["cmd -l", "getprop ro.frp.pst", "dumpsys trust"])
    found = []
    if "testharness" not in services.split():
        found.append("the phone has no test harness service")
    if not pst:
        found.append("the phone has no persistent data block (ro.frp.pst)")
    if "deviceLocked=1" in secure:
        found.append("a secure lock screen is set")
    return found


def _harness_erase(phone: Transport) -> None:
    """`cmd testharness enable`. Raises Refused for exit code 2 (a secure lock screen) and 1 (the phone cannot)."""
    try:
        ran = phone.shell("cmd testharness enable", _ERASE_S)
    except PhoneLost:
        return  # it went down while answering: whether it was erased is for the signs to say
    if ran.code:
        said = (ran.err or ran.out).decode("utf-8", "replace").strip()
        raise Refused(f"testharness: the phone said {ran.code}: {said[:200]}")


def _trade_in_obstacles(phone: Transport, before: Snapshot) -> list[str]:
    status = phone.shell("tradeinmode getstatus")
    return [] if status.code == 0 and status.out.strip() else ["the phone has no trade-in mode"]


_ERASE_BY_HAND = (
    "Remove every Google and maker account, and turn off 'find my device'.",
    "Settings > System > Reset > Erase all data, and confirm.",
)
_AFTER = (
    "Skip the setup without an account; set the language of this run; join Wi-Fi if the protocol needs it.",
    "Tap the build number seven times; allow USB debugging (Xiaomi: also 'Security settings' and 'Install via USB').",
    "Always allow this computer; default USB mode: file transfer; no screen lock; stay awake while charging.",
)
_TRADE_IN = ("Do not join Wi-Fi, insert no SIM and do not start the setup: trade-in mode opens adb by itself.",)


def _enter_trade_in(phone: Transport) -> None:
    """Evaluation mode opens the whole of adb; the word for it differs between releases, and in that mode neither is known."""
    for word in ("evaluate", "enter"):
        if phone.shell(f"tradeinmode {word}").code == 0:
            return


def _nothing_in_the_way(_phone: Transport, _before: Snapshot) -> list[str]:
    return []


def _delete_photos(phone: Transport) -> None:
    """The camera's folder is empty."""
    ran = phone.shell("find /sdcard/DCIM -type f -exec rm -f {} +", _BACK_S)
    if ran.code:
        raise DriverError(f"{phone.address}: photos could not be deleted: {ran.err.decode('utf-8', 'replace')[:200]}")


def _by_hand(phone: Transport) -> None:
    """The person at the phone erases it; nothing is sent."""


STRATEGIES = (
    Strategy("testharness", _harness_obstacles, _harness_erase),
    Strategy(
        "operator-trade-in", _trade_in_obstacles, _by_hand, checklist=_ERASE_BY_HAND + _TRADE_IN, on_return=_enter_trade_in
    ),
    Strategy("operator", _nothing_in_the_way, _by_hand, checklist=_ERASE_BY_HAND + _AFTER),
    Strategy("soft", _nothing_in_the_way, _delete_photos, factory=False),
)
