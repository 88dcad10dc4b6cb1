"""A port of this host that leads to a port of one phone, so that libraries with deadlines for TCP only can be held to them."""

import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from drivers.interface import DriverError

_BLOCK = 1 << 18


class Forward:
    """Listens on loopback until `close`; each connection is led on by a thread of its own."""

    def __init__(self, dial: Callable[[], socket.socket]) -> None:
        """`dial` connects to the phone's port. Raises DriverError, which ends the connection that wanted it."""
        self._dial = dial
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, name=f"forward {self.address}", daemon=True).start()

    def close(self) -> None:
        """Nothing listens any more."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._lead, args=(client,), name=f"led by {self.address}", daemon=True).start()

    def _lead(self, client: socket.socket) -> None:
        with client, suppress(OSError, DriverError), self._dial() as phone:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            phone.settimeout(None)
            other = {client: phone, phone: client}
            while True:
                for ready in select.select([client, phone], [], [])[0]:
                    data = ready.recv(_BLOCK)
                    if not data:
                        return
                    other[ready].sendall(data)
