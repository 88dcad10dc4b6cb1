"""A scoreboard of one language as the tables that are published: those of the paper, with coverage and bounds."""

from collections.abc import Iterable, Mapping, Sequence

from reports.model import Score
from reports.publication import Cell, Column, Kind, Row, Section, Table
from rig.metrics.bounded import Bounded
from rig.metrics.ranking import CUTOFFS
from rig.metrics.tables import DIMENSIONS, Slice
from rig.model import Depth, SourceType
from rig.paper import published
from rig.scoreboard import Scoreboard, Scored

_SETS = (Column("precision", "P"), Column("recall", "R"), Column("f1", "F1"))
_REJECTIONS = (Column("rej_precision", "Rej-P"), Column("rej_recall", "Rej-R"), Column("rej_f1", "Rej-F1"))
_OPEN = (
    "Per cent; [low–high] where undecided thumbnails, lists that may go on or searches without an answer leave a score open."
)


def section_of(board: Scoreboard, language: str, kinds: Sequence[Kind], *, with_published: bool) -> Section:
    """The tables of one language; `kinds` say what each system is. A table that would be empty is left out."""
    identity = board.questions.identity
    build = _Tables(board, kinds, language if with_published else "")
    tables = [build.main(), build.ranking(), build.types(), build.depth()]
    if any(query.dimensions for query in board.questions.queries):
        tables.append(build.dimensions())
    if len(identity.albums) > 1:
        tables.append(build.albums())
    return Section(language, identity.count - identity.zero, identity.zero, (*tables, build.coverage()))


class _Tables:
    def __init__(self, board: Scoreboard, kinds: Sequence[Kind], paper: str) -> None:
        self._board = board
        self._kinds = kinds
        self._averaging = board.averaging
        self._paper = paper
        """The language whose published rows stand below; "" for none."""

    def main(self) -> Table:
        columns = (
            Column("rank", "rank"), Column("answered", "answered"), *_SETS, *_REJECTIONS,
            *(Column(letter, letter) for letter in "ABCD"),
        )  # fmt: skip
        rows = [self._row(i, s, _main_cells(s, self._board)) for i, s in enumerate(self._board.systems)]
        keys = ("precision", "recall", "f1", "rej_precision", "rej_recall", "rej_f1")
        note = f"{_OPEN} A, B, C, D are the rejection counts of PhotoBench, Appendix B.2. Incomplete systems have no rank."
        return Table(
            "main", "Normal queries and rejection", note, columns, (*rows, *self._reference(3, keys, before=2, after=4))
        )

    def ranking(self) -> Table:
        names = [f"{metric}@{k}" for metric in ("recall", "ndcg") for k in CUTOFFS]
        columns = tuple(
            Column(f"{m}@{k}", f"@{k}", group={"recall": "Recall", "ndcg": "NDCG"}[m])
            for m in ("recall", "ndcg")
            for k in CUTOFFS
        )
        rows = []
        for i, s in enumerate(self._board.systems):
            scores = s.scores.overall[self._averaging].ranking
            rows.append(self._row(i, s, [as_score(scores[name]) for name in names]))
        note = "Per cent; by the order in which results came, over normal queries."
        return Table("ranking", "Ranking", note, columns, (*rows, *self._reference(2, names)))

    def types(self) -> Table:
        one, two, three = (SourceType.V, SourceType.M, SourceType.F), (SourceType.VM, SourceType.VF, SourceType.MF), "VMF"
        columns = (
            *(Column(kind, kind) for kind in one), Column("single", "avg 1"),
            *(Column(kind, kind) for kind in two), Column("dual", "avg 2"), Column(three, three),
            *(Column(f"delta_{key}", f"Δ{key.replace('_', '−')} %", signed=True) for key in ("2_1", "3_2", "3_1")),
        )  # fmt: skip
        rows = [self._row(i, s, self._type_cells(s)) for i, s in enumerate(self._board.systems)]
        keys = [column.key for column in columns]
        note = (
            "Per cent. V visual, M metadata, F face; the averages are over one and over two sources, "
            "Δ the relative change from fewer sources to more."
        )
        return Table("types", "F1 by source type", note, columns, (*rows, *self._reference(6, keys)))

    def _type_cells(self, s: Scored) -> list[Cell]:
        types, groups = s.scores.by_type[self._averaging], s.scores.complexity[self._averaging]
        one, two = (
            [_f1(types[k]) for k in kinds]
            for kinds in ((SourceType.V, SourceType.M, SourceType.F), (SourceType.VM, SourceType.VF, SourceType.MF))
        )
        deltas = [as_score(delta, 0.01) for delta in (groups.delta_2_1, groups.delta_3_2, groups.delta_3_1)]
        return [*one, as_score(groups.single), *two, as_score(groups.dual), _f1(types[SourceType.VMF]), *deltas]

    def depth(self) -> Table:
        columns = (
            Column("fact", "fact"), Column("cognitive", "cognitive"), Column("gap", "fact − cognitive", signed=True),
            Column("fact_queries", "fact queries"), Column("cognitive_queries", "cognitive queries"),
        )  # fmt: skip
        rows = []
        for i, s in enumerate(self._board.systems):
            gap = s.scores.depth_gap[self._averaging]
            scores = [as_score(part) for part in (gap.fact, gap.cognitive, gap.gap)]
            rows.append(self._row(i, s, [*scores, gap.fact_queries, gap.cognitive_queries]))
        note = "Per cent. A query is cognitive when one of its dimensions is, fact when it has dimensions and none is."
        keys = ("fact", "cognitive", "gap")
        return Table(
            "depth", "Recall@10 by depth of reasoning", note, columns, (*rows, *self._reference(9, keys, after=2))
        )  # fmt: skip

    def dimensions(self) -> Table:
        columns = tuple(Column(f"{name}_{depth}", depth, group=name) for name in DIMENSIONS for depth in Depth)
        rows = []
        for i, s in enumerate(self._board.systems):
            parts = s.scores.by_depth[self._averaging]
            rows.append(self._row(i, s, [_f1(parts[name][depth]) for name in DIMENSIONS for depth in Depth]))
        return Table(
            "dimensions", "F1 by dimension and depth", "Per cent; a dash where no query is so labelled.", columns, tuple(rows)
        )

    def albums(self) -> Table:
        columns = (Column("album", "album"), Column("answered", "answered"), *_SETS, *_REJECTIONS)
        rows = [
            self._row(i, s, [album, f"{part.answered}/{part.normal}", *_slice_cells(part)])
            for i, s in enumerate(self._board.systems)
            for album, part in s.scores.by_album.items()
        ]
        return Table("albums", "By album", "Per cent; answered counts normal queries.", columns, tuple(rows))

    def coverage(self) -> Table:
        columns = tuple(
            Column(key, title)
            for key, title in (
                ("asked", "asked"), ("answered", "answered"), ("invalid", "invalid"), ("not_run", "not run"),
                ("retried", "retried"), ("results", "results"), ("undecided", "undecided"), ("strangers", "not of the album"),
                ("duplicates", "repeated"), ("open_ended", "lists that may go on"),
            )
        )  # fmt: skip
        rows = [self._row(i, s, _coverage_cells(s)) for i, s in enumerate(self._board.systems)]
        note = "Counts of queries and of results. An invalid search is never an empty answer and never scored."
        return Table("coverage", "What was answered", note, columns, tuple(rows))

    def _row(self, place: int, s: Scored, cells: Iterable[Cell]) -> Row:
        return Row(s.name, self._kinds[place], tuple(cells), complete=s.scores.coverage.is_complete)

    def _reference(self, table: int, keys: Sequence[str], *, before: int = 0, after: int = 0) -> list[Row]:
        """The paper's rows of this language as printed."""
        return [
            Row(_theirs(row.system), Kind.PUBLISHED, (*[None] * before, *_printed(row.cells, keys), *[None] * after))
            for row in (published(table) if self._paper else ())
            if row.language == self._paper
        ]


def _theirs(system: str) -> str:
    """The paper's phones have letters of its own, which are not this study's."""
    return f"PhotoBench {system}" if system.startswith("Phone ") else system


def _printed(cells: Mapping[str, str], keys: Sequence[str]) -> list[str | None]:
    return [cells.get(key) or None for key in keys]


def _main_cells(s: Scored, board: Scoreboard) -> list[Cell]:
    sets, rejection, coverage = s.scores.overall[board.averaging].sets, s.scores.rejection, s.scores.coverage
    counts = rejection.counts
    return [
        s.rank, f"{coverage.answered}/{coverage.asked}",
        *(as_score(part) for part in (sets.precision, sets.recall, sets.f1)),
        *(as_score(part) for part in (rejection.precision, rejection.recall, rejection.f1)),
        counts.correct_rejections, counts.false_rejections, counts.missed_rejections, counts.correct_non_rejections,
    ]  # fmt: skip


def _coverage_cells(s: Scored) -> list[Cell]:
    c = s.scores.coverage
    not_run = sum(count for reason, count in c.reasons if reason == "not run")
    invalid = c.asked - c.answered - not_run
    outsiders = c.strangers + c.unknown
    return [c.asked, c.answered, invalid, not_run, c.retried, c.results, c.undecided, outsiders, c.duplicates, c.open_ended]


def _slice_cells(part: Slice) -> list[Cell]:
    sets, rejection = part.sets, part.rejection
    return [
        as_score(one)
        for one in (sets.precision, sets.recall, sets.f1, rejection.precision, rejection.recall, rejection.f1)
    ]  # fmt: skip


def _f1(part: Slice | None) -> Score | None:
    return None if part is None else as_score(part.sets.f1)


def as_score(bounded: Bounded, scale: float = 1) -> Score | None:
    """The report's form of a bounded number; None when it is undefined whatever was left open."""
    if bounded.low is None or bounded.high is None:
        return None
    return Score(None if bounded.value is None else scale * bounded.value, scale * bounded.low, scale * bounded.high)
