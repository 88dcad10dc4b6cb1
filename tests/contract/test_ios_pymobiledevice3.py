"""The virtual iPhone's services, seen by the real `pymobiledevice3`, and our driver through it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from iphones import NEW, IPhones, running_iphones

from drivers.interface import DriverError
from drivers.ios.album import IMPORTER
from drivers.ios.pymobiledevice import VERSION, ToolServices, shell_names
from drivers.ios.services import Address, Upload

TOOL = os.environ.get("PYMOBILEDEVICE3", "") or shutil.which("pymobiledevice3") or ""
found = pytest.mark.skipif(not TOOL, reason="no pymobiledevice3 on the PATH, nor named by PYMOBILEDEVICE3")


@pytest.fixture(scope="module")
def phones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IPhones]:
    with running_iphones(tmp_path_factory.mktemp("iphones")) as phones:
        yield phones


@pytest.fixture(scope="module")
def tool(phones: IPhones, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolServices]:
    """The command with a home of its own, so that it keeps no pair record elsewhere."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        services = ToolServices(Address.parse(phones.address(NEW)), 1.0, TOOL)
        services.pair()
        yield services
        services.close()


@found
def test_it_says_who_is_attached_and_pairs(tool: ToolServices, phones: IPhones) -> None:
    assert tool.udid() == phones.control.ask("status", NEW)["serial"]
    assert tool.values()["ProductType"] == "VirtualPhone-iPhone14,6"
    assert tool.values("com.apple.international")["Locale"] == "zh_CN"
    assert tool.gauge()["Temperature"] == 2750


@found
def test_apps_are_told_with_their_versions(tool: ToolServices) -> None:
    assert IMPORTER in tool.apps()
    assert tool.app_version("com.apple.mobileslideshow") == "26.1"


@found
def test_files_go_to_the_media_folder_and_come_back(tool: ToolServices) -> None:
    tool.write([Upload(b"new", "/Downloads/new/rig.txt")])
    assert tool.read("/Downloads/new/rig.txt") == b"new"
    tool.write([Upload(b"sentinel", "/Downloads/rig.txt")])
    assert tool.read("/Downloads/rig.txt") == b"sentinel"
    assert "rig.txt" in tool.listing("/Downloads")
    tool.remove("/Downloads/rig.txt")
    assert tool.read("/Downloads/rig.txt") is None
    assert tool.listing("/no-such-folder") == []
    assert tool.listing("/DCIM/100APPLE") == [], "an empty folder holds not even itself"


@found
def test_files_go_to_the_importers_documents_and_come_back(tool: ToolServices, tmp_path: Path) -> None:
    photo = tmp_path / "照片 (1).jpg"
    photo.write_bytes(b"pixels")
    tool.write([Upload(photo, "/Documents/照片 (1).jpg")], IMPORTER)
    assert tool.read("/Documents/照片 (1).jpg", IMPORTER) == b"pixels"
    assert tool.listing("/Documents/no-such-folder", IMPORTER) == []
    tool.write([Upload(photo, "/Documents/new/folder/-dash.jpg")], IMPORTER)
    assert tool.listing("/Documents/new/folder", IMPORTER) == ["-dash.jpg"]


@found
def test_a_forward_leads_to_the_agent_and_ends_with_the_services(tool: ToolServices) -> None:
    import wda

    assert wda.Client(f"http://{tool.forward(8100)}").status()["ready"]


@found
def test_whether_a_phone_trusts_this_computer_is_asked_without_asking_for_trust(tool: ToolServices, phones: IPhones) -> None:
    assert tool.is_paired()
    phones.control.fault(NEW, "untrusted")
    try:
        assert not tool.is_paired()
        assert tool.plain_values()["ActivationState"] == "Activated"
    finally:
        phones.control.clear(NEW)
        tool.pair()


def test_a_tool_that_is_not_there_is_one_sentence(phones: IPhones, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DriverError, match=f"pymobiledevice3 is not on the PATH: install it .*{VERSION}"):
        ToolServices(Address.parse(phones.address(NEW)), 1.0)


def test_names_are_read_from_the_tools_shell() -> None:
    prompt = "\x1b[0m[house_arrest:/Documents]$ "
    said = f"Welcome\r\n{prompt}ls /Documents\r\na b.txt\r\n照片.jpg\r\n\x1b[K{prompt}exit\r\n"
    assert shell_names(said, "/Documents") == ["a b.txt", "照片.jpg"]


def test_a_folder_that_the_tools_shell_cannot_find_is_empty() -> None:
    prompt = "[house_arrest:/Documents]$ "
    said = f"{prompt}ls /Documents/rig\r\nls: cannot access '/Documents/rig': Opcode: GET_FILE_INFO\n{prompt}exit\r\n"
    assert shell_names(said, "/Documents/rig") == []
