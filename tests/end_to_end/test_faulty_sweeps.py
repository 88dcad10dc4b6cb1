"""Whole sweeps over two virtual phones of each ecosystem, with everything going wrong that the control socket knows.

One run of five sittings, as a bad week would have it:

    refused     no room, a wrong clock: nobody is measured                                                    exit 4
    troubled    cut transfers, restarts in the wait, a trouble at nearly every search; some outlive the tries   exit 3
    swapped     the cables of two phones are swapped in mid-sweep; both iPhones go away at once                exit 4
    again       the rest is asked; now the cables of the iPhones are swapped                                   exit 4
    well        everything is put right and the rest is asked                                                  exit 0
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from threading import Timer
from typing import Any

import pytest
from faulty_album import PHOTOS, make_album
from faulty_lab import Director, Met, Session, Shelf, Sink, Trouble, When, all_of, once, shelf

from devices.virtual.gallery.skin import load_skin
from drivers.android.server import end_server
from drivers.interface import Invalid
from rig.analysis import match_run
from rig.cli.sweep import letter_file
from rig.errors import ExitCode
from rig.honesty import honesty_of
from rig.letters import letters_for
from rig.model import Language, Outcome
from rig.records import Parked, Phase, SearchKey, Status
from rig.run import Run, open_run, planned

ATTEMPTS = 3
PROTOCOL = f"""
schema_version = 1
name = "faulty"
languages = ["zh"]
max_results = 8
attempts = 3
[index]
mode = "fixed"
hours = 0.001
signal_every_s = 0.5
[query]
attempts = {ATTEMPTS}
slice = 4
reconnect_s = 4
deadline_s = 40
[health]
every_s = 0.001
poll_s = 0.1
[disk]
keep_free_bytes = 0
screen_bytes = 1
"""
BEFORE, READ = When.BEFORE, When.WHILE_READ
SPINNER, BLACK, DARK, ANR = (Trouble(name) for name in ("spinner_forever", "black_frame", "screen_off", "anr_dialog"))
INDEXING, PROMPT, LOCK, GARBLED = (
    Trouble(name, lasting=True) for name in ("indexing_banner", "permission_prompt", "lock", "text_garbled")
)
MISSING, STALE, OTHER_APP, DIALOG, SUGGESTED = (
    Trouble(name) for name in ("cells_missing", "stale_grid", "wrong_app", "system_update_dialog", "suggestions_only")
)
KEYBOARD, MUM = Trouble("keyboard_stuck"), Trouble("notification", {"lasts_s": 30})
LOW = Trouble("battery", {"percent": 15}, BEFORE, then={"health_pause": ("battery", {"percent": 90})})
HOT = Trouble("temperature", {"celsius": 47}, BEFORE, then={"health_pause": ("temperature", {"celsius": 30})})
TOMORROW = Trouble("clock", {"seconds": 90_000}, BEFORE)


def shot(kind: str) -> Trouble:
    """Screenshots of this kind."""
    return Trouble("screenshot", {"kind": kind}, BEFORE)


def read(fault: str, **options: object) -> Trouble:
    """A fault that comes while results are read."""
    return Trouble(fault, options, READ)


DROP, REBOOT, HANG = read("drop", seconds=0.5), read("reboot"), read("hang")
SECOND = (KEYBOARD, MISSING, STALE, shot("none"), HOT, HANG, MUM, OTHER_APP, DIALOG, SUGGESTED, GARBLED)
TROUBLES: Mapping[str, Sequence[Trouble]] = {
    "android-1": (
        *(SPINNER, BLACK, DARK, ANR, DROP, INDEXING, shot("crlf"), PROMPT, REBOOT, LOCK, LOW, shot("truncated")),
        read("ui_server_killed"),
    ),
    "android-2": (*SECOND, read("unauthorized")),
    "ios-1": (
        *(SPINNER, BLACK, DROP, INDEXING, read("wda_session_lost"), PROMPT, REBOOT, LOCK, LOW, shot("truncated")),
        *(read("wda_hang"), TOMORROW),
    ),
    "ios-2": (*SECOND, read("untrusted")),
    "harmony-1": (
        *(SPINNER, BLACK, DARK, ANR, DROP, INDEXING, read("uitest_killed"), PROMPT, read("uitest_garbage"), LOCK, LOW),
        *(read("uitest_half"), REBOOT, TOMORROW),
    ),
    "harmony-2": (*SECOND, read("gallery_update", version="99.0")),
}
"""What each phone meets in the troubled sitting, in this order, each at a search of its own."""

WHY: Mapping[str, Invalid] = {
    "spinner_forever": Invalid.STILL_LOADING,
    "black_frame": Invalid.BLACK_FRAME,
    "screen_off": Invalid.BLACK_FRAME,
    "anr_dialog": Invalid.NOT_RESPONDING,
    "indexing_banner": Invalid.INDEXING,
    "permission_prompt": Invalid.PERMISSION,
    "lock": Invalid.LOCKED,
    "text_garbled": Invalid.INPUT_MISMATCH,
    "system_update_dialog": Invalid.DIALOG,
    "wrong_app": Invalid.WRONG_APP,
    "suggestions_only": Invalid.SUGGESTIONS_ONLY,
    "cells_missing": Invalid.UNKNOWN_SCREEN,
    "keyboard_stuck": Invalid.KEYBOARD_OVER_GRID,
    "notification": Invalid.NOTIFICATION,
    "screenshot": Invalid.BROKEN_IMAGE,
    "drop": Invalid.CONNECTION,
    "reboot": Invalid.CONNECTION,
    "hang": Invalid.CONNECTION,
    "wda_session_lost": Invalid.CONNECTION,
    "wda_hang": Invalid.CONNECTION,
    "uitest_killed": Invalid.CONNECTION,
    "uitest_garbage": Invalid.CONNECTION,
    "uitest_half": Invalid.CONNECTION,
}
"""What a try that meets it is called."""

BORNE = {
    *(("ios-1", "screenshot"), ("ios-2", "screenshot")),  # a frame of the agent's stream takes its place
    *((f"{platform}-2", "stale_grid") for platform in ("android", "ios", "harmony")),  # asked again of a gallery that forgot
    ("android-1", "ui_server_killed"),
}
"""What a phone is searched through all the same."""

PARKING: Mapping[str, tuple[Parked, str]] = {
    "android-2": (Parked.DRIVER, "is unauthorized: unlock the phone and allow USB debugging from this computer"),
    "ios-1": (Parked.CHANGED, "its clock is 1.0 days ahead; set its date"),
    "ios-2": (Parked.DRIVER, "unlock it, tap Trust, and try again"),
    "harmony-1": (Parked.CHANGED, "its clock is 1.0 days ahead; set its date"),
    "harmony-2": (Parked.CHANGED, "its gallery version changed during the run"),
}
"""How the last trouble of a phone ends the sitting for it; the first Android goes on to its last search."""

RESTS = ("battery", "temperature")
OF_RESULTS = ("cells_missing", "stale_grid")
"""What cannot be seen where the gallery finds nothing."""


@dataclass(frozen=True, slots=True)
class Story:
    """The run, as its sittings and the phones tell it."""

    sittings: Mapping[str, Session]
    met: Mapping[str, Sequence[Met]]
    """By phone: what became of each trouble of the troubled sitting."""
    shown: Mapping[str, Sequence[Mapping[str, Any]]]
    """By phone: every search that truly reached its screen."""
    run: Run
    """At the end, matched."""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("faulty")
    make_album(folder / "album")
    (folder / "faulty.toml").write_text(PROTOCOL)
    with shelf(folder, 2) as lab:
        # The letters decide in which order each phone is asked: the same whenever this is run.
        letters_for(lab.names, letter_file(folder / "runs"), Random(1))
        control, told = lab.control, {}
        told["refused"] = lab.sweep(folder / "faulty.toml", folder / "album", _refused(lab))
        _heal(lab)
        directors = {name: Director(control, name, troubles, ATTEMPTS) for name, troubles in TROUBLES.items()}
        told["troubled"] = lab.resume({name: all_of(_filling(lab, name), directors[name]) for name in lab.names})
        _heal(lab)
        told["swapped"] = lab.resume(_swapping(lab))
        _put_back(lab)
        told["again"] = lab.resume(
            {
                **_both("ios", lambda: control.swap("ios-1", "ios-2")),
                **_both("android", lambda: end_server(lab.adb)),
            }
        )
        control.swap("ios-1", "ios-2")
        for name in lab.names:
            control.fault(name, "scroll_jitter")
            control.fault(name, "slow", seconds=0.005)
        told["well"] = lab.resume({})
        shown = {name: control.shown(name)["searches"] for name in lab.names}
    run = open_run(lab.run)
    match_run(run)
    yield Story(told, {name: director.met for name, director in directors.items()}, shown, run)
    run.ledger.close()


def _refused(lab: Shelf) -> dict[str, Sink]:
    """Before the transfer, one phone of each ecosystem has no room, and the other believes that it is half a century ago."""

    def spoil(name: str) -> None:
        if name.endswith("1"):
            lab.control.fault(name, "free_space", bytes=100_000)
        else:
            lab.control.fault(name, "clock", seconds=-1.6e9)

    return {name: once("phase_begins", partial(spoil, name), Phase.IMPORT) for name in lab.names}


def _filling(lab: Shelf, name: str) -> Sink:
    """One phone of each ecosystem loses its cable and a photo while it is filled, the other restarts while it indexes."""

    def spoil() -> None:
        lab.control.fault(name, "push_cut")
        lab.control.fault(name, "push_lost", count=3)

    if name.endswith("1"):
        return once("phase_begins", spoil, Phase.IMPORT)
    return once("phase_begins", Timer(1.0, lambda: lab.control.fault(name, "reboot")).start, Phase.INDEX)


def _swapping(lab: Shelf) -> dict[str, Sink]:
    """After the first answers of the sitting, two phones change their cables, twice, and the iPhones lose theirs."""

    def vanish() -> None:
        for name in ("ios-1", "ios-2"):
            lab.control.ask("unplug", name)

    return {
        **_both("android", lambda: lab.control.swap("android-1", "android-2")),
        **_both("harmony", lambda: lab.control.swap("harmony-1", "harmony-2")),
        **_both("ios", vanish),
    }


def _both(platform: str, do: Callable[[], object]) -> dict[str, Sink]:
    """At the first answer of either phone of a platform."""
    sink = once("answered", do)
    return {f"{platform}-1": sink, f"{platform}-2": sink}


def _heal(lab: Shelf) -> None:
    for name in lab.names:
        lab.control.clear(name)
    lab.control.fault("harmony-2", "gallery_update", version=load_skin("harmony_photos").version)


def _put_back(lab: Shelf) -> None:
    lab.control.swap("android-1", "android-2")
    lab.control.swap("harmony-1", "harmony-2")
    for name in ("ios-1", "ios-2"):
        lab.control.ask("plug", name, port=lab.ports[name])


PHONES = tuple(TROUBLES)


@pytest.mark.parametrize(
    ("sitting", "code"),
    [
        ("refused", ExitCode.INFRASTRUCTURE),
        ("troubled", ExitCode.PARTIAL),
        ("swapped", ExitCode.INFRASTRUCTURE),
        ("again", ExitCode.INFRASTRUCTURE),
        ("well", ExitCode.COMPLETE),
    ],
)
def test_a_sitting_ends_with_its_exit_code(story: Story, sitting: str, code: ExitCode) -> None:
    assert story.sittings[sitting].ended.exit_code is code


@pytest.mark.parametrize("name", PHONES)
def test_every_planned_search_is_there_as_answered_or_with_the_reason_why_not(story: Story, name: str) -> None:
    keys = set(planned(story.run.protocol, story.run.materials["faulty"]))
    for session in story.sittings.values():
        searches = session.searches[name]
        assert set(searches) <= keys
        assert all(search.reason for search in searches.values() if search.outcome is Outcome.INVALID)
        # What is not there was not asked, because the phone was parked.
        assert set(searches) == keys or session.parked(name)[0] is not None
    last = story.sittings["well"].searches[name]
    assert {search.outcome for search in last.values()} == {Outcome.ANSWERED}
    assert set(last) == keys


@pytest.mark.parametrize("name", PHONES)
def test_no_answer_is_asked_again_but_what_a_change_made_void(story: Story, name: str) -> None:
    answered: dict[SearchKey, int] = {}
    for session in story.sittings.values():
        now = {key: search.id for key, search in session.searches[name].items() if search.outcome is Outcome.ANSWERED}
        assert answered.items() <= now.items()
        answered = now


@pytest.mark.parametrize("name", PHONES)
def test_what_was_recorded_is_what_was_shown(story: Story, name: str) -> None:
    honesty = honesty_of(story.run, _letter(story, name), story.shown[name])
    assert (honesty.wrong, honesty.missed, honesty.twice) == (0, 0, 0)
    assert honesty.right > 0.9 * honesty.shown > 0


@pytest.mark.parametrize("name", PHONES)
def test_each_answer_was_on_this_phones_own_screen_while_it_was_asked(story: Story, name: str) -> None:
    texts = {query.id: query.text[Language.ZH] for query in story.run.materials["faulty"].queries}
    for key, search in story.sittings["well"].searches[name].items():
        began = search.started_at.timestamp()
        while_asked = (began, began + (search.elapsed_s or 0.0))
        shown = [entry for entry in story.shown[name] if while_asked[0] <= entry["shown_at_s"] <= while_asked[1]]
        assert texts[key.query] in [entry["text"] for entry in shown], key.query


@pytest.mark.parametrize("name", PHONES)
def test_a_phone_without_room_or_with_a_wrong_clock_is_sent_nothing(story: Story, name: str) -> None:
    parked, cause = story.sittings["refused"].parked(name)
    assert parked == Parked.REFUSED
    assert ("bytes of free storage expected" if name.endswith("1") else "days behind; set its date") in cause
    assert not story.sittings["refused"].searches[name]


@pytest.mark.parametrize("name", [name for name in PHONES if name.endswith("1")])
def test_a_cut_transfer_and_a_lost_photo_are_made_good_before_the_wait_begins(story: Story, name: str) -> None:
    reports = [report for _, report in story.run.ledger.evidence(_letter(story, name), "import")]
    assert reports[-1]["found"] == reports[-1]["expected"] == len(PHOTOS)
    assert not reports[-1]["faults"]
    assert any(fault["fault"] == "missing" for report in reports[:-1] for fault in report["faults"])


@pytest.mark.parametrize("name", [name for name in PHONES if name.endswith("2")])
def test_a_restart_while_it_indexes_voids_the_wait(story: Story, name: str) -> None:
    (trial,) = [trial for trial in story.run.ledger.trials() if trial.letter == _letter(story, name)]
    attempts = story.run.ledger.attempts(trial.id)
    waits = [attempt.phases[Phase.INDEX] for attempt in attempts if Phase.INDEX in attempt.phases]
    assert [wait.status for wait in waits] == [Status.FAILED, Status.DONE]
    assert "it restarted while it indexed" in waits[0].detail


MEETINGS = [
    pytest.param(name, place, id=f"{name} {trouble.fault} {trouble.options.get('kind', '')}".strip())
    for name, troubles in TROUBLES.items()
    for place, trouble in enumerate(troubles)
]


@pytest.mark.parametrize(("name", "place"), MEETINGS)
def test_a_trouble_is_named_or_borne(story: Story, name: str, place: int) -> None:
    met = story.met[name][place]
    fault = met.trouble.fault
    if fault in RESTS:
        assert met.kinds[:2] == ["health_pause", "health_resumed"]
    elif (name, fault) in BORNE:
        assert set(met.kinds) & {"answered", "invalid"}
    elif place + 1 == len(TROUBLES[name]) and name in PARKING:
        assert "answered" not in met.kinds[1:]
    elif fault in OF_RESULTS and met.nothing_found:
        assert met.kinds == ["answered"]
    elif met.trouble.lasting:
        assert met.reasons == [WHY[fault]] * ATTEMPTS
    else:
        assert WHY[fault] in met.reasons or met.came_too_late


@pytest.mark.parametrize("name", PHONES)
def test_a_trouble_that_outlives_the_tries_is_invalid_and_never_an_empty_answer(story: Story, name: str) -> None:
    lasting = [met for met in story.met[name] if met.trouble.lasting]
    assert lasting
    for met in lasting:
        (query,) = {str(event.data["query"]) for event in met.events if event.kind == "invalid"}
        search = story.sittings["troubled"].searches[name][SearchKey(query, Language.ZH, 1)]
        assert (search.outcome, search.reason) == (Outcome.INVALID, WHY[met.trouble.fault])


@pytest.mark.parametrize("name", PHONES)
def test_what_needs_a_person_parks_the_phone_with_the_next_step_and_the_others_go_on(story: Story, name: str) -> None:
    parked, cause = story.sittings["troubled"].parked(name)
    expected, words = PARKING.get(name, (None, ""))
    assert parked == expected
    assert words in cause


@pytest.mark.parametrize(("sitting", "platform"), [("swapped", "android"), ("swapped", "harmony"), ("again", "ios")])
def test_swapped_cables_are_found_on_both_phones(story: Story, sitting: str, platform: str) -> None:
    for name in (f"{platform}-1", f"{platform}-2"):
        parked, cause = story.sittings[sitting].parked(name)
        assert parked == Parked.WRONG_PHONE
        assert "check the cables" in cause or "put the cables back" in cause


def test_iphones_that_all_go_away_at_once_are_one_incident_of_the_host(story: Story) -> None:
    swapped = story.sittings["swapped"]
    assert [event.data["platform"] for event in swapped.of_the_run if event.kind == "host_incident"] == ["ios"]
    assert swapped.parked("ios-1")[0] == swapped.parked("ios-2")[0] == Parked.HOST
    assert swapped.parked("ios-1")[1] == swapped.parked("ios-2")[1]


def test_an_adb_server_that_dies_costs_nothing(story: Story) -> None:
    again = story.sittings["again"]
    assert [again.parked(name)[0] for name in ("android-1", "android-2")] == [None, None]


def test_no_phone_is_owed_a_setting(story: Story) -> None:
    assert [dict(story.run.ledger.owed_settings(phone.letter)) for phone in story.run.ledger.phones()] == [{}] * len(PHONES)


def _letter(story: Story, name: str) -> str:
    return next(phone.letter for phone in story.run.ledger.phones() if phone.name == name)
