"""The gallery app as a driver meets it: pages, waiting, paging, keyboard, dialogs, and the log of what was truly shown."""

from pathlib import Path

import numpy as np
import pytest
from virtual_gallery_photos import Phone, Shot, beach_shots

from devices.virtual.gallery.app import build_gallery
from devices.virtual.gallery.skin import load_skin, skin_names
from devices.virtual.gallery.tables import TableError
from devices.virtual.interface import Node, Role

CAT = Shot("cat.jpg", ["cat", "猫"], ["Anna"])


def cells(phone: Phone) -> list[Node]:
    """The result cells in the tree, in reading order."""
    name = phone.app.skin.ids.cell
    return [node for node in phone.app.tree().walk() if node.role is Role.IMAGE and node.name == name]


def is_loading(phone: Phone) -> bool:
    return any(node.role is Role.SPINNER for node in phone.app.tree().walk())


def looks(phone: Phone, node: Node) -> tuple[int, ...]:
    """The colour in the middle of a node's box, on the frame."""
    left, top, right, bottom = node.box
    return tuple(int(value) for value in phone.app.frame()[(top + bottom) // 2, (left + right) // 2])


@pytest.mark.parametrize("skin", skin_names())
def test_every_skin_searches_shows_all_and_says_when_it_finds_nothing(tmp_path: Path, skin: str) -> None:
    phone = Phone(tmp_path, skin, beach_shots(20)).ready()
    phone.search("海滩")
    assert phone.names()
    if any(text == phone.app.skin.texts.view_all.told(phone.app.locale) for text in phone.texts()):
        phone.tap_text(phone.app.skin.texts.view_all.told(phone.app.locale))
        phone.settle()
        assert len(phone.names()) == 20
        phone.app.key("back")
    phone.search("大象")
    sign = phone.app.skin.texts.nothing.told(phone.app.locale)
    assert (sign in phone.texts()) == phone.app.skin.engine.says_nothing
    assert phone.app.frame().shape == (phone.app.size[1], phone.app.size[0], 3)


def test_first_run_dialogs_come_once_and_again_after_a_reset(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "xiaomi", [CAT]).ready()
    phone.app.stop(phone.app.package)
    phone.app.launch(phone.app.package)
    assert "使用须知" not in phone.texts()
    phone.app.reset()
    phone.app.launch(phone.app.package)
    assert "使用须知" in phone.texts()
    assert phone.app.rows() == ()
    assert phone.app.index_signals().total == 0


def test_a_refused_consent_ends_the_app(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "xiaomi", [CAT])
    phone.app.launch(phone.app.package)
    phone.tap_text("退出")
    assert phone.app.front_package() == "com.android.launcher3"


def test_a_dialog_keeps_taps_from_what_is_below_it(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "xiaomi", [CAT])
    phone.app.launch(phone.app.package)
    phone.tap_text("点击搜索")
    assert not any(node.editable for node in phone.app.tree().walk())


def test_the_old_grid_stays_until_the_new_results_are_ready(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "google_photos", [*beach_shots(6), CAT]).ready()
    phone.search("beach")
    before = phone.app.frame()[300:, :, :].copy()
    phone.tap_node(lambda node: node.editable, "field")
    phone.app.set_text("cat")
    phone.app.key("enter")
    phone.clock.wait(0.1)  # this skin answers after 0.2 s at the earliest
    assert np.array_equal(phone.app.frame()[300:], before)
    assert phone.app.truth.as_json()[-1]["text"] == "beach"
    phone.settle()
    assert not np.array_equal(phone.app.frame()[300:], before)
    assert phone.names() == ["cat.jpg", "cat.jpg"]  # most relevant, and newest


def test_an_emptied_field_leads_back_to_the_suggestions(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "xiaomi", beach_shots(6)).ready()
    phone.search("beach")
    phone.tap_text("清除")
    assert cells(phone) == []
    assert "beach" in phone.texts()  # among the recent searches
    assert "最近搜索" in phone.texts()


def test_a_spinner_turns_while_a_search_is_on_its_way(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "xiaomi", beach_shots(6)).ready()
    phone.open_search()
    phone.app.set_text("beach")
    assert not is_loading(phone)  # results come only when submitted
    phone.app.key("enter")
    assert is_loading(phone)
    first = phone.app.frame()
    phone.clock.wait(0.12)
    assert not np.array_equal(phone.app.frame(), first)
    phone.settle()
    assert not is_loading(phone)


def test_live_results_appear_under_an_open_keyboard(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "samsung", beach_shots(30)).ready()
    phone.open_search()
    phone.app.set_text("beach")
    phone.settle()
    phone.app.key("enter")
    assert phone.app.keyboard_shown  # this gallery keeps it open
    keyboard = next(node for node in phone.app.tree().walk() if node.role is Role.KEYBOARD)
    assert any(cell.box[1] >= keyboard.box[1] for cell in cells(phone))
    hidden = {index for index, share in enumerate(phone.app.truth.as_json()[-1]["lists"][0]["visible"]) if share == 0}
    phone.app.key("back")
    phone.settle()
    assert not phone.app.keyboard_shown
    now_hidden = {index for index, share in enumerate(phone.app.truth.as_json()[-1]["lists"][0]["visible"]) if share == 0}
    assert now_hidden < hidden


def test_a_tap_on_the_keyboard_does_not_reach_the_grid(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "samsung", beach_shots(30)).ready()
    phone.open_search()
    phone.app.set_text("beach")
    phone.settle()
    phone.app.tap(360, 1100)
    assert phone.app.keyboard_shown
    assert any(node.editable for node in phone.app.tree().walk())


def test_typing_needs_a_focused_field_and_a_composing_keyboard_spoils_english(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "xiaomi", [CAT]).ready()
    assert not phone.app.set_text("cat")
    assert not phone.app.type_text("cat", composing=False)
    phone.open_search()
    assert phone.app.type_text("sun", composing=False)
    assert phone.app.type_text("\bnset", composing=False)
    field = next(node for node in phone.app.tree().walk() if node.editable)
    assert field.text == "sunset"
    phone.app.set_text("")
    phone.app.type_text("sunset 海", composing=True)
    assert next(node for node in phone.app.tree().walk() if node.editable).text == "sun'se't 海"


def test_an_empty_field_tells_its_hint(tmp_path: Path) -> None:
    android = Phone(tmp_path / "a", "xiaomi", [CAT]).ready()
    android.open_search()
    field = next(node for node in android.app.tree().walk() if node.editable)
    assert (field.text, field.hint) == ("搜索照片", "搜索照片")
    harmony = Phone(tmp_path / "h", "harmony_photos", [CAT]).ready()
    harmony.open_search()
    field = next(node for node in harmony.app.tree().walk() if node.editable)
    assert (field.text, field.hint, field.kind) == ("", "搜索图片、视频", "SearchField")


def test_more_pages_load_with_a_spinner_when_the_end_comes_into_view(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "xiaomi", beach_shots(70)).ready()
    phone.search("beach")
    assert len(phone.names()) == 70  # pages of 30, 30 and 10
    spun = 0
    for _ in range(12):
        phone.app.drag(360, 1300, 360, 500, 0.8)
        spun += is_loading(phone)
        phone.settle(1.0)
    assert spun == 2  # once before each further page
    visible = phone.app.truth.as_json()[-1]["lists"][0]["visible"]
    assert visible == [1.0] * 70
    assert not is_loading(phone)


def test_the_rest_is_behind_view_all(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "oppo", beach_shots(40)).ready()
    phone.search("海滩")
    assert len(cells(phone)) == 8
    assert "已经到底了" not in phone.texts()
    phone.tap_text("查看全部")
    phone.settle()
    assert len(cells(phone)) > 20
    pages = [(shown["page"], len(shown["names"])) for shown in phone.app.truth.as_json()[-1]["lists"]]
    assert pages == [("results", 8), ("all", 40)]
    phone.app.key("back")
    assert len(cells(phone)) == 8


def test_a_photo_of_the_most_relevant_appears_again_among_the_newest(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "google_photos", beach_shots(20)).ready()
    phone.search("beach")
    names = phone.names()
    assert len(names) == 6 + 20
    assert names[6:] == [f"B{number:03}.jpg" for number in range(19, -1, -1)]
    assert [text for text in phone.texts() if text in ("Most relevant", "Newest")] == ["Most relevant", "Newest"]


def test_a_thumbnail_is_a_placeholder_before_it_is_itself(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "samsung", beach_shots(80)).ready()
    phone.search("海滩")
    phone.app.drag(360, 1400, 360, 200, 1.0)
    new = cells(phone)[-4]  # the newest photos were on the home page, this one was on no screen yet
    assert looks(phone, new) == phone.app.skin.colours.placeholder
    visible = phone.app.truth.as_json()[-1]["lists"][0]["visible"]
    phone.clock.wait(0.4)
    assert looks(phone, new) != phone.app.skin.colours.placeholder
    later = phone.app.truth.as_json()[-1]["lists"][0]["visible"]
    assert later.count(1.0) > visible.count(1.0)


@pytest.mark.parametrize("skin", ["google_photos", "honor", "ios_photos_18"])
def test_the_boxes_of_the_tree_are_the_boxes_on_the_screen(tmp_path: Path, skin: str) -> None:
    phone = Phone(tmp_path, skin, beach_shots(12)).ready()
    phone.search("海滩")
    frame = phone.app.frame().astype(int)
    ground = np.array(phone.app.skin.colours.background)
    told = np.zeros(frame.shape[:2], bool)
    floating = [node for node in phone.app.tree().walk() if node.name == phone.app.skin.ids.floating and node.name]
    for cell in [node for node in phone.app.tree().walk() if node.role is Role.IMAGE and node.clickable]:
        left, top, right, bottom = cell.box
        told[top:bottom, left:right] = True
        block = frame[top:bottom, left:right]
        if not any(_meet(cell.box, other.box) for other in floating):
            assert (np.abs(block - ground).sum(axis=2) > 12).mean() > 0.95
    viewport = next(node for node in phone.app.tree().walk() if node.role is Role.LIST)
    left, top, right, bottom = viewport.box
    for node in phone.app.tree().walk():
        if node.role in (Role.TEXT, Role.BUTTON):
            told[node.box[1] : node.box[3], node.box[0] : node.box[2]] = True
    outside = ~told[top:bottom, left:right]
    assert (frame[top:bottom, left:right][outside] == ground).all()


def _meet(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return max(a[0], b[0]) < min(a[2], b[2]) and max(a[1], b[1]) < min(a[3], b[3])


def test_a_gl_gallery_tells_of_no_cells_but_draws_them(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "vivo", beach_shots(12)).ready()
    phone.search("海滩")
    assert not any(node.role is Role.IMAGE for node in phone.app.tree().walk())
    assert min(phone.app.truth.as_json()[-1]["lists"][0]["visible"]) == 1.0


def test_a_slow_drag_moves_the_list_by_its_length_less_the_slop(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "honor", beach_shots(80)).ready()
    phone.search("海滩")
    top = next(node for node in phone.app.tree().walk() if node.role is Role.LIST).box[1]
    phone.app.drag(360, 1200, 360, 1000, 1.0)
    # Rows are 180 px apart; 200 px of finger less 12 px of slop: the third row stands at 360 - 188.
    tops = sorted({cell.box[1] for cell in cells(phone)})
    assert tops[:3] == [top, top + 360 - 188, top + 540 - 188]
    phone.clock.wait(2)
    assert sorted({cell.box[1] for cell in cells(phone)}) == tops


def test_a_short_drag_runs_on_and_a_tap_stops_it_without_opening_a_photo(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "honor", beach_shots(80)).ready()
    phone.search("海滩")
    phone.app.drag(360, 1200, 360, 900, 0.1)
    first = [cell.box for cell in cells(phone)]
    phone.clock.wait(0.1)
    assert [cell.box for cell in cells(phone)] != first
    phone.app.tap(360, 800)
    stopped = [cell.box for cell in cells(phone)[:8]]  # further below the next page may come
    phone.clock.wait(1)
    assert [cell.box for cell in cells(phone)[:8]] == stopped


def test_a_tap_opens_the_photo_and_back_returns_to_the_same_place(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "honor", beach_shots(80)).ready()
    phone.search("海滩")
    phone.app.drag(360, 1200, 360, 700, 1.0)
    phone.settle()
    grid = [cell.box for cell in cells(phone)]
    phone.app.tap(100, 800)
    assert cells(phone) == []
    phone.app.key("back")
    assert [cell.box for cell in cells(phone)] == grid


def test_what_is_shown_is_the_same_for_one_seed_and_differs_for_another(tmp_path: Path) -> None:
    def run(folder: str, seed: int) -> tuple[list[str], int]:
        phone = Phone(tmp_path / folder, "vivo", beach_shots(40), seed=seed).ready()
        phone.search("海滩")
        return phone.names(), int(phone.app.frame().astype(np.int64).sum())

    assert run("a", 5) == run("b", 5)
    assert run("a", 5)[0] != run("c", 6)[0]


def test_photos_are_found_only_once_they_are_indexed(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "xiaomi", beach_shots(20))
    phone.app.scan()
    phone.app.launch(phone.app.package)
    phone.tap_text("同意并继续")
    phone.tap_text("允许")
    phone.search("beach")
    early = len(phone.app.truth.as_json()[-1]["lists"][0]["names"]) if phone.app.truth.as_json()[-1]["lists"] else 0
    phone.clock.wait(60)
    phone.search("beach")
    assert early < len(phone.names())


def test_the_clock_in_the_status_bar_ticks(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "honor", [CAT]).ready()
    phone.settle()
    first = phone.app.frame()
    phone.clock.wait(60)
    second = phone.app.frame()
    assert not np.array_equal(first[:48], second[:48])
    assert np.array_equal(first[48:], second[48:])


def test_an_unchanged_screen_is_not_drawn_again(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "honor", [CAT]).ready()
    phone.settle()
    assert phone.app.frame() is phone.app.frame()


def test_an_unknown_package_does_not_start_and_an_unknown_skin_is_named(tmp_path: Path) -> None:
    phone = Phone(tmp_path, "honor", [CAT])
    assert not phone.app.launch("com.example.none")
    with pytest.raises(TableError, match="no skin 'nokia'"):
        build_gallery("nokia", tmp_path, seed=1, clock=phone.clock)


def test_an_engine_can_be_changed_for_one_phone_and_its_keys_are_checked(tmp_path: Path) -> None:
    clock = Phone(tmp_path, "honor", [CAT]).clock
    app = build_gallery("honor", tmp_path, seed=1, clock=clock, engine={"people": False}, locale="en-GB", zone="Europe/Paris")
    assert not app.skin.engine.people
    assert app.skin.engine.need is load_skin("honor").engine.need
    assert (app.locale, app.skin.zone) == ("en-GB", "Europe/Paris")
    with pytest.raises(TableError, match="unknown key 'peeple'; did you mean 'people'"):
        build_gallery("honor", tmp_path, seed=1, clock=clock, engine={"peeple": False})


@pytest.mark.parametrize(
    "text",
    [
        "It's \"Mom's\" $HOME & 50%s 海边 👨‍👩‍👧 é/e\u0301",
        " beach ",
        "x" * 500,
        "two\nlines",
        "half a pair \ud83d",
        "\u0000",
        "1" * 60,
    ],
    ids=["quotes", "spaces", "long", "lines", "surrogate", "nul", "digits"],
)
def test_any_text_stands_in_the_field_exactly_and_can_be_searched_and_drawn(tmp_path: Path, text: str) -> None:
    phone = Phone(tmp_path, "xiaomi", [CAT]).ready()
    phone.search(text)
    assert next(node for node in phone.app.tree().walk() if node.editable).text == text
    assert phone.app.truth.as_json()[-1]["text"] == text
    assert phone.app.frame().any()
