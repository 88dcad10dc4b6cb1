"""The life a drawn album tells, and the queries about it."""

from collections import Counter
from datetime import UTC, timedelta

import pytest

from rig.album.names import key_of, why_not
from rig.album.synth.naming import frames_of
from rig.album.synth.questions import ask
from rig.album.synth.story import Shot, tell
from rig.album.synth.words import KEYWORDS, PEOPLE
from rig.model import Language, SourceType

STORY = tell(120, 7)


def named(shots: tuple[Shot, ...], seed: int = 7) -> dict[str, Shot]:
    return {frame.name: shot for frame, shot in zip(frames_of(shots, seed), shots, strict=True)}


@pytest.mark.parametrize("photos", [1, 2, 7, 24, 120, 500])
@pytest.mark.parametrize("seed", [0, 7])
def test_a_story_has_as_many_photos_as_were_asked_for(photos: int, seed: int) -> None:
    assert len(tell(photos, seed)) == photos


def test_the_same_seed_tells_the_same_story_and_another_seed_another() -> None:
    assert tell(120, 7) == STORY
    assert tell(120, 8) != STORY


@pytest.mark.parametrize("seed", range(5))
def test_at_least_eight_bursts_of_three_to_six_frames(seed: int) -> None:
    frames = Counter(shot.scene for shot in tell(120, seed) if not shot.saved_again)
    bursts = [count for count in frames.values() if count > 1]
    assert len(bursts) >= 8
    assert set(bursts) <= {3, 4, 5, 6}


def test_some_shots_were_saved_twice_with_another_name() -> None:
    names = {(shot.scene, shot.frame, shot.saved_again): name for name, shot in named(STORY).items()}
    twins = [(names[scene, frame, False], names[scene, frame, True]) for scene, frame, again in names if again]
    assert len(twins) == 3
    assert all(first != second for first, second in twins)


def test_the_story_lasts_two_years() -> None:
    times = [shot.taken_at for shot in STORY]
    assert times == sorted(times)
    assert timedelta(days=600) < times[-1] - times[0] < timedelta(days=800)


def test_no_clock_puts_a_photo_into_another_day() -> None:
    china = timedelta(hours=8)
    for shot in tell(500, 3):
        utc = shot.taken_at.astimezone(UTC)
        assert shot.taken_at.date() == utc.date() == (utc + china).date()


def test_everything_seen_has_a_word_in_both_languages() -> None:
    assert {keyword for shot in STORY for keyword in shot.keywords} <= set(KEYWORDS)
    assert {person for shot in STORY for person in shot.people} == set(PEOPLE)


@pytest.mark.parametrize("photos", [120, 1000])
def test_file_names_are_unique_on_a_phone_and_allowed_there(photos: int) -> None:
    names = [frame.name for frame in frames_of(tell(photos, 7), 7)]
    assert len({key_of(name) for name in names}) == photos
    assert not [name for name in names if why_not(name)]


def test_names_formats_and_orientations_are_as_mixed_as_in_a_real_album() -> None:
    frames = frames_of(STORY, 7)
    endings = Counter(frame.name.rsplit(".", 1)[1].lower() for frame in frames)
    assert endings["jpg"] > endings["png"] + endings["heic"] >= 4
    assert endings["png"]
    assert endings["heic"]
    assert {1, 6, 8} <= {frame.orientation for frame in frames}
    assert any(" (" in frame.name for frame in frames)
    assert any(not frame.name.isascii() for frame in frames)
    assert len({frame.size for frame in frames}) >= 4


@pytest.mark.parametrize("seed", range(4))
def test_an_album_of_120_has_at_least_40_queries_of_all_seven_types_in_both_languages(seed: int) -> None:
    queries, probes = ask("album", named(tell(120, seed), seed))
    assert len(queries) >= 40
    normal = {query.source_type for query in queries if not query.is_rejection}
    assert normal == set(SourceType)
    assert all(set(query.text) == set(Language) for query in (*queries, *probes))
    for language in Language:
        assert len({query.text[language] for query in (*queries, *probes)}) == len(queries) + len(probes)


def test_twelve_per_cent_of_the_queries_have_no_answer() -> None:
    queries, _ = ask("album", named(STORY))
    assert 0.10 <= sum(query.is_rejection for query in queries) / len(queries) <= 0.13


def test_ground_truth_is_every_photo_that_meets_the_condition() -> None:
    shots = named(STORY)
    queries = {query.text[Language.EN]: query for query in ask("album", shots)[0]}
    beach = {
        name
        for name, shot in shots.items()
        if "beach" in shot.keywords and "lin" in shot.people and shot.place and shot.place.en == "Qingdao"
    }
    assert queries["Lin Yue at the beach in Qingdao"].relevant == beach != set()
    may = {name for name, shot in shots.items() if "receipt" in shot.keywords and f"{shot.taken_at:%Y-%m}" == "2024-05"}
    assert queries["receipts from May 2024"].relevant == may != set()
    assert queries["Wang Hao at the beach"].is_rejection


def test_ground_truths_differ_widely_in_size() -> None:
    sizes = {len(query.relevant) for query in ask("album", named(STORY))[0]}
    assert {0, 1, 2, 3} <= sizes
    assert max(sizes) >= 40


def test_a_photo_without_a_position_answers_no_query_about_places() -> None:
    shots = named(tell(500, 7))
    lost = {name for name, shot in shots.items() if shot.place is None}
    assert lost
    places = [query for query in ask("album", shots)[0] if query.dimensions.get("Location") == "fact"]
    assert not any(lost & query.relevant for query in places)


def test_probes_have_answers_and_are_not_among_the_scored_queries() -> None:
    queries, probes = ask("album", named(STORY))
    assert len(probes) >= 4
    assert all(probe.relevant for probe in probes)
    assert not {probe.id for probe in probes} & {query.id for query in queries}
