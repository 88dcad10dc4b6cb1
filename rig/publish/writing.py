"""An export folder: written aside, searched for leaks, and only then given its name."""

import json
import os
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reports.documents import SCHEMA, as_json, as_junit, schema_text
from reports.leaks import Leak, Secret, scan
from reports.public_page import render_publication
from reports.publication import Publication, Table
from reports.sheets import as_csv, as_latex, as_markdown
from rig.disk import disk_full_is_told
from rig.errors import GateFailed, RigError

FIXED_TIME = 315_532_800
"""1980-01-01, as an archive's zero: when a file was written tells when the study was made."""


def write_export(publication: Publication, folder: Path, hidden: Sequence[Secret]) -> tuple[Path, ...]:
    """The export stands in `folder`, which is new; returns its files. RigError when `folder` is there or cannot be made.

    Raises GateFailed when something in it would say whose phone it was; nothing of the export is left then.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RigError(f"--to {folder}: is there already; give a new folder")
    aside = folder.parent / f".{folder.name}-{secrets.token_hex(4)}.part"
    try:
        with disk_full_is_told(aside):
            _write(publication, aside)
        leaks = scan(aside, hidden, known=blank_text(publication))
        if leaks:
            raise GateFailed(leak_sentence(leaks))
        if folder.exists():
            folder.rmdir()
        aside.rename(folder)
    except OSError as error:
        raise RigError(f"--to {folder}: cannot be written ({error.strerror}); give another place") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return tuple(sorted(file for file in folder.rglob("*") if file.is_file()))


def leak_sentence(leaks: Sequence[Leak]) -> str:
    """What was found, without what it was."""
    told = "; ".join(f"{leak.kind} in {leak.artefact} ({leak.how})" for leak in leaks[:_MOST])
    more = f" and {len(leaks) - _MOST} more" if len(leaks) > _MOST else ""
    return f"publish: the export was deleted, it would say whose phone it is: {told}{more}; rename what leaks, then try again"


_MOST = 8


def contents(publication: Publication) -> dict[str, str]:
    """Every file of an export by its name in the folder."""
    files = {
        "index.html": render_publication(publication),
        "tables.md": as_markdown(publication),
        "tables.tex": as_latex(publication),
        "publication.json": json.dumps(as_json(publication), ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        SCHEMA: schema_text(),
        "junit.xml": as_junit(publication),
    }
    for section in publication.sections:
        files |= {f"tables/{section.language}-{table.key}.csv": as_csv(table) for table in section.tables}
    return files


def blank_text(publication: Publication) -> str:
    """What an export over no phone, query or album says: its own words, which tell nothing."""
    sections = tuple(
        replace(section, tables=tuple(_without_rows(table) for table in section.tables)) for section in publication.sections
    )
    blank = replace(publication, study="", sections=sections, suites=(), crops=(), relevant_counts=())
    return "\n".join(contents(blank).values())


def _without_rows(table: Table) -> Table:
    return replace(table, rows=())


def _write(publication: Publication, folder: Path) -> None:
    for name, text in contents(publication).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (FIXED_TIME, FIXED_TIME))
