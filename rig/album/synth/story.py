"""The life that a drawn album tells: two years of home, trips, dinners and work, as descriptions of photos.

A description is the whole truth about its photo: the picture is drawn from it, the file's metadata are written from it, and a
query's ground truth is every photo whose description satisfies the query. All hours are such that neither the month nor the day
depends on whether a clock on the spot, in China or in UTC is read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

import numpy as np

from rig.album.synth.words import PEOPLE, PLACES, Place


@dataclass(frozen=True, slots=True)
class Shot:
    """One photo, described."""

    scene: int
    """Photos of one scene are the frames of one burst, or one shot saved twice."""
    frame: int
    kind: str
    mood: str
    keywords: frozenset[str]
    people: tuple[str, ...]
    place: Place | None
    """None when the file has no position: such a photo answers no query about places."""
    taken_at: datetime
    """With offset."""
    saved_again: bool = False


@dataclass(frozen=True, slots=True)
class _Idea:
    """What may be photographed at an event."""

    kind: str
    mood: str
    seen: str
    hour: float
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Event:
    place: str
    first_day: str
    days: int
    ideas: tuple[_Idea, ...]


def _idea(kind: str, mood: str, seen: str, hour: float, people: str = "") -> _Idea:
    return _Idea(kind, mood, seen, hour, tuple(people.split()))


_EVENTS = (
    _Event("Hangzhou", "2023-06-10", 9, (
        _idea("cat", "sofa", "cat, animal, sofa, room", 10.2),
        _idea("food", "noodles", "food, noodles", 12.3),
        _idea("interior", "living", "living room, room, sofa", 15.0),
        _idea("portrait", "living", "portrait, living room, room", 16.0, "duoduo"),
        _idea("document", "receipt", "receipt", 17.1),
        _idea("food", "fruit", "food, fruit", 11.0),
    )),
    _Event("Qingdao", "2023-07-14", 5, (
        _idea("portrait", "beach", "portrait, beach, sea", 10.5, "lin"),
        _idea("beach", "day", "beach, sea", 11.2),
        _idea("food", "seafood", "food, seafood", 18.2),
        _idea("beach", "sunset", "beach, sea, sunset", 18.9),
        _idea("portrait", "beach", "portrait, group photo, beach, sea", 16.2, "lin duoduo"),
        _idea("document", "receipt", "receipt", 19.6),
        _idea("street", "day", "street, building, car", 14.0),
    )),
    _Event("Beijing", "2023-10-03", 4, (
        _idea("mountains", "autumn", "mountain, autumn leaves", 10.4),
        _idea("woods", "autumn", "tree, autumn leaves", 13.3),
        _idea("portrait", "autumn", "portrait, tree, autumn leaves", 14.1, "mom"),
        _idea("street", "day", "street, building, car", 15.6),
        _idea("food", "noodles", "food, noodles", 12.2),
        _idea("street", "night", "street, building, car, night view", 20.3),
    )),
    _Event("Hangzhou", "2023-12-09", 2, (
        _idea("food", "cake", "food, cake, birthday", 18.6),
        _idea("portrait", "birthday", "portrait, birthday, room", 18.9, "duoduo"),
        _idea("portrait", "birthday", "portrait, group photo, birthday, room", 19.2, "mom duoduo lin"),
        _idea("cat", "sofa", "cat, animal, sofa, room", 15.2),
    )),
    _Event("Chengdu", "2024-02-09", 6, (
        _idea("food", "dumplings", "food, dumplings", 18.1),
        _idea("skyline", "fireworks", "fireworks, night view, city", 20.9),
        _idea("portrait", "living", "portrait, group photo, living room, room", 17.0, "mom lin"),
        _idea("food", "hotpot", "food, hot pot", 18.8),
        _idea("portrait", "street", "portrait, street", 15.4, "mom"),
    )),
    _Event("Hangzhou", "2024-03-22", 4, (
        _idea("woods", "blossom", "tree, cherry blossom, flower", 10.1),
        _idea("blossom", "pink", "flower", 11.3),
        _idea("portrait", "blossom", "portrait, tree, cherry blossom, flower", 11.0, "lin"),
        _idea("mountains", "lake", "mountain, lake", 14.4),
        _idea("portrait", "lake", "portrait, lake, mountain", 15.5, "duoduo"),
        _idea("blossom", "yellow", "flower", 12.0),
    )),
    _Event("Shanghai", "2024-05-14", 3, (
        _idea("document", "receipt", "receipt", 13.2),
        _idea("interior", "office", "office, room, desk, computer", 10.1),
        _idea("skyline", "night", "city, building, night view", 20.4),
        _idea("document", "ticket", "ticket", 9.7),
        _idea("portrait", "office", "portrait, office, room", 16.0, "wang"),
        _idea("document", "whiteboard", "whiteboard, office", 14.6),
        _idea("document", "receipt", "receipt", 19.4),
        _idea("food", "coffee", "food, coffee, cafe", 10.8),
    )),
    _Event("Qingdao", "2024-07-19", 4, (
        _idea("portrait", "beach", "portrait, beach, sea", 10.3, "duoduo"),
        _idea("beach", "sunset", "beach, sea, sunset", 18.8),
        _idea("beach", "day", "beach, sea", 11.6),
        _idea("food", "seafood", "food, seafood", 18.0),
        _idea("portrait", "sunset", "portrait, beach, sea, sunset", 18.7, "lin"),
    )),
    _Event("Tokyo", "2024-08-16", 5, (
        _idea("street", "night", "street, building, car, night view", 19.8),
        _idea("food", "noodles", "food, noodles", 12.6),
        _idea("portrait", "night", "portrait, street, night view", 20.2, "chen"),
        _idea("street", "day", "street, building, car", 15.0),
        _idea("document", "menu", "menu", 18.3),
        _idea("document", "ticket", "ticket", 10.5),
        _idea("skyline", "night", "city, building, night view", 20.6),
    )),
    _Event("Chengdu", "2024-10-18", 3, (
        _idea("mountains", "green", "mountain, forest", 10.6),
        _idea("portrait", "mountain", "portrait, mountain", 11.5, "chen"),
        _idea("woods", "green", "tree, forest", 13.0),
        _idea("food", "hotpot", "food, hot pot", 18.4),
        _idea("portrait", "mountain", "portrait, group photo, mountain", 12.0, "chen wang"),
    )),
    _Event("Paris", "2024-12-05", 3, (
        _idea("street", "day", "street, building, car", 11.2),
        _idea("food", "coffee", "food, coffee, cafe", 10.3),
        _idea("portrait", "cafe", "portrait, cafe, room", 13.5, "wang"),
        _idea("document", "contract", "contract, document", 15.2),
        _idea("interior", "cafe", "cafe, room", 14.0),
        _idea("document", "receipt", "receipt", 14.9),
    )),
    _Event("Beijing", "2025-01-17", 4, (
        _idea("mountains", "snow", "mountain, snow", 11.0),
        _idea("portrait", "snow", "portrait, snow, mountain", 11.4, "duoduo"),
        _idea("portrait", "snow", "portrait, group photo, snow, mountain", 11.9, "duoduo mom"),
        _idea("food", "dumplings", "food, dumplings", 18.2),
        _idea("skyline", "night", "city, building, night view", 19.9),
    )),
    _Event("Hangzhou", "2025-04-11", 6, (
        _idea("interior", "office", "office, room, desk, computer", 10.0),
        _idea("cat", "desk", "cat, animal, desk, room", 14.1),
        _idea("portrait", "office", "portrait, office, room", 11.2, "wang"),
        _idea("document", "contract", "contract, document", 15.3),
        _idea("blossom", "red", "flower", 12.1),
        _idea("food", "fruit", "food, fruit", 16.0),
        _idea("portrait", "living", "portrait, group photo, living room, room", 17.5, "lin duoduo"),
    )),
)  # fmt: skip

# What people take bursts of: things that move, and people.
_BURST_KINDS = ("portrait", "cat", "beach", "street", "skyline", "woods", "food")


def tell(photos: int, seed: int) -> tuple[Shot, ...]:
    """`photos` descriptions in order of time. Of 120, nine scenes are bursts and three shots were saved twice."""
    rng = np.random.default_rng([seed, 0])
    bursts, twins = round(photos * 9 / 120), photos // 40
    frames = rng.integers(3, 7, size=bursts)
    scenes = max(1, photos - twins - int((frames - 1).sum()))
    moments = _moments(rng)
    firsts = [_describe(rng, scene, *next(moments)) for scene in range(scenes)]
    eligible = [shot.scene for shot in firsts if shot.kind in _BURST_KINDS]
    chosen = rng.choice(eligible, size=min(bursts, len(eligible)), replace=False).tolist() if eligible else []
    length = dict(zip(chosen, frames.tolist(), strict=False))
    shots = [shot for first in firsts for shot in _burst(rng, first, length.get(first.scene, 1))]
    shots += _saved_twice(rng, shots, twins)
    return tuple(sorted(shots[:photos], key=lambda shot: (shot.taken_at, shot.scene, shot.frame, shot.saved_again)))


def _moments(rng: np.random.Generator) -> Iterator[tuple[_Event, _Idea, int]]:
    """Every event gets its first idea before any gets its second, without end."""
    turn = 0
    while True:
        for event in _EVENTS:
            yield event, event.ideas[turn % len(event.ideas)], int(rng.integers(event.days))
        turn += 1


def _describe(rng: np.random.Generator, scene: int, event: _Event, idea: _Idea, day: int) -> Shot:
    place = PLACES[event.place]
    start = datetime.fromisoformat(event.first_day).replace(tzinfo=timezone(timedelta(hours=place.offset_h)))
    # A different second for each scene, so that no two scenes share a moment.
    moment = start + timedelta(days=day, hours=idea.hour, seconds=int(rng.integers(0, 1500)))
    # Papers and rooms are often taken without a fix.
    lost = idea.kind in ("document", "interior") and rng.random() < 0.25
    spot = replace(
        place,
        latitude_deg=round(place.latitude_deg + rng.normal(0, 0.02), 6),
        longitude_deg=round(place.longitude_deg + rng.normal(0, 0.02), 6),
    )
    keywords = frozenset(idea.seen.split(", "))
    return Shot(scene, 0, idea.kind, idea.mood, keywords, idea.people, None if lost else spot, moment)


def _burst(rng: np.random.Generator, first: Shot, frames: int) -> list[Shot]:
    gap = float(rng.uniform(0.5, 1.2))
    return [replace(first, frame=n, taken_at=first.taken_at + timedelta(seconds=int(n * gap))) for n in range(frames)]


def _saved_twice(rng: np.random.Generator, shots: list[Shot], count: int) -> list[Shot]:
    in_bursts = {shot.scene for shot in shots if shot.frame}
    singles = [shot for shot in shots if shot.scene not in in_bursts]
    chosen = sorted(rng.choice(len(singles), size=min(count, len(singles)), replace=False).tolist()) if singles else []
    return [replace(singles[number], saved_again=True) for number in chosen]


def who(shot: Shot) -> tuple[str, ...]:
    """English names of the people in the photo."""
    return tuple(PEOPLE[key].en for key in shot.people)
