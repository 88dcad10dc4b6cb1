"""The unmodified uiautomator2 client against the virtual phone's server."""

from collections.abc import Iterator
from pathlib import Path

import adbutils
import pytest
import uiautomator2
from conftest import ServedPhone
from lxml import etree
from PIL import Image
from uiautomator2.exceptions import UiAutomationNotConnectedError, UiObjectNotFoundError

FIELD = "com.small.gallery:id/search"


@pytest.fixture
def device(served_once: ServedPhone, tmp_path: Path) -> Iterator[uiautomator2.Device]:
    for number in range(14):  # five rows of 180 px on 800 px of grid: it scrolls by 100
        Image.new("RGB", (8, 8)).save(served_once.phone.files.host(f"/sdcard/DCIM/photo{number:02}.png"))
    served_once.shell("content call --uri content://media --method scan_volume --arg external_primary")
    client = adbutils.AdbClient("127.0.0.1", served_once.adb.port)
    device = uiautomator2.connect(client.device(served_once.serial))
    device.app_start("com.small.gallery")
    yield device
    device.stop_uiautomator(wait=False)


def test_the_device_is_described(device: uiautomator2.Device) -> None:
    assert device.info["currentPackageName"] == "com.small.gallery"
    assert (device.info["displayWidth"], device.info["displayHeight"]) == (540, 960)
    assert device.app_current()["package"] == "com.small.gallery"
    assert device.window_size() == (540, 960)


@pytest.mark.parametrize("text", ["sunset", "海边", "It's \"Mom's\" $HOME & 50%s", "👨‍👩‍👧 e\u0301", " a ", "x" * 500])
def test_text_is_set_and_read_back_exactly(device: uiautomator2.Device, text: str) -> None:
    device(resourceId=FIELD).set_text(text)
    assert device(resourceId=FIELD).get_text() == text


def test_a_cleared_field_is_empty(device: uiautomator2.Device) -> None:
    device(resourceId=FIELD).set_text("x")
    device(resourceId=FIELD).clear_text()
    assert device(resourceId=FIELD).get_text() == ""


def test_the_hierarchy_holds_the_cells_and_dots_for_emoji(device: uiautomator2.Device) -> None:
    device(resourceId=FIELD).set_text("photo")
    tree = etree.fromstring(device.dump_hierarchy().encode())
    cells = tree.xpath("//node[@resource-id='com.small.gallery:id/thumb']")
    assert [cell.get("content-desc") for cell in cells[:2]] == ["photo00.png", "photo01.png"]
    assert cells[1].get("bounds") == "[180,160][360,340]"
    device(resourceId=FIELD).set_text("😀")
    assert etree.fromstring(device.dump_hierarchy().encode()).xpath("//node[@focused='true']/@text") == [".."]


def test_selectors_find_count_and_miss(device: uiautomator2.Device) -> None:
    device(resourceId=FIELD).set_text("photo")
    assert device(resourceIdMatches=r".*:id/thumb").count == 14 - 0
    assert device(descriptionContains="PHOTO1").count == 4
    assert (
        device(resourceId="com.small.gallery:id/grid").child(className="android.widget.ImageView")[3].info["contentDescription"]
        == "photo03.png"
    )
    assert not device(text="nothing").exists
    with pytest.raises(UiObjectNotFoundError):
        device(text="nothing").click(timeout=0.1)


def test_scrolling_moves_until_the_end(device: uiautomator2.Device) -> None:
    device(resourceId=FIELD).set_text("photo")
    assert device(scrollable=True).scroll.vert.forward(steps=5)
    assert not device(scrollable=True).scroll.vert.forward(steps=5)
    assert device(descriptionContains="photo13").info["bounds"]["bottom"] == 960
    device(scrollable=True).scroll.vert.toBeginning(steps=5)
    assert device(descriptionContains="photo00").info["bounds"]["top"] == 160


def test_a_screenshot_has_the_screens_size(device: uiautomator2.Device) -> None:
    assert device.screenshot().size == (540, 960)


def test_keys_clipboard_and_power(device: uiautomator2.Device) -> None:
    device.press("home")
    assert device.info["currentPackageName"] == "com.android.launcher3"
    device.screen_off()
    assert not device.info["screenOn"]
    device.screen_on()
    device.clipboard = "海"
    assert device.clipboard == "海"


def test_waiting_for_what_never_comes_is_false(device: uiautomator2.Device) -> None:
    assert not device(text="never").wait(timeout=0.2)
    assert device(text="never").wait_gone(timeout=0.2)


def test_a_killed_server_is_started_again_by_the_client(device: uiautomator2.Device, served_once: ServedPhone) -> None:
    served_once.do(served_once.phone.kill_ui_server)
    assert device.info["currentPackageName"] == "com.small.gallery"


def test_a_server_ends_with_its_shell(device: uiautomator2.Device, served_once: ServedPhone) -> None:
    assert "app_process" in served_once.shell("ps -A")
    device.stop_uiautomator()
    assert "app_process" not in served_once.shell("ps -A")


def test_a_broken_automation_stays_broken(device: uiautomator2.Device, served_once: ServedPhone) -> None:
    served_once.phone.faults.automation_broken = True
    with pytest.raises(UiAutomationNotConnectedError):
        device.dump_hierarchy()


def test_a_dropped_cable_is_survived(device: uiautomator2.Device, served_once: ServedPhone) -> None:
    served_once.do(lambda: served_once.phone.drop(0.0))
    served_once.connect()
    assert device.info["currentPackageName"] == "com.small.gallery"


def test_a_second_automation_is_refused(device: uiautomator2.Device, served_once: ServedPhone) -> None:
    assert device.info
    done = served_once.run("shell", "uiautomator dump", code=137)
    assert b"already registered" in done.stderr
