"""A phone as from the factory, and proof of it.

Strategies are tried in order; each says what must be true before anything is erased. The first whose conditions hold is used,
and no other after it: a half-erased phone is for a person. A soft clean is never called a factory reset.

    before (snapshot, nonces) → conditions → erase → wait for the phone → after (snapshot) → signs
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from uuid import uuid4

from tenacity import RetryError, Retrying, retry_if_exception_type, retry_if_result, stop_after_delay, wait_fixed

from drivers.android.condition import parse_focus
from drivers.android.transport import Transport
from drivers.interface import DriverError, PhoneLost, ResetProof, Sign

Operator = Callable[[str, Sequence[str]], None]
"""Told (phone, checklist) when a person has to act; returns at once, the driver goes on when the phone comes back."""

_NONCE_FOLDERS = ("/data/local/tmp", "/sdcard")
_ERASE_S = 30.0
_GONE_S = 120.0
_BACK_S = 900.0  # a full phone decrypts and optimises for minutes after a wipe
_OPERATOR_S = 3600.0
_SETUP = re.compile(r".*(setupwizard|provision|startup|oobe).*", re.IGNORECASE)
_IMAGES = "content query --uri content://media/external/images/media --projection _id"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a reset must change, and what it must not."""

    boot_count: int | None
    android_id: str
    uptime_s: float | None
    images: int | None
    third_party: frozenset[str]
    accounts: int | None
    build: str
    test_harness: bool


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to erase a phone. `obstacles` are sentences; none means that it may be used."""

    name: str
    obstacles: Callable[[Transport, Snapshot], list[str]]
    erase: Callable[[Transport], None]
    checklist: tuple[str, ...] = ()
    """What a person has to do; empty when the phone comes back by itself."""
    on_return: Callable[[Transport], None] = lambda _phone: None
    """Done each time the phone answers again, until it is ready."""

    @property
    def wait_s(self) -> float:
        """How long the phone may take to come back."""
        return _OPERATOR_S if self.checklist else _BACK_S


def reset(phone: Transport, settle_s: float, operator: Operator | None, pace_s: float = 1.0) -> ResetProof:
    """The phone is as from the factory, with the signs that say so. Raises DriverError; nothing is erased when none fits."""
    before = snapshot(phone)
    strategy = choose(phone, before, operator)
    nonce = leave_nonce(phone)
    left_at = monotonic()
    if strategy.checklist and operator is not None:
        operator(phone.address, strategy.checklist)
    strategy.erase(phone)
    wait_until_gone(phone, left_at, strategy.wait_s if strategy.checklist else _GONE_S, pace_s)
    wait_until_back(phone, strategy, pace_s)
    wait_until_set_up(phone, strategy.wait_s, settle_s, pace_s)
    after = snapshot(phone)
    return ResetProof(strategy.name, factory=True, signs=signs(before, after, _nonce_left(phone, nonce), monotonic() - left_at))


def choose(phone: Transport, before: Snapshot, operator: Operator | None) -> Strategy:
    """The first strategy without obstacles; a person is asked only when there is one to ask."""
    reasons = []
    if before.accounts is None or before.accounts > 0:
        count = "an unknown number of" if before.accounts is None else str(before.accounts)
        raise DriverError(
            f"{phone.address}: not reset: {count} accounts are on the phone, and it would lock itself (FRP); remove them first"
        )
    for strategy in STRATEGIES:
        obstacles = strategy.obstacles(phone, before)
        if strategy.checklist and operator is None:
            obstacles = [*obstacles, "nobody is there to help"]
        if not obstacles:
            return strategy
        reasons.append(f"{strategy.name}: {', '.join(obstacles)}")
    raise DriverError(f"{phone.address}: not reset, nothing was erased: {'; '.join(reasons)}")


def snapshot(phone: Transport) -> Snapshot:
    """What the phone says now."""
    boot, android_id, uptime, images, packages, accounts, build, harness = phone.texts(
        [
            "settings get global boot_count",
            "settings get secure android_id",
            "cat /proc/uptime",
            _IMAGES,
            "pm list packages -3",
            "dumpsys account",
            "getprop ro.build.fingerprint",
            "getprop persist.sys.test_harness",
        ],
        seconds=60,
    )
    return Snapshot(
        boot_count=int(boot) if boot.isdigit() else None,
        android_id="" if android_id == "null" else android_id,
        uptime_s=parse_uptime(uptime),
        images=parse_image_count(images),
        third_party=frozenset(re.findall(r"^package:(\S+)", packages, re.MULTILINE)),
        accounts=parse_accounts(accounts),
        build=build,
        test_harness=harness == "1",
    )


def parse_uptime(text: str) -> float | None:
    """Seconds since the start, from `/proc/uptime`."""
    found = re.match(r"(\d+\.\d+) ", f"{text} ")
    return float(found[1]) if found else None


def parse_image_count(text: str) -> int | None:
    """Rows of a `content query`; None when the provider did not answer."""
    if "No result found" in text:
        return 0
    rows = len(re.findall(r"^Row: ", text, re.MULTILINE))
    return rows or None


def parse_accounts(text: str) -> int | None:
    """The sum over all users of `Accounts: N` in `dumpsys account`."""
    counts = re.findall(r"^\s*Accounts: (\d+)", text, re.MULTILINE)
    return sum(int(count) for count in counts) if counts else None


def signs(before: Snapshot, after: Snapshot, nonces_left: Sequence[str], elapsed_s: float) -> tuple[Sign, ...]:
    """The independent signs that can be read on this phone; one that it does not give is left out, not assumed."""
    found = [
        Sign(
            "nonce files", "written", "gone" if not nonces_left else f"still there: {', '.join(nonces_left)}", not nonces_left
        ),
        Sign("build fingerprint", before.build, after.build, before.build == after.build),
    ]
    if before.android_id and after.android_id:
        found.append(Sign("android_id", before.android_id, after.android_id, before.android_id != after.android_id))
    if before.boot_count is not None and after.boot_count is not None:
        # A restart alone would have counted one up.
        started_over = after.boot_count <= before.boot_count and after.boot_count <= 3
        found.append(Sign("boot count", str(before.boot_count), str(after.boot_count), started_over))
    if after.images is not None:
        found.append(Sign("photos in the library", _shown(before.images), str(after.images), after.images == 0))
    gone = before.third_party - after.third_party
    added = after.third_party - before.third_party
    found.append(
        Sign("installed apps", f"{len(before.third_party)}", f"{len(after.third_party)} ({len(gone)} gone)", not added)
    )
    if after.accounts is not None:
        found.append(Sign("accounts", _shown(before.accounts), str(after.accounts), after.accounts == 0))
    if after.uptime_s is not None:
        fresh = after.uptime_s <= elapsed_s + 5
        found.append(Sign("uptime", _shown(before.uptime_s), f"{after.uptime_s:.0f} s", fresh))
    return tuple(found)


def leave_nonce(phone: Transport) -> str:
    """A file of a fresh name lies where a factory reset erases; its name is returned."""
    nonce = f".rig-{uuid4().hex}"
    for folder in _NONCE_FOLDERS:
        written = phone.shell(f"echo {nonce} > {folder}/{nonce} && cat {folder}/{nonce}")
        if written.text.strip() != nonce:
            raise DriverError(
                f"{phone.address}: not reset, nothing was erased: {folder} cannot be written, so nothing could be proven"
            )
    return nonce


def _nonce_left(phone: Transport, nonce: str) -> list[str]:
    listed = phone.texts([f"ls -a {folder}" for folder in _NONCE_FOLDERS])
    return [folder for folder, names in zip(_NONCE_FOLDERS, listed, strict=True) if nonce in names]


def wait_until_gone(phone: Transport, since: float, seconds: float, pace_s: float) -> None:
    """The phone stopped answering, or has started anew after `since` (monotonic s). Raises DriverError."""

    def still_up() -> bool:
        try:
            uptime = parse_uptime(phone.text("cat /proc/uptime", 5.0))
        except PhoneLost:
            return False
        return uptime is None or uptime > monotonic() - since

    try:
        Retrying(stop=stop_after_delay(seconds), wait=wait_fixed(pace_s / 4), retry=retry_if_result(bool))(still_up)
    except RetryError as error:
        raise DriverError(
            f"{phone.address}: did not restart within {seconds:.0f} s of the reset: look at its screen"
        ) from error


def wait_until_back(phone: Transport, strategy: Strategy, pace_s: float) -> None:
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


def wait_until_set_up(phone: Transport, seconds: float, settle_s: float, pace_s: float) -> None:
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


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.0f}"


def _harness_obstacles(phone: Transport, before: Snapshot) -> list[str]:
    services, pst, secure = phone.texts(["cmd -l", "getprop ro.frp.pst", "locksettings get-disabled; dumpsys trust"])
    found = []
    if "testharness" not in services.split():
        found.append("the phone has no test harness service")
    if not pst:
        found.append("the phone has no persistent data block (ro.frp.pst)")
    if "deviceLocked=1" in secure:
        found.append("a secure lock screen is set")
    return found


def _harness_erase(phone: Transport) -> None:
    """`cmd testharness enable`: exit code 2 means a secure lock screen, 1 that the phone cannot."""
    try:
        ran = phone.shell("cmd testharness enable", _ERASE_S)
    except PhoneLost:
        return  # it went down while answering: whether it was erased is for the signs to say
    if ran.code:
        said = (ran.err or ran.out).decode("utf-8", "replace").strip()
        raise DriverError(
            f"{phone.address}: not reset, nothing was erased: cmd testharness enable gave {ran.code}: {said[:200]}"
        )


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


def _by_hand(phone: Transport) -> None:
    """The person at the phone erases it; nothing is sent."""


STRATEGIES = (
    Strategy("testharness", _harness_obstacles, _harness_erase),
    Strategy("operator, then trade-in mode", _trade_in_obstacles, _by_hand, _ERASE_BY_HAND + _TRADE_IN, _enter_trade_in),
    Strategy("operator", lambda _phone, _before: [], _by_hand, _ERASE_BY_HAND + _AFTER),
)
