"""A calibration on the disk: pages with pictures and trees, the table, versions. No serial, but pictures of the phone's photos.

BUNDLE/
  bundle.json       what, when, of which gallery, the table of findings, what was measured
  00-gallery.png    each page, and
  00-gallery.json   its tree: a fixture for tests, read back by `read_visits`
  profile.toml      the profile as it was tried
  suggested.toml    selectors that would fit where none of the profile's does
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from drivers.interface import Identity, Sight
from drivers.screens.tree import Element, Tree
from rig.desk.calibrations import gallery_of
from rig.desk.probing import Finding
from rig.desk.walk import Stage, Visit
from rig.disk import write_file
from rig.errors import RigError
from rig.run import rig_version

SCHEMA_VERSION = 1
FILE = "bundle.json"


def write_pages(visits: Sequence[Visit], folder: Path) -> None:
    """Each page's picture and tree, numbered in the order of the walk."""
    for number, visit in enumerate(visits):
        if visit.sight is not None:
            stem = _stem(number, visit)
            write_file(folder / f"{stem}.png", visit.sight.png)
            tree = [asdict(element) for element in visit.sight.tree.elements]
            write_file(folder / f"{stem}.json", json.dumps(tree, ensure_ascii=False, indent=1).encode())


def write_bundle(
    folder: Path, *, platform: str, identity: Identity, at: datetime, visits: Sequence[Visit], told: Mapping[str, object]
) -> None:
    """Pages, and bundle.json last: a folder that has one is whole. `told` is what else stands in it."""
    write_pages(visits, folder)
    content = {
        "schema_version": SCHEMA_VERSION,
        "rig": rig_version(),
        "at": at.isoformat(),
        "gallery": asdict(gallery_of(platform, identity)),
        "phone": {name: getattr(identity, name) for name in ("model", "os_version", "build", "locale", "virtual")},
        "pages": [_page(number, visit) for number, visit in enumerate(visits)],
        **told,
    }
    write_file(folder / FILE, (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode())


def read_visits(folder: Path) -> tuple[Visit, ...]:
    """The pages of a bundle, as the walk met them. Raises RigError."""
    try:
        told = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return tuple(_visit(folder, page) for page in told["pages"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RigError(f"{folder}: not a calibration bundle ({error}); give a folder that rig calibrate made") from error


def findings_told(findings: Sequence[Finding]) -> list[dict[str, object]]:
    """The table as plain data."""
    return [
        {
            "element": finding.element,
            "number": finding.number,
            "selector": finding.words,
            "sure": finding.selector.sure,
            "found": finding.found,
            "counts": dict(finding.counts),
        }
        for finding in findings
    ]


def _stem(number: int, visit: Visit) -> str:
    return f"{number:02d}-{visit.stage.replace(' ', '-')}"


def _page(number: int, visit: Visit) -> dict[str, object]:
    shown = visit.sight.shown if visit.sight else None
    return {
        "stage": visit.stage,
        "file": _stem(number, visit) if visit.sight else None,
        "shown": shown,
        "problem": visit.problem,
    }


def _visit(folder: Path, page: Mapping[str, Any]) -> Visit:
    stage = Stage(page["stage"])
    if page["file"] is None:
        return Visit(stage, None, page["problem"])
    elements = json.loads((folder / f"{page['file']}.json").read_text(encoding="utf-8"))
    tree = Tree(tuple(Element(**{**element, "box": tuple(element["box"])}) for element in elements))
    return Visit(stage, Sight((folder / f"{page['file']}.png").read_bytes(), tree, page["shown"]), page["problem"])
