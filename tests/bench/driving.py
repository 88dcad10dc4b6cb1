"""What the Android driver costs on an ideal phone: searches beside their bare protocol calls, a push beside plain adb's.

Run with `python -m tests.bench.driving [--searches N]`. The phone is virtual, at ten times its speed; ratios are of one run.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import monotonic

from devices.virtual.lab import running_lab
from drivers.android.driver import open_driver, open_transport
from drivers.android.link import Client
from drivers.android.server import end_server
from drivers.android.transport import Transport
from drivers.interface import Ask, PushItem
from drivers.phone import PhoneDriver
from rig.config import load_profile

sys.path.insert(0, str(Path(__file__).parents[1] / "contract"))
from bench import private_adb_server
from marked_album import Marked, make_album

PHOTOS = tuple(Marked(f"IMG_{number:04}.jpg", number, ("beach",) if number > 12 else ("cat",)) for number in range(1, 111))
TEXTS = ("cat", "beach", "nothing like it")
"""Twelve results on one screen, nearly a hundred on many, and nothing."""
SEARCH_GOAL, PUSH_GOAL = 1.3, 0.9
MANY_BYTES, FILES = 1_500_000, 200
"""About what a phone's photos weigh."""
STILL_S = 0.15
"""Two equal frames must lie this far apart: a wait that any rig needs, counted with the bare calls."""

LAB = 'name = "ideal"\n[[phone]]\nname = "ideal"\nplatform = "android"\nskin = "xiaomi"\nprofile = "xiaomi"\nspeed = 10.0\n'


class Meter:
    """Adds up the time spent inside calls to the phone; calls within calls count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0

    @contextmanager
    def installed(self) -> Iterator[None]:
        """While the block runs, every call is timed."""
        real = Client.within
        meter = self

        @contextmanager
        def timed(self: Client, seconds: float, doing: str) -> Iterator[None]:
            began = monotonic()
            meter._depth += 1
            try:
                with real(self, seconds, doing):
                    yield
            finally:
                meter._depth -= 1
                if meter._depth == 0:
                    meter.seconds += monotonic() - began

        Client.within = timed
        try:
            yield
        finally:
            Client.within = real


def search(driver: PhoneDriver, text: str) -> int:
    """Reads a search to its end; returns how many screens it had."""
    screens = driver.search(text)
    number, ask = 0, None
    while True:
        try:
            screens.send(ask)
        except StopIteration:
            return number
        number, ask = number + 1, Ask.ON


def bench_searches(driver: PhoneDriver, rounds: int) -> bool:
    """Prints the ratio for each text; True when all reach the goal."""
    good = True
    for text in TEXTS:
        ratios, walls = [], []
        for _ in range(rounds):
            meter = Meter()
            began = monotonic()
            with meter.installed():
                screens = search(driver, text)
            walls.append(monotonic() - began)
            ratios.append(walls[-1] / (meter.seconds + STILL_S * max(1, screens)))
        good &= median(ratios) <= SEARCH_GOAL
        sys.stdout.write(
            f"search {text!r}: {median(walls):.2f} s, {screens} screens, "
            f"{median(ratios):.2f} × its bare calls (goal ≤ {SEARCH_GOAL})\n"
        )
    return good


def bench_push(driver: PhoneDriver, phone: Transport, items: Sequence[PushItem]) -> bool:
    """Prints the driver's push beside `adb push`; True when the goal is reached."""
    megabytes = sum(item.size_bytes for item in items) / 1e6
    folder = items[0].path.parent
    began = monotonic()
    subprocess.run(
        phone.server.command("-s", phone.address, "push", f"{folder}/.", "/data/local/tmp/plain"),
        env=phone.server.environment,
        capture_output=True,
        check=True,
    )
    plain = megabytes / (monotonic() - began)
    began = monotonic()
    driver.push(items, lambda _done, _total: None)
    ours = megabytes / (monotonic() - began)
    sys.stdout.write(f"push: {ours:.0f} MB/s, plain adb push {plain:.0f} MB/s, ratio {ours / plain:.2f} (goal ≥ {PUSH_GOAL})\n")
    return ours / plain >= PUSH_GOAL


def heavy(items: Sequence[PushItem]) -> tuple[PushItem, ...]:
    """The same photos made as heavy as a phone's, by bytes after the picture's end that no decoder reads."""
    weighed = []
    for item in items:
        data = item.path.read_bytes() + bytes(MANY_BYTES)
        item.path.write_bytes(data)
        weighed.append(replace(item, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest()))
    return tuple(weighed)


def main() -> None:
    """Prints the figures; exits 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=5, help="searches of each text")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "ideal.toml").write_text(LAB, "utf-8")
        items = make_album(folder / "album", PHOTOS)
        extra = tuple(Marked(f"HEAVY_{number:04}.jpg", number, ("dog",)) for number in range(1, FILES + 1))
        with private_adb_server(), running_lab(str(folder / "ideal.toml"), folder / "lab") as control:
            address = str(control.ask("status", "ideal")["address"])
            driver, phone = open_driver(address, load_profile("xiaomi"), {}), open_transport(address, {})
            try:
                driver.push(items, lambda _done, _total: None)
                good = bench_searches(driver, options.searches)
                good &= bench_push(driver, phone, heavy(make_album(folder / "heavy", extra)))
            finally:
                driver.close()
                end_server(phone.server)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
