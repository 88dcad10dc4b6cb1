"""Screens of one drawn list stitched into its positions."""

from dataclasses import replace

import numpy as np
import pytest
from gallery_screens import Look, Page, draw_page, painted_photo

from matching.cells import find_grid
from matching.model import Image
from matching.stitch import Step, Stitcher

LOOK = Look(
    width=480, height=960, columns=3, gap=6, row_gap=6, left=0, right=0, page=(250, 250, 250), top_bar=100, bottom_bar=60
)  # tiles of (480 - 2 x 6) / 3 = 156 px, pitch 162, 800 px of list in sight


@pytest.fixture(scope="module")
def photos() -> list[Image]:
    rng = np.random.default_rng(11)
    return [painted_photo(rng, 160) for _ in range(140)]


def a_list(photos: list[Image], count: int, *, pictures: list[int] | None = None, look: Look = LOOK) -> Page:
    return draw_page(np.random.default_rng(1), look, photos, count, pictures=pictures or list(range(count)))


def shown(page: Page, offset: int, stitcher: Stitcher) -> Step:
    image, _ = page.screen(offset)
    return stitcher.add(image, find_grid(image))


def order(page: Page, stitcher: Stitcher, offsets: list[int]) -> list[int]:
    """Which tile of the page each position's best sighting shows."""
    found = []
    for position in stitcher.positions:
        screen, (left, top, right, bottom) = position.sightings[0]
        x, y = (left + right) / 2, (top + bottom) / 2 + offsets[screen] - page.look.top_bar
        found += [i for i, (x0, y0, x1, y1) in enumerate(page.tiles) if x0 <= x < x1 and y0 <= y < y1]
    return found


def test_each_position_counts_once_and_in_order_across_jittery_scrolling(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 137), Stitcher()
    rng = np.random.default_rng(5)
    offsets = [0]
    shown(page, 0, stitcher)
    while not stitcher.end_proven and len(offsets) < 40:
        offsets.append(min(page.end, offsets[-1] + 470 + int(rng.integers(-120, 121))))
        assert not shown(page, offsets[-1], stitcher).lost
    assert order(page, stitcher, offsets) == list(range(137))
    assert order(page, stitcher, offsets)[:100] == list(range(100))


def test_the_end_is_proven_by_two_scrolls_that_bring_nothing(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 9), Stitcher()
    assert shown(page, 0, stitcher).new == 9
    assert not stitcher.end_proven
    assert shown(page, 0, stitcher) == Step(0, pytest.approx(480 / 156, abs=0.05), lost=False, at_end=True)
    assert not stitcher.end_proven
    shown(page, 0, stitcher)
    assert stitcher.end_proven


def test_a_list_that_springs_back_has_ended(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 21), Stitcher()
    shown(page, 0, stitcher)
    shown(page, page.end + 90, stitcher)  # beyond its end, about half a row
    step = shown(page, page.end, stitcher)
    assert step.at_end
    assert stitcher.end_proven
    assert len(stitcher.positions) == 21


def test_equal_thumbnails_are_counted_by_place(photos: list[Image]) -> None:
    pictures = list(range(21))
    pictures[4] = pictures[5] = 3  # the same photo three times in a row of places
    page, stitcher = a_list(photos, 21, pictures=pictures), Stitcher()
    for offset in (0, 300):
        assert not shown(page, offset, stitcher).lost
    assert order(page, stitcher, [0, 300]) == list(range(21))


def test_screens_that_do_not_overlap_are_lost_and_change_nothing(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 60), Stitcher()
    shown(page, 0, stitcher)
    before = stitcher.positions
    step = shown(page, 1600, stitcher)
    assert step.lost
    assert stitcher.positions == before


def test_scrolling_back_finds_the_list_again(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 60), Stitcher()
    offsets = [0, 1000, 600, 1000]
    lost = [shown(page, offset, stitcher).lost for offset in offsets]
    assert lost == [False, True, False, False]
    places = order(page, stitcher, offsets)
    assert places == list(range(len(places)))
    assert not stitcher.end_proven


def burst(count: int) -> list[Image]:
    """Frames of one scene: the same clouds, a small thing that moves, own noise."""
    rng = np.random.default_rng(2)
    scene = painted_photo(rng, 160).astype(np.float32)
    frames = []
    for k in range(count):
        frame = scene + rng.normal(0, 2, scene.shape)
        frame[60:80, 2 * k % 130 : 2 * k % 130 + 20] = 30
        frames.append(np.asarray(np.clip(frame, 0, 255), np.uint8))
    return frames


def test_rows_of_one_burst_are_not_taken_for_each_other(photos: list[Image]) -> None:
    page, stitcher = a_list(burst(45), 45), Stitcher()
    offsets = [0, 400, 900, 1300]
    for offset in offsets:
        assert not shown(page, offset, stitcher).lost
    places = order(page, stitcher, offsets)
    assert places == list(range(len(places)))


def test_a_list_of_one_picture_over_and_over_is_lost_rather_than_guessed(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 60, pictures=[0] * 60), Stitcher()
    shown(page, 0, stitcher)
    step = shown(page, 450, stitcher)
    assert step.lost
    assert "equally well" in step.reason


def test_a_placeholder_is_replaced_by_what_loads(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 21), Stitcher()
    loading, _ = page.screen(0)
    left, top, right, bottom = page.tiles[10]
    loading[top + 100 : bottom + 100, left:right] = (215, 215, 215)
    stitcher.add(loading, find_grid(loading))
    assert not stitcher.positions[10].loaded
    shown(page, 200, stitcher)
    position = stitcher.positions[10]
    assert position.loaded
    assert position.sightings[0][0] == 1, "the second screen shows the picture"


def test_a_tile_cut_on_one_screen_is_best_seen_whole_on_the_next(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 30), Stitcher()
    shown(page, 0, stitcher)
    # 800 px in sight: four rows of 162 px end at 648 + 156 = 804, so the fifth row, tiles 12 to 14, is cut
    cut = stitcher.positions[12].sightings[0]
    assert cut[1][3] - cut[1][1] < 156
    shown(page, 320, stitcher)
    best = stitcher.positions[12].sightings[0]
    assert best[0] == 1
    assert best[1][3] - best[1][1] >= 154


def test_a_badge_that_appears_between_two_screens_changes_nothing(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 30), Stitcher()
    shown(page, 0, stitcher)
    for left, top, _, _ in page.tiles:
        page.content[top + 8 : top + 34, left + 8 : left + 34] = (240, 90, 40)
    assert not shown(page, 330, stitcher).lost


def test_headers_take_their_place(photos: list[Image]) -> None:
    page, stitcher = a_list(photos, 60, look=replace(LOOK, headers=True)), Stitcher()
    offsets = list(range(0, page.end, 420))
    for offset in offsets:
        assert not shown(page, offset, stitcher).lost
    places = order(page, stitcher, offsets)
    assert places == list(range(len(places)))
