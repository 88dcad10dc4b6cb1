"""The virtual HarmonyOS phone by itself: what its hdc prints and its uitest answers, byte by byte, without the driver."""

import asyncio
import json
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from driver_subjects import HDC
from marked_album import Marked, make_album

from devices.virtual.description import LabError, PhoneDescription
from devices.virtual.harmony.phone import HarmonyPhone
from devices.virtual.harmony.service import serve_phone
from devices.virtual.service import PhoneService

T = TypeVar("T")
PHOTOS = "/mnt/data/100/media_fuse/Photo"


class Served:
    """A phone in its own thread, and hdc for it."""

    def __init__(self, folder: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        described = PhoneDescription(
            "phone", "harmony", "harmony_photos", "harmony_photos", serial="VIRTHDC1", boot_s=0.2, speed=5.0
        )
        self.service: PhoneService[HarmonyPhone] = self.wait(serve_phone(described, folder, 0))
        self.phone = self.service.phone

    def wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    def do(self, work: Callable[[], T]) -> T:
        async def run() -> T:
            return work()

        result: T = self.wait(run())
        return result

    def hdc(self, *words: str) -> str:
        command = [str(HDC), "-t", self.service.address, *words]
        done = subprocess.run(command, capture_output=True, timeout=30, check=True)
        return done.stdout.decode()

    def shell(self, line: str) -> str:
        return self.hdc("shell", line)

    def close(self) -> None:
        async def finish() -> None:
            self.service.unplug()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self.wait(finish())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("harmony"))
    yield served
    served.close()


class Rpc:
    """One connection to uitest that reads lines."""

    def __init__(self, served: Served) -> None:
        served.shell("uitest start-daemon singleness")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        assert served.hdc("fport", f"tcp:{port}", "tcp:8012") == "Forwardport result:OK\n"
        self._link = socket.create_connection(("127.0.0.1", port), 10)
        self._lines = self._link.makefile("rb")

    def call(self, api: str, *arguments: Any, this: str = "Driver#0") -> Any:
        return self.ask({"method": "callHypiumApi", "params": {"api": api, "this": this, "args": arguments}})["result"]

    def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._link.sendall(json.dumps(asked).encode() + b"\n")
        return dict(json.loads(self._lines.readline()))

    def close(self) -> None:
        self._lines.close()
        self._link.close()


@pytest.fixture
def rpc(served: Served) -> Iterator[Rpc]:
    rpc = Rpc(served)
    yield rpc
    rpc.close()


def test_the_channel_says_who_it_is_and_takes_a_key_and_a_command(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.phone.cable.port), 10) as link:
        stream = link.makefile("rwb")
        assert stream.read(16) == b"\x00\x00\x00\x2cOHOS HDC\x00\x00\x00\x00"
        stream.read(32)
        command = b"shell echo hello\0"
        stream.write(struct.pack(">I12s256sI", 268, b"OHOS HDC", b"VIRTHDC1", len(command)) + command)
        stream.flush()
        assert stream.read() == b"\x00\x00\x00\x06hello\n"
        stream.close()


def test_targets_are_five_columns_with_tabs_between(served: Served) -> None:
    done = subprocess.run(
        [HDC, "-s", served.service.address, "list", "targets", "-v"], capture_output=True, timeout=30, check=True
    )
    assert done.stdout == b"VIRTHDC1\t\tUSB\tConnected\tlocalhost\thdc\n"


def test_another_phones_key_is_refused_with_exit_code_0(served: Served) -> None:
    command = [HDC, "-s", served.service.address, "-t", "OTHER", "shell", "true"]
    assert subprocess.run(command, capture_output=True, timeout=30, check=True).stdout.startswith(b"[Fail][E001005]")


def test_a_server_that_is_not_there_is_a_failure_in_words_and_exit_code_0() -> None:
    done = subprocess.run([HDC, "-s", "127.0.0.1:1", "shell", "true"], capture_output=True, timeout=30, check=True)
    assert done.stdout == b"[Fail]Connect server failed\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("echo 'a  b' $HOME \"it's\"", "a  b  it's\n"),
        ("false_command; echo $?", "/bin/sh: false_command: inaccessible or not found\n127\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("echo kept > /data/local/tmp/f; cat /data/local/tmp/f; rm /data/local/tmp/f", "kept\n"),
        ("ls /nowhere; echo $?", "ls: /nowhere: No such file or directory\n1\n"),
        ("param get const.ohos.apiversion", "21\n"),
    ],
)
def test_the_shell_does_what_a_line_says(served: Served, line: str, said: str) -> None:
    assert served.shell(line) == said


def test_a_folder_sent_to_the_media_library_becomes_an_album(served: Served, tmp_path: Path) -> None:
    make_album(tmp_path / "my album", [Marked("照片 (1).jpg", 5, ("cat",)), Marked("-dash.jpg", 6, ("dog",))])
    said = served.hdc("file", "send", str(tmp_path / "my album"), f"{PHOTOS}/")
    assert said.startswith("FileTransfer finish, Size:")
    assert "File count = 2" in said
    assert served.shell(f"find {PHOTOS} -type f").splitlines() == [
        f"{PHOTOS}/my album/-dash.jpg",
        f"{PHOTOS}/my album/照片 (1).jpg",
    ]
    assert served.do(lambda: len(served.phone.gallery.rows())) == 2
    served.shell("mediatool delete all")
    assert served.do(lambda: len(served.phone.gallery.rows())) == 0


def test_a_file_that_is_not_there_cannot_be_fetched(served: Served, tmp_path: Path) -> None:
    assert served.hdc("file", "recv", "/data/local/tmp/none", str(tmp_path / "x")).startswith("[Fail]Error opening file")


def test_a_screenshot_comes_as_a_whole_png(served: Served, tmp_path: Path) -> None:
    served.shell("uitest screenCap -p /data/local/tmp/s.png")
    served.hdc("file", "recv", "/data/local/tmp/s.png", str(tmp_path / "s.png"))
    png = (tmp_path / "s.png").read_bytes()
    assert (png[:8], png[-8:]) == (b"\x89PNG\r\n\x1a\n", b"IEND\xae\x42\x60\x82")


def test_selectors_ask_all_that_they_were_chained_of(served: Served, rpc: Rpc) -> None:
    served.shell("aa start -a com.huawei.hmos.photos.MainAbility -b com.huawei.hmos.photos")
    button = rpc.call("On.type", "Button", this="On#seed")
    agree = rpc.call("On.id", "PrivacyAgree", this=button)
    text = rpc.call("On.type", "Text", this=agree)
    assert len(rpc.call("Driver.findComponents", button)) >= 2
    assert len(rpc.call("Driver.findComponents", agree)) == 1
    assert rpc.call("Driver.findComponents", text) == []


def opened_field(served: Served, rpc: Rpc) -> str:
    """The handle of the search field, on the gallery's empty search page."""
    served.shell(
        "aa force-stop com.huawei.hmos.photos; aa start -a com.huawei.hmos.photos.MainAbility -b com.huawei.hmos.photos"
    )
    for name in ("PrivacyAgree", "ActionBarSearch"):
        found = rpc.call("Driver.findComponents", rpc.call("On.id", name, this="On#seed"))
        if found:
            rpc.call("Component.click", this=found[0])
    return str(rpc.call("Driver.findComponent", rpc.call("On.id", "SearchInput", this="On#seed")))


def test_latin_letters_typed_through_a_chinese_keyboard_are_composed(served: Served, rpc: Rpc) -> None:
    field = opened_field(served, rpc)
    rpc.call("Component.inputText", "sunset", this=field)
    assert rpc.call("Component.getText", this=field) == "sun'se't"


def test_pasted_letters_stay_as_they_are(served: Served, rpc: Rpc) -> None:
    field = opened_field(served, rpc)
    rpc.call("Component.inputText", "sunset", {"paste": True}, this=field)
    assert rpc.call("Component.getText", this=field) == "sunset"


def test_a_letter_that_no_key_has_makes_uitest_paste(served: Served, rpc: Rpc) -> None:
    field = opened_field(served, rpc)
    rpc.call("Component.inputText", "sunset。", this=field)
    rpc.call("Driver.triggerKey", 2055)
    assert rpc.call("Component.getText", this=field) == "sunset"


def test_an_unknown_call_is_refused_and_remembered(served: Served, rpc: Rpc) -> None:
    answer = rpc.ask({"method": "callHypiumApi", "params": {"api": "Driver.dance", "this": "Driver#0", "args": []}})
    assert answer["exception"]["code"] == 401
    assert "uitest Driver.dance" in served.phone.unhandled


def test_a_daemon_that_was_killed_answers_nobody(served: Served, rpc: Rpc) -> None:
    served.do(served.phone.kill_uitest)
    with pytest.raises((ConnectionError, json.JSONDecodeError)):
        rpc.call("Driver.create")


def test_a_phone_that_lost_power_has_its_photos_and_another_boot(tmp_path: Path) -> None:
    first = Served(tmp_path / "phone")
    make_album(tmp_path / "album", [Marked("a.jpg", 1, ("cat",))])
    first.hdc("file", "send", str(tmp_path / "album"), f"{PHOTOS}/")
    boot = first.phone.boot_id
    first.do(first.service.save)
    first.close()
    second = Served(tmp_path / "phone")
    assert second.phone.boot_id != boot
    assert second.shell(f"find {PHOTOS} -type f") == f"{PHOTOS}/album/a.jpg\n"
    second.close()


def test_a_wipe_leaves_no_photo_and_the_phone_comes_back_by_itself(served: Served, tmp_path: Path) -> None:
    make_album(tmp_path / "album", [Marked("a.jpg", 1, ("cat",))])
    served.hdc("file", "send", str(tmp_path / "album"), f"{PHOTOS}/")
    served.shell("aa start -b com.example.rigadmin -a ResetAbility")
    until = time.monotonic() + 20
    while (said := served.shell(f"find {PHOTOS} -type f; echo up")) != "up\n":
        assert time.monotonic() < until, said


def test_a_skin_of_another_platform_is_refused(tmp_path: Path) -> None:
    described = PhoneDescription("phone", "harmony", "xiaomi", "xiaomi")
    with pytest.raises(LabError, match="not for harmony"):
        asyncio.run(serve_phone(described, tmp_path, 0))
