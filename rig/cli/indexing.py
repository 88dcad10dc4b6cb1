"""Options of the commands that trace pictures to an album's photos, and the index that they trace by."""

from pathlib import Path
from typing import Annotated

import typer

from matching.index import SourceIndex
from rig.album.sources import source_index, source_photos
from rig.cli.bars import bar
from rig.cli.plain import inert

AlbumFolder = Annotated[Path, typer.Option(metavar="DIR", help="Album folder, or a plain folder of photos.")]
IndexFolder = Annotated[Path | None, typer.Option(metavar="DIR", help="Where the index is kept; a cache folder otherwise.")]
Workers = Annotated[int | None, typer.Option(help="Processes that read photos; all cores when not given.", min=1)]


def open_index(album: Path, *, kept_in: Path | None, workers: int | None = None, quiet: bool = False) -> SourceIndex:
    """The up-to-date index of an album; unusable files are named on stderr, unless the caller names them itself."""
    with bar("indexing") as advance:
        sources = source_index(source_photos(album), album, kept_in=kept_in, workers=workers, progress=advance)
    for name, reason in () if quiet else sources.unusable.items():
        typer.echo(f"not indexed: {inert(name)}: {inert(reason)}", err=True)
    return sources
