"""A phone as from the factory, and proof of it.

HarmonyOS has no public reset over hdc. Three ways, tried in order; each says what must be true before anything is erased:

    mdm        the lab's own device management app, installed and activated by its owner, resets the phone when it is started
               (option mdm = BUNDLE/ABILITY). It calls deviceControl.operateDevice(admin, 'resetFactory').
    operator   a person resets the phone in its settings
    soft       photos and the gallery's data are deleted; used only when it is asked for by name, never called a factory reset

After both resets developer mode and USB debugging are off on a real phone, so a person has to switch them on again every time:
the driver shows the list and goes on by itself when the phone answers. A virtual phone switches them on by itself.
"""

from dataclasses import dataclass
from time import monotonic

from tenacity import RetryError, Retrying, retry_if_exception_type, retry_if_result, stop_after_delay, wait_fixed

from drivers.harmony.hdc import Refused
from drivers.harmony.phone import Phone
from drivers.harmony.proof import Snapshot, leave_nonce, nonce_is_left, remove_nonce, shown, signs, snapshot
from drivers.interface import DriverError, NeedsPerson, Operator, PhoneLost, ResetProof, Sign
from drivers.readings import parse_uptime
from drivers.waiting import wait_until_gone

STRATEGIES = ("mdm", "operator", "soft")
_ERASE_S = 30.0
_GONE_S = 120.0
_BACK_S = 3600.0  # a person has to come by
_ERASE_BY_HAND = (
    "Sign out of the HUAWEI ID and switch off Find Device: a phone with either asks for the account after the reset.",
    "Settings > System > Reset > Reset phone, and confirm.",
)
_AFTER = (
    "Skip the setup without an account; set the language of this run; join Wi-Fi if the protocol needs it.",
    "Tap the build number seven times; switch on USB debugging; always trust this computer.",
    "No screen lock; do not disturb: always. Install and activate the lab's management app, if there is one.",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a phone is to be reset."""

    library: str
    """The folder of the phone's photos."""
    bundles: tuple[str, ...]
    """What a soft clean clears."""
    settle_s: float
    """How long the phone is left alone before it is used."""
    pace_s: float
    """Between two looks whether it is back."""
    mdm: str = ""
    """BUNDLE/ABILITY of the lab's management app."""
    names: tuple[str, ...] = ()
    """Ways that may be used, in this order; empty for all factory resets there are."""
    needs_a_person: bool = True
    """False for a phone that switches debugging on again by itself."""
    operator: Operator | None = None


def reset(phone: Phone, plan: Plan) -> ResetProof:
    """The phone is reset, with the signs that say so. Raises DriverError; nothing is erased when no way fits."""
    names = plan.names or STRATEGIES[:2]
    unknown = [name for name in names if name not in STRATEGIES]
    if unknown:
        raise DriverError(f"{phone.address}: no way to reset is called {unknown[0]!r}; there are: {', '.join(STRATEGIES)}")
    before = snapshot(phone, plan.library)
    if names[0] == "soft":
        return _softly(phone, plan, before)
    obstacles = {name: _obstacle(name, plan, before) for name in names if name != "soft"}
    name = next((name for name, obstacle in obstacles.items() if not obstacle), None)
    if name is None:
        reasons = "; ".join(f"{name}: {obstacle}" for name, obstacle in obstacles.items())
        raise (NeedsPerson if plan.operator is None else DriverError)(
            f"{phone.address}: not reset, nothing was erased: {reasons}"
        )
    return _from_the_factory(phone, name, plan, before)


def _obstacle(name: str, plan: Plan, before: Snapshot) -> str:
    """Why a way cannot be used; "" when it can."""
    if name == "mdm" and plan.mdm.partition("/")[0] not in before.bundles:
        return f"the management app {plan.mdm} is not installed" if plan.mdm else "option mdm names no management app"
    if plan.operator is None and (name == "operator" or plan.needs_a_person):
        return "nobody is there to help"
    return ""


def _from_the_factory(phone: Phone, name: str, plan: Plan, before: Snapshot) -> ResetProof:
    nonce = leave_nonce(phone)
    left_at = monotonic()
    if plan.operator is not None and (name == "operator" or plan.needs_a_person):
        plan.operator(phone.address, (*(_ERASE_BY_HAND if name == "operator" else ()), *_AFTER))
    if name == "mdm":
        _erase(phone, plan.mdm, nonce)
    gone_s = _BACK_S if name == "operator" else _GONE_S
    wait_until_gone(phone.address, lambda: _uptime(phone), left_at, gone_s, plan.pace_s)
    _wait_until_back(phone, before, plan)
    found = signs(
        before, snapshot(phone, plan.library), nonce_left=nonce_is_left(phone, nonce), elapsed_s=monotonic() - left_at
    )
    return ResetProof(name, factory=True, signs=found)


def _erase(phone: Phone, mdm: str, nonce: str) -> None:
    """The management app is started. A refusal has erased nothing."""
    bundle, _, ability = mdm.partition("/")
    try:
        said = phone.text(f"aa start -b {bundle} -a {ability}", _ERASE_S)
    except (PhoneLost, Refused):
        return  # it went down while answering: whether it was erased is for the signs to say
    if "start ability successfully" not in said:
        remove_nonce(phone, nonce)
        raise DriverError(f"{phone.address}: not reset, nothing was erased: {mdm} did not start: {said[:200]}")


def _softly(phone: Phone, plan: Plan, before: Snapshot) -> ResetProof:
    """Photos are deleted, the gallery's data is cleared. What the rest of the phone has learned stays."""
    said = phone.text("mediatool delete all", 600)
    cleared = [phone.text(f"bm clean -n {bundle} -d") for bundle in plan.bundles]
    after = snapshot(phone, plan.library)
    data = ", ".join(f"{bundle}: {told}" for bundle, told in zip(plan.bundles, cleared, strict=True))
    return ResetProof(
        "soft",
        factory=False,
        signs=(
            Sign("photos in the library", shown(before.photos), f"{shown(after.photos)} ({said[:60]})", after.photos == 0),
            Sign("gallery data", "kept", data, bool(cleared) and "successfully" in cleared[0]),
        ),
    )


def _uptime(phone: Phone) -> float | None:
    try:
        return parse_uptime(phone.text("cat /proc/uptime", 5.0))
    except Refused as error:  # hdc refuses a phone that has just gone
        raise PhoneLost(str(error)) from error


def _wait_until_back(phone: Phone, before: Snapshot, plan: Plan) -> None:
    """The phone answers, its library can be read, and both have been so for a while. Raises DriverError."""
    quiet_since: list[float] = []

    def settled() -> bool:
        try:
            phone.connect()
            ready = snapshot(phone, plan.library).photos is not None
        except DriverError:  # untrusted is a station on the way here, not an end
            ready = False
        if not ready:
            quiet_since.clear()
            return False
        quiet_since.append(monotonic())
        return quiet_since[-1] - quiet_since[0] >= plan.settle_s

    waiting = Retrying(
        stop=stop_after_delay(_BACK_S),
        wait=wait_fixed(plan.pace_s),
        retry=retry_if_result(lambda done: not done) | retry_if_exception_type(PhoneLost),
    )
    try:
        waiting(settled)
    except RetryError as error:
        raise DriverError(
            f"{phone.address}: {before.serial} is not back {_BACK_S:.0f} s after the reset: look at its screen"
        ) from error
