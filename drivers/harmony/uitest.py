"""uitest's JSON calls over a forwarded port: one request, one whole answer, on a connection that is given up at any doubt.

Answers carry no number that would tell which request they belong to. After a deadline, a broken or an unreadable answer the
connection is out of step for good, so it is closed, and the next call makes another.
"""

import json
import re
import socket
from contextlib import suppress
from hashlib import md5
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

from drivers.harmony.phone import Phone
from drivers.interface import DriverError, PhoneLost
from drivers.screens.hands import wait_until

_CALL_S = 10.0
_START_S = 20.0
_STEP_S = 0.1
_MODULE = "com.ohos.devicetest.hypiumApiHelper"
_AGENT = "/data/local/tmp/agent.so"
_TCP, _SOCKET = "tcp:8012", "localabstract:uitest_socket"
_SOCKET_SINCE = (6, 0, 2, 2)  # the first uitest after 6.0.2.1, which still listened on a port
_LONGEST = 1 << 26  # a layout of 10,000 components takes 8 MB
_JPEG_HEAD, _JPEG_END = b"\xff\xd8", b"\xff\xd9"
_SHORT = 4096
_DOWN = 17000001  # uitest's code for "the daemon is not there"


class CallTimedOut(PhoneLost):
    """A call had no whole answer at its deadline."""


class UiError(Exception):
    """uitest answered that it could not do it."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class UiTest:
    """uitest's daemon on one phone. Started on first use, and again after the connection was lost."""

    def __init__(self, phone: Phone, agent: Path | None = None) -> None:
        """`agent`: uitest's extension library for hosts, for phones that do not have one yet."""
        self._phone = phone
        self._agent = agent
        self._socket: socket.socket | None = None
        self._forward: tuple[int, str] | None = None
        self._numbers = count(1)

    @property
    def connected(self) -> bool:
        """True while one connection has held: as long as it does, it is the same phone since the same boot."""
        return self._socket is not None

    def call(self, api: str, *arguments: Any, this: str | None = "Driver#0", seconds: float = _CALL_S) -> Any:
        """One call, `Component.click` and the like. Raises UiError, CallTimedOut, PhoneLost."""
        self._start()
        return self._asked("callHypiumApi", api, list(arguments), seconds, this=this, message_type="hypium")

    def layout(self, seconds: float = _CALL_S) -> Any:
        """The component tree, as JSON gave it."""
        self._start()
        return self._asked("Captures", "captureLayout", [], seconds)

    def frame(self, seconds: float = _CALL_S) -> bytes:
        """A JPEG of the screen as it is now. The stream of captures is opened for it and ends after its first picture."""
        self._start()
        until = monotonic() + self._phone.hdc.deadline(seconds)
        _, came = self._raw_answer("Captures", "startCaptureScreen", [], seconds)
        picture, came = self._picture(came, until)
        self._asked("Captures", "stopCaptureScreen", [], seconds, came=came)
        return picture

    def stop(self) -> None:
        """The connection and its forward are given up; the daemon is left to the next one."""
        self._drop()
        forward, self._forward = self._forward, None
        if forward is not None:
            with suppress(PhoneLost, DriverError):
                self._phone.end_forward(*forward)

    # Starting

    def _start(self) -> None:
        if self._socket is not None:
            return
        self.stop()
        self._serve_daemon()
        remote = _SOCKET if _at_least(self._phone.text("uitest --version"), _SOCKET_SINCE) else _TCP
        self._forward = (self._phone.forward(remote), remote)
        until = monotonic() + self._phone.hdc.deadline(_START_S)
        while True:
            try:
                self._connect()
                self._asked("callHypiumApi", "Driver.create", [], _CALL_S, this=None, message_type="hypium")
            except (PhoneLost, UiError) as error:
                self._drop()
                if monotonic() > until:
                    raise PhoneLost(f"{self._phone.address}: uitest does not answer: {error}; see option agent") from error
                wait_until(monotonic() + _STEP_S)  # the daemon listens a moment after its command has returned
            else:
                return

    def _serve_daemon(self) -> None:
        """A daemon of ours runs, with its extension library where one was given."""
        running = [
            line.split() for line in self._phone.text("ps -ef").splitlines() if "uitest" in line and "singleness" in line
        ]
        if self._agent is not None and self._place_agent(self._agent):
            self._phone.text("; ".join(["true", *(f"kill -9 {words[1]}" for words in running if len(words) > 1)]))
            running = []
        if not running:
            self._phone.text("uitest start-daemon singleness")

    def _place_agent(self, agent: Path) -> bool:
        """The phone has this extension library; True when it had another or none before."""
        try:
            wanted = md5(agent.read_bytes(), usedforsecurity=False).hexdigest()
        except OSError as error:
            raise DriverError(f"option agent: {agent} cannot be read: {error}") from error
        if self._phone.text(f"md5sum {_AGENT}").startswith(wanted):
            return False
        self._phone.send(agent, _AGENT, agent.stat().st_size)
        self._phone.text(f"chmod +x {_AGENT}")
        return True

    def _connect(self) -> None:
        if self._forward is None:
            raise PhoneLost(f"{self._phone.address}: no way to uitest")
        try:
            self._socket = socket.create_connection(("127.0.0.1", self._forward[0]), self._phone.hdc.deadline(_CALL_S))
        except OSError as error:
            raise PhoneLost(f"{self._phone.address}: uitest's port does not open: {error}") from error

    def _drop(self) -> None:
        held, self._socket = self._socket, None
        if held is not None:
            held.close()

    # Asking

    def _asked(self, method: str, api: str, arguments: list[Any], seconds: float, came: bytes = b"", **more: Any) -> Any:
        answer, rest = self._raw_answer(method, api, arguments, seconds, came=came, **more)
        if rest.strip():
            self._drop()
            raise PhoneLost(f"{self._phone.address}: {api}: more came than was asked for: {rest[:40]!r}")
        return answer

    def _raw_answer(
        self, method: str, api: str, arguments: list[Any], seconds: float, came: bytes = b"", **more: Any
    ) -> tuple[Any, bytes]:
        """(result, what came after it). Whatever goes wrong but uitest's own "no" ends the connection.

        `came`: what was read before; pictures that were still under way are passed over.
        """
        asked = {
            "module": _MODULE,
            "method": method,
            "params": {"api": api, "args": arguments, **more},
            "request_id": str(next(self._numbers)),
        }
        until = monotonic() + self._phone.hdc.deadline(seconds)
        try:
            self._send(json.dumps(asked, ensure_ascii=False, separators=(",", ":")).encode() + b"\n", until)
            told, rest = self._json(came, until)
            fault = told.get("exception")
            if fault is None:
                return told.get("result"), rest
            code, message = int(fault.get("code", 0)), str(fault.get("message", ""))
        except PhoneLost as lost:
            self._drop()
            raise type(lost)(f"{self._phone.address}: {api}: {lost}") from lost
        except (AttributeError, TypeError, ValueError) as error:
            self._drop()
            raise PhoneLost(f"{self._phone.address}: {api}: the answer is none: {error}") from error
        if code == _DOWN:
            self._drop()
            raise PhoneLost(f"{self._phone.address}: {api}: {message}")
        raise UiError(code, message)

    def _send(self, data: bytes, until: float) -> None:
        held = self._held(until)
        try:
            held.sendall(data)
        except TimeoutError as error:
            raise CallTimedOut("could not be sent in time") from error
        except OSError as error:
            raise PhoneLost(f"the connection broke: {error}") from error

    def _json(self, before: bytes, until: float) -> tuple[dict[str, Any], bytes]:
        """The first JSON object that comes and the bytes after it. It may come in pieces, with or without a line end."""
        came = bytearray(before)
        while True:
            while (end := _picture_end(came)) is not None:
                del came[:end]
            whole = None if came.startswith(_JPEG_HEAD) else _whole_object(came)
            if whole is not None:
                length, told = whole
                return told, bytes(came[length:])
            if len(came) > _LONGEST:
                raise ValueError(f"{len(came)} bytes and no end")
            came += self._more(until)

    def _picture(self, before: bytes, until: float) -> tuple[bytes, bytes]:
        """(the first whole JPEG of the stream, what came after it)."""
        came = bytearray(before.lstrip())
        while (end := _picture_end(came)) is None:
            if len(came) > _LONGEST or not _JPEG_HEAD.startswith(came[: len(_JPEG_HEAD)]):
                self._drop()
                raise PhoneLost(f"{self._phone.address}: no picture among {len(came)} bytes of captures")
            try:
                came += self._more(until)
            except PhoneLost:
                self._drop()
                raise
        return bytes(came[:end]), bytes(came[end:])

    def _more(self, until: float) -> bytes:
        try:
            data = self._held(until).recv(1 << 16)
        except TimeoutError as error:
            raise CallTimedOut("no whole answer in time") from error
        except OSError as error:
            raise PhoneLost(f"the connection broke: {error}") from error
        if not data:
            raise PhoneLost("the connection ended in the middle of an answer")
        return data

    def _held(self, until: float) -> socket.socket:
        left = until - monotonic()
        if self._socket is None:
            raise PhoneLost("there is no connection")
        if left <= 0:
            raise CallTimedOut("no whole answer in time")
        self._socket.settimeout(left)
        return self._socket


def _picture_end(came: bytearray) -> int | None:
    """The length of the JPEG at the beginning of `came`; None when there is none, or not all of it yet."""
    if not came.startswith(_JPEG_HEAD):
        return None
    end = came.find(_JPEG_END)  # within a picture the letters of its end are always told apart by a zero
    return end + len(_JPEG_END) if end >= 0 else None


def _whole_object(came: bytearray) -> tuple[int, dict[str, Any]] | None:
    """(its end, the object) when `came` begins with a whole JSON object; None while more has to come. Raises ValueError."""
    ends = bytes(came[-1:]).strip() in (b"", b"}") or _JPEG_HEAD in came[:_SHORT]
    if len(came) > _SHORT and not ends:
        return None  # most pieces of a long answer end elsewhere: they need not be read
    text = came.decode("utf-8", "surrogateescape")
    begun = text.lstrip()
    if begun and not begun.startswith("{"):
        raise ValueError(f"it begins with {bytes(came[:20])!r}")
    try:
        told, end = json.JSONDecoder().raw_decode(begun)
    except json.JSONDecodeError:
        if begun.endswith("\n"):
            raise
        return None
    return len(came) - len(begun[end:].encode("utf-8", "surrogateescape")), told


def _at_least(version: str, wanted: tuple[int, ...]) -> bool:
    """True when the last line of `version` is a version number not below `wanted`."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version.splitlines()[-1] if version else ""))
    return numbers >= wanted
