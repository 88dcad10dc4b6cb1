"""A protocol may ask a fair sample of an album's queries."""

from rig.model import Language, Query, SourceType
from rig.sampling import sample_queries


def queries(count: int = 60) -> list[Query]:
    """Ten of each of V, M and F, of which every fifth has no right answer, and thirty of VM."""
    types = [SourceType.V, SourceType.M, SourceType.F, SourceType.VM, SourceType.VM, SourceType.VM]
    return [
        Query(f"q{i:02}", "a", {Language.EN: str(i)}, types[i % 6], frozenset() if i % 5 == 0 else frozenset({"x"}))
        for i in range(count)
    ]


def test_all_are_asked_when_no_number_is_given_or_there_are_not_so_many() -> None:
    assert sample_queries(queries(), None, 7) == tuple(queries())
    assert sample_queries(queries(), 60, 7) == tuple(queries())


def test_a_sample_has_the_number_asked_for_and_keeps_the_order() -> None:
    sample = sample_queries(queries(), 24, 7)
    assert len(sample) == 24
    assert [query.id for query in sample] == sorted(query.id for query in sample)


def test_each_kind_has_its_share_to_within_one() -> None:
    sample = sample_queries(queries(), 24, 7)
    # 12 of 60 have no right answer: 4.8 of 24. 30 of 60 are VM: 12 of 24; V, M and F 4 each.
    assert sum(query.is_rejection for query in sample) in (4, 5)
    assert abs(sum(query.source_type is SourceType.VM for query in sample) - 12) <= 2
    assert all(sum(query.source_type is kind for query in sample) >= 2 for kind in (SourceType.V, SourceType.M, SourceType.F))


def test_the_seed_decides_which_are_taken() -> None:
    assert sample_queries(queries(), 24, 7) == sample_queries(queries(), 24, 7)
    assert sample_queries(queries(), 24, 7) != sample_queries(queries(), 24, 8)
