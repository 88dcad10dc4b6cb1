"""The sweep on phones that misbehave: who is parked, what is asked again, and what is never scored."""

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Barrier

import pytest
from engine_lab import PROTOCOL, FakeLab, FakePhone, ask, draw_album, invalid

from drivers.interface import DriverError, Invalid, PhoneLost, SearchFailed
from rig.analysis import answered_searches
from rig.disk import Lock
from rig.errors import ExitCode, InfrastructureDown, LockedByAnother, RigError
from rig.model import Outcome
from rig.records import Parked, Phase, PhoneRecord, SearchKey
from rig.run import Run, asked_order, coverage, final_tries, latest_attempt, open_run, planned
from rig.runner import sweep

NAMES = [f"p{number:02d}.png" for number in range(14)]


def outcomes(run: Run, letter: str = "A") -> dict[str, tuple[str, str | None]]:
    """Query → (outcome, reason) of the try that counts."""
    trial = next(trial for trial in run.ledger.trials() if trial.letter == letter)
    attempt = latest_attempt(run, trial)
    final = final_tries(run.ledger.searches(attempt.id)) if attempt else {}
    return {key.query: (str(search.outcome), search.reason) for key, search in sorted(final.items())}


def labels(run: Run, query: str) -> list[str | None]:
    """What the positions of an answered query show, in order."""
    (trial,) = run.ledger.trials()
    search = next(search for key, search in answered_searches(run, trial).items() if key.query == query)
    reading = run.ledger.reading(search.id)
    assert reading is not None
    return [position.label for position in reading.positions]


def test_every_search_is_answered_in_order_with_each_position_once(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", results={"find q1": NAMES, "find q2": NAMES[:2]})})
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
        assert ended.exit_code is ExitCode.COMPLETE
        assert labels(run, "q1") == [f"{place}:{name}" for place, name in enumerate(NAMES)]
        assert labels(run, "q2") == ["0:p00.png", "1:p01.png"]
        assert labels(run, "q0") == []


def test_the_screens_are_on_the_disk_as_their_rows_say(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", results={"find q1": NAMES})})
    with lab.planned() as run:
        sweep(lab.setup(run))
        (trial,) = run.ledger.trials()
        search = answered_searches(run, trial)[SearchKey("q1", "en", 1)]
        # 14 results in rows of 3 are 5 rows; 4 rows a screen, one row of overlap: 2 screens.
        assert [screen.path for screen in run.ledger.screens(search.id)] == [
            f"phones/A/album/attempt-1/searches/q1/en-1/try-1/00{number}.png" for number in range(2)
        ]
        assert all((run.folder / screen.path).is_file() for screen in run.ledger.screens(search.id))


def test_a_failed_look_is_tried_again_and_counted(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", script={"find q1": [invalid(), invalid(Invalid.LOCKED)]})})
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    (trial,) = ended.coverage
    assert (trial.planned, trial.answered, trial.first_try_answered) == (4, 4, 3)
    assert trial.retries == {"dialog": 1, "locked": 1}


def test_a_failed_search_is_not_a_rejection(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", script={"find q1": [invalid()] * 9})})
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
        assert outcomes(run)["q1"] == ("invalid", "dialog")
    assert ended.exit_code is ExitCode.PARTIAL
    assert ended.coverage[0].invalid == {"dialog": 1}


def test_an_answer_is_never_asked_again(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        sweep(lab.setup(run))
        sweep(lab.setup(run))
    assert sorted(phone.read()["searches"]) == [f"find q{number}" for number in range(4)]


def test_a_resume_asks_again_what_has_no_answer(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", script={"find q1": [invalid()] * 3})})
    with lab.planned() as run:
        assert sweep(lab.setup(run)).exit_code is ExitCode.PARTIAL
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
        assert lab.phones["A"].read()["erased"] == 1


def test_two_queries_with_one_text_are_two(tmp_path: Path) -> None:
    album = draw_album(tmp_path / "album", queries=[ask("q4", "beach"), ask("q8", "beach"), ask("q9", "hill")])
    phone = FakePhone(tmp_path / "A", script={"beach": [invalid()] * 3})
    lab = FakeLab(tmp_path, {"A": phone}, album=album)
    with lab.planned() as run:
        sweep(lab.setup(run))
        sweep(lab.setup(run))
        assert outcomes(run) == dict.fromkeys(("q4", "q8", "q9"), ("answered", None))
        assert coverage(run)[0].planned == 3


def test_no_grid_and_no_sign_is_not_an_answer(tmp_path: Path) -> None:
    class Blank(FakePhone):
        def open(self) -> "FakePhone":
            driver = super().open()
            found = driver.search

            def blank(text: str) -> object:
                screens = found(text)
                screen = next(screens)
                yield type(screen)(screen.png, screen.viewport, (), ())
                return "end_proven"

            driver.search = blank
            return driver

    phone = Blank(tmp_path / "A", results=dict.fromkeys(("find q0", "find q1", "find q2", "find q3"), NAMES))
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        sweep(lab.setup(run))
        assert set(outcomes(run).values()) == {("invalid", "unknown_screen")}


def test_a_list_beyond_the_maximum_is_cut_there_and_says_so(tmp_path: Path) -> None:
    many = [f"p{number:03d}" for number in range(40)]
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", results={"find q1": many})})
    with lab.planned() as run:
        sweep(lab.setup(run))
        assert labels(run, "q1") == [f"{place}:{name}" for place, name in enumerate(many[:20])]
        (trial,) = run.ledger.trials()
        search = answered_searches(run, trial)[SearchKey("q1", "en", 1)]
        reading = run.ledger.reading(search.id)
        assert (search.ending, reading.capped if reading else None) == ("capped", True)


def test_a_phone_that_fails_is_parked_and_the_others_go_on(tmp_path: Path) -> None:
    broken = FakePhone(tmp_path / "A", script={"find q0": [DriverError("Phone A: its screen is broken")]})
    lab = FakeLab(tmp_path, {"A": broken, "B": FakePhone(tmp_path / "B", serial="S2")})
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    parked = {phone.letter: (phone.parked, phone.cause) for phone in ended.phones}
    assert parked == {"A": (Parked.DRIVER, "Phone A: its screen is broken"), "B": (None, "")}
    assert [trial.complete for trial in ended.coverage] == [False, True]
    assert ended.exit_code is ExitCode.PARTIAL


def test_no_healthy_phone_is_infrastructure(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    phone.change(gone=True)
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        assert sweep(lab.setup(run)).exit_code is ExitCode.INFRASTRUCTURE


def test_a_phone_that_comes_back_loses_and_repeats_nothing(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", script={"find q2": [PhoneLost("device offline")]})})
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    (trial,) = ended.coverage
    assert (trial.answered, trial.retries) == (4, {"connection": 1})
    searches = lab.phones["A"].read()["searches"]
    assert sorted(searches) == ["find q0", "find q1", "find q2", "find q2", "find q3"]


@pytest.mark.parametrize("verb", ["verify_import", "prepare", "health"])
def test_a_phone_that_is_lost_between_searches_goes_on_when_it_is_back(tmp_path: Path, verb: str) -> None:
    phone = FakePhone(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone})
    lost: list[str] = []

    def opened(record: PhoneRecord) -> object:
        driver = lab.open_driver(record)
        well = getattr(driver, verb)

        def once(*given: object) -> object:
            if not lost:
                lost.append(verb)
                raise PhoneLost("device offline")
            return well(*given)

        setattr(driver, verb, once)
        return driver

    with lab.planned() as run:
        assert sweep(lab.setup(run, open_driver=opened)).exit_code is ExitCode.COMPLETE
    assert (lost, phone.read()["erased"]) == ([verb], 1)


def test_a_phone_that_is_lost_again_and_again_is_parked(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")})

    def opened(record: PhoneRecord) -> object:
        driver = lab.open_driver(record)

        def never() -> object:
            raise PhoneLost("device offline")

        driver.prepare = never
        return driver

    with lab.planned() as run:
        ended = sweep(lab.setup(run, open_driver=opened))
    assert (ended.phones[0].parked, ended.phones[0].cause) == (Parked.DRIVER, "device offline")


def test_a_phone_that_stays_away_is_parked_and_resumed(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    phone.script = {"find q2": [lambda: vanish(phone)]}
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
        assert ended.phones[0].parked is Parked.DRIVER
        assert "gone for 5 s: no such device" in ended.phones[0].cause
        phone.change(gone=False)
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
    assert phone.read()["erased"] == 1


def test_phones_of_one_platform_that_go_away_together_are_one_incident_of_their_host(tmp_path: Path) -> None:
    phones = {letter: FakePhone(tmp_path / letter) for letter in "ABC"}
    for letter in "AB":
        phones[letter].script = {"find q2": [lambda letter=letter: vanish(phones[letter])]}
    lab = FakeLab(tmp_path, phones, platforms={"C": "other"})
    both, waited = Barrier(2), set()

    def opened(record: PhoneRecord) -> object:
        if phones[record.letter].read().get("gone") and record.letter not in waited:
            waited.add(record.letter)
            both.wait(10)
        return lab.open_driver(record)

    with lab.planned() as run:
        ended = sweep(lab.setup(run, open_driver=opened))
        told = [json.loads(line) for line in (run.folder / "events.jsonl").read_text().splitlines()]
    assert [phone.parked for phone in ended.phones] == [Parked.HOST, Parked.HOST, None]
    assert ended.phones[0].cause == ended.phones[1].cause
    assert ended.phones[0].cause.startswith("Phones A, B: all 2 fake phones of this host went away within 60 s")
    assert [event["phones"] for event in told if event["kind"] == "host_incident"] == [["A", "B"]]
    assert ended.exit_code is ExitCode.PARTIAL


def vanish(phone: FakePhone) -> None:
    phone.change(gone=True)
    raise PhoneLost("device offline")


def test_another_phone_at_the_address_voids_the_slice(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    queries = [ask(f"q{number}") for number in range(4)]
    album = draw_album(tmp_path / "album", queries=queries)
    lab = FakeLab(tmp_path, {"A": phone}, protocol=PROTOCOL.replace("[query]", "[query]\nslice = 2"), album=album)
    with lab.planned() as run:
        order = [key.query for key in asked_order(run.protocol, run.materials["album"], "A/album")]
        # The cables are swapped during the third search, which begins the second slice.
        phone.script = {f"find {order[2]}": [lambda: phone.change(serial="S9")]}
        ended = sweep(lab.setup(run))
        found = outcomes(run)
    assert ended.exit_code is ExitCode.INFRASTRUCTURE
    assert ended.phones[0].parked is Parked.WRONG_PHONE
    assert [found[query][0] for query in order[:2]] == ["answered", "answered"]
    assert [found[query] for query in order[2:]] == [("invalid", "wrong_phone")] * 2


def test_a_try_that_was_no_answer_keeps_its_reason_when_the_slice_is_void(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        order = [key.query for key in asked_order(run.protocol, run.materials["album"], "A/album")]
        phone.script = {
            f"find {order[0]}": [invalid(Invalid.LOCKED)] * 3,
            f"find {order[1]}": [lambda: phone.change(serial="S9")],
        }
        sweep(lab.setup(run))
        found = outcomes(run)
    assert [found[query] for query in order[:2]] == [("invalid", "locked"), ("invalid", "wrong_phone")]


def test_the_right_phone_again_is_asked_what_was_void(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    phone.script = {"find q1": [lambda: phone.change(serial="S9")]}
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        sweep(lab.setup(run))
        phone.change(serial="S1")
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE


@pytest.mark.parametrize("changed", [{"build": "b2"}, {"gallery": "g2"}], ids=["firmware", "gallery"])
def test_an_update_in_the_middle_of_a_run_stops_that_phone(tmp_path: Path, changed: Mapping[str, str]) -> None:
    phone = FakePhone(tmp_path / "A")
    phone.script = {"find q1": [lambda: phone.change(**changed)]}
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
        assert set(outcomes(run).values()) == {("invalid", "changed")}
        again = sweep(lab.setup(run))
    assert [ended.phones[0].parked, again.phones[0].parked] == [Parked.CHANGED] * 2
    assert phone.read()["erased"] == 1


def test_a_new_firmware_is_noticed_before_the_phone_is_erased_again(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    phone.script = {"find q1": [DriverError("parked")]}
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        sweep(lab.setup(run))
        phone.change(build="b2", album={})
        assert sweep(lab.setup(run)).phones[0].parked is Parked.CHANGED
    assert phone.read()["erased"] == 1


def test_a_lost_album_begins_a_new_attempt_and_its_answers_do_not_count(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A", script={"find q3": [DriverError("parked")]})
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        sweep(lab.setup(run))
        phone.change(album={})
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
        (trial,) = run.ledger.trials()
        assert [attempt.number for attempt in run.ledger.attempts(trial.id)] == [1, 2]
        assert coverage(run)[0].answered == 4
    assert phone.read()["erased"] == 2


def test_a_restart_among_queries_needs_the_album_only(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    phone.script = {"find q1": [lambda: phone.change(boot=2)]}
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
    assert phone.read()["erased"] == 1


def test_an_unconfirmed_phone_is_not_touched(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A", virtual=False)
    lab = FakeLab(tmp_path, {"A": phone}, confirm=["all-virtual"])
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    assert ended.phones[0].parked is Parked.REFUSED
    assert 'Phone A ("phone-A"): would be erased and was not confirmed' in ended.phones[0].cause
    assert phone.read()["erased"] == 0


def test_a_named_real_phone_may_be_erased(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", virtual=False)}, confirm=["phone-A"])
    with lab.planned() as run:
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE


def test_a_letter_is_not_given_to_another_phone_in_a_later_run(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A", virtual=False)
    lab = FakeLab(tmp_path, {"A": phone}, confirm=["phone-A"], meet_serial=lambda _letter, _serial: "S0")
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    assert ended.phones[0].parked is Parked.WRONG_PHONE
    assert phone.read()["erased"] == 0


def test_two_entries_for_one_real_phone_are_refused(tmp_path: Path) -> None:
    phones = {letter: FakePhone(tmp_path / letter, virtual=False) for letter in "AB"}
    lab = FakeLab(tmp_path, phones, confirm=["phone-A", "phone-B"])
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    assert sorted(str(phone.parked) for phone in ended.phones) == ["None", "locked"]
    assert ended.exit_code is ExitCode.LOCKED


def test_a_soft_clean_is_not_taken_for_a_factory_reset(tmp_path: Path) -> None:
    phones = {"A": FakePhone(tmp_path / "A", factory=False)}
    strict = FakeLab(tmp_path / "strict", phones)
    with strict.planned() as run:
        assert "is a soft clean" in sweep(strict.setup(run)).phones[0].cause
    lenient = FakeLab(tmp_path / "lenient", phones, protocol=PROTOCOL + "[reset]\nrequire_factory = false\n")
    with lenient.planned() as run:
        assert sweep(lenient.setup(run)).exit_code is ExitCode.COMPLETE


def test_settings_are_back_after_a_sweep(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone})
    with lab.planned() as run:
        sweep(lab.setup(run))
        assert run.ledger.owed_settings("A") == {}
    assert phone.read()["settings"] == {"ime": "vendor"}


def test_a_later_run_repays_what_a_crashed_one_owes(tmp_path: Path) -> None:
    phone = FakePhone(tmp_path / "A")
    lab = FakeLab(tmp_path, {"A": phone}, confirm=[])
    with lab.planned() as crashed, lab.planned() as later:
        crashed.ledger.save_settings("A", lab.clock.utc(), {"ime": "vendor"})
        phone.change(settings={"ime": "rig"})
        sweep(lab.setup(later, earlier_runs={"A": crashed.folder}))
        assert crashed.ledger.owed_settings("A") == {}
    assert phone.read()["settings"] == {"ime": "vendor"}


def test_a_stop_drains_and_a_resume_goes_on(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")})
    lab.phones["A"].script = {"find q2": [lab.stop.set]}
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
        assert ended.stopped
        assert outcomes(run)["q2"] == ("answered", None)
        assert lab.phones["A"].read()["settings"] == {"ime": "vendor"}
        lab.stop.clear()
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
    assert len(lab.phones["A"].read()["searches"]) == 4


def test_a_phone_that_answers_nothing_any_more_is_parked(tmp_path: Path) -> None:
    queries = [ask(f"q{number:02d}") for number in range(12)]
    script = {query.text[key]: [invalid()] * 9 for query in queries for key in query.text}
    lab = FakeLab(
        tmp_path, {"A": FakePhone(tmp_path / "A", script=script)}, album=draw_album(tmp_path / "album", queries=queries)
    )
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
    assert "10 searches in a row have no answer" in ended.phones[0].cause
    assert ended.coverage[0].not_run == 2


def test_a_fault_of_the_rig_ends_one_phone_only(tmp_path: Path) -> None:
    def bug() -> None:
        raise ZeroDivisionError("oops")

    phones = {"A": FakePhone(tmp_path / "A", script={"find q0": [bug]}), "B": FakePhone(tmp_path / "B", serial="S2")}
    lab = FakeLab(tmp_path, phones)
    with lab.planned() as run:
        ended = sweep(lab.setup(run))
        assert "ZeroDivisionError" in (run.folder / "events.jsonl").read_text()
    assert ended.exit_code is ExitCode.BUG
    assert [trial.complete for trial in ended.coverage] == [False, True]


def test_a_full_disk_stops_the_run_and_a_resume_completes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", results={"find q1": NAMES})})
    with lab.planned() as run:
        with monkeypatch.context() as full:
            full.setattr("rig.phases.looking.write_file", _no_space)
            with pytest.raises(InfrastructureDown, match="the disk is full"):
                sweep(lab.setup(run))
        lab.stop.clear()
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
        assert len(labels(run, "q1")) == 14


def _no_space(path: Path, _data: bytes) -> None:
    from rig.disk import DiskFull, full_sentence

    raise DiskFull(full_sentence(path))


def test_a_disk_too_small_for_the_plan_is_refused_at_once(tmp_path: Path) -> None:
    greedy = PROTOCOL.replace("screen_bytes = 1", "screen_bytes = 1000000000000000")
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")}, protocol=greedy)
    with lab.planned() as run, pytest.raises(InfrastructureDown, match="4 searches may need"):
        sweep(lab.setup(run))


def test_at_the_watermark_the_run_waits_between_searches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = iter([5, 5, 5, 10**12])
    monkeypatch.setattr("rig.phases.query.free_bytes", lambda _folder: next(free, 10**12))
    lab = FakeLab(
        tmp_path, {"A": FakePhone(tmp_path / "A")}, protocol=PROTOCOL.replace("keep_free_bytes = 0", "keep_free_bytes = 10")
    )
    with lab.planned() as run:
        assert sweep(lab.setup(run)).exit_code is ExitCode.COMPLETE
        assert "disk_pause" in (run.folder / "events.jsonl").read_text()


def test_a_run_is_one_process_s(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")})
    with lab.planned() as run:
        holder = Lock(run.folder / "run.lock", "run")
        holder.acquire()
        with pytest.raises(LockedByAnother, match="is held by process"):
            sweep(lab.setup(run))
        holder.release()


def test_a_run_whose_protocol_was_edited_is_refused(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")})
    with lab.planned() as run:
        file = run.folder / "inputs" / "protocol.toml"
        file.write_text(file.read_text().replace("max_results = 20", "max_results = 30"))
        with pytest.raises(RigError, match="its protocol was changed after the run began"):
            open_run(run.folder)


def test_a_run_whose_queries_were_edited_is_refused(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")})
    with lab.planned() as run:
        file = run.folder / "inputs" / "albums" / "album" / "queries.json"
        file.write_text(file.read_text().replace("find q1", "find q7"))
        with pytest.raises(RigError, match="album album was changed after the run began"):
            open_run(run.folder)


def test_a_probe_may_not_be_a_scored_query(tmp_path: Path) -> None:
    adaptive = PROTOCOL.replace(
        'mode = "fixed"\nhours = 0', 'mode = "adaptive"\nfloor_s = 1\nspacing_s = 1\ncap_s = 9\nprobes = ["find q1"]'
    )
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")}, protocol=adaptive)
    with pytest.raises(RigError, match='the probe "find q1" is also a scored query'):
        lab.plan()


def test_each_phone_has_its_own_order_and_keeps_it(tmp_path: Path) -> None:
    album = draw_album(tmp_path / "album", queries=[ask(f"q{number:02d}") for number in range(20)])
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")}, album=album)
    with lab.planned() as run:
        material = run.materials["album"]
        one, other = (asked_order(run.protocol, material, f"{letter}/album") for letter in "AB")
        assert one != other
        assert one == asked_order(run.protocol, material, "A/album")
        assert sorted(one) == sorted(other) == sorted(planned(run.protocol, material))


def test_a_hanging_driver_costs_one_phone_and_writes_nothing_late(tmp_path: Path) -> None:
    from threading import Event

    release = Event()
    hanging = FakePhone(tmp_path / "A", script={"find q0": [release.wait]})
    lab = FakeLab(tmp_path, {"A": hanging, "B": FakePhone(tmp_path / "B", serial="S2")})

    def tick() -> None:
        # Time passes for the hanging one once the other is done.
        if coverage(run)[1].complete:
            lab.clock.wait(600, lab.stop)

    with lab.planned() as run:
        ended = sweep(lab.setup(run), tick)
        before = outcomes(run)
        release.set()
        assert outcomes(run) == before
    assert ended.phones[0].parked is Parked.HANGING
    assert "search 'find q0': no answer within the rig's own deadline" in ended.phones[0].cause
    assert ended.coverage[1].complete


def test_what_happened_is_told_in_order(tmp_path: Path) -> None:
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A")})
    with lab.planned() as run:
        sweep(lab.setup(run))
        events = [json.loads(line) for line in (run.folder / "events.jsonl").read_text().splitlines()]
    assert [event["phase"] for event in events if event["kind"] == "phase_begins"] == [*Phase]
    assert events[-1] == {**events[-1], "kind": "sweep_ends", "exit_code": 0}


def test_a_lost_phone_s_search_is_invalid_for_its_connection(tmp_path: Path) -> None:
    failures: list[SearchFailed | DriverError] = [PhoneLost("x"), PhoneLost("x"), PhoneLost("x")]
    lab = FakeLab(tmp_path, {"A": FakePhone(tmp_path / "A", script={"find q1": failures})})
    with lab.planned() as run:
        sweep(lab.setup(run))
        assert outcomes(run)["q1"] == (str(Outcome.INVALID), "connection")
