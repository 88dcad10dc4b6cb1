"""The lab's control socket, for people and tests: what was truly shown, and faults. The rig never uses it during a run.

One JSON line asked, one JSON line answered, on loopback:

    {"token": …, "do": "shown", "phone": "phone-1"}
    {"token": …, "do": "fault", "phone": "phone-1", "name": "drop", "options": {"seconds": 5}}

An answer has `error` when it could not be done. The token keeps other users of the host away.
"""

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devices.virtual.description import LabError

CONTROL_FILE = "control.json"
"""In the lab's folder: where its control socket is."""
TIMEOUT_S = 30.0
"""A phone that is busy with an album of thousands answers later than an idle one."""
LONGEST_ANSWER = 1 << 26


@dataclass(frozen=True, slots=True)
class ControlAddress:
    """Where a lab listens, and the secret that it wants to hear."""

    host: str
    port: int
    token: str

    def write(self, file: Path) -> None:
        """The file holds the address and is readable by its owner only."""
        text = json.dumps({"address": f"{self.host}:{self.port}", "token": self.token})
        part = file.with_suffix(".part")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
        part.replace(file)


def read_address(file: Path) -> ControlAddress:
    """The address in a lab's control.json. Raises LabError."""
    try:
        told = json.loads(file.read_text("utf-8"))
        host, _, port = told["address"].rpartition(":")
        return ControlAddress(host, int(port), told["token"])
    except FileNotFoundError as error:
        raise LabError(f"no lab is described in {file}; start one with: rig lab up") from error
    except (OSError, ValueError, KeyError) as error:
        raise LabError(f"{file} is not a lab's control file: {error}") from error


class Control:
    """Asks a lab. Raises LabError when it cannot, or when the lab says no."""

    def __init__(self, address: ControlAddress) -> None:
        self._address = address

    def ask(self, do: str, phone: str = "", **more: Any) -> dict[str, Any]:
        """The lab's answer to one request."""
        asked = {"token": self._address.token, "do": do, "phone": phone, **more}
        try:
            with socket.create_connection((self._address.host, self._address.port), TIMEOUT_S) as connection:
                connection.sendall(json.dumps(asked).encode() + b"\n")
                with connection.makefile("rb") as answers:
                    line = answers.readline(LONGEST_ANSWER)
        except OSError as error:
            where = f"{self._address.host}:{self._address.port}"
            raise LabError(f"the lab at {where} does not answer: {error}; start one with: rig lab up") from error
        answered = json.loads(line) if line else {"error": "the lab hung up"}
        if "error" in answered:
            raise LabError(str(answered["error"]))
        return dict(answered)

    def status(self) -> dict[str, Any]:
        """How each phone is."""
        return self.ask("status")

    def shown(self, phone: str) -> dict[str, Any]:
        """What a phone has truly shown."""
        return self.ask("shown", phone)

    def fault(self, phone: str, name: str, **options: Any) -> None:
        """A fault of a phone begins."""
        self.ask("fault", phone, name=name, options=options)

    def clear(self, phone: str) -> None:
        """A phone's faults end."""
        self.ask("clear", phone)

    def swap(self, phone: str, other: str) -> None:
        """Two phones change their cables: each answers where the other did."""
        self.ask("swap", phone, other=other)


def as_options(told: Mapping[str, str]) -> dict[str, Any]:
    """Options as a person types them: numbers and true/false become such."""
    return {name: _value(text) for name, text in told.items()}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
