"""The queries of a drawn album: each is a condition on the descriptions, and its ground truth is every photo that meets it.

Which sources a query needs follows from its condition: something seen is V, a place or time is M, a person is F. The empty ones
are made in the paper's two ways (Appendix A.4): metadata or role perturbed, and entity, scene or detail varied.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rig.album.synth.story import Shot
from rig.model import Depth, Language, Query, SourceType

SUMMER, AUTUMN = (6, 7, 8), (9, 10, 11)

# Zero-ground-truth queries are 12 % of all (paper, Table 1: 10 to 12 % by album).
_EMPTY_SHARE = 0.12
# What these words ask for is an impression or an occasion; the other words name things (paper, Table 8).
_CONCEPTS = {
    "sunset": Depth.FACT,
    "night view": Depth.FACT,
    "portrait": Depth.FACT,
    "group photo": Depth.COGNITIVE,
    "birthday": Depth.COGNITIVE,
}
_SETTINGS = {"office", "cafe", "living room", "room", "street", "city"}


@dataclass(frozen=True, slots=True)
class Ask:
    """A query's two texts and its condition; a part that is empty asks for nothing."""

    zh: str
    en: str
    seen: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    place: str = ""
    year: int = 0
    months: tuple[int, ...] = ()

    def holds(self, shot: Shot) -> bool:
        """True when the photo meets every part of the condition."""
        return (
            shot.keywords.issuperset(self.seen)
            and set(shot.people).issuperset(self.people)
            and (not self.place or (shot.place is not None and shot.place.en == self.place))
            and (not self.year or shot.taken_at.year == self.year)
            and (not self.months or shot.taken_at.month in self.months)
        )

    @property
    def source_type(self) -> SourceType:
        """V, M, F or what they add up to."""
        return SourceType("V" * bool(self.seen) + "M" * bool(self.place or self.year or self.months) + "F" * bool(self.people))

    @property
    def dimensions(self) -> Mapping[str, Depth]:
        """Reasoning depth by dimension (paper, Table 8): a setting such as "in the office" is a place to be inferred."""
        found: dict[str, Depth] = {}
        if self.place or _SETTINGS.intersection(self.seen):
            found["Location"] = Depth.FACT if self.place else Depth.COGNITIVE
        if self.year or self.months:
            found["Time"] = Depth.COGNITIVE if len(self.months) > 1 else Depth.FACT
        if self.people:
            # A name is a fact; "Mom" and what she is to the owner has to be known.
            found["Person"] = Depth.COGNITIVE if "mom" in self.people else Depth.FACT
        for word in self.seen:
            if word in _CONCEPTS:
                found["Concept"] = _CONCEPTS[word]
            elif word not in _SETTINGS:
                found["Object"] = Depth.FACT
        return found


_NORMAL = (
    Ask("海滩", "beach", ("beach",)),
    Ask("日落", "sunset", ("sunset",)),
    Ask("猫", "cat", ("cat",)),
    Ask("收据", "receipts", ("receipt",)),
    Ask("夜景", "night view", ("night view",)),
    Ask("雪", "snow", ("snow",)),
    Ask("红叶", "autumn leaves", ("autumn leaves",)),
    Ask("樱花", "cherry blossoms", ("cherry blossom",)),
    Ask("美食", "food", ("food",)),
    Ask("面条", "noodles", ("noodles",)),
    Ask("饺子", "dumplings", ("dumplings",)),
    Ask("火锅", "hot pot", ("hot pot",)),
    Ask("烟花", "fireworks", ("fireworks",)),
    Ask("蛋糕", "cake", ("cake",)),
    Ask("合影", "group photos", ("group photo",)),
    Ask("湖", "lake", ("lake",)),
    Ask("咖啡馆", "cafe", ("cafe",)),
    Ask("人像", "portraits", ("portrait",)),
    Ask("杭州的照片", "photos in Hangzhou", place="Hangzhou"),
    Ask("青岛的照片", "photos taken in Qingdao", place="Qingdao"),
    Ask("在东京拍的照片", "photos from Tokyo", place="Tokyo"),
    Ask("巴黎", "Paris", place="Paris"),
    Ask("2024年5月的照片", "photos from May 2024", year=2024, months=(5,)),
    Ask("2023年10月", "October 2023", year=2023, months=(10,)),
    Ask("2024年的照片", "photos from 2024", year=2024),
    Ask("2023年夏天", "summer 2023", year=2023, months=SUMMER),
    Ask("2025年1月在北京", "Beijing in January 2025", place="Beijing", year=2025, months=(1,)),
    Ask("林悦的照片", "photos of Lin Yue", people=("lin",)),
    Ask("王浩", "Wang Hao", people=("wang",)),
    Ask("妈妈的照片", "photos of Mom", people=("mom",)),
    Ask("朵朵", "Duoduo", people=("duoduo",)),
    Ask("妈妈和朵朵", "Mom and Duoduo", people=("mom", "duoduo")),
    Ask("陈博的照片", "photos of Chen Bo", people=("chen",)),
    Ask("青岛的日落", "sunset in Qingdao", ("sunset",), place="Qingdao"),
    Ask("2024年5月的收据", "receipts from May 2024", ("receipt",), year=2024, months=(5,)),
    Ask("北京的雪", "snow in Beijing", ("snow",), place="Beijing"),
    Ask("东京的夜景", "night view in Tokyo", ("night view",), place="Tokyo"),
    Ask("杭州的猫", "cat in Hangzhou", ("cat",), place="Hangzhou"),
    Ask("成都的火锅", "hot pot in Chengdu", ("hot pot",), place="Chengdu"),
    Ask("2023年秋天的红叶", "autumn leaves in autumn 2023", ("autumn leaves",), year=2023, months=AUTUMN),
    Ask("2024年青岛的海鲜", "seafood in Qingdao in 2024", ("seafood",), place="Qingdao", year=2024),
    Ask("林悦在海滩", "Lin Yue at the beach", ("beach",), ("lin",)),
    Ask("朵朵在雪地", "Duoduo in the snow", ("snow",), ("duoduo",)),
    Ask("王浩在办公室", "Wang Hao in the office", ("office",), ("wang",)),
    Ask("朵朵的生日", "Duoduo birthday", ("birthday",), ("duoduo",)),
    Ask("陈博和山", "Chen Bo and mountains", ("mountain",), ("chen",)),
    Ask("朵朵在青岛", "Duoduo in Qingdao", people=("duoduo",), place="Qingdao"),
    Ask("妈妈在成都", "Mom in Chengdu", people=("mom",), place="Chengdu"),
    Ask("2024年的林悦", "Lin Yue in 2024", people=("lin",), year=2024),
    Ask("王浩在上海", "Wang Hao in Shanghai", people=("wang",), place="Shanghai"),
    Ask("林悦在青岛的海滩", "Lin Yue at the beach in Qingdao", ("beach",), ("lin",), "Qingdao"),
    Ask("2024年朵朵在海滩", "Duoduo at the beach in 2024", ("beach",), ("duoduo",), year=2024),
    Ask("陈博在东京的夜景", "Chen Bo night view in Tokyo", ("night view",), ("chen",), "Tokyo"),
    Ask("2023年妈妈和红叶", "Mom with autumn leaves in 2023", ("autumn leaves",), ("mom",), year=2023),
)

# Alternately of the paper's two kinds.
_EMPTY = (
    Ask("2021年的海滩", "beach in 2021", ("beach",), year=2021),
    Ask("企鹅", "penguins", ("penguin",)),
    Ask("2024年1月在青岛", "Qingdao in January 2024", place="Qingdao", year=2024, months=(1,)),
    Ask("王浩在海滩", "Wang Hao at the beach", ("beach",), ("wang",)),
    Ask("妈妈在巴黎的咖啡馆", "Mom in a cafe in Paris", ("cafe",), ("mom",), "Paris"),
    Ask("林悦在雪地骑骆驼", "Lin Yue riding a camel in the snow", ("snow", "camel"), ("lin",)),
    Ask("2022年的朵朵", "Duoduo in 2022", people=("duoduo",), year=2022),
    Ask("东京的大熊猫", "giant panda in Tokyo", ("panda",), place="Tokyo"),
)

_PROBES = (
    Ask("水果", "fruit", ("fruit",)),
    Ask("室内", "indoors", ("room",)),
    Ask("上海", "Shanghai", place="Shanghai"),
    Ask("花", "flowers", ("flower",)),
    Ask("林悦和朵朵", "Lin Yue and Duoduo", people=("lin", "duoduo")),
)


def ask(album: str, shots: Mapping[str, Shot]) -> tuple[tuple[Query, ...], tuple[Query, ...]]:
    """(scored queries, probes) about the photos described by `shots` (photo id to description).

    A normal query that this album has no answer for is left out. So is an empty one that it has an answer for, or that asks for
    somebody who is in no photo: nothing could know the name.
    """
    normal = [item for item in _NORMAL if _answers(item, shots)]
    known = {person for shot in shots.values() for person in shot.people}
    empty = [item for item in _EMPTY if not _answers(item, shots) and known.issuperset(item.people)]
    wanted = round(len(normal) * _EMPTY_SHARE / (1 - _EMPTY_SHARE))
    scored = [*normal, *empty[:wanted]]
    queries = tuple(_query(f"q{number:03d}", album, item, shots) for number, item in enumerate(scored, start=1))
    probing = [item for item in _PROBES if _answers(item, shots)]
    return queries, tuple(_query(f"p{number}", album, item, shots) for number, item in enumerate(probing, start=1))


def _query(name: str, album: str, item: Ask, shots: Mapping[str, Shot]) -> Query:
    text = {Language.ZH: item.zh, Language.EN: item.en}
    return Query(name, album, text, item.source_type, frozenset(_answers(item, shots)), item.dimensions)


def _answers(item: Ask, shots: Mapping[str, Shot]) -> Sequence[str]:
    return [name for name, shot in shots.items() if item.holds(shot)]
