"""The faults of the screen, as the control socket switches them on, and how they look to a driver."""

from pathlib import Path

import numpy as np
import pytest
from virtual_gallery_photos import NOON_2026_S, Clock, Phone, Shot, beach_shots

from devices.virtual.gallery.faults import FaultName, Faults
from devices.virtual.gallery.skin import load_skin
from devices.virtual.gallery.truth import Truth
from devices.virtual.interface import Role

CAT = Shot("cat.jpg", ["cat", "猫"])


@pytest.fixture
def phone(tmp_path: Path) -> Phone:
    phone = Phone(tmp_path, "xiaomi", [*beach_shots(6), CAT]).ready()
    phone.search("beach")
    return phone


def grid_is_shown(phone: Phone) -> bool:
    return any(node.name == "micro_thumb" for node in phone.app.tree().walk())


def last_text(phone: Phone) -> str:
    return str(phone.app.truth.as_json()[-1]["text"])


def test_a_fault_passes_over_the_searches_before_it_and_ends_after_its_count() -> None:
    faults = Faults(Clock())
    faults.set("spinner_forever", count=2, after_query=1)
    held = []
    for _ in range(5):
        faults.search_submitted()
        held.append(faults.holds(FaultName.SPINNER_FOREVER))
    assert held == [False, True, True, False, False]


def test_a_fault_without_delay_holds_at_once_and_until_cleared() -> None:
    faults = Faults(Clock())
    faults.set("lock")
    assert faults.active() == ("lock",)
    faults.clear("lock")
    assert faults.active() == ()


def test_a_dismissed_fault_returns_with_the_next_search_it_meets() -> None:
    faults = Faults(Clock())
    faults.set("anr_dialog", count=2)
    faults.search_submitted()
    faults.dismiss(FaultName.ANR_DIALOG)
    assert not faults.holds(FaultName.ANR_DIALOG)
    faults.search_submitted()
    assert faults.holds(FaultName.ANR_DIALOG)


def test_a_fault_with_a_time_passes_by_itself() -> None:
    clock = Clock(NOON_2026_S)
    faults = Faults(clock)
    faults.set("notification")
    clock.wait(4.9)
    assert faults.holds(FaultName.NOTIFICATION)
    clock.wait(0.2)
    assert not faults.holds(FaultName.NOTIFICATION)


def test_an_unknown_fault_is_refused(phone: Phone) -> None:
    with pytest.raises(ValueError, match="sharks"):
        phone.app.faults.set("sharks")
    with pytest.raises(TypeError):
        phone.app.faults.set("lock", how="badly")


def test_spinner_forever_ends_only_with_the_fault(phone: Phone) -> None:
    phone.app.faults.set("spinner_forever", count=1)
    phone.search("cat")
    phone.settle(60)
    assert any(node.role is Role.SPINNER for node in phone.app.tree().walk())
    phone.search("cat")
    assert phone.names() == ["cat.jpg"]


def test_stale_grid_leaves_the_old_results_even_when_the_field_is_emptied(phone: Phone) -> None:
    phone.app.faults.set("stale_grid", count=1)
    before = phone.app.frame()[300:].copy()
    phone.search("cat")
    assert np.array_equal(phone.app.frame()[300:], before)
    assert last_text(phone) == "beach"
    phone.search("cat")
    assert last_text(phone) == "cat"


def test_text_garbled_shows_in_the_field_and_changes_the_search(phone: Phone) -> None:
    phone.app.faults.set("text_garbled", count=1)
    phone.search("cat")
    field = next(node for node in phone.app.tree().walk() if node.editable)
    assert field.text == "atcc"
    phone.search("cat")
    assert next(node for node in phone.app.tree().walk() if node.editable).text == "cat"


def test_indexing_banner_stands_in_place_of_results(phone: Phone) -> None:
    phone.app.faults.set("indexing_banner")
    phone.search("cat")
    assert "正在建立索引 43 %" in phone.texts()
    assert not grid_is_shown(phone)


def test_suggestions_only_leads_back_to_the_suggestions(phone: Phone) -> None:
    phone.app.faults.set("suggestions_only", count=1)
    phone.search("cat")
    assert not grid_is_shown(phone)
    assert not any(node.text == "没有搜索到相关结果" for node in phone.app.tree().walk())


@pytest.mark.parametrize(
    ("name", "text", "answer", "package"),
    [
        ("anr_dialog", "“相册”没有响应", "等待", "android"),
        ("permission_prompt", "要允许“相册”访问此设备的位置信息吗？", "不允许", "com.android.permissioncontroller"),
        ("system_update_dialog", "系统更新已就绪", "稍后", "android"),
    ],
)
def test_a_system_dialog_covers_the_grid_until_it_is_answered(
    phone: Phone, name: str, text: str, answer: str, package: str
) -> None:
    phone.app.faults.set(name)
    shown = next(node for node in phone.app.tree().walk() if node.text == text)
    assert shown.package == package
    phone.app.tap(100, 400)  # a thumbnail, below the dialog
    assert text in phone.texts()
    phone.tap_text(answer)
    assert text not in phone.texts()
    assert grid_is_shown(phone)


def test_closing_an_app_that_does_not_respond_leads_to_the_launcher(phone: Phone) -> None:
    phone.app.faults.set("anr_dialog")
    phone.tap_text("关闭应用")
    assert phone.app.front_package() == "com.android.launcher3"


def test_the_lock_screen_hides_everything_and_a_swipe_up_unlocks(phone: Phone) -> None:
    phone.app.faults.set("lock")
    assert phone.app.locked
    assert phone.app.front_package() == "com.android.systemui"
    assert not grid_is_shown(phone)
    assert not phone.app.set_text("cat")
    phone.app.drag(360, 1400, 360, 500, 0.3)
    assert grid_is_shown(phone)


def test_a_dark_screen_is_black_and_tells_nothing(phone: Phone) -> None:
    phone.app.faults.set("screen_off")
    assert not phone.app.frame().any()
    assert list(phone.app.tree().walk())[1:] == []
    phone.app.key("wake")
    assert phone.app.frame().any()


def test_a_black_frame_comes_with_the_usual_tree(phone: Phone) -> None:
    phone.app.faults.set("black_frame")
    assert not phone.app.frame().any()
    assert grid_is_shown(phone)


def test_a_stuck_keyboard_stays_over_the_grid(phone: Phone) -> None:
    phone.app.faults.set("keyboard_stuck")
    phone.tap_node(lambda node: node.editable, "field")
    phone.app.key("back")
    assert phone.app.keyboard_shown
    phone.app.faults.clear()
    phone.app.key("back")
    assert not phone.app.keyboard_shown


def test_a_notification_lies_over_the_screen_and_is_logged_as_covering(phone: Phone) -> None:
    phone.app.faults.set("notification")
    assert {"妈妈", "给我打电话"} <= set(phone.texts())
    top = next(node for node in phone.app.tree().walk() if node.text == "妈妈")
    assert top.package == "com.android.systemui"
    phone.app.drag(360, 100, 360, 20, 0.2)
    assert "妈妈" not in phone.texts()


def test_another_app_comes_to_the_front_until_the_gallery_is_launched(phone: Phone) -> None:
    phone.app.faults.set("wrong_app")
    assert phone.app.front_package() == "com.android.settings"
    assert not phone.app.set_text("cat")
    phone.app.launch(phone.app.package)
    assert grid_is_shown(phone)


def test_cells_missing_from_the_tree_are_still_drawn(phone: Phone) -> None:
    before = phone.app.frame()
    phone.app.faults.set("cells_missing")
    assert not grid_is_shown(phone)
    assert np.array_equal(phone.app.frame(), before)


def test_scroll_jitter_throws_equal_drags_apart_the_same_way_each_run(tmp_path: Path) -> None:
    def positions(folder: str, *, jitter: bool) -> list[int]:
        phone = Phone(tmp_path / folder, "honor", beach_shots(100)).ready()
        phone.search("海滩")
        if jitter:
            phone.app.faults.set("scroll_jitter")
        tops = []
        for _ in range(3):
            phone.app.drag(360, 1200, 360, 1000, 1.0)
            phone.settle()
            tops.append(min(node.box[3] for node in phone.app.tree().walk() if node.name == "photo_item"))
        return tops

    # Every slow drag of 200 px moves 188: the jitter makes them differ from that, alike for one seed.
    assert positions("a", jitter=True) == positions("b", jitter=True)
    assert positions("a", jitter=True) != positions("c", jitter=False)


def test_every_fault_leaves_a_screen_that_can_be_drawn(phone: Phone) -> None:
    for name in FaultName:
        phone.app.faults.clear()
        phone.app.faults.set(name)
        assert phone.app.faults.active() == (name,)
        assert phone.app.frame().shape == (1600, 720, 3)
        phone.app.tree()


def test_the_log_of_truth_is_plain_values() -> None:
    truth = Truth()
    entry = truth.search_shown("cat", "cat", 12.5, 1)
    entry.list_shown("results", ["cat.jpg", "cat.jpg"]).drawn(1, 0.5)
    assert truth.as_json() == [
        {
            "text": "cat",
            "field_text": "cat",
            "shown_at_s": 12.5,
            "found": 1,
            "lists": [{"page": "results", "names": ["cat.jpg", "cat.jpg"], "visible": [0.0, 0.5]}],
        }
    ]


def test_every_sign_of_nothing_found_is_told_in_both_languages() -> None:
    skin = load_skin("samsung")
    assert skin.texts.nothing.told("zh-CN")
    assert skin.texts.nothing.told("en-US")
