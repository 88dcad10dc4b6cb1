"""The ledger keeps what was committed, and nothing else."""

import errno
import json
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from engine_lab import draw_screen

from drivers.interface import Identity
from matching.model import Position
from rig.disk import DiskFull, Lock, make_run_folder, safe_name, spoken_name, write_file
from rig.errors import LockedByAnother, RigError
from rig.events import Event, EventLog
from rig.letters import letters_for, meet_serial, read_letters
from rig.model import Language, Outcome, Phone, Verdict
from rig.records import AlbumRecord, Opened, Parked, Phase, Placed, Reading, RunRecord, SearchKey, Status
from rig.store import Fenced, Ledger

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
KEY = SearchKey("q1", Language.EN, 1)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = Ledger(tmp_path / "run.sqlite", create=True)
    ledger.add_run(RunRecord("r", "n", NOW, "p", "v", ("desk",)))
    ledger.add_album(AlbumRecord("album", "/a", "d", "q"), 0)
    ledger.add_phone("A", Phone("desk", "android", "x", "samsung", {"k": "v"}))
    ledger.add_attempt(ledger.add_trial("A", "album"), NOW)
    yield ledger
    ledger.close()


def test_a_reading_comes_back_as_it_was(ledger: Ledger) -> None:
    search = ledger.begin_search(1, KEY, NOW)
    reading = Reading(
        "e", (Position(((0, (1, 2, 3, 4)), (1, (5, 6, 7, 8))), "label"), Position(((1, (0, 0, 1, 1)),))), False, True
    )
    ledger.answer(search.id, "end_unproven", 1.5, reading)
    assert ledger.reading(search.id) == reading
    assert ledger.searches(1)[0].outcome is Outcome.ANSWERED


def test_a_screen_comes_back_as_it_was(ledger: Ledger) -> None:
    search = ledger.begin_search(1, KEY, NOW)
    screen = draw_screen(["a", "b"], 0)
    ledger.add_screen(search.id, 0, "phones/x/000.png", "hash", screen)
    (kept,) = ledger.screens(search.id)
    assert (kept.path, kept.viewport, kept.cells, kept.labels) == (
        "phones/x/000.png",
        screen.viewport,
        screen.cells,
        screen.labels,
    )


VIEWS = (
    Opened(0, (1, 2, 3, 4), ("海.jpg", "b.jpg"), "phones/x/opened-00.png", "hash", (0, 0, 9, 9)),
    Opened(2, (5, 6, 7, 8), ("c.jpg",), None, None, None, "the photo did not open"),
)


def test_what_was_opened_comes_back_as_it_was_and_in_order(ledger: Ledger) -> None:
    search = ledger.begin_search(1, KEY, NOW)
    for view in VIEWS:
        ledger.add_opened(search.id, view)
    assert ledger.opened(search.id) == VIEWS


def test_a_search_that_was_cut_short_leaves_nothing_opened(ledger: Ledger) -> None:
    search = ledger.begin_search(1, KEY, NOW)
    ledger.add_opened(search.id, VIEWS[0])
    ledger.drop_unfinished(1)
    assert ledger.opened(search.id) == ()


def test_a_ledger_from_before_photos_were_opened_goes_on(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "run.sqlite", create=True)) as ledger:
        ledger._connection.executescript("DROP TABLE opened; PRAGMA user_version = 1")
    with closing(Ledger(tmp_path / "run.sqlite")) as ledger:
        assert ledger.opened(1) == ()


def test_matching_again_replaces_what_was_matched(ledger: Ledger) -> None:
    search = ledger.begin_search(1, KEY, NOW)
    first = Placed(0, Verdict.MATCHED, "a.jpg", (), {"likeness": 0.5}, 0, (0, 0, 1, 1))
    second = Placed(0, Verdict.AMBIGUOUS, None, ("a.jpg", "b.jpg"), {}, 0, (0, 0, 1, 1))
    ledger.save_match(search.id, NOW, "old", [first])
    ledger.save_match(search.id, NOW, "new", [second])
    assert ledger.placed(search.id) == (second,)
    assert ledger.match_version(search.id) == "new"


def test_an_answer_of_nothing_is_told_from_not_matched_yet(ledger: Ledger) -> None:
    search = ledger.begin_search(1, KEY, NOW)
    assert ledger.match_version(search.id) is None
    ledger.save_match(search.id, NOW, "eyes", [])
    assert ledger.match_version(search.id) == "eyes"


def test_only_unconfirmed_results_are_void_when_another_phone_answers(ledger: Ledger) -> None:
    nothing = Reading("e", (), end_proven=True, capped=False)
    ledger.answer(ledger.begin_search(1, KEY, NOW).id, "no_results", 1, nothing)
    ledger.confirm(1)
    other = SearchKey("q2", Language.EN, 1)
    ledger.answer(ledger.begin_search(1, other, NOW).id, "no_results", 1, nothing)
    ledger.void_unconfirmed(1, "wrong_phone", "S2 answers")
    found = {search.key.query: (search.outcome, search.reason) for search in ledger.searches(1)}
    assert found == {"q1": (Outcome.ANSWERED, None), "q2": (Outcome.INVALID, "wrong_phone")}


def test_a_transaction_that_fails_leaves_nothing(ledger: Ledger) -> None:
    def begin_and_fail() -> None:
        with ledger.transaction():
            ledger.begin_search(1, KEY, NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        begin_and_fail()
    assert ledger.searches(1) == ()


def test_the_first_cause_of_parking_stays(ledger: Ledger) -> None:
    ledger.park("A", Parked.DRIVER, "cable", NOW)
    ledger.park("A", Parked.HANGING, "silence", NOW)
    assert ledger.phones()[0].cause == "cable"


def test_a_phone_is_owed_its_own_oldest_settings(ledger: Ledger) -> None:
    ledger.save_settings("A", NOW, {"ime": "vendor", "rotation": "1"})
    ledger.save_settings("A", NOW, {"ime": "rig", "dnd": "0"})
    assert ledger.owed_settings("A") == {"ime": "vendor", "rotation": "1", "dnd": "0"}
    ledger.settle_settings("A", NOW, "restored")
    assert ledger.owed_settings("A") == {}


def test_a_fenced_thread_writes_nothing(ledger: Ledger) -> None:
    caught = []

    def late() -> None:
        try:
            ledger.begin_search(1, KEY, NOW)
        except Fenced as error:
            caught.append(error)

    thread = Thread(target=late)
    ledger.fence(thread)
    thread.start()
    thread.join()
    assert caught
    assert ledger.searches(1) == ()


def test_identities_and_phases_come_back_as_they_were(ledger: Ledger) -> None:
    identity = Identity("s", "m", "b", "1", "g", "2", "en", "7", virtual=True)
    ledger.add_identity("A", 1, "baseline", NOW, identity)
    ledger.start_phase(1, Phase.INDEX, NOW, NOW)
    ledger.end_phase(1, Phase.INDEX, Status.DONE, NOW, "waited")
    (attempt,) = ledger.attempts(1)
    assert ledger.baseline("A", 1) == identity
    assert (attempt.phases[Phase.INDEX].status, attempt.phases[Phase.INDEX].due_at) == (Status.DONE, NOW)


def test_a_ledger_of_another_version_is_refused(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "run.sqlite", create=True)) as ledger:
        ledger._connection.execute("PRAGMA user_version = 99")
    with pytest.raises(RigError, match="ledger version 2 expected, 99 found"):
        Ledger(tmp_path / "run.sqlite")


def test_a_folder_without_a_ledger_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RigError, match="not a run folder"):
        Ledger(tmp_path / "run.sqlite")


def test_a_file_that_is_no_ledger_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").write_text("not a database, but long enough to be looked at as one" * 20)
    with pytest.raises(RigError, match="not a ledger, or a damaged one"):
        Ledger(tmp_path / "run.sqlite")


def test_a_full_database_is_a_full_disk(ledger: Ledger) -> None:
    ledger._connection.execute("PRAGMA max_page_count = 1")
    with pytest.raises(DiskFull, match=r"the disk is full: .*run\.sqlite could not be written"):
        ledger.add_evidence("A", 1, "health", NOW, "x" * 200_000)


def test_a_full_disk_leaves_no_file_under_its_final_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, match=r"000\.png could not be written; free some space"):
        write_file(tmp_path / "shots" / "000.png", b"png")
    assert list((tmp_path / "shots").iterdir()) == []


def test_screens_are_their_owner_s_alone(tmp_path: Path) -> None:
    write_file(tmp_path / "shots" / "000.png", b"png")
    assert stat.S_IMODE((tmp_path / "shots" / "000.png").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "shots").stat().st_mode) == 0o700


def test_two_runs_begun_in_one_instant_are_two(tmp_path: Path) -> None:
    names = {make_run_folder(tmp_path, "demo", NOW).name for _ in range(20)}
    assert len(names) == 20
    assert all(name.startswith("20260102T030405Z-demo-") for name in names)


@pytest.mark.parametrize("text", ["192.168.1.5:5555", "../../etc", "..", ".", "", "海边 👨‍👩‍👧", "a/b\\c\0", "q%2F", "-rf"])
def test_any_name_is_a_safe_file_name_and_back(text: str) -> None:
    name = safe_name(text)
    assert spoken_name(name) == text
    assert name not in ("", ".", "..")
    assert not set(name) & set("/\\:\0")


def test_long_names_stay_apart() -> None:
    one, other = safe_name("x" * 500 + "1"), safe_name("x" * 500 + "2")
    assert one != other
    assert max(len(one), len(other)) <= 255


def test_a_second_holder_is_told_who_holds(tmp_path: Path) -> None:
    first, second = (Lock(tmp_path / "run.lock", "run r") for _ in range(2))
    first.acquire()
    with pytest.raises(LockedByAnother, match=f"run r is held by process {os.getpid()} on "):
        second.acquire()
    assert second.held()
    first.release()
    assert not second.held()


def test_a_lock_remembers_its_last_holder_s_note(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "p.lock", "Phone A")
    assert lock.acquire("runs/one") == ""
    lock.release()
    assert lock.acquire("runs/two") == "runs/one"
    lock.release()


def test_a_torn_event_stays_alone(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text('{"kind": "who')
    EventLog(tmp_path / "events.jsonl")(Event(NOW, "next"))
    torn, whole = (tmp_path / "events.jsonl").read_text().splitlines()
    assert torn == '{"kind": "who'
    assert json.loads(whole)["kind"] == "next"


def test_a_letter_stays_when_phones_are_added(tmp_path: Path) -> None:
    file = tmp_path / "private" / "letters.json"
    six = letters_for([f"p{n}" for n in range(6)], file)
    seven = letters_for([f"p{n}" for n in range(7)], file)
    assert sorted(six.values()) == list("ABCDEF")
    assert seven == {**six, "p6": "G"}


def test_letters_do_not_follow_the_lab_file(tmp_path: Path) -> None:
    names = [f"p{n}" for n in range(6)]
    drawn = {tuple(letters_for(names, tmp_path / f"{seed}.json", Random(seed)).values()) for seed in range(10)}
    assert len(drawn) > 5


def test_the_letter_map_is_its_owner_s_alone(tmp_path: Path) -> None:
    letters_for(["p"], tmp_path / "private" / "letters.json")
    assert stat.S_IMODE((tmp_path / "private" / "letters.json").stat().st_mode) == 0o600


def test_phones_met_at_once_are_all_remembered(tmp_path: Path) -> None:
    file = tmp_path / "letters.json"
    letters = letters_for([f"p{number}" for number in range(6)], file).values()
    threads = [Thread(target=meet_serial, args=(letter, f"S-{letter}", file)) for letter in letters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_letters(file).serial_of == {letter: f"S-{letter}" for letter in letters}


def test_another_serial_under_a_letter_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "letters.json"
    letters_for(["p"], file)
    assert meet_serial("A", "S1", file) is None
    assert meet_serial("A", "S1", file) is None
    assert meet_serial("A", "S2", file) == "S1"
    assert read_letters(file).serial_of == {"A": "S1"}
