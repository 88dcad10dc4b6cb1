"""Scores counted together: over all, by album, by source type (Tables 4 and 6), by dimension (Tables 8 and 9).

A type or depth that the queries lack is None, not 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rig.metrics.averages import Averaging, QueryScore, average, by_album, f1, normal, precision, ranking, recall
from rig.metrics.bounded import Bounded, mean, relative_change_percent
from rig.metrics.ranking import RANKING_METRICS
from rig.metrics.rejection import Decision, Rejection, score_rejection
from rig.metrics.sets import SetScore
from rig.model import Depth, SourceType

DIMENSIONS = ("Location", "Time", "Person", "Object", "Concept", "Genre")
"""Table 8's five, and Genre, which the released files have besides."""
GROUPS: Mapping[str, tuple[SourceType, ...]] = {
    "single": (SourceType.V, SourceType.M, SourceType.F),
    "dual": (SourceType.VM, SourceType.VF, SourceType.MF),
    "triple": (SourceType.VMF,),
}
"""Table 6: how many sources a query needs."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Means over some normal queries; None stands in its place where there are no such queries."""

    normal: int
    answered: int
    """Of the normal queries."""
    sets: SetScore
    ranking: Mapping[str, Bounded]
    rejection: Rejection
    """Pooled counts over the slice's queries of both kinds, whatever the averaging."""


@dataclass(frozen=True, slots=True)
class Complexity:
    """Table 6 of one system: mean F1 by number of sources, and the relative changes between them in per cent."""

    single: Bounded
    dual: Bounded
    triple: Bounded

    @property
    def delta_2_1(self) -> Bounded:
        """Per cent from single to dual, from unrounded values."""
        return relative_change_percent(self.single, self.dual)

    @property
    def delta_3_2(self) -> Bounded:
        """Per cent from dual to triple, from unrounded values."""
        return relative_change_percent(self.dual, self.triple)

    @property
    def delta_3_1(self) -> Bounded:
        """Per cent from single to triple, from unrounded values."""
        return relative_change_percent(self.single, self.triple)


@dataclass(frozen=True, slots=True)
class DepthGap:
    """Table 9 of one system: a metric on fact queries, on cognitive queries, and fact minus cognitive (in the metric's unit).

    A query is cognitive when one of its dimensions is, and fact when it has dimensions and none is cognitive; queries
    without dimensions are in neither (Appendix D.2 counts cognitive labels this way).
    """

    metric: str
    fact: Bounded
    cognitive: Bounded
    fact_queries: int
    cognitive_queries: int
    untagged_queries: int

    @property
    def gap(self) -> Bounded:
        """Fact minus cognitive; the two are over different queries, so their bounds are independent."""
        f, c = self.fact, self.cognitive
        return Bounded(_minus(f.value, c.value), _minus(f.low, c.high), _minus(f.high, c.low))


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def rejection_of(queries: Iterable[QueryScore]) -> Rejection:
    """Appendix B.2 over these queries."""
    return score_rejection(Decision(q.query.is_rejection, q.empty, seen=q.unanswered is None) for q in queries)


def slice_of(queries: Iterable[QueryScore], averaging: Averaging) -> Slice:
    """Means over the normal queries among these, and rejection over all of them."""
    queries = list(queries)
    kept = normal(queries)
    return Slice(
        normal=len(kept),
        answered=sum(q.unanswered is None for q in kept),
        sets=SetScore(*(average(kept, pick, averaging) for pick in (precision, recall, f1))),
        ranking={name: average(kept, ranking(name), averaging) for name in RANKING_METRICS},
        rejection=rejection_of(queries),
    )


def slice_by_album(queries: Iterable[QueryScore]) -> dict[str, Slice]:
    """One slice an album, in order of first appearance."""
    return {album: slice_of(scores, Averaging.POOLED) for album, scores in by_album(queries).items()}


def slice_by_type(queries: Sequence[QueryScore], averaging: Averaging) -> dict[SourceType, Slice | None]:
    """One slice a source type; None where no normal query has it (album 2 of the release has no F)."""
    slices: dict[SourceType, Slice | None] = {}
    for source_type in SourceType:
        of_type = [q for q in queries if q.query.source_type is source_type]
        slices[source_type] = slice_of(of_type, averaging) if normal(of_type) else None
    return slices


def complexity(queries: Iterable[QueryScore], averaging: Averaging) -> Complexity:
    """Table 6's averages: the mean over albums of the mean over the group's types that the album has.

    That is how the printed single-source averages come about (album 2 has no F, so V weighs 7/18 and F 4/18), fitted to
    six of the seven columns; the paper does not say so. `POOLED` is the plain mean of the types' pooled means.
    """
    kept = normal(queries)
    return Complexity(*(_group_mean(kept, types, averaging) for types in GROUPS.values()))


def _group_mean(queries: list[QueryScore], types: tuple[SourceType, ...], averaging: Averaging) -> Bounded:
    albums = by_album(queries).values() if averaging is Averaging.ALBUMS else [queries]
    means = [[mean(f1(q) for q in of_type) for of_type in _split(album, types)] for album in albums]
    return mean(mean(of_album) for of_album in means if of_album)


def _split(queries: list[QueryScore], types: tuple[SourceType, ...]) -> list[list[QueryScore]]:
    """The queries of each type that occurs."""
    split = [[q for q in queries if q.query.source_type is source_type] for source_type in types]
    return [of_type for of_type in split if of_type]


def slice_by_depth(queries: Sequence[QueryScore], averaging: Averaging) -> dict[str, dict[Depth, Slice | None]]:
    """One slice a dimension and depth (Table 8); None where no normal query is so labelled."""
    table: dict[str, dict[Depth, Slice | None]] = {}
    for dimension in DIMENSIONS:
        table[dimension] = {}
        for depth in Depth:
            labelled = [q for q in queries if q.query.dimensions.get(dimension) is depth]
            table[dimension][depth] = slice_of(labelled, averaging) if normal(labelled) else None
    return table


def depth_gap(queries: Iterable[QueryScore], averaging: Averaging, metric: str = "recall@10") -> DepthGap:
    """Table 9, whose metric is Recall@10."""
    kept = normal(queries)
    cognitive = [q for q in kept if Depth.COGNITIVE in q.query.dimensions.values()]
    fact = [q for q in kept if q.query.dimensions and Depth.COGNITIVE not in q.query.dimensions.values()]
    return DepthGap(
        metric=metric,
        fact=average(fact, ranking(metric), averaging),
        cognitive=average(cognitive, ranking(metric), averaging),
        fact_queries=len(fact),
        cognitive_queries=len(cognitive),
        untagged_queries=len(kept) - len(fact) - len(cognitive),
    )
