"""Options of a lab file that mean the same on every platform; what cannot be meant is refused by name."""

from collections.abc import Mapping

from drivers.interface import DriverError


def deadline_scale(options: Mapping[str, str]) -> float:
    """What every deadline is multiplied by. Raises DriverError."""
    try:
        scale = float(options.get("deadline_scale", "1"))
    except ValueError:
        scale = 0.0
    if scale <= 0:
        raise DriverError(f"option deadline_scale is {options['deadline_scale']!r}: expected a number above 0")
    return scale


def read_port(options: Mapping[str, str], name: str) -> int | None:
    """The port that the option `name` says; None when it is not given. Raises DriverError."""
    told = options.get(name, "")
    if told and not told.isdigit():
        raise DriverError(f"option {name} is {told!r}: expected a port number")
    return int(told) if told else None


def ways_to_reset(options: Mapping[str, str]) -> tuple[str, ...]:
    """The ways that may be used, in this order; empty when the lab file leaves the choice to the driver."""
    return tuple(options.get("reset", "").replace(",", " ").split())
