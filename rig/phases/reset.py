"""Reset: the phone is as from the factory, with proof, and its identity from now on is the attempt's baseline."""

from dataclasses import asdict

from drivers.interface import NeedsPerson, PhoneLost, ResetProof
from rig.phases.bench import Bench, PhaseFailed, Refused

ALL_VIRTUAL = "all-virtual"
"""Given for a name, confirms every phone that itself says that it is virtual."""

RESET_S = 3600.0
"""A large phone erases, restarts and optimises its apps for half an hour."""

ATTENDED_S = 4 * 3600.0
"""With a person's help: drivers wait an hour each for the phone to go, to come back, and to be set up."""


def reset(bench: Bench) -> str:
    """Erases the phone, proves it, and takes its identity as baseline. Raises Refused before anything is touched."""
    refuse_unconfirmed(bench)
    bench.link.refuse_other_build(bench.attempt.id)
    with bench.within(RESET_S if bench.help_desk is None else ATTENDED_S, "reset"):
        try:
            proof = _reset(bench)
        except PhoneLost as error:
            bench.link.reconnect(None)
            raise PhaseFailed(f"Phone {bench.letter}: reset: the phone was lost before it was proven clean: {error}") from error
    bench.keep("reset", asdict(proof))
    if not proof.proven:
        broken = ", ".join(sign.name for sign in proof.signs if not sign.holds) or "none contradicts"
        holding = sum(sign.holds for sign in proof.signs)
        raise PhaseFailed(
            f"Phone {bench.letter}: reset: at least 3 signs expected and none against, {holding} hold; against: {broken}"
        )
    if bench.protocol.reset.require_factory and not proof.factory:
        raise Refused(
            f"Phone {bench.letter}: reset: the protocol asks for a factory reset, {proof.strategy} is a soft clean; "
            f"reset it by hand, or use a protocol with reset.require_factory = false"
        )
    if proof.factory:
        bench.run.ledger.settle_settings(bench.letter, bench.clock.utc(), "gone with a factory reset")
    bench.link.set_baseline(bench.attempt.id)
    return f"{proof.strategy}, {len(proof.signs)} signs"


def _reset(bench: Bench) -> ResetProof:
    """As the driver's, and that a person was asked is on record, however it ended."""
    try:
        return bench.link.driver.reset()
    except NeedsPerson as error:
        raise NeedsPerson(
            f"Phone {bench.letter}: reset: {error}; this run asks nobody (--unattended, or its protocol says "
            f"reset.operator = false); with somebody there: rig resume RUN"
        ) from error
    finally:
        acted = None if bench.help_desk is None else bench.help_desk.over(bench.letter)
        if acted is not None:
            bench.keep("operator", asdict(acted))
            bench.tell("operator_done", seconds=round(acted.seconds, 1))


def refuse_unconfirmed(bench: Bench) -> None:
    """Raises Refused unless the operator named this phone, or it is virtual and all virtual ones were named."""
    confirmed = bench.run.record.confirm_erase
    phone = next(phone for phone in bench.run.ledger.phones() if phone.letter == bench.letter)
    if phone.name in confirmed:
        return
    if ALL_VIRTUAL in confirmed and bench.link.check(None).virtual:
        return
    raise Refused(
        f'Phone {bench.letter} ("{phone.name}"): would be erased and was not confirmed; '
        f"if it may be, say: rig resume RUN --confirm-erase {phone.name}"
    )
