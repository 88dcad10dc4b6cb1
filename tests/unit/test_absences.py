"""Phones that go away together are their host's fault, alone their own."""

from rig.absences import Absences

LETTERS = {"A": "ios", "B": "ios", "C": "android"}


def test_all_phones_of_a_platform_within_a_minute_are_one_incident_told_once() -> None:
    absences = Absences(LETTERS)
    assert absences.lost("A", 100.0) == ()
    assert absences.lost("B", 160.0) == ("A", "B")
    assert absences.lost("A", 161.0) == ()
    assert absences.down_with("A") == absences.down_with("B") == ("A", "B")


def test_a_phone_that_goes_later_goes_by_itself() -> None:
    absences = Absences(LETTERS)
    absences.lost("A", 100.0)
    assert absences.lost("B", 160.1) == ()


def test_a_phone_that_is_there_speaks_for_the_host() -> None:
    absences = Absences(LETTERS)
    absences.lost("A", 100.0)
    absences.back("A")
    assert absences.lost("B", 110.0) == ()


def test_the_only_phone_of_a_platform_is_no_host() -> None:
    assert Absences(LETTERS).lost("C", 100.0) == ()


def test_a_phone_that_is_done_says_nothing_of_the_host() -> None:
    absences = Absences({**LETTERS, "D": "ios"})
    absences.out("D")
    absences.lost("A", 100.0)
    assert absences.lost("B", 101.0) == ("A", "B")


def test_an_incident_that_comes_again_is_told_again() -> None:
    absences = Absences(LETTERS)
    absences.lost("A", 100.0)
    absences.lost("B", 101.0)
    absences.back("A")
    absences.back("B")
    absences.lost("B", 500.0)
    assert absences.lost("A", 501.0) == ("A", "B")
