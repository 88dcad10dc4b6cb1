"""Scores as tables for people: per cent with one decimal, bounds where they differ at that precision."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from rig.cli.grids import NumberGrid
from rig.cli.plain import inert, some
from rig.metrics.averages import Averaging
from rig.metrics.bounded import Bounded
from rig.metrics.ranking import CUTOFFS
from rig.metrics.scoring import METRIC_VERSION
from rig.metrics.tables import Slice
from rig.model import SourceType
from rig.paper import Published, published
from rig.scoreboard import MissingRule, Scoreboard, Scored

NOTHING = "—"


def percent(value: float | None) -> str:
    """As the paper prints it: "40.2", or a dash where it is undefined."""
    return NOTHING if value is None else f"{100 * value:.1f}"


def bounded_percent(bounded: Bounded, scale: float = 100) -> str:
    """The value, and its bounds under it where they differ as printed: "40.2", "[39.8–41.0]"."""
    value, low, high = (NOTHING if x is None else f"{scale * x:.1f}" for x in (bounded.value, bounded.low, bounded.high))
    return value if low == value == high else f"{value}\n[{low}–{high}]"


def signed(bounded: Bounded) -> str:
    """A change that is in per cent already, with its sign."""
    return NOTHING if bounded.value is None else f"{bounded.value:+.1f}"


def score_tables(board: Scoreboard, *, with_published: bool) -> RenderableType:
    """Every table of `rig score`."""
    systems, averaging = board.systems, board.averaging
    parts: list[RenderableType] = [
        _main(systems, averaging, published(3) if with_published else ()),
        _ranking(systems, averaging, published(2) if with_published else ()),
        _types(systems, averaging, published(6) if with_published else ()),
        _depths(systems, averaging),
    ]
    if len(board.questions.identity.albums) > 1:
        parts.append(_albums(systems))
    return Group(*parts, Text("\n".join(notes(board))))


def _add_published(table: NumberGrid, rows: Iterable[Published], columns: Sequence[str], before: int = 0) -> None:
    """The paper's rows, marked; `before` cells stay empty."""
    for row in rows:
        cells = [""] * before + [row.cells.get(column, "") for column in columns]
        table.quiet.append((f"{row.system} (published, {row.language})", cells + [""] * (len(table.columns) - len(cells))))


def _main(systems: Sequence[Scored], averaging: Averaging, reference: Sequence[Published]) -> NumberGrid:
    columns = ("rank", "answered", "P", "R", "F1", "Rej-P", "Rej-R", "Rej-F1", "A/B/C/D")
    table = NumberGrid("Normal queries, and rejection", columns)
    for s in systems:
        sets, rejection, coverage = s.scores.overall[averaging].sets, s.scores.rejection, s.scores.coverage
        counts = rejection.counts
        scores = (sets.precision, sets.recall, sets.f1, rejection.precision, rejection.recall, rejection.f1)
        abcd = (counts.correct_rejections, counts.false_rejections, counts.missed_rejections, counts.correct_non_rejections)
        answered = f"{coverage.answered}/{coverage.asked}" + ("" if coverage.is_complete else "\nincomplete")
        decisions = "/".join(map(str, abcd))
        table.add(s.name, (str(s.rank or NOTHING), answered, *map(bounded_percent, scores), decisions))
    if reference:
        _add_published(table, reference, ("precision", "recall", "f1", "rej_precision", "rej_recall", "rej_f1"), before=2)
    return table


def _ranking(systems: Sequence[Scored], averaging: Averaging, reference: Sequence[Published]) -> NumberGrid:
    names = [f"{metric}@{k}" for metric in ("recall", "ndcg") for k in CUTOFFS]
    table = NumberGrid("Ranking", [f"{metric}@{k}" for metric in "RN" for k in CUTOFFS])
    for s in systems:
        ranking = s.scores.overall[averaging].ranking
        table.add(s.name, [bounded_percent(ranking[name]) for name in names])
    if reference:
        _add_published(table, reference, names)
    return table


def _types(systems: Sequence[Scored], averaging: Averaging, reference: Sequence[Published]) -> NumberGrid:
    columns = ("V", "M", "F", "avg 1", "VM", "VF", "MF", "avg 2", "VMF", "Δ2−1 %", "Δ3−2 %", "Δ3−1 %")
    table = NumberGrid("F1 by source type; Δ are relative changes in per cent", columns)
    for s in systems:
        types, groups = s.scores.by_type[averaging], s.scores.complexity[averaging]
        one, two, three = (
            [_f1(types[kind]) for kind in kinds]
            for kinds in (
                (SourceType.V, SourceType.M, SourceType.F),
                (SourceType.VM, SourceType.VF, SourceType.MF),
                (SourceType.VMF,),
            )
        )
        deltas = (groups.delta_2_1, groups.delta_3_2, groups.delta_3_1)
        averages = bounded_percent(groups.single), bounded_percent(groups.dual)
        table.add(s.name, (*one, averages[0], *two, averages[1], *three, *map(signed, deltas)))
    if reference:
        keys = ("V", "M", "F", "single", "VM", "VF", "MF", "dual", "VMF", "delta_2_1", "delta_3_2", "delta_3_1")
        _add_published(table, reference, keys)
    return table


def _f1(part: Slice | None) -> str:
    return NOTHING if part is None else bounded_percent(part.sets.f1)


def _depths(systems: Sequence[Scored], averaging: Averaging) -> NumberGrid:
    table = NumberGrid("Recall@10 by depth of reasoning", ("fact", "cognitive", "fact − cognitive"))
    for s in systems:
        gap = s.scores.depth_gap[averaging]
        table.add(s.name, map(bounded_percent, (gap.fact, gap.cognitive, gap.gap)))
    return table


def _albums(systems: Sequence[Scored]) -> NumberGrid:
    table = NumberGrid("By album", ("album", "normal", "P", "R", "F1", "Rej-P", "Rej-R", "Rej-F1"))
    for s in systems:
        for album, part in s.scores.by_album.items():
            r = part.rejection
            scores = (part.sets.precision, part.sets.recall, part.sets.f1, r.precision, r.recall, r.f1)
            table.add(s.name, (inert(album), f"{part.answered}/{part.normal}", *map(bounded_percent, scores)))
    return table


def notes(board: Scoreboard) -> list[str]:
    """What must be said of the numbers: how they were averaged, over what, and what is missing or odd."""
    identity = board.questions.identity
    lines = [
        f"per cent; {_AVERAGING[board.averaging]}; rejection pooled over all queries; [low–high] where something was left open",
        f"{identity.count - identity.zero} normal and {identity.zero} zero-ground-truth queries "
        f"({inert(', '.join(f'{album} {n}' for album, n in identity.albums.items()))}); "
        f"queries {identity.queries[:12]}, ground truth {identity.truth[:12]}, metric version {METRIC_VERSION}",
        f"unanswered queries: {_MISSING[board.missing]}",
    ]
    if board.excluded:
        lines.append(f"left out for all: {some(board.excluded)}")
    if board.questions.without_truth:
        lines.append(f"left out, no ground truth given: {some(board.questions.without_truth)}")
    lines += [inert(f"{odd.kind}: {odd.detail}") for odd in board.questions.oddities[:_MOST]]
    for system in board.systems:
        lines += [f"{inert(system.name)}: {line}" for line in _notes_of(system)]
    return lines


_MOST = 10
_AVERAGING = {Averaging.POOLED: "means pooled over queries", Averaging.ALBUMS: "means of the albums' means"}
_MISSING = {
    MissingRule.LEAVE_OUT: "left out of the value, spanned by the bounds; an incomplete system is not ranked",
    MissingRule.ZERO: "score 0, and count as not rejected",
    MissingRule.EXCLUDE_COMMON: "left out for every system",
}


def _notes_of(system: Scored) -> list[str]:
    coverage, read = system.scores.coverage, system.side.predictions
    lines = [] if system.side.language else ["its language is not stated"]
    for reason, _ in coverage.reasons:
        ids = [query for query, why in coverage.unanswered if why == reason]
        lines.append(f"{inert(reason)}: {some(ids)}")
    counts = {
        "repeated results dropped": coverage.duplicates,
        "results beyond the maximum left out": coverage.cut,
        "results that are no photo of the album": coverage.strangers + coverage.unknown,
        "undecided results": coverage.undecided,
        "lists that may go on": coverage.open_ended,
        "rows that name no query": len(read.foreign) if read else 0,
        "names that differ from a photo's in case only (--fold-case takes them)": read.case_only if read else 0,
    }
    lines += [f"{count} {what}" for what, count in counts.items() if count]
    for key, queries, in_order in read.ambiguous if read else ():
        given = "its rows were taken in order" if in_order else "its rows were left out"
        lines.append(f"ambiguous key {inert(key)}: names {len(queries)} queries; {given}")
    return lines
