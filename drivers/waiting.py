"""Waiting for a phone that went away, and for one to go."""

from collections.abc import Callable
from time import monotonic

from tenacity import (
    RetryError,
    Retrying,
    retry_if_exception_type,
    retry_if_result,
    stop_after_attempt,
    stop_after_delay,
    wait_exponential,
    wait_fixed,
)

from drivers.interface import DriverError, PhoneLost


def tries(count: int) -> Retrying:
    """At most so many, each some time after the one before, as long as they end in PhoneLost; the last one's is raised."""
    return Retrying(
        stop=stop_after_attempt(count),
        wait=wait_exponential(0.3, max=5),
        retry=retry_if_exception_type(PhoneLost),
        reraise=True,
    )


def wait_until_gone(address: str, uptime: Callable[[], float | None], since: float, seconds: float, pace_s: float) -> None:
    """The phone's `uptime` (s) is lost, or tells of a start after `since` (monotonic s). Raises DriverError."""

    def still_up() -> bool:
        try:
            up_s = uptime()
        except PhoneLost:
            return False
        return up_s is None or up_s > monotonic() - since

    try:
        Retrying(stop=stop_after_delay(seconds), wait=wait_fixed(pace_s / 4), retry=retry_if_result(bool))(still_up)
    except RetryError as error:
        raise DriverError(f"{address}: did not restart within {seconds:.0f} s of the reset: look at its screen") from error
