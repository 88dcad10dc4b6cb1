"""`rig album …`: albums are drawn, imported and looked into here."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from rig.album.importing import Imported, import_album
from rig.album.manifest import load_queries
from rig.album.synth.make import synth_album
from rig.cli.album_audit import audit
from rig.cli.bars import bar
from rig.cli.plain import AsJson, inert, print_json

album_app = typer.Typer(help="Albums: draw one, import one, look into one.", no_args_is_help=True)
album_app.command()(audit)


@album_app.command()
def synth(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New folder for the album.")],
    photos: Annotated[int, typer.Option(help="How many photos.", min=1)] = 120,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.", min=0)] = 7,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores when not given.", min=1)] = None,
) -> None:
    """Draws an album: photos, album.json, and queries.json with ground truth that is complete by construction."""
    with bar("drawing") as advance:
        album = synth_album(folder, photos=photos, seed=seed, workers=workers, progress=advance)
    queries = load_queries(folder)
    empty = sum(query.is_rejection for query in queries)
    typer.echo(f"{len(album.photos)} photos, {len(queries)} queries ({empty} with no answer) in {folder}")


@album_app.command("import")
def import_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of photos; nothing in it is changed.")],
    *,
    queries: Annotated[Path | None, typer.Option(help="Query file: ours, or one of PhotoBench's.")] = None,
    to: Annotated[Path | None, typer.Option(metavar="ALBUM", help="New album folder; DIR.album when not given.")] = None,
    name: Annotated[str | None, typer.Option(help="The album's name; as the queries call it when not given.")] = None,
    workers: Annotated[int | None, typer.Option(help="Files read at once.", min=1)] = None,
    as_json: AsJson = False,
) -> None:
    """Makes an album folder of anybody's photos: a manifest with hashes and EXIF, and queries with known photos."""
    to = to or folder.resolve().with_name(folder.resolve().name + ".album")
    with bar("reading") as advance:
        done = import_album(folder, to, queries=queries, name=name, workers=workers, progress=advance)
    if as_json:
        print_json(_as_json(done, to))
        return
    for line in _as_lines(done, to):
        typer.echo(line)


def _as_json(done: Imported, to: Path) -> dict[str, object]:
    return {
        "album": str(to),
        "name": done.album.name,
        "photos": len(done.album.photos),
        "unusable": [{"path": item.path, "reason": item.reason} for item in done.album.unusable],
        "queries": len(done.queries),
        "oddities": [{"kind": item.kind.value, "about": item.about, "detail": item.detail} for item in done.oddities],
    }


def _as_lines(done: Imported, to: Path) -> Iterator[str]:
    album = done.album
    yield f"{len(album.photos)} photos, {len(done.queries)} queries in {inert(str(to))} (album {inert(album.name)})"
    renamed = [photo for photo in album.photos if photo.device_name != PurePosixPath(photo.id).name]
    if renamed:
        yield f"{len(renamed)} photos get another name on the phone, because their own is used twice; see album.json"
    if album.unusable:
        yield f"{len(album.unusable)} files cannot be used:"
        yield from (f"  {inert(item.path)}: {inert(item.reason)}" for item in album.unusable)
    if done.oddities:
        yield f"{len(done.oddities)} things to look at in the queries:"
        yield from (f"  {inert(item.about)}: {inert(item.detail)}" for item in done.oddities)
