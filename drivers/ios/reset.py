"""An iPhone as from the factory, and proof of it.

    before (sentinel, pairing, photos) → conditions → erase → gone → back → pair record refused? → pair → activated → after

Strategies are tried in order; the first that the phone does not refuse is used, and no other after it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic, sleep
from uuid import uuid4

from drivers.interface import DriverError, NeedsPerson, Operator, PhoneLost, ResetProof, Sign
from drivers.ios.agent import UiAgent
from drivers.ios.condition import percent
from drivers.ios.services import EraseRefused, NotPaired, Services, Upload
from drivers.ios.signals import count_photos

_GONE_S = 120.0
_BACK_S = 900.0  # an erase takes 3 to 8 minutes
_OPERATOR_S = 3600.0
_ALONE_S = 300.0
"""What an erased phone is given to be set up by its management, before a person is asked."""
_LEAST_PERCENT = 50
_SENTINEL = "/Downloads"
_ERASE_BY_HAND = (
    "Sign out of every Apple ID and turn off Find My.",
    "Settings > General > Transfer or Reset iPhone > Erase All Content and Settings, and confirm.",
)
_AFTER = (
    "Go through the setup without an Apple ID and without a passcode; set the language of this run.",
    "Tap Trust when the phone asks for this computer; turn on Developer Mode.",
    "Install WebDriverAgent and the importer (devices/ios_importer), and start WebDriverAgent.",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a phone is to be reset."""

    names: tuple[str, ...]
    """Strategies that may be used, in this order; empty for all there are."""
    pace_s: float
    """Between two looks whether it is back."""
    importer: str
    operator: Operator | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a reset must change, and what it must not."""

    udid: str
    build: str
    boot_session: str
    photos: int
    documents: int
    """Files in the importer's Documents."""


def reset(services: Services, agent: UiAgent, plan: Plan) -> ResetProof:
    """The phone is reset, with the signs that say so. Raises DriverError; nothing is erased when no strategy fits."""
    names = _named(plan.names)
    obstacles = _obstacles(services)
    if obstacles:
        raise DriverError(f"not reset, nothing was erased: {'; '.join(obstacles)}")
    before = snapshot(services, plan.importer)
    sentinel = _leave_sentinel(services)
    boot = _plain_boot(services)
    refusals = []
    for name in names:
        try:
            wait_s = _begin(name, services, plan)
        except EraseRefused as refusal:
            refusals.append(f"{name}: {refusal}")
            continue
        gone_s = wait_s if name == "operator" else _GONE_S
        _await(lambda: _has_gone(services, boot), gone_s, plan.pace_s, "did not go away")
        _await(lambda: _answers(services), wait_s, plan.pace_s, "did not come back")
        return ResetProof(
            name, factory=True, signs=_proven(services, agent, plan, (before, sentinel), _Patience(plan, name, wait_s))
        )
    services.remove(sentinel)
    by_hand = plan.operator is None and "operator" in names
    raise (NeedsPerson if by_hand else DriverError)(f"not reset, nothing was erased: {'; '.join(refusals)}")


def snapshot(services: Services, importer: str) -> Snapshot:
    """What the phone says now."""
    values = services.values()
    has_app = importer in services.apps()
    return Snapshot(
        udid=services.udid(),
        build=f"{values.get('ProductVersion', '')} {values.get('BuildVersion', '')}",
        boot_session=str(values.get("BootSessionID", "")),
        photos=count_photos(services),
        documents=len(services.listing("/Documents/rig", importer)) if has_app else 0,
    )


def _named(names: Sequence[str]) -> tuple[str, ...]:
    known = ("erase", "operator")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise DriverError(f"no way to reset is called {unknown[0]!r}; there are: {', '.join(known)}")
    return tuple(names) or known


def _obstacles(services: Services) -> list[str]:
    """What must be so before anything is erased: a phone that locks itself to somebody's account is lost."""
    associated = services.values("com.apple.fmip").get("IsAssociated")
    found = []
    if associated is not False:
        state = "is on" if associated else "cannot be read"
        found.append(f"Find My {state}, and the phone would lock itself: sign out of the Apple ID first")
    gauge = services.gauge()
    charge = percent(gauge)
    if (charge is None or charge < _LEAST_PERCENT) and not gauge.get("ExternalConnected"):
        found.append(f"the battery is at {charge} % (at least {_LEAST_PERCENT} % or a charger is needed)")
    return found


def _begin(name: str, services: Services, plan: Plan) -> float:
    """The erase has begun; returns how long the phone may take, in seconds. Raises EraseRefused."""
    if name == "operator":
        if plan.operator is None:
            raise EraseRefused("nobody is there to help")
        plan.operator(services.udid(), _ERASE_BY_HAND + _AFTER)
        return _OPERATOR_S
    services.erase()
    return _BACK_S


def _leave_sentinel(services: Services) -> str:
    path = f"{_SENTINEL}/rig-{uuid4().hex}.txt"
    services.write([Upload(path.encode(), path)])
    if services.read(path) != path.encode():
        raise DriverError("not reset, nothing was erased: no sentinel can be written, so nothing could be proven")
    return path


@dataclass(slots=True)
class _Patience:
    """Waiting for an erased phone: alone at first, then with a person who is asked once."""

    plan: Plan
    name: str
    """Of the strategy: after `operator`, everything was asked already."""
    wait_s: float

    def until(self, holds: Callable[[], bool], udid: str, what: str) -> None:
        """`holds` is true. Raises DriverError."""
        ask = None if self.name == "operator" or self.wait_s == _OPERATOR_S else self.plan.operator
        if ask is not None and not _within(holds, _ALONE_S, self.plan.pace_s):
            ask(udid, _AFTER)
            self.wait_s = _OPERATOR_S
        _await(holds, self.wait_s, self.plan.pace_s, what)


def _proven(
    services: Services, agent: UiAgent, plan: Plan, left_behind: tuple[Snapshot, str], patience: _Patience
) -> tuple[Sign, ...]:
    """The signs; `left_behind` is the phone as it was, and the sentinel's path."""
    before, sentinel = left_behind
    refused = not services.is_paired()
    activation = str(services.plain_values().get("ActivationState", ""))
    patience.until(lambda: _paired(services), before.udid, "does not trust this computer: tap Trust")
    services.activate()
    left = services.read(sentinel) is not None
    photos = count_photos(services)
    patience.until(lambda: _usable(services, agent, plan), before.udid, "has no WebDriverAgent or no importer: install both")
    after = snapshot(services, plan.importer)
    return (
        Sign("sentinel file", "written", "still there" if left else "gone", not left),
        Sign("pair record", "accepted", "refused" if refused else "accepted", refused),
        Sign("activation", "Activated", activation, activation != "Activated"),
        Sign("photos on the disk", str(before.photos), str(photos), photos == 0),
        Sign("importer's documents", str(before.documents), str(after.documents), after.documents == 0),
        Sign("boot session", before.boot_session, after.boot_session, before.boot_session != after.boot_session),
        Sign("UDID", before.udid, after.udid, before.udid == after.udid),
        Sign("build", before.build, after.build, before.build == after.build),
    )


def _plain_boot(services: Services) -> str:
    """The boot session, as an erased phone would tell it, too; "" where it is told to trusted computers only."""
    return str(services.plain_values().get("BootSessionID", ""))


def _has_gone(services: Services, boot: str) -> bool:
    """True when the phone is away, or was: a quick one may be back before the next look."""
    try:
        return _plain_boot(services) != boot
    except PhoneLost:
        return True


def _answers(services: Services) -> bool:
    try:
        return bool(services.plain_values())
    except PhoneLost:
        return False


def _paired(services: Services) -> bool:
    try:
        services.pair()
    except (NotPaired, PhoneLost):
        return False
    return True


def _usable(services: Services, agent: UiAgent, plan: Plan) -> bool:
    try:
        if services.values().get("ActivationState") != "Activated" or plan.importer not in services.apps():
            return False
        agent.get("/status", 3.0)
    except PhoneLost:
        return False
    return True


def _await(holds: Callable[[], bool], seconds: float, pace_s: float, what: str) -> None:
    if not _within(holds, seconds, pace_s):
        raise DriverError(f"the phone was being erased and {what} in {seconds:.0f} s")


def _within(holds: Callable[[], bool], seconds: float, pace_s: float) -> bool:
    """True as soon as `holds` is; False when it is not within `seconds`."""
    until = monotonic() + seconds
    while not holds():
        if monotonic() > until:
            return False
        sleep(pace_s)
    return True
