"""`rig calibrate PHONE`: a profile tried on the gallery that a phone really has, in its version and language."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from drivers import open_driver
from drivers.interface import DriverError
from rig.cli.plain import AsJson, cell, inert, print_json, wide_console
from rig.config import load_lab, load_profile
from rig.desk.album import PHOTOS
from rig.desk.bundle import findings_told
from rig.desk.calibrating import Calibrated, Wanted, calibrate
from rig.desk.calibrations import calibrations_file, remember
from rig.desk.measured import Measured, measured_told
from rig.desk.probing import Finding, Found, selector_words
from rig.disk import safe_name
from rig.errors import GateFailed, InfrastructureDown, RigError
from rig.host_locks import HostLocks, default_folder
from rig.model import Phone

_STYLES = {Found.FOUND: "green", Found.NOT_FOUND: "red", Found.AMBIGUOUS: "yellow"}


def calibrate_command(
    phone: Annotated[str, typer.Argument(metavar="PHONE", help="A phone's name in the lab file.")],
    *,
    lab: Annotated[Path, typer.Option(metavar="FILE", help="The lab file.")],
    album: Annotated[
        bool, typer.Option("--album", help="Push a small album whose photos say which they are, and measure with it.")
    ] = False,
    photos: Annotated[int, typer.Option(min=1, max=64, help="Photos of that album.")] = PHOTOS,
    query: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="Search for this instead of the usual; repeat for several.")
    ] = None,
    wait: Annotated[float, typer.Option(metavar="SECONDS", help="How long the gallery may take to find the album.")] = 60.0,
    to: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the evidence is kept; a new folder.")] = None,
    as_json: AsJson = False,
) -> None:
    """Tries each selector of a phone's profile on its gallery; with --album, measures what the rig makes of its screens."""
    chosen = named(phone, lab)
    folder = new_folder(to, chosen)
    console = Console(stderr=True, soft_wrap=True)
    wanted = Wanted(
        chosen,
        load_profile(chosen.profile),
        folder,
        queries=tuple(query or ()),
        photos=photos if album else 0,
        wait_s=wait,
        say=lambda text: console.print(f"{chosen.name}: {text}", markup=False, highlight=False),
    )
    made = run(wanted)
    if as_json:
        print_json(told(made))
    else:
        show(made)
    if made.problems:
        raise GateFailed(
            f"phone {chosen.name}: profile {wanted.profile.name} is not calibrated for {made.record.gallery.words}: "
            f"{made.problems[0]}{f' (and {len(made.problems) - 1} more)' if len(made.problems) > 1 else ''}; see {folder}"
        )
    remember(made.record, calibrations_file())


def named(phone: str, lab: Path) -> Phone:
    """The phone of that name. Raises RigError naming the nearest one."""
    phones = {entry.name: entry for entry in load_lab(lab)}
    if phone in phones:
        return phones[phone]
    near = get_close_matches(phone, phones, n=1)
    hint = f'did you mean "{near[0]}"?' if near else "there are: " + ", ".join(phones)
    raise RigError(f'{lab}: no phone is called "{phone}"; {hint}')


def new_folder(to: Path | None, phone: Phone) -> Path:
    """Where the bundle goes. Raises RigError when something is there already."""
    folder = to or Path("runs/calibrations") / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{safe_name(phone.name)}"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RigError(f"{folder}: is not empty; give a new folder with --to DIR")
    return folder


def run(wanted: Wanted) -> Calibrated:
    """The calibration, with the phone held. Raises RigError; InfrastructureDown when the phone cannot be driven."""
    phone = wanted.phone
    with held(phone):
        try:
            with closing(open_driver(phone.platform, phone.address, wanted.profile, phone.options)) as driver:
                return calibrate(driver, wanted)
        except DriverError as error:
            raise InfrastructureDown(f"phone {phone.name}: {error}") from error


@contextmanager
def held(phone: Phone) -> Iterator[None]:
    """No sweep uses the phone meanwhile; which run held it last stays on record. Raises LockedByAnother."""
    locks = HostLocks(default_folder())
    try:
        last = locks.take(f"phone {phone.name}", f"{phone.platform}/{phone.address}")
        if last is not None:
            locks.note(last)
        yield
    finally:
        locks.release()


def told(made: Calibrated) -> dict[str, object]:
    """As one document. Without the phone's serial."""
    return {
        "schema_version": 1,
        "calibrated": not made.problems,
        "profile": made.record.profile,
        "gallery": made.record.gallery.words,
        "bundle": made.record.bundle,
        "problems": list(made.problems),
        "findings": findings_told(made.findings),
        "suggestions": {name: [selector_words(entry) for entry in entries] for name, entries in made.suggestions.items()},
        "measured": measured_told(made.measured) if made.measured else None,
    }


def show(made: Calibrated) -> None:
    """The tables on stdout."""
    console = wide_console()
    console.print(f"{inert(made.record.gallery.words)} · profile {inert(made.record.profile)}", markup=False, highlight=False)
    console.print(_findings(made.findings))
    for element, selectors in made.suggestions.items():
        words = " | ".join(f"{{ {selector_words(entry)} }}" for entry in selectors)
        console.print(f"{element}: perhaps {inert(words)}", markup=False, highlight=False)
    if made.measured is not None:
        console.print(_searches(made.measured))
        spoilt = [typed for typed in made.measured.texts if not typed.same]
        texts = len(made.measured.texts)
        console.print(f"awkward texts typed as meant: {texts - len(spoilt)} of {texts}", markup=False, highlight=False)
    for problem in made.problems:
        console.print(f"✗ {inert(problem)}", markup=False, highlight=False)
    console.print(f"evidence: {inert(made.record.bundle)}", markup=False, highlight=False)


def _findings(findings: tuple[Finding, ...]) -> Table:
    table = Table("element", "selector", "sure", "", "where", box=None, pad_edge=False)
    for finding in findings:
        if finding.found is Found.OTHER_LANGUAGE:
            continue
        where = ", ".join(f"{stage} {count}" for stage, count in finding.counts.items())
        mark = cell(finding.found, _STYLES.get(finding.found, ""))
        table.add_row(cell(finding.element), cell(finding.words), cell(finding.selector.sure), mark, cell(where))
    return table


def _searches(measured: Measured) -> Table:
    titles = ("query", "ended", "s", "shown", "missed", "right", "wrong", "undecided", "unread", "scroll px", "drift px")
    table = Table(*titles, box=None, pad_edge=False)
    for search in measured.searches:
        distances = [round(scroll.distance_px) for scroll in search.scrolls]
        drift = max((scroll.unsteady_px for scroll in search.scrolls), default=0.0)
        row = (
            *(search.query, search.ending, f"{search.seconds:.1f}", search.shown, search.missed, search.right, search.wrong),
            *(search.undecided, search.unread, "/".join(map(str, distances)) or "—", f"{drift:.0f}"),
        )
        table.add_row(*map(cell, row))
    return table
