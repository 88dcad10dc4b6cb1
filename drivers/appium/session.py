"""One session of an Appium server under the rig's own deadlines, and the one place where its client's exceptions become ours.

The client library repeats a GET whose answer does not come and waits for ever by default; here each call has its time and is
made once. A session is opened under a lock: the library keeps the key by which the server tells a repeated request from a new
one in its *class*, so that two threads opening at once could be given one phone.
"""

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import urllib3
import urllib3.exceptions as http
from appium import webdriver
from appium.options.common import AppiumOptions
from appium.webdriver.client_config import AppiumClientConfig
from selenium.common import exceptions as selenium

from drivers.interface import DriverError, PhoneLost

T = TypeVar("T")

CALL_S = 10.0
_START_S = 180.0  # three APKs over a slow cable, and a person who has to allow them
_STOP_S = 12.0  # the server gives the one on the phone 5 s to end
_OPENING = threading.Lock()

# Words of errors that only a person can put right → what to do.
_BY_HAND = {
    "INSTALL_FAILED_USER_RESTRICTED": "allow 'Install via USB' in the phone's developer options",
    "INJECT_EVENTS": "allow 'USB debugging (Security settings)' in the phone's developer options",
    "adb_shell": "start the server with --allow-insecure=uiautomator2:adb_shell, or let the rig use adb itself",
    "Could not find a driver": "install the driver where the server runs: appium driver install uiautomator2 (or xcuitest)",
}
_NOT_THERE = ("was not in the list of connected devices", "Could not find a connected", "device offline", "not found: device")


class TimedOut(PhoneLost):
    """A call did not end in its time."""


class SessionDown(PhoneLost):
    """The session does not work, though the server may."""


class NoElement(Exception):
    """The element a call was made for is not on the screen."""


class NoPicture(Exception):
    """The phone gave no screenshot."""


class Declined(Exception):
    """The server answered, and what it said is an error: its W3C name is `name`. The session goes on."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class Session:
    """A session with one phone. Opened on first use, and again after it broke. One thread uses it."""

    def __init__(
        self, url: str, address: str, capabilities: Mapping[str, Any], settings: Mapping[str, Any], scale: float = 1.0
    ):
        """`settings` are Appium's, set in every new session; `scale` multiplies every deadline."""
        self._url, self.address, self._scale = url, address, scale
        self._capabilities, self._settings = dict(capabilities), dict(settings)
        self._config = AppiumClientConfig(
            remote_server_addr=url,
            timeout=CALL_S,
            init_args_for_pool_manager={"init_args_for_pool_manager": {"retries": False}},
        )
        self._driver: webdriver.Remote | None = None

    def call(self, work: Callable[[webdriver.Remote], T], doing: str, seconds: float = CALL_S) -> T:
        """`work` done with the session. Raises PhoneLost and its kinds, DriverError, NoElement, NoPicture, Declined."""
        driver = self._opened()
        try:
            with self._within(seconds, doing):
                return work(driver)
        except PhoneLost:
            self.close()
            raise

    def run(self, script: str, arguments: Mapping[str, Any], seconds: float = CALL_S) -> Any:
        """A `mobile:` command. Raises as `call`."""
        return self.call(lambda driver: driver.execute_script(f"mobile: {script}", dict(arguments)), script, seconds)

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None, seconds: float = CALL_S) -> Any:
        """A route of the session, such as /wda/tap, which the server hands on where it is the agent's. Raises as `call`."""

        def ask(driver: webdriver.Remote) -> Any:
            name = f"{method} {path}"
            add_command: Callable[[str, str, str], None] = driver.command_executor.add_command
            add_command(name, method, f"/session/$sessionId{path}")
            return driver.execute(name, dict(body or {}))["value"]

        return self.call(ask, f"{method} {path}", seconds)

    def close(self) -> None:
        """The session is ended and forgotten; the next call opens another."""
        driver, self._driver = self._driver, None
        if driver is not None:
            with suppress(PhoneLost, DriverError, Declined), self._within(_STOP_S, "end the session"):
                driver.quit()

    def _opened(self) -> webdriver.Remote:
        if self._driver is None:
            options = AppiumOptions().load_capabilities(self._capabilities)
            with _OPENING, self._within(_START_S, "open a session"):
                driver = webdriver.Remote(options=options, client_config=self._config)
            self._driver = driver
            self.call(lambda opened: opened.update_settings(self._settings), "set the session's settings")
        return self._driver

    @contextmanager
    def _within(self, seconds: float, doing: str) -> Generator[None]:
        seconds *= self._scale
        self._config.timeout = seconds
        try:
            yield
        except (selenium.WebDriverException, http.HTTPError, OSError) as error:
            raise self._translated(error, doing, seconds) from error

    def _translated(self, error: Exception, doing: str, seconds: float) -> Exception:
        what = f"{self.address}: {doing}"
        nobody = isinstance(error, http.NewConnectionError)  # to urllib3 one kind of a timeout
        if isinstance(error, http.TimeoutError | TimeoutError) and not nobody:
            return TimedOut(f"{what}: no answer from Appium in {seconds:.0f} s")
        if not isinstance(error, selenium.WebDriverException):
            return PhoneLost(f"{what}: {_nobody(self._url)}: {_said(error)}")
        if isinstance(error, _NO_ELEMENT):
            return NoElement(f"{what}: the element is not on the screen")
        if isinstance(error, selenium.ScreenshotException):
            return NoPicture(f"{what}: {_said(error)}")
        return self._of_the_server(error, what)

    def _of_the_server(self, error: selenium.WebDriverException, what: str) -> Exception:
        said = str(error)
        for words, remedy in _BY_HAND.items():
            if words in said:
                return DriverError(f"{what}: {_said(error)}; {remedy}")
        if any(words in said for words in _NOT_THERE):
            return PhoneLost(f"{what}: the Appium server at {self._url} does not see this phone: {_said(error)}")
        if isinstance(error, _ENDED) or any(words in said for words in _BROKEN):
            return SessionDown(f"{what}: {_said(error)}")
        return Declined(type(error).__name__, f"{what}: {_said(error)}")


_ENDED = (selenium.InvalidSessionIdException, selenium.SessionNotCreatedException)
_BROKEN = ("instrumentation process is not running", "Could not proxy", "cannot be proxied", "socket hang up", "ECONNREFUSED")
_NO_ELEMENT = (
    selenium.NoSuchElementException,
    selenium.StaleElementReferenceException,
    selenium.InvalidElementStateException,
)


def require_server(url: str) -> None:
    """Raises DriverError when no Appium server answers at `url`."""
    try:
        answer = urllib3.request("GET", f"{url.rstrip('/')}/status", timeout=CALL_S, retries=False)
        ready = isinstance(answer.json().get("value"), dict)
    except (http.HTTPError, OSError, ValueError, AttributeError) as error:
        raise DriverError(f"{_nobody(url)}: {_said(error)}") from error
    if not ready:
        raise DriverError(f"{_nobody(url)}: what listens there is another program")


def _nobody(url: str) -> str:
    return f"no Appium server answers at {url}; start it, or check the option appium"


def _said(error: Exception) -> str:
    words = getattr(error, "msg", None) or str(error)
    return f"{type(error).__name__}: {str(words).strip().splitlines()[0] if str(words).strip() else 'without words'}"[:300]
