"""What of a measurement forbids a sweep, and how far a list moved."""

from dataclasses import replace

from rig.desk.marks import Mark
from rig.desk.measured import Measured, Scroll, Searched, Typed
from rig.desk.measuring import scrolls

GOOD = Searched("14 March", "end_proven", 2.0, shown=9, missed=0, right=8, wrong=0, undecided=1, unread=0, scrolls=())


def measured(search: Searched = GOOD, *texts: Typed) -> Measured:
    return Measured(9, (search,), texts)


def test_an_undecided_thumbnail_forbids_nothing() -> None:
    assert measured().problems == ()


def test_wrong_matches_missed_cells_and_failed_searches_forbid_a_sweep() -> None:
    assert measured(replace(GOOD, wrong=2, missed=1)).problems == (
        "2 thumbnails were matched to a wrong photo",
        "1 thumbnails on the screens were not seen as cells",
    )
    assert measured(replace(GOOD, ending="dialog: what is new")).problems == ("'14 March': dialog: what is new",)


def test_a_spoilt_text_forbids_a_sweep_but_not_another_form_of_the_same_letter() -> None:
    decomposed = Typed("e\u0301", "\u00e9")
    assert measured(GOOD, decomposed).problems == ()
    assert measured(GOOD, Typed("50%s", "50 ")).problems == ("typed '50%s', the field held '50 '",)


def test_an_album_that_is_not_found_measures_nothing() -> None:
    empty = replace(GOOD, ending="no_results", shown=0, right=0, undecided=0)
    assert "no photo of the album was found" in measured(empty).problems[0]


def marks(**tops: int) -> tuple[Mark, ...]:
    return tuple(Mark(int(name[1:]), (10, top, 60, top + 50)) for name, top in tops.items())


def test_a_list_that_moves_as_one_does_not_drift() -> None:
    before, after = marks(m1=100, m2=400, m3=700), marks(m2=100, m3=400, m4=700)
    assert scrolls([before, after]) == [Scroll(300.0, 0.0, 0.0)]


def test_marks_that_move_differently_are_drift() -> None:
    before, after = marks(m1=100, m2=400, m3=700), marks(m2=100, m3=405)
    assert scrolls([before, after]) == [Scroll(297.5, 0.0, 5.0)]


def test_screens_without_a_common_mark_say_nothing_of_the_distance() -> None:
    assert scrolls([marks(m1=100), marks(m2=100)]) == []
