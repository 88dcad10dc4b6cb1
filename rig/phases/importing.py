"""Import: every photo of the album is on the phone with the right bytes, as the phone's own library sees it."""

from dataclasses import asdict
from functools import partial

from drivers.interface import ImportReport, PhoneLost, PushItem
from rig.phases.bench import Bench, PhaseFailed
from rig.phases.health import refuse_unready

BATCH_S = 3600.0
"""For one push: 500 photos of 10 MB at USB 2's slowest, 5 MB/s, take 17 minutes; the media scan follows."""

VERIFY_S = 3600.0
"""Hashing 40 GB on a slow phone takes half an hour."""


def import_album(bench: Bench) -> str:
    """Pushes, verifies, and pushes again what is missing. Raises PhaseFailed, Refused, Stopped."""
    refuse_unready(bench)
    items = missing = bench.items
    report: ImportReport | None = None
    for _ in range(bench.protocol.import_.rounds):
        try:
            _push(bench, missing)
            report = verify(bench)
        except PhoneLost as error:
            bench.tell("phone_lost", detail=str(error))
            bench.link.reconnect(bench.attempt.id)
            continue
        bench.keep("import", asdict(report))
        if report.complete:
            return f"{report.found} of {report.expected} photos"
        wrong = {fault.device_name for fault in report.faults}
        missing = tuple(item for item in items if item.device_name in wrong) or items
    raise PhaseFailed(f"Phone {bench.letter}: import: {_shortfall(report, len(items))}")


def verify(bench: Bench) -> ImportReport:
    """What of the album is on the phone now."""
    with bench.within(VERIFY_S, "verify_import"):
        return bench.link.driver.verify_import(bench.items)


def album_still_there(bench: Bench) -> bool:
    """True when exactly this attempt's album is on the phone, by name, size and hash."""
    report = verify(bench)
    if not report.complete:
        bench.keep("import", asdict(report))
        bench.tell("album_gone", detail=_shortfall(report, report.expected))
    return report.complete


def _push(bench: Bench, items: tuple[PushItem, ...]) -> None:
    size = bench.protocol.import_.batch
    for start in range(0, len(items), size):
        bench.check_stop()
        batch = items[start : start + size]
        with bench.within(BATCH_S, "push"):
            bench.link.driver.push(batch, partial(_show, bench, start, len(items)))


def _show(bench: Bench, begun: int, total: int, done: int, _batch: int) -> None:
    bench.board.update(bench.letter, done=begun + done, total=total)


def _shortfall(report: ImportReport | None, expected: int) -> str:
    if report is None:
        return f"{expected} photos expected, the phone was lost each time"
    first = report.faults[0] if report.faults else None
    named = f"; first: {first.device_name}: {first.fault} ({first.expected} expected, {first.found} found)" if first else ""
    return f"{report.expected} photos expected, {report.found} found, {len(report.faults)} faults{named}"
