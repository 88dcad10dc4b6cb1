"""Rows and columns of a tree's boxes put on the edges that are drawn, where the tree rounds."""

from collections.abc import Sequence

import numpy as np
import pytest

from matching.cells import find_grid
from matching.model import Box, Image

WIDTH, HEIGHT = 750, 1334
SIDE = 185


def screen(boxes: Sequence[Box], seed: int = 0) -> Image:
    """Photos of broad stripes, each with straight contours of its own, on a white page."""
    rng = np.random.default_rng(seed)
    image = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for left, top, right, bottom in boxes:
        photo = np.full((bottom - top, right - left, 3), rng.integers(20, 160, 3), np.uint8)
        for _ in range(4):
            at, wide = int(rng.integers(8, SIDE - 40)), int(rng.integers(6, 30))
            photo[:, at : at + wide] = rng.integers(0, 200, 3)
            photo[at : at + wide, :] = rng.integers(0, 200, 3)
        image[top:bottom, left:right] = np.clip(photo + rng.normal(0, 6, photo.shape), 0, 235).astype(np.uint8)
    return image


def tiles(count: int, top: int = 123, pitch: int = 188) -> list[Box]:
    """Four in a row, 3 px apart."""
    return [
        (x, y, x + SIDE, y + SIDE) for x, y in ((pitch * (place % 4), top + pitch * (place // 4)) for place in range(count))
    ]


def rounded_to_points(boxes: Sequence[Box]) -> list[Box]:
    """What a tree of whole points tells of pixels at two a point: each side at the nearest even one."""
    return [tuple(2 * round(side / 2 + 0.01) for side in box) for box in boxes]  # type: ignore[misc]


@pytest.mark.parametrize("count", [1, 2, 4, 6, 12, 20])
def test_boxes_rounded_to_points_are_put_on_the_pixels(count: int) -> None:
    drawn = tiles(count)
    grid = find_grid(screen(drawn), hints=rounded_to_points(drawn))
    assert [cell.box for cell in grid.cells] == drawn


def test_each_row_is_rounded_by_itself() -> None:
    drawn = [*tiles(4), *tiles(4, top=394), *tiles(4, top=665)]
    tree = [
        (x0, y0 + off, x1, y1 + off)
        for (x0, y0, x1, y1), off in zip(drawn, (1, 1, 1, 1, -1, -1, -1, -1, 0, 0, 0, 0), strict=True)
    ]
    assert [cell.box for cell in find_grid(screen(drawn), hints=tree).cells] == drawn


def test_a_column_a_pixel_wider_than_the_others_keeps_its_width() -> None:
    lefts, rights = (0, 188, 376, 564), (185, 374, 561, 749)
    drawn = [(left, top, right, top + SIDE) for top in (123, 311, 499) for left, right in zip(lefts, rights, strict=True)]
    assert [
        cell.box for cell in find_grid(screen(drawn), hints=[(x0, y0, x0 + 185, y1) for x0, y0, _, y1 in drawn]).cells
    ] == drawn


def test_a_side_that_the_viewport_cuts_stays_where_it_is() -> None:
    drawn = tiles(12)
    cut_at = drawn[-1][1] + 90
    image = screen(drawn)
    image[cut_at:] = 240
    grid = find_grid(image, hints=rounded_to_points(drawn), viewport=(0, 100, WIDTH, cut_at))
    assert [cell.box for cell in grid.cells] == [(x0, y0, x1, min(y1, cut_at)) for x0, y0, x1, y1 in drawn]
    assert [cell.partial for cell in grid.cells] == [False] * 8 + [True] * 4


def test_no_cell_reaches_beyond_the_picture() -> None:
    drawn = tiles(8)
    for cell in find_grid(screen(drawn), hints=[(x0 - 1 if x0 else 0, y0, x1, y1) for x0, y0, x1, y1 in drawn]).cells:
        assert 0 <= cell.box[0] < cell.box[2] <= WIDTH
        assert 0 <= cell.box[1] < cell.box[3] <= HEIGHT


@pytest.mark.parametrize("gutter", [2, 3, 4])
def test_a_cut_row_never_takes_the_edge_of_the_row_above_for_its_own(gutter: int) -> None:
    side = 180
    drawn = [
        (x * (side + gutter), 100 + y * (side + gutter), x * (side + gutter) + side, 100 + y * (side + gutter) + side)
        for y in range(4)
        for x in range(4)
    ]
    cut_at = drawn[-1][1] + 70
    image = screen(drawn)
    image[cut_at:] = 240
    image[drawn[-1][1] : cut_at] = 255  # nothing but page under the true edge: the row above is all there is to see
    cells = find_grid(image, hints=drawn, viewport=(0, 90, WIDTH, cut_at)).cells
    assert [cell.box[1] - box[1] for cell, box in zip(cells[-4:], drawn[-4:], strict=True)] in (
        [0] * 4,
        [1 - gutter] * 4,
        [-1] * 4,
    )
    assert all(cell.box[1] > drawn[-5][3] for cell in cells[-4:])
