"""The reading of many photos at once, in order, by worker processes that may die or hang without harm."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from matching.decode import MAX_PIXELS
from matching.index_files import ROW_BYTES, Row, row_from_bytes

READ_LIMIT_S = 120.0
"""A 200 megapixel HEIC decodes in some 9 s on one core (45 ms a megapixel); ten times that, for a busy host."""
_PHOTOS_WORTH_A_PROCESS = 8
"""A worker takes half a second to start, the time of some ten photos."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held: a row with its size and detail, or the reason why it holds no picture."""

    sha256: str
    reason: str | None
    row: Row | None = None
    width: int = 0
    height: int = 0
    detail: float = 0.0
    taken: str = ""


def read_photos(
    paths: Iterable[Path], *, count: int, workers: int | None = None, limit_s: float = READ_LIMIT_S
) -> Iterator[Reading]:
    """A reading of each path, in order. `count` says how many there are, `workers` how many processes (all cores)."""
    wanted = workers if workers is not None else (os.cpu_count() or 1)
    crew = max(1, min(wanted, -(-count // _PHOTOS_WORTH_A_PROCESS)))
    idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    hands = [_Worker(limit_s) for _ in range(crew)]
    for hand in hands:
        idle.put(hand)

    def read(path: Path) -> Reading:
        hand = idle.get()
        try:
            return hand.read(path)
        finally:
            idle.put(hand)

    try:
        with ThreadPoolExecutor(crew) as pool:
            yield from _in_order(pool, read, paths, ahead=4 * crew)
    finally:
        for hand in hands:
            hand.close()


def _in_order(
    pool: ThreadPoolExecutor, read: Callable[[Path], Reading], paths: Iterable[Path], ahead: int
) -> Iterator[Reading]:
    waiting: deque[Future[Reading]] = deque()
    for path in paths:
        waiting.append(pool.submit(read, path))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


class _Worker:
    """One worker process, started when first needed and again after it died."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, path: Path) -> Reading:
        process = self._running()
        too_late = threading.Event()

        def end() -> None:
            too_late.set()
            process.kill()

        timer = threading.Timer(self._limit_s, end)
        timer.start()
        try:
            return self._ask(process, path)
        except (OSError, ValueError):
            code = self._ended()
            if too_late.is_set():
                return Reading("", f"decoding it took longer than {self._limit_s:.0f} s")
            return Reading("", f"its decoder crashed (exit code {code})")
        finally:
            timer.cancel()

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None and process.stdout is not None:
            process.stdin.close()
            process.wait()
            process.stdout.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            home = str(Path(__file__).resolve().parents[1])
            before = os.environ.get("PYTHONPATH")
            environment = os.environ | {"PYTHONPATH": home if not before else home + os.pathsep + before}
            self._process = subprocess.Popen(
                [sys.executable, "-m", "matching.index_worker", str(MAX_PIXELS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        return self._process

    def _ask(self, process: subprocess.Popen[bytes], path: Path) -> Reading:
        if process.stdin is None or process.stdout is None:
            raise OSError("the worker has no pipes")
        process.stdin.write(json.dumps(str(path)).encode("ascii") + b"\n")
        process.stdin.flush()
        said = json.loads(process.stdout.readline())
        if "reason" in said:
            return Reading(said["sha256"], said["reason"])
        data = process.stdout.read(ROW_BYTES)
        if len(data) != ROW_BYTES:
            raise OSError("the worker's answer is cut")
        return Reading(said["sha256"], None, row_from_bytes(data), said["width"], said["height"], said["detail"], said["taken"])

    def _ended(self) -> int:
        process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return 0
        process.kill()
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        return process.wait()
