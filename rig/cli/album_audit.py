"""`rig album audit`: what will limit a measurement, before a night is spent on it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from rig.album.audit import Audit
from rig.album.audit import audit as audited
from rig.cli.indexing import IndexFolder, Workers, open_index
from rig.cli.plain import AsJson, inert, print_json, some


def audit(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Album folder, or a plain folder of photos.")],
    index: IndexFolder = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Finds twins, flat frames, unreadable files and names that collide on a phone."""
    found = audited(open_index(folder, kept_in=index, workers=workers, quiet=True))
    if as_json:
        print_json(_as_record(found))
        return
    for line in _as_lines(found):
        typer.echo(line)


def _as_record(found: Audit) -> dict[str, Any]:
    return {
        "photos": found.photos,
        "twins": [list(members) for members in found.twins],
        "nearly_twins": [{"photos": [one, other], "rms": round(rms, 3)} for one, other, rms in found.watched],
        "flat": list(found.flat),
        "unreadable": dict(found.unreadable),
        "name_collisions": [list(names) for names in found.collisions],
    }


def _as_lines(found: Audit) -> Iterator[str]:
    yield f"{found.photos} photos can be matched against"
    if found.clean:
        yield "nothing found that limits the measurement"
    if found.twins:
        yield f"{len(found.twins)} classes of twins, closer than a thumbnail shows; each is scored as one photo:"
        yield from (f"  {inert(' = '.join(members))}" for members in found.twins)
    if found.watched:
        yield f"{len(found.watched)} pairs are nearly twins; a harsh phone may confuse them:"
        yield from (f"  {inert(one)} ~ {inert(other)} ({rms:.2f} grey levels)" for one, other, rms in found.watched)
    if found.flat:
        yield f"flat frames, which no thumbnail can be traced to: {some(found.flat)}"
    if found.unreadable:
        yield f"{len(found.unreadable)} files cannot be read:"
        yield from (f"  {inert(name)}: {inert(reason)}" for name, reason in found.unreadable.items())
    if found.collisions:
        yield f"{len(found.collisions)} names are used twice, as a phone sees them:"
        yield from (f"  {inert(' = '.join(names))}" for names in found.collisions)
