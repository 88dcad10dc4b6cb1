"""What is going on now: a board the phones' threads write on, drawn as a live table on a terminal, as plain lines elsewhere."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

HEARTBEAT_S = 60.0
"""One plain line a phone this often where there is no terminal."""


@dataclass(frozen=True, slots=True)
class Asks:
    """What a person is asked to do at a phone, which the lab calls `name`."""

    name: str
    checklist: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PhoneLine:
    """What one phone is doing. None is unknown."""

    letter: str
    virtual: bool = False
    album: str = ""
    phase: str = "waiting"
    done: int = 0
    total: int = 0
    answered: int = 0
    invalid: int = 0
    retried: int = 0
    battery_percent: int | None = None
    temperature_c: float | None = None
    eta_s: float | None = None
    error: str = ""
    """The last thing that went wrong, in words."""
    asks: Asks | None = None
    """What a person is to do before it can go on."""

    @property
    def doing(self) -> str:
        """Its phase, or that it waits for a person."""
        return self.phase if self.asks is None else f"{self.phase}: waits for you"

    def as_text(self) -> str:
        """One plain line."""
        battery = "" if self.battery_percent is None else f" · battery {self.battery_percent} %"
        eta = "" if self.eta_s is None else f" · {spoken_time(self.eta_s)} left"
        error = f" · {self.error}" if self.error else ""
        return _plain(
            f"Phone {self.letter}{' (virtual)' if self.virtual else ''} · {self.album} · {self.doing} {self.done}/{self.total}"
            f" · ok {self.answered} invalid {self.invalid} retried {self.retried}{battery}{eta}{error}"
        )


class Board:
    """The lines of all phones. Any thread may write, any may read."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lines: dict[str, PhoneLine] = {}

    def update(self, letter: str, **changes: Any) -> None:
        """Changes fields of a phone's `PhoneLine`; a new letter gets a new line."""
        with self._lock:
            self._lines[letter] = replace(self._lines.get(letter, PhoneLine(letter)), **changes)

    def count(self, letter: str, **steps: int) -> None:
        """Adds to counting fields of a phone's `PhoneLine`."""
        with self._lock:
            line = self._lines.get(letter, PhoneLine(letter))
            self._lines[letter] = replace(line, **{name: getattr(line, name) + step for name, step in steps.items()})

    def lines(self) -> tuple[PhoneLine, ...]:
        """All lines, by letter."""
        with self._lock:
            return tuple(self._lines[letter] for letter in sorted(self._lines))


@contextlib.contextmanager
def shown(board: Board, console: Console, elapsed_s: Callable[[], float]) -> Iterator[Callable[[], None]]:
    """The board on `console` while the block runs; call what it yields now and then, from one thread.

    A terminal gets a live table; anything else a line for each phone whenever its phase or last error changes, and each minute.
    What a person is asked to do is printed once, above the table.
    """
    calls = _Calls(board, console, elapsed_s)
    if console.is_terminal:
        with Live(_table(board), console=console, refresh_per_second=4, transient=False) as live:

            def draw() -> None:
                calls()
                live.update(_table(board))

            yield draw
            draw()
    else:
        heartbeat = _Heartbeat(board, console, elapsed_s)

        def beat() -> None:
            calls()
            heartbeat()

        yield beat
        beat()


class _Calls:
    """Prints what a person is asked to do at a phone, and that it is over. Above a live table, rich leaves the table whole."""

    def __init__(self, board: Board, console: Console, elapsed_s: Callable[[], float]) -> None:
        self.board = board
        self.console = console
        self.elapsed_s = elapsed_s
        self._told: dict[str, tuple[Asks, float]] = {}

    def __call__(self) -> None:
        for line in self.board.lines():
            told = self._told.get(line.letter)
            if line.asks is not None and (told is None or told[0] != line.asks):
                self._told[line.letter] = (line.asks, self.elapsed_s())
                self._ask(line.letter, line.asks)
            elif line.asks is None and told is not None:
                del self._told[line.letter]
                after = spoken_time(self.elapsed_s() - told[1])
                self._say(f"{_title(line.letter, told[0])} is no longer waiting for you, after {after}")

    def _ask(self, letter: str, asks: Asks) -> None:
        steps = [f"{number}. {_plain(step)}" for number, step in enumerate(asks.checklist, start=1)]
        title = f"{_title(letter, asks)} needs a person; the rig goes on by itself when it is back"
        if self.console.is_terminal:
            self.console.print(Panel(Text("\n".join(steps)), title=Text(title), title_align="left", border_style="yellow"))
            return
        for text in (title, *(f"  {step}" for step in steps)):
            self._say(text)

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


def _title(letter: str, asks: Asks) -> str:
    return f'Phone {letter} ("{_plain(asks.name)}")'


class _Heartbeat:
    def __init__(self, board: Board, console: Console, elapsed_s: Callable[[], float]) -> None:
        self.board = board
        self.console = console
        self.elapsed_s = elapsed_s
        self._told: dict[str, tuple[object, float]] = {}

    def __call__(self) -> None:
        now = self.elapsed_s()
        for line in self.board.lines():
            state = (line.album, line.doing, line.error)
            told, at = self._told.get(line.letter, (None, now))
            if state != told or now - at >= HEARTBEAT_S:
                self._told[line.letter] = (state, now)
                self.console.print(line.as_text(), markup=False, highlight=False, soft_wrap=True)


def _table(board: Board) -> Table:
    table = Table(box=None, pad_edge=False, expand=False)
    for title in ("phone", "album", "phase"):
        table.add_column(title, no_wrap=True)
    for title in ("done", "ok", "invalid", "retried", "battery", "temp", "left"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("last error", overflow="ellipsis", no_wrap=True)
    for line in board.lines():
        table.add_row(*(Text(_plain(cell)) for cell in _cells(line)))
    return table


def _cells(line: PhoneLine) -> tuple[str, ...]:
    return (
        f"{line.letter}{' virtual' if line.virtual else ''}",
        line.album,
        line.doing,
        f"{line.done}/{line.total}",
        str(line.answered),
        str(line.invalid),
        str(line.retried),
        "—" if line.battery_percent is None else f"{line.battery_percent} %",
        "—" if line.temperature_c is None else f"{line.temperature_c:.0f} °C",
        "—" if line.eta_s is None else spoken_time(line.eta_s),
        line.error,
    )


def _plain(text: str) -> str:
    """Without anything that a terminal would obey: query ids and phones' messages are data."""
    return "".join(c if c.isprintable() else "·" for c in text)


def spoken_time(seconds: float) -> str:
    """A duration as a person would say it: 42 s, 5 min, 3 h 20 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
