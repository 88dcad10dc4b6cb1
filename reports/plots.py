"""Plots as SVG text to be put into a page: the same input gives the same bytes, and ink follows the page's own colours.

Drawn with two stand-in colours that become `currentColor` and the page's line colour, so that one picture serves light, dark
and print. Labels are short: phones by letter, others by number and the table's order.
"""

import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.model import Score
from reports.publication import Kind, Publication, Section, Table
from reports.words import visible

INK, LINE = "#010203", "#040506"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#b5589a", "#c59a00", "#3aa0d8", "#8a6d3b", "#7f7f7f")
"""After Okabe and Ito: told apart by people who see colours differently; darkened to stand on white."""
MARKERS = "osD^vPX*"
TYPES = ("V", "M", "F", "VM", "VF", "MF", "VMF")
_SETTINGS: Any = {
    "svg.hashsalt": "gallery-rig",
    "svg.fonttype": "none",
    "font.size": 9.5,
    "font.family": ["DejaVu Sans"],
    "text.parse_math": False,
    "axes.edgecolor": LINE,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": LINE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


@dataclass(frozen=True, slots=True)
class Plot:
    """One picture with its caption."""

    caption: str
    svg: str


def plots(section: Section) -> tuple[Plot, ...]:
    """What people rather look at than read, of one language; a plot without data is left out."""
    main, types = section.table("main"), section.table("types")
    drawn = []
    if types is not None and types.rows:
        drawn.append(_plot("F1 by source type, per cent. Whiskers span what was left open.", (8.6, 3.2), _draw_types, types))
    if main is not None and main.rows:
        drawn.append(_plot("Precision against recall, per cent; curves of equal F1.", (4.2, 3.6), _draw_precision, main))
        caption = "The price of rejecting: nothing rightly returned, against nothing wrongly returned. Best is the upper left."
        drawn.append(_plot(caption, (4.2, 3.6), _draw_rejection, main))
    return tuple(Plot(plot.caption, _own_ids(plot.svg, f"{section.language}{i}")) for i, plot in enumerate(drawn))


def size_plot(publication: Publication) -> Plot:
    """How many photos a query asks for."""
    plot = _plot("Relevant photos per query.", (8.6, 2.2), _draw_sizes, publication.relevant_counts)
    return Plot(plot.caption, _own_ids(plot.svg, "sizes"))


def _plot(caption: str, inches: tuple[float, float], draw: Callable[..., None], data: object) -> Plot:
    with rc_context(_SETTINGS), warnings.catch_warnings():
        # The reader's own fonts draw the text; matplotlib only measures it, with a font that lacks some characters.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=inches, layout="constrained")
        figure.patch.set_alpha(0)
        axes = figure.subplots()
        axes.patch.set_alpha(0)
        draw(axes, data)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return Plot(caption, _for_page(file.getvalue()))


def _for_page(svg: str) -> str:
    """Without prologue and metadata, in the page's colours and font."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<svg (.*?)width="[^"]*"(.*?)height="[^"]*"', r'<svg role="img" \1\2', svg, count=1, flags=re.DOTALL)
    svg = re.sub(r"(\d+\.\d\d)\d+", r"\1", svg)
    svg = svg.replace("'DejaVu Sans'", "inherit").replace("DejaVu Sans", "inherit")
    return svg.replace(INK, "currentColor").replace(LINE, "var(--line)")


def _own_ids(svg: str, prefix: str) -> str:
    """Ids that are unique on the page."""
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\1{prefix}-", svg)


def _label(table: Table, place: int) -> str:
    row = table.rows[place]
    if row.kind in (Kind.PHONE, Kind.VIRTUAL):
        return row.name.removeprefix("Phone ")
    name = visible(row.name)
    return name if len(name) <= 18 else f"{name[:17]}…"


def _top(highest: float) -> float:
    """The end of an axis that begins at 0: a little above the highest value, in tens, and at most 100."""
    return min(100, 10 * (int(1.08 * highest) // 10 + 1))


def _measured(table: Table) -> list[int]:
    """Places of rows that are measured, at most as many as there are colours told apart; the table has all."""
    return [place for place, row in enumerate(table.rows) if row.kind is not Kind.PUBLISHED][: 2 * len(SERIES)]


def _draw_types(axes: Axes, table: Table) -> None:
    places = _measured(table)
    step = 0.8 / max(1, len(places))
    for order, place in enumerate(places):
        shown = [(x, _score(table, place, key)) for x, key in enumerate(TYPES)]
        at = [(x - 0.4 + step * (order + 0.5), score) for x, score in shown if score is not None and score.value is not None]
        heights = [100 * (score.value or 0) for _, score in at]
        xs = [x for x, _ in at]
        axes.bar(xs, heights, width=0.86 * step, color=SERIES[order % len(SERIES)], label=_label(table, place), zorder=2)
        for (x, score), height in zip(at, heights, strict=True):
            low, high = 100 * score.low, 100 * score.high
            if round(low, 1) < round(height, 1) or round(high, 1) > round(height, 1):
                axes.plot([x, x], [low, high], color=INK, linewidth=0.9, zorder=3)
    axes.set_xticks(range(len(TYPES)), TYPES)
    axes.set_xlim(-0.5, len(TYPES) - 0.5)
    axes.set_ylim(0, _top(axes.dataLim.y1))
    axes.grid(visible=True, axis="y", linewidth=0.6)
    axes.tick_params(length=0)
    axes.legend(
        ncols=min(8, max(1, len(places))), loc="lower center", bbox_to_anchor=(0.5, 1.0), handlelength=1, columnspacing=1.2
    )


def _score(table: Table, place: int, key: str) -> Score | None:
    cell = table.column(key)[place]
    return cell if isinstance(cell, Score) else None


def _draw_precision(axes: Axes, table: Table) -> None:
    points = [(place, _score(table, place, "recall"), _score(table, place, "precision")) for place in _measured(table)]
    _scatter(axes, table, [(p, _value(x), _value(y)) for p, x, y in points], "recall", "precision")
    right, top = axes.get_xlim()[1], axes.get_ylim()[1]
    for f1 in (2, 5, *range(10, 100, 10)):
        recall = [f1 / 2 + 0.01 + i * (100 - f1 / 2) / 400 for i in range(401)]
        ends = f1 * right / (2 * right - f1) if 2 * right > f1 else top
        # Curves a tenth of the height apart are enough, and those out of sight are none.
        if 0.04 * top < ends < 0.96 * top and (f1 % 20 == 0 or top <= 60):
            axes.plot(recall, [f1 * r / (2 * r - f1) for r in recall], color=LINE, linewidth=0.8, zorder=1)
            axes.annotate(f"F1 {f1}", (right, ends), color=INK, alpha=0.6, fontsize=7, ha="right", va="bottom", zorder=1)


def _value(score: Score | None) -> float | None:
    return None if score is None or score.value is None else 100 * score.value


def _scatter(axes: Axes, table: Table, points: Sequence[tuple[int, float | None, float | None]], x: str, y: str) -> None:
    for order, (place, right, up) in enumerate(points):
        if right is None or up is None:
            continue
        colour, marker = SERIES[order % len(SERIES)], MARKERS[order % len(MARKERS)]
        axes.plot([right], [up], linestyle="none", markersize=7, zorder=3, color=colour, marker=marker)
        axes.annotate(_label(table, place), (right, up), xytext=(6, 5), textcoords="offset points", fontsize=9, zorder=4)
    axes.set_xlim(0, _top(max((right for _, right, _ in points if right is not None), default=100)))
    axes.set_ylim(0, _top(max((up for _, _, up in points if up is not None), default=100)))
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(visible=True, linewidth=0.5)
    axes.tick_params(length=0)


def _draw_rejection(axes: Axes, table: Table) -> None:
    counts = {key: table.column(key) for key in ("A", "B", "C", "D")}
    points = []
    for place in _measured(table):
        a, b, c, d = (cell if isinstance(cell := counts[key][place], int) else 0 for key in "ABCD")
        points.append((place, 100 * b / (b + d) if b + d else None, 100 * a / (a + c) if a + c else None))
    _scatter(axes, table, points, "normal queries answered with nothing, %", "zero-ground-truth queries rejected, %")


def _draw_sizes(axes: Axes, counts: Sequence[int]) -> None:
    edges = (0, 1, 2, 3, 6, 11, 21, 51, 101)
    names = ("0", "1", "2", "3–5", "6–10", "11–20", "21–50", "51–100", "over 100")
    heights = [sum(low <= count < high for count in counts) for low, high in zip(edges, (*edges[1:], 10**9), strict=True)]
    bars = axes.bar(range(len(names)), heights, width=0.72, color=SERIES[0], zorder=2)
    axes.bar_label(bars, [str(height) for height in heights], padding=2, fontsize=8.5)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks([])
    axes.margins(y=0.18)
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0)
