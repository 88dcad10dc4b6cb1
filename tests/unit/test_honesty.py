"""The honesty line: what virtual phones truly showed against what was recorded."""

from rig.honesty import Tally, compare, true_list
from rig.model import Verdict
from rig.records import Placed


def placed(*results: str | None, candidates: tuple[str, ...] = ()) -> list[Placed]:
    """A recorded list; None is a thumbnail left undecided."""
    return [
        Placed(rank, Verdict.AMBIGUOUS if name is None else Verdict.MATCHED, name, candidates, {}, 0, (0, 0, 1, 1))
        for rank, name in enumerate(results)
    ]


def test_a_list_recorded_as_it_was_shown_is_all_right() -> None:
    assert compare(["a", "b", "c"], placed("a", "b", "c")) == Tally(shown=3, right=3)


def test_a_missed_thumbnail_does_not_shift_those_after_it() -> None:
    assert compare(["a", "b", "c"], placed("a", "c")) == Tally(shown=3, right=2, missed=1)


def test_a_thumbnail_captured_twice_is_counted_once_as_such() -> None:
    assert compare(["a", "b"], placed("a", "a", "b")) == Tally(shown=2, right=2, twice=1)


def test_a_wrong_trace_is_wrong_and_neither_missed_nor_twice() -> None:
    assert compare(["a", "b", "c"], placed("a", "x", "c")) == Tally(shown=3, right=2, wrong=1)


def test_an_undecided_thumbnail_is_neither_right_nor_wrong() -> None:
    assert compare(["a", "b"], placed("a", None)) == Tally(shown=2, right=1, undecided=1)


def test_a_member_of_the_true_photos_twin_class_is_right() -> None:
    assert compare(["b"], placed("a", candidates=("a", "b"))) == Tally(shown=1, right=1)


def test_a_photo_that_is_listed_in_two_sections_counts_twice_as_shown() -> None:
    assert compare(["a", "b", "a"], placed("a", "b", "a")) == Tally(shown=3, right=3)


def test_the_list_behind_view_all_is_the_one_that_counts() -> None:
    entry = {"lists": [{"page": "results", "names": ["a"]}, {"page": "all", "names": ["a", "b"]}]}
    assert true_list(entry) == ["a", "b"]


def test_nothing_found_shows_no_thumbnail() -> None:
    assert compare(true_list({"lists": []}), []) == Tally()
