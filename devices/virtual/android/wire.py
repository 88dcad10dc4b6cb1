"""The cable between the host and one virtual phone, with what can be wrong about it."""

import asyncio
from dataclasses import dataclass, field


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


@dataclass(slots=True)
class Wire:
    """The state of a phone's connection; every ADB packet in either direction passes through `pass_through`."""

    authorised: bool = True
    """False: the phone shows "Allow USB debugging?" and the host sees it as `unauthorized`."""
    delay_s: float = 0.0
    """Added to each packet: a bad hub or a busy phone."""
    flowing: asyncio.Event = field(default_factory=_set_event)
    """Cleared while the phone is connected but never answers."""
    allowed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the authorisation dialog is answered."""

    def allow(self) -> None:
        """Somebody tapped "Always allow": waiting hosts are let in."""
        self.authorised = True
        self.allowed.set()

    def forbid(self) -> None:
        """The host's key is forgotten: the next connection has to be allowed."""
        self.authorised = False
        self.allowed.clear()

    async def pass_through(self) -> None:
        """Returns when a packet may go on."""
        if not self.flowing.is_set():
            await self.flowing.wait()
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
