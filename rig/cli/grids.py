"""Tables of numbers that never lose a digit to a narrow terminal: laid out across, or down where across does not fit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.box import SIMPLE
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from rig.cli.plain import cell

_UNLIMITED = 10_000
_NUMBER = 11
"""As wide as "[52.4–56.3]"."""


@dataclass(slots=True)
class NumberGrid:
    """A titled table; every row has a name and one text a column. `quiet` rows are dim and under a line."""

    title: str
    columns: Sequence[str]
    rows: list[tuple[str, Sequence[str]]] = field(default_factory=list)
    quiet: list[tuple[str, Sequence[str]]] = field(default_factory=list)

    def add(self, name: str, cells: Iterable[str]) -> None:
        """Adds a row."""
        self.rows.append((name, list(cells)))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rows across where they fit, else one row a column of numbers."""
        across = self._across()
        if Measurement.get(console, options.update(width=_UNLIMITED), across).maximum <= options.max_width:
            yield across
            return
        down = self._down()
        needed = Measurement.get(console, options.update(width=_UNLIMITED), down).maximum
        yield from console.render(down, options.update(width=max(needed, options.max_width)))

    def _across(self) -> Table:
        table = self._empty()
        for column in self.columns:
            table.add_column(Text(column), justify="right", no_wrap=True)
        for name, cells in self.rows:
            table.add_row(cell(name), *map(Text, cells))
        table.add_section()
        for name, cells in self.quiet:
            table.add_row(cell(name, "dim"), *(Text(text, "dim") for text in cells))
        return table

    def _down(self) -> Table:
        """The quiet rows follow the others as columns."""
        table = self._empty()
        every = [*self.rows, *self.quiet]
        for name, _ in every:
            table.add_column(cell(name), justify="right", overflow="fold", min_width=_NUMBER)
        for i, column in enumerate(self.columns):
            table.add_row(Text(column), *(Text(cells[i], no_wrap=True) for _, cells in every))
        return table

    def _empty(self) -> Table:
        table = Table(title=cell(self.title), title_justify="left", title_style="bold", box=SIMPLE, pad_edge=False)
        table.add_column("", no_wrap=True)
        return table
