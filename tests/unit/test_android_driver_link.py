"""Deadlines of calls and the choice of the adb server, against programs that listen on loopback."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from drivers.android import server
from drivers.android.link import CallTimedOut, Client
from drivers.android.server import AdbServer, running_server
from drivers.android.transport import Transport, _unpack
from drivers.interface import DriverError, PhoneLost


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """A program on a loopback port that serves each connection so."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection, suppress(OSError):
                        serve(connection)

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def says_nothing(connection: socket.socket) -> None:
    while connection.recv(1024):
        pass


def says_a_little_for_ever(connection: socket.socket) -> None:
    connection.sendall(b"OKAYOKAY")  # to the choice of the phone and to the command
    while True:
        connection.sendall(b"0")
        threading.Event().wait(0.01)


def hangs_up(connection: socket.socket) -> None:
    connection.recv(1)


def is_a_web_server(connection: socket.socket) -> None:
    connection.recv(1024)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def is_adb_of_version(number: int) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        connection.recv(1024)
        connection.sendall(b"OKAY0004%04x" % number)

    return serve


@pytest.mark.parametrize("serve", [says_nothing, says_a_little_for_ever], ids=["silent", "trickling"])
def test_a_call_ends_at_its_deadline_whatever_the_other_side_does(serve: Callable[[socket.socket], None]) -> None:
    with listening(serve) as port:
        transport = Transport(AdbServer(Path("adb"), port), "x")
        with pytest.raises(CallTimedOut):
            transport.shell("true", seconds=0.2)


def test_a_connection_that_breaks_is_a_lost_phone(tmp_path: Path) -> None:
    with listening(hangs_up) as port, pytest.raises(PhoneLost):
        Transport(AdbServer(tmp_path, port), "x").shell("true", seconds=5)


def test_no_connection_is_opened_when_the_time_is_up() -> None:
    client = Client(1)

    def late() -> None:
        with client.within(0.05, "waiting"):
            threading.Event().wait(0.2)
            client.make_connection()

    with pytest.raises(CallTimedOut):
        late()


def test_a_port_that_another_program_holds_is_refused() -> None:
    with listening(is_a_web_server) as port, pytest.raises(DriverError, match="no adb server"):
        running_server(port)


def test_an_adb_server_of_another_version_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "find_adb", lambda: Path("adb"))
    monkeypatch.setattr(server, "_client_version", lambda _executable: 41)
    with listening(is_adb_of_version(39)) as port, pytest.raises(DriverError, match="has version 39, adb has 41"):
        running_server(port)


def test_a_port_that_is_no_number_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "x")
    with pytest.raises(DriverError, match="expected a port number"):
        running_server()


def packet(kind: int, data: bytes) -> bytes:
    return struct.pack("<BI", kind, len(data)) + data


def test_a_commands_output_errors_and_exit_code_are_told_apart() -> None:
    raw = packet(1, b"a") + packet(2, b"bad") + packet(1, "é".encode()) + packet(3, b"\x07")
    ran = _unpack(raw, "x")
    assert (ran.code, ran.text, ran.err) == (7, "aé", b"bad")


def test_a_command_without_an_exit_code_did_not_end() -> None:
    with pytest.raises(PhoneLost, match="before the command did"):
        _unpack(packet(1, b"half"), "x")
