"""What goes on beside a phone's answers: coming back from a restart, an import, a fault that waits."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Errands:
    """Work under way, held until it ends; asyncio itself would forget it."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """`work` goes on until it ends or all of it is stopped."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Nothing goes on."""
        for task in self._tasks:
            task.cancel()
