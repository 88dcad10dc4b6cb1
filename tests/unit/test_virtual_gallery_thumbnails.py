"""Thumbnails as phones make them, and lists as they scroll."""

import dataclasses
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from virtual_gallery_photos import Shot, write

from devices.virtual.gallery.elements import Picture
from devices.virtual.gallery.scroll import Scroller
from devices.virtual.gallery.skin import Kernel, ScrollLook, Skin, ThumbnailLook, load_skin
from devices.virtual.gallery.sources import Sources
from devices.virtual.gallery.tables import TableError, build
from devices.virtual.gallery.thumbnails import Thumbnails, decorate, make_thumbnail

PLAIN = ThumbnailLook(kernel=Kernel.BOX, format="")


def noise(width: int, height: int) -> Image.Image:
    return Image.fromarray(np.random.default_rng(5).integers(0, 256, (height, width, 3), np.uint8))


def halves(width: int, height: int) -> Image.Image:
    """Left half black, right half white."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:, width // 2 :] = 255
    return Image.fromarray(pixels)


def test_a_thumbnail_is_the_centred_square_of_the_photo() -> None:
    source = halves(400, 200)
    thumbnail = make_thumbnail(source, (100, 100), PLAIN)
    assert (thumbnail[:, :50] == 0).all()
    assert (thumbnail[:, 50:] == 255).all()


def test_a_misaligned_phone_moves_the_crop_by_its_pixels() -> None:
    thumbnail = make_thumbnail(halves(400, 200), (100, 100), dataclasses.replace(PLAIN, shift_x_px=2))
    assert (thumbnail[:, :48] == 0).all()
    assert (thumbnail[:, 48:] == 255).all()


def test_photos_of_any_size_can_be_cropped_to_cells_of_any_size() -> None:
    # 853 x 480 to 113 px once gave a box that began 6e-14 px before the photo, which Pillow refuses.
    look = dataclasses.replace(PLAIN, shift_x_px=-2, shift_y_px=1)
    for width, height in ((853, 480), (480, 853), (640, 427), (401, 400), (1, 1)):
        source = halves(width, height)
        for side in (113, 116, 157, 221, 239):
            assert make_thumbnail(source, (side, side), look).shape == (side, side, 3)


def test_every_kernel_scales_in_its_own_way() -> None:
    source = noise(480, 480)
    made = {kernel: make_thumbnail(source, (100, 100), dataclasses.replace(PLAIN, kernel=kernel)) for kernel in Kernel}
    assert len({thumbnail.tobytes() for thumbnail in made.values()}) == len(Kernel)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "JPEG", "quality": 60},
        {"format": "WEBP", "quality": 60},
        {"gamma": 1.2},
        {"sharpen_percent": 80},
        {"saturation": 1.4},
        {"rgb565": True},
    ],
)
def test_every_treatment_leaves_a_trace_but_the_photo_recognisable(change: dict[str, object]) -> None:
    source = noise(480, 480).resize((400, 400))
    plain = make_thumbnail(source, (100, 100), PLAIN).astype(int)
    treated = make_thumbnail(source, (100, 100), dataclasses.replace(PLAIN, **change)).astype(int)
    assert not np.array_equal(plain, treated)
    assert np.abs(plain - treated).mean() < 40


def test_rounded_corners_show_the_background_and_badges_lie_in_the_lower_corners() -> None:
    grey = np.full((100, 100, 3), 90, np.uint8)
    rounded = decorate(grey, Picture(1), 20, (255, 0, 0))
    assert tuple(rounded[0, 0]) == (255, 0, 0)
    assert (rounded[30:70, 30:70] == 90).all()
    video, heart = decorate(grey, Picture(1, video=True), 0, (0, 0, 0)), decorate(grey, Picture(1, heart=True), 0, (0, 0, 0))
    assert (video[:50] == 90).all()
    assert (video[50:, 50:] == 255).any()
    assert (heart[50:, :50] == 255).any()


def test_photos_are_upright_whatever_their_orientation_tag(tmp_path: Path) -> None:
    write(tmp_path, [Shot("a.jpg", size=(48, 36), orientation=6)])
    _digest, source = Sources().reduced(tmp_path / "a.jpg")
    assert source is not None
    assert source.size == (36, 48)


def test_a_photo_is_decoded_once_for_all_phones_and_only_as_large_as_needed(tmp_path: Path) -> None:
    noise(2000, 1600).save(tmp_path / "a.jpg")
    (tmp_path / "b.jpg").write_bytes((tmp_path / "a.jpg").read_bytes())
    sources = Sources()
    first, second = sources.reduced(tmp_path / "a.jpg"), sources.reduced(tmp_path / "b.jpg")
    assert first[1] is second[1]
    assert first[1] is not None
    assert 400 <= min(first[1].size) < 800


def test_a_file_that_cannot_be_decoded_has_no_thumbnail(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"no JPEG")
    thumbnails = Thumbnails(PLAIN, radius_px=0, background=(0, 0, 0), sources=Sources())
    assert thumbnails.get(tmp_path / "a.jpg", 1, Picture(1), (50, 50)) is None


def test_with_an_executor_a_thumbnail_is_ready_only_when_it_was_made(tmp_path: Path) -> None:
    write(tmp_path, [Shot("a.jpg")])

    class Later:
        def __init__(self) -> None:
            self.work: list[tuple[object, ...]] = []

        def submit(self, function: object, *arguments: object) -> Future[None]:
            self.work.append((function, *arguments))
            return Future()

    later = Later()
    thumbnails = Thumbnails(PLAIN, radius_px=0, background=(0, 0, 0), executor=later, sources=Sources())  # type: ignore[arg-type]
    wanted = (tmp_path / "a.jpg", 1, Picture(1), (50, 50))
    assert not thumbnails.ready(*wanted)
    assert not thumbnails.ready(*wanted)
    assert len(later.work) == 1
    function, *arguments = later.work[0]
    function(*arguments)  # type: ignore[operator]
    assert thumbnails.ready(*wanted)


def test_a_bouncing_list_comes_back_to_its_end() -> None:
    scroller = Scroller(ScrollLook(bounces=True, slop_px=0), seed=1, row_px=100)
    scroller.drag(500, 1.0, 10.0, 300)
    assert scroller.offset(10.0, 300) > 300
    assert scroller.offset(10.3, 300) == 300


def test_a_list_that_does_not_bounce_stops_dead_at_both_ends() -> None:
    scroller = Scroller(ScrollLook(slop_px=0), seed=1, row_px=100)
    scroller.drag(500, 1.0, 10.0, 300)
    assert scroller.offset(10.0, 300) == 300
    scroller.drag(-900, 1.0, 11.0, 300)
    assert scroller.offset(11.0, 300) == 0


def test_a_drag_within_the_slop_moves_nothing() -> None:
    scroller = Scroller(ScrollLook(slop_px=16), seed=1, row_px=100)
    scroller.drag(16, 1.0, 10.0, 300)
    assert scroller.offset(11.0, 300) == 0


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"grid": {"collumns": 3}}, r"skin x\.grid: unknown key 'collumns'; did you mean 'columns'\?"),
        ({"grid": {"columns": "3"}}, r"skin x\.grid\.columns: expected int, found '3'"),
        ({"thumbnail": {"kernel": "cubic"}}, r"skin x\.thumbnail\.kernel: expected one of .*bicubic.*, found 'cubic'"),
        ({"search": {"latency_s": [0.1]}}, r"skin x\.search\.latency_s: expected 2 values, found 1"),
        ({"texts": {"hint": "Search"}}, r"skin x\.texts\.hint: expected a table, found 'Search'"),
    ],
)
def test_a_mistake_in_a_skin_is_named(table: dict[str, object], message: str) -> None:
    with pytest.raises(TableError, match=message):
        build(Skin, {"name": "x", "platform": "android", "package": "p", "version": "1", "model": "m", **table}, "skin x")


def test_a_skin_without_its_package_is_refused() -> None:
    with pytest.raises(TableError, match="package"):
        build(Skin, {"name": "x"}, "skin x")


def test_the_skins_differ_in_grid_and_thumbnails() -> None:
    skins = [load_skin(name) for name in ("google_photos", "samsung", "xiaomi", "oppo", "vivo", "huawei")]
    assert {skin.grid.columns for skin in skins} == {3, 4, 5}
    assert {skin.thumbnail.kernel for skin in skins} == set(Kernel)
    assert len({skin.screen.width_px * skin.screen.height_px for skin in skins}) == 3
