"""A phone is measured with a profile that was tried on its gallery, or the ledger says that it was not."""

from collections.abc import Callable
from datetime import datetime

from drivers.interface import Identity
from rig.phases.bench import Refused
from rig.records import PhoneRecord
from rig.store import Ledger

UNCALIBRATED = "uncalibrated"
"""Kind of the evidence that a phone was measured without calibration; the report's rows say so."""

WhyUncalibrated = Callable[[PhoneRecord, Identity], str]
"""Why the phone's profile cannot be trusted on its gallery; "" when it was calibrated."""


def refuse_uncalibrated(
    ledger: Ledger, phone: PhoneRecord, identity: Identity, why: WhyUncalibrated, now: datetime, *, allowed: bool
) -> None:
    """Raises Refused for a real phone whose profile was never tried on its gallery version and language.

    With the operator's leave (`allowed`, or given earlier in this run) it is put on record instead.
    """
    found = "" if identity.virtual else why(phone, identity)
    if not found:
        return
    on_record = [body["why"] for _, body in ledger.evidence(phone.letter, UNCALIBRATED)]
    if not allowed and not on_record:
        raise Refused(
            f'Phone {phone.letter} ("{phone.name}"): {found}; '
            f"calibrate it with: rig calibrate {phone.name} --lab FILE, or measure it all the same with --uncalibrated"
        )
    if found not in on_record:
        ledger.add_evidence(phone.letter, None, UNCALIBRATED, now, {"why": found})
