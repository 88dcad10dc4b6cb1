"""Errors as WebDriver names them, with their HTTP status."""


class WdaError(Exception):
    """`status` and `error` go into the answer."""

    def __init__(self, status: int, error: str, message: str) -> None:
        super().__init__(message)
        self.status, self.error = status, error


def no_such_element(what: str) -> WdaError:
    """Nothing fits."""
    return WdaError(404, "no such element", f"unable to find an element using {what}")


def stale_element() -> WdaError:
    """It was there and is not any more."""
    return WdaError(404, "stale element reference", "The previously found element is not present in the current view anymore")


def invalid_session() -> WdaError:
    """No such session."""
    return WdaError(404, "invalid session id", "Session does not exist")


def no_such_alert() -> WdaError:
    """No alert is open."""
    return WdaError(404, "no such alert", "An attempt was made to operate on a modal dialog when one was not open")


def unknown_command(path: str) -> WdaError:
    """No such route."""
    return WdaError(404, "unknown command", f"Unhandled endpoint: {path}")


def invalid_selector(what: str) -> WdaError:
    """A predicate or class chain that cannot be read."""
    return WdaError(400, "invalid selector", what)


def invalid_argument(what: str) -> WdaError:
    """A body that does not fit."""
    return WdaError(400, "invalid argument", what)


def keyboard_missing() -> WdaError:
    """Keys without a keyboard."""
    return WdaError(
        400,
        "invalid element state",
        'Error Domain=com.facebook.WebDriverAgent Code=1 "The on-screen keyboard must be present to send keys"',
    )
