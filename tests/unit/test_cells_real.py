"""Cells on a few real gallery screens of ../shared, one or two a project, and every screen there that holds no grid."""

import json
from pathlib import Path

import pytest

from matching.cells import find_grid
from matching.decode import load_image
from matching.model import Box

SCREENS = Path(__file__).parents[2].parent / "shared" / "data" / "gallery-screens"

pytestmark = pytest.mark.skipif(not SCREENS.exists(), reason="the real gallery screens of ../shared are not here")

GRIDS = ("dk002", "dk015", "dk034", "dk055", "dk068", "if017", "if034", "if083", "if091", "ps078", "ps106", "ps159")
"""Dark videos, faded tiles, a strip below, black tiles, outer gaps off the screen, one result, inset tiles, translucent bars
twice, few results, an incomplete last row, date headers."""


def truths() -> dict[str, dict]:
    if not SCREENS.exists():
        return {}
    return {item["id"]: item for item in json.loads((SCREENS / "annotations.json").read_text())["images"]}


def overlap(one: Box, other: Box) -> float:
    wide, high = min(one[2], other[2]) - max(one[0], other[0]), min(one[3], other[3]) - max(one[1], other[1])
    both = max(0, wide) * max(0, high)
    return both / ((one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1]) - both)


@pytest.mark.parametrize("name", GRIDS)
def test_every_cell_of_a_real_screen_is_found(name: str) -> None:
    truth = truths()[name]
    grid = find_grid(load_image(SCREENS / truth["file"]))
    assert grid.found, grid.reason
    missed = [c["box"] for c in truth["cells"] if max(overlap(cell.box, c["box"]) for cell in grid.cells) < 0.9]
    assert missed == []


@pytest.mark.parametrize("name", [name for name, truth in truths().items() if not truth["usable_result_grid"]])
def test_a_real_screen_without_results_is_no_grid(name: str) -> None:
    grid = find_grid(load_image(SCREENS / truths()[name]["file"]))
    assert not grid.found
    assert grid.reason
    assert grid.cells == ()
