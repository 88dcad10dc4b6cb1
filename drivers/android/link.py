"""Connections to the adb server under one deadline a call, and the one place where foreign exceptions become ours.

adbutils gives each socket 600 s and uiautomator2 ignores the timeout it is given (its issue #1069), so a wedged phone would
block a thread for ten minutes. Here every connection opened inside `Client.within` is shut down when the time is up: the
blocked read ends at once, however deep in a library it sits. TCP_NODELAY takes a call from 53 to 11 ms.
"""

import http.client
import json
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from heapq import heappop, heappush
from itertools import count
from time import monotonic
from typing import Any

import adbutils
import uiautomator2.exceptions as u2
from adbutils import AdbClient, AdbConnection

from drivers.interface import DriverError, PhoneLost


class CallTimedOut(PhoneLost):
    """A call to the phone did not end in its time."""


class NotFound(Exception):
    """The element a call was made for is not on the screen."""


class AutomationDown(PhoneLost):
    """The UI automation on the phone does not work, though the connection may."""


class _Watch:
    """The connections opened by one call; all are shut down when its time is up."""

    def __init__(self, seconds: float) -> None:
        self.ends_at = monotonic() + seconds
        self.expired = False
        self.over = False
        self._sockets: list[socket.socket] = []
        self._guard = threading.Lock()
        _WATCHDOG.watch(self)

    def add(self, link: socket.socket) -> None:
        with self._guard:
            self._sockets.append(link)
        if self.expired:
            self._shut()

    def close(self) -> None:
        """The connections of a call that failed are of no use; the libraries forget to close theirs."""
        self._shut()
        with self._guard:
            for link in self._sockets:
                link.close()

    def cancel(self) -> None:
        self.over = True
        with self._guard:
            self._sockets.clear()

    def expire(self) -> None:
        if not self.over:
            self.expired = True
            self._shut()

    def _shut(self) -> None:
        with self._guard:
            for link in self._sockets:
                with suppress(OSError):
                    link.shutdown(socket.SHUT_RDWR)


class _Watchdog:
    """One thread for the deadlines of all calls: a thread for each would cost more than many of the calls."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: list[tuple[float, int, _Watch]] = []
        self._numbers = count()
        self._thread: threading.Thread | None = None

    def watch(self, watch: _Watch) -> None:
        """The watch is expired when its time comes, unless it is over by then."""
        with self._changed:
            heappush(self._queue, (watch.ends_at, next(self._numbers), watch))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
                self._thread.start()
            elif self._queue[0][2] is watch:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            for watch in self._due():
                watch.expire()

    def _due(self) -> list[_Watch]:
        with self._changed:
            while not self._queue or self._queue[0][0] > monotonic():
                self._changed.wait(self._queue[0][0] - monotonic() if self._queue else None)
            due = []
            while self._queue and self._queue[0][0] <= monotonic():
                due.append(heappop(self._queue)[2])
            return due


_WATCHDOG = _Watchdog()


class _Link(AdbConnection):  # type: ignore[misc] # adbutils ships no types
    """A connection to the adb server that never starts one: that would be the user's, on the user's port."""

    def __init__(self, port: int) -> None:
        self._port = port  # before the base class, which connects
        super().__init__("127.0.0.1", port)

    def _safe_connect(self) -> socket.socket:
        link = socket.create_connection(("127.0.0.1", self._port))  # closes what could not connect; adbutils' own leaks it
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return link


class Client(AdbClient):  # type: ignore[misc] # adbutils ships no types
    """adbutils' client with the deadlines above. One thread uses it.

    `scale` multiplies every deadline, for hosts and cables that are slower or better than the ones these were chosen for.
    """

    def __init__(self, port: int, scale: float = 1.0) -> None:
        super().__init__(host="127.0.0.1", port=port)
        self._scale = scale
        self._watch: _Watch | None = None
        self._version: int | None = None

    def server_version(self) -> int:
        """Asked once: adbutils asks before every transport."""
        if self._version is None:
            self._version = int(super().server_version())
        return self._version

    def make_connection(self, timeout: float | None = None) -> Any:
        """A connection that the current deadline watches; `timeout` of the library is not used."""
        watch = self._watch
        if watch is None or watch.expired:
            raise adbutils.AdbTimeout("no time left for this call")
        link = _Link(self.port)
        watch.add(link.conn)
        return link

    @contextmanager
    def within(self, seconds: float, doing: str) -> Generator[None]:
        """Runs one call under a deadline; what it raises comes out as PhoneLost, AutomationDown, NotFound or CallTimedOut."""
        outer = self._watch
        seconds *= self._scale
        if outer is not None:
            seconds = min(seconds, max(0.01, outer.ends_at - monotonic()))
        self._watch = watch = _Watch(seconds)
        try:
            yield
        except _FOREIGN as error:
            watch.close()
            raise _translated(error, doing, seconds, watch.expired) from error
        except BaseException:
            watch.close()
            raise
        finally:
            watch.cancel()
            self._watch = outer
        if watch.expired:
            raise CallTimedOut(f"{doing}: no answer in {seconds:.0f} s")


_FOREIGN = (
    adbutils.AdbError,
    u2.BaseException,
    OSError,
    EOFError,
    http.client.HTTPException,
    json.JSONDecodeError,
)


def _translated(error: Exception, doing: str, seconds: float, expired: bool) -> Exception:
    if expired or isinstance(error, TimeoutError | adbutils.AdbTimeout):
        return CallTimedOut(f"{doing}: no answer in {seconds:.0f} s")
    if isinstance(error, u2.UiObjectNotFoundError):
        return NotFound(f"{doing}: the element is not on the screen")
    if isinstance(error, u2.InjectPermissionError) or "INJECT_EVENTS" in str(error):
        return DriverError(
            f"{doing}: the phone refuses touches; allow 'USB debugging (Security settings)' in its developer options"
        )
    if isinstance(error, u2.BaseException | json.JSONDecodeError | http.client.HTTPException):
        return AutomationDown(f"{doing}: {_said(error)}")
    return PhoneLost(f"{doing}: {_said(error)}")


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip() or 'without words'}"[:300]
