"""A phone's end of its cable: one loopback port, at which the phone answers while the cable is in."""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from typing import Any

HOST = "127.0.0.1"
Accept = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


class Cable:
    """Listens while it is plugged in."""

    def __init__(self, accept: Accept, cut: Callable[[], None], longest: int) -> None:
        """`accept` serves a connection, `cut` ends every one there is, `longest` bounds what is read of one at once (bytes)."""
        self._accept, self._cut, self._longest = accept, cut, longest
        self._server: asyncio.Server | None = None
        self._kept: socket.socket | None = None
        self.port = 0

    @property
    def address(self) -> str:
        """Where the host reaches the phone."""
        return f"{HOST}:{self.port}"

    async def plug(self, port: int = 0) -> int:
        """The phone can be connected to on loopback; returns the port (the one given, or one the OS chose)."""
        if self._server is None:
            self._free_port()
            self._server = await asyncio.start_server(self._accept, HOST, port, limit=self._longest)
            self.port = int(self._server.sockets[0].getsockname()[1])
        return self.port

    def unplug(self, *, keep_port: bool = True) -> None:
        """Connections are cut and refused until `plug`. The port is kept from other programs, or else free for them."""
        if self._server is not None:
            self._server.close()
            self._server = None
            if keep_port:
                self._keep_port()
        elif not keep_port:
            self._free_port()
        self._cut()

    def leave(self, away_s: float, meanwhile: Callable[[], None]) -> Coroutine[Any, Any, None]:
        """The cable is out; the work that is returned does `meanwhile`, and puts it in again after `away_s`."""
        port = self.port
        self.unplug()

        async def come_back() -> None:
            meanwhile()
            await asyncio.sleep(away_s)
            await self.plug(port)

        return come_back()

    def _keep_port(self) -> None:
        """The port is bound but does not listen: the host is refused, and no outgoing connection can be given its number."""
        self._kept = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._kept.bind((HOST, self.port))

    def _free_port(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None
