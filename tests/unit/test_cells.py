"""Cells found on drawn screens whose tiles are known."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from gallery_screens import Look, Page, draw_page, painted_photo

from matching.cells import find_grid
from matching.model import Box, Grid, Image

PHONE = Look(
    width=720, height=1440, columns=4, gap=4, row_gap=4, left=0, right=0, page=(250, 250, 250), top_bar=160, bottom_bar=96
)  # tiles of (720 - 3 x 4) / 4 = 177 px


@pytest.fixture(scope="module")
def photos() -> list[Image]:
    rng = np.random.default_rng(7)
    return [painted_photo(rng) for _ in range(24)]


def drawn(look: Look, photos: list[Image], count: int, seed: int = 0) -> Page:
    return draw_page(np.random.default_rng(seed), look, photos, count, pictures=[i % len(photos) for i in range(count)])


def off_by(grid: Grid, wanted: list[Box]) -> int:
    """The farthest that any edge lies from where it was drawn; the counts must agree."""
    assert len(grid.cells) == len(wanted), grid
    pairs = zip(sorted(cell.box for cell in grid.cells), sorted(wanted), strict=True)
    return max(abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True))


def changed(**changes: object) -> Look:
    return replace(PHONE, **changes)


LOOKS = {
    "four columns": PHONE,
    "three columns, dark": changed(columns=3, page=(18, 18, 18)),
    "five columns without gaps": changed(columns=5, gap=0, row_gap=0),
    "two wide columns": changed(columns=2, gap=12, row_gap=12),
    "eight columns": changed(columns=8, gap=2, row_gap=2),
    "wide gaps and rounded corners": changed(columns=3, gap=27, row_gap=27, corner=18, left=16, right=16),
    "margins that differ": changed(left=24, right=6),
    "black page, rounded": changed(page=(0, 0, 0), gap=6, row_gap=6, corner=10),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_every_tile_is_found_to_two_pixels(look: Look, photos: list[Image]) -> None:
    image, seen = drawn(look, photos, 3 * look.columns).screen(0)
    assert off_by(find_grid(image), [box for box, _ in seen]) <= 2


def test_the_last_row_may_be_incomplete(photos: list[Image]) -> None:
    image, seen = drawn(PHONE, photos, 10).screen(0)
    assert len(seen) == 10
    assert off_by(find_grid(image), [box for box, _ in seen]) <= 2


def test_one_result_alone_is_found(photos: list[Image]) -> None:
    image, seen = drawn(changed(columns=3), photos, 1).screen(0)
    assert off_by(find_grid(image), [box for box, _ in seen]) <= 2


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("gap", [0, 4])
def test_few_results_at_the_left_of_one_row_are_found(photos: list[Image], gap: int, count: int) -> None:
    image, seen = drawn(changed(columns=5, gap=gap, page=(255, 255, 255)), photos, count, seed=count).screen(0)
    assert off_by(find_grid(image), [box for box, _ in seen]) <= 2


def test_two_results_full_of_straight_contours_are_found() -> None:
    # tiles of 720 / 5 = 144 px; the contours at 34, 181, 197, 246 and 265 px are pairs that could bound wide columns
    image = np.full((1520, 720, 3), 255, np.uint8)
    image[160:304, :288] = cv2.resize(painted_photo(np.random.default_rng(11)), (288, 144)) // 2 + 40
    image[160:304, 144:288] //= 3
    for x in (34, 181, 197, 246, 265):
        image[164:260, x : x + 2] = 250
    assert off_by(find_grid(image), [(0, 160, 144, 304), (144, 160, 288, 304)]) <= 2


def test_rows_cut_by_bars_are_partial_and_end_at_the_bars(photos: list[Image]) -> None:
    image, seen = drawn(PHONE, photos, 60).screen(80)
    grid = find_grid(image)
    cut = [cell for cell in grid.cells if cell.partial]
    assert {cell.box[1] for cell in cut} >= {160}, "80 of 177 px scrolled under the bar that ends at 160"
    assert off_by(grid, [box for box, share in seen if share >= 0.1]) <= 2


def test_date_headers_between_rows_are_no_tiles(photos: list[Image]) -> None:
    image, seen = drawn(changed(headers=True), photos, 30, seed=3).screen(0)
    wanted = [box for box, share in seen if share >= 0.1]
    assert off_by(find_grid(image), wanted) <= 2


def test_what_shimmers_through_a_bar_is_not_read(photos: list[Image]) -> None:
    image, seen = drawn(changed(bar_light=0.4), photos, 60).screen(100)
    grid = find_grid(image)
    assert min(cell.box[1] for cell in grid.cells) >= 158
    assert max(cell.box[3] for cell in grid.cells) <= 1440 - 96 + 2
    assert seen


def test_black_photos_on_a_dark_page_are_tiles_too(photos: list[Image]) -> None:
    black = np.zeros((64, 64, 3), np.uint8)
    page = draw_page(
        np.random.default_rng(0),
        changed(page=(18, 18, 18)),
        [*photos[:4], black],
        16,
        pictures=[0, 4, 1, 4, 2, 4, 4, 3, *range(4), *range(4)],
    )
    image, seen = page.screen(0)
    assert off_by(find_grid(image), [box for box, _ in seen]) <= 2


class TestTree:
    """Hints from the UI tree."""

    def test_boxes_that_tile_are_taken_with_their_labels(self, photos: list[Image]) -> None:
        image, seen = drawn(PHONE, photos, 8).screen(0)
        boxes = [box for box, _ in seen]
        grid = find_grid(image, hints=boxes, labels=[f"photo {i}" for i in range(8)])
        assert (grid.found, grid.reason, grid.flags) == (True, "tree+pixels", ())
        assert [cell.label for cell in grid.cells] == [f"photo {i}" for i in range(8)]

    def test_a_tree_one_pixel_off_is_put_on_the_pixels(self, photos: list[Image]) -> None:
        image, seen = drawn(PHONE, photos, 8).screen(0)
        boxes = [box for box, _ in seen]
        grid = find_grid(image, hints=[(x0 + 1, y0 + 1, x1 + 1, y1 + 1) for x0, y0, x1, y1 in boxes])
        assert grid.flags == ()
        assert off_by(grid, boxes) <= 1

    def test_three_pixels_of_disagreement_are_flagged(self, photos: list[Image]) -> None:
        image, seen = drawn(changed(gap=12, row_gap=12), photos, 8).screen(0)
        grid = find_grid(image, hints=[(x0, y0 + 3, x1, y1 + 3) for (x0, y0, x1, y1), _ in seen])
        assert grid.found
        assert grid.flags == ("tree and pixels differ by 3 px",)

    def test_boxes_that_overlap_are_not_believed(self, photos: list[Image]) -> None:
        image, seen = drawn(PHONE, photos, 8).screen(0)
        grid = find_grid(image, hints=[(0, 160, 400, 560), (100, 300, 500, 700)])
        assert grid.reason == "pixels"
        assert "do not tile" in grid.flags[0]
        assert len(grid.cells) == len(seen)

    @pytest.mark.parametrize(
        "places", [[(0, 160)], [(0, 160), (181, 160)], [(0, 160), (0, 341)]], ids=["one", "two side by side", "two stacked"]
    )
    def test_few_boxes_are_taken_where_pictures_lie_behind_them(
        self, photos: list[Image], places: list[tuple[int, int]]
    ) -> None:
        image = np.full((1440, 720, 3), 250, np.uint8)
        boxes = [(left, top, left + 177, top + 177) for left, top in places]
        for photo, (left, top, right, bottom) in zip(photos, boxes, strict=False):
            image[top:bottom, left:right] = cv2.resize(photo, (177, 177))
        grid = find_grid(image, hints=boxes)
        assert grid.found
        assert grid.reason in {"tree", "tree+pixels"}
        assert [cell.box for cell in grid.cells] == boxes

    def test_as_many_boxes_in_other_places_are_flagged(self, photos: list[Image]) -> None:
        image, _ = drawn(PHONE, photos, 2).screen(0)
        grid = find_grid(image, hints=[(0, 160, 177, 337), (0, 341, 177, 518)])
        assert "pixels show no cell at 1 of the tree's 2" in grid.flags

    def test_every_second_column_is_not_taken_for_all(self, photos: list[Image]) -> None:
        image, seen = drawn(PHONE, photos, 8).screen(0)
        grid = find_grid(image, hints=[box for box, _ in seen if box[0] in {0, 362}])
        assert grid.flags == ("tree lists 4 cells, pixels show 8",)

    def test_cells_that_the_tree_lists_but_nobody_drew_are_no_grid(self) -> None:
        blank = np.full((1440, 720, 3), 255, np.uint8)
        grid = find_grid(blank, hints=[(0, 200, 178, 378), (182, 200, 360, 378)])
        assert not grid.found
        assert "nothing is drawn" in grid.reason


class TestNoGrid:
    """Screens without results."""

    def test_an_empty_page(self) -> None:
        assert not find_grid(np.full((1440, 720, 3), 240, np.uint8)).found

    def test_a_photo_that_fills_the_screen(self) -> None:
        photo = painted_photo(np.random.default_rng(3), 1440)[:, :720]
        assert not find_grid(np.ascontiguousarray(photo)).found

    def test_tiles_with_symbols(self) -> None:
        image = np.full((1440, 720, 3), 255, np.uint8)
        for top in (200, 560):
            for left in (20, 370):
                image[top : top + 330, left : left + 330] = (225, 235, 215)
                image[top + 100 : top + 220, left + 110 : left + 220] = (30, 30, 30)
        grid = find_grid(image)
        assert not grid.found
        assert "no photo" in grid.reason

    def test_album_covers_with_names_and_counts(self, photos: list[Image]) -> None:
        image = np.full((1440, 720, 3), 255, np.uint8)
        for row, top in enumerate((200, 640)):
            for column, left in enumerate((16, 368)):
                index = 2 * row + column
                image[top : top + 336, left : left + 336] = cv2.resize(photos[index], (336, 336))
                name = ("Camera", "Screenshots", "WeChat", "Holiday in Wales")[index]
                cv2.putText(image, name, (left + 6, top + 370), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (20, 20, 20), 2)
                cv2.putText(image, f"{17 * index + 3}", (left + 6, top + 402), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (90, 90, 90), 2)
        grid = find_grid(image)
        assert not grid.found
        assert "names" in grid.reason

    def test_portrait_tiles_of_another_app(self, photos: list[Image]) -> None:
        image = np.full((1440, 720, 3), 255, np.uint8)
        for top in (200, 522, 844):
            for k in range(3):
                image[top : top + 320, 241 * k : 241 * k + 238] = cv2.resize(photos[k + top % 7], (238, 320))
        grid = find_grid(image)
        assert not grid.found, grid

    def test_a_list_of_pictures_with_text_beside_them(self, photos: list[Image]) -> None:
        for count in (1, 3):
            image = np.full((1440, 720, 3), 255, np.uint8)
            for row in range(count):
                top = 200 + 176 * row
                image[top : top + 144, 16:160] = cv2.resize(photos[row], (144, 144))
                cv2.putText(image, "Weekend in Wales", (184, top + 80), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (20, 20, 20), 2)
            grid = find_grid(image)
            assert not grid.found, (count, grid)

    def test_one_picture_with_a_name_below(self, photos: list[Image]) -> None:
        image = np.full((1440, 720, 3), 255, np.uint8)
        image[200:376, 8:184] = cv2.resize(photos[2], (176, 176))
        cv2.putText(image, "Grandma", (30, 410), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (20, 20, 20), 2)
        grid = find_grid(image)
        assert not grid.found, grid

    @pytest.mark.parametrize(("left", "side"), [(288, 144), (160, 400), (240, 240)])
    def test_a_picture_alone_in_the_middle(self, photos: list[Image], left: int, side: int) -> None:
        image = np.full((1440, 720, 3), 255, np.uint8)
        image[500 : 500 + side, left : left + side] = cv2.resize(photos[5], (side, side))
        grid = find_grid(image)
        assert not grid.found, grid
