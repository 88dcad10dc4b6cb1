"""When: the dates, seasons, weekdays and times of day that a query may name, in English and Chinese.

`find_dates` takes them out of the text, so that what remains is words. A time is what a wall clock showed: naive.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

SEASONS = {"spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "winter": (12, 1, 2)}
"""Months of the northern seasons, as galleries cut them. A winter belongs to the year of its December."""

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY_PARTS = {
    "morning": range(5, 11),
    "noon": range(11, 14),
    "afternoon": range(12, 18),
    "evening": range(17, 22),
    "night": (*range(19, 24), *range(5)),
    "dawn": range(4, 7),
}
_ZH_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_ZH_DAY_PARTS = {
    "早上": "morning", "早晨": "morning", "上午": "morning", "清晨": "dawn", "凌晨": "dawn", "中午": "noon",
    "下午": "afternoon", "傍晚": "evening", "晚上": "night", "夜晚": "night", "夜里": "night", "深夜": "night", "夜间": "night",
}  # fmt: skip
_ZH_DIGITS = {character: number for number, character in enumerate("一二三四五六七八九十", start=1)} | {"十一": 11, "十二": 12}


@dataclass(frozen=True, slots=True)
class When:
    """A time that a query asks for. Every part that is set must hold."""

    text: str
    """The words that name it; a time of day may be a thing seen as well ("night")."""
    year: int | None = None
    months: frozenset[int] = frozenset()
    day: int | None = None
    weekdays: frozenset[int] = frozenset()
    """0 is Monday."""
    hours: frozenset[int] = frozenset()
    winter_of: int | None = None
    """Year of the December of the winter meant."""

    def holds(self, moment: datetime) -> bool:
        """True when `moment` is meant."""
        return (
            (self.year is None or moment.year == self.year)
            and (not self.months or moment.month in self.months)
            and (self.day is None or moment.day == self.day)
            and (not self.weekdays or moment.weekday() in self.weekdays)
            and (not self.hours or moment.hour in self.hours)
            and (self.winter_of is None or moment.year - (moment.month < 3) == self.winter_of)
        )


_Meaning = Callable[[re.Match[str], datetime], When | None]
"""What a match says; None when it is no date after all."""


def find_dates(text: str, now: datetime) -> tuple[tuple[When, ...], str]:
    """The times that `text` names, and the text without them. `now` tells what "last" and 去年 mean."""
    found: list[When] = []
    for pattern, meaning in _RULES:

        def take(match: re.Match[str], meaning: _Meaning = meaning) -> str:
            when = meaning(match, now)
            if when is None:
                return match[0]
            found.append(when)
            return " "

        text = pattern.sub(take, text)
    return tuple(found), text


def _season(match: re.Match[str], name: str, year: int | None) -> When:
    months = frozenset(SEASONS[name])
    if name == "winter":
        return When(match[0], months=months, winter_of=year)
    return When(match[0], year=year, months=months)


def _last_season(match: re.Match[str], now: datetime) -> When:
    """The last such season that is over."""
    name = _season_name(match["season"])
    final = SEASONS[name][-1]
    year = now.year if now.month > final else now.year - 1
    return _season(match, name, year - 1 if name == "winter" else year)


def _season_name(word: str) -> str:
    folded = word.lower()
    return "autumn" if folded == "fall" else _ZH_SEASONS.get(word, folded)


def _relative_year(word: str, now: datetime) -> int:
    back = {"last": 1, "this": 0, "今": 0, "去": 1, "前": 2}
    return now.year - back[word.lower()]


def _month(word: str) -> int:
    folded = word.lower().rstrip(".")
    return next(number for number, name in enumerate(_MONTHS, start=1) if name.startswith(folded[:3]))


def _zh_number(word: str) -> int:
    return _ZH_DIGITS.get(word) or int(word)


def _full_year(word: str) -> int:
    return int(word) + 2000 if len(word) == 2 else int(word)


def _zh_date(match: re.Match[str], now: datetime) -> When:
    """A month with or without year and day."""
    parts = match.groupdict()
    day = _zh_number(parts["day"]) if parts["day"] else None
    return When(match[0], year=_zh_year(parts, now), months=frozenset({_zh_number(parts["month"])}), day=day)


def _zh_season(match: re.Match[str], now: datetime) -> When:
    return _season(match, _season_name(match["season"]), _zh_year(match.groupdict(), now))


def _zh_whole_year(match: re.Match[str], now: datetime) -> When:
    return When(match[0], year=_zh_year(match.groupdict(), now))


def _zh_year(parts: Mapping[str, str | None], now: datetime) -> int | None:
    if parts["relative"]:
        return _relative_year(parts["relative"], now)
    return _full_year(parts["year"]) if parts["year"] else None


def _en_date(match: re.Match[str], _now: datetime) -> When | None:
    parts = match.groupdict()
    word, year, day = parts["month"], parts.get("year"), parts.get("day")
    # "may" and "march" are also verbs: without a number beside them only the capital tells.
    if word.lower() in ("may", "march") and not (year or day) and word.islower():
        return None
    return When(match[0], year=int(year) if year else None, months=frozenset({_month(word)}), day=int(day) if day else None)


def _en_season(match: re.Match[str], now: datetime) -> When:
    parts = match.groupdict()
    year = int(parts["year"]) if parts["year"] else None
    if parts["relative"]:
        year = _relative_year(parts["relative"], now)
    return _season(match, _season_name(parts["season"]), year)


def _en_year(match: re.Match[str], now: datetime) -> When:
    parts = match.groupdict()
    relative = parts.get("relative")
    return When(match[0], year=_relative_year(relative, now) if relative else int(match["year"]))


def _weekday(match: re.Match[str], _now: datetime) -> When:
    word = match["weekday"].lower()
    if word in ("weekend", "末"):
        return When(match[0], weekdays=frozenset({5, 6}))
    if word in "日天":
        return When(match[0], weekdays=frozenset({6}))
    number = _ZH_DIGITS[word] - 1 if word in _ZH_DIGITS else _WEEKDAYS.index(word)
    return When(match[0], weekdays=frozenset({number}))


def _day_part(match: re.Match[str], _now: datetime) -> When:
    word = match["part"]
    return When(word, hours=frozenset(_DAY_PARTS[_ZH_DAY_PARTS.get(word, word.lower())]))


_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
# "spring festival" and "autumn leaves" are things, not times.
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)\b(?!\s+(?:festival|foliage|leaves|leaf))"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_DAY = r"(?P<day>[12]\d|3[01]|[1-9])(?:st|nd|rd|th)?"
_ZH_YEAR = r"(?:(?:(?P<year>(?:19|20)\d\d|(?<!\d)\d\d)年|(?P<relative>[今去前])年)的?\s*)"
_ZH_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s*月(?:份|(?P<day>[12]\d|3[01]|0?[1-9])[日号])?"

_PATTERNS: tuple[tuple[str, _Meaning], ...] = (
    (rf"{_ZH_YEAR}?(?P<season>[春夏秋冬])[天季日]", _zh_season),
    (rf"{_ZH_YEAR}?{_ZH_MONTH}", _zh_date),
    (_ZH_YEAR, _zh_whole_year),
    (rf"\b(?:in\s+|on\s+)?{_MONTH}\s+{_DAY}\b(?:,?\s*{_YEAR})?", _en_date),
    (rf"\b(?:on\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s*{_YEAR})?", _en_date),
    (rf"\b(?:in\s+)?{_MONTH}(?:,?\s*(?:of\s+)?{_YEAR})?", _en_date),
    (rf"\blast\s+{_SEASON}", _last_season),
    (rf"\b(?:(?P<relative>this)\s+)?{_SEASON}(?:\s+(?:of\s+)?{_YEAR})?", _en_season),
    (r"\b(?P<relative>last|this)\s+year\b", _en_year),
    (rf"(?<!\d){_YEAR}", _en_year),
    (r"(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天末])", _weekday),
    (rf"\b(?:on\s+)?(?:a\s+|the\s+)?(?P<weekday>weekend|{'|'.join(_WEEKDAYS)})s?\b", _weekday),
    (rf"(?P<part>{'|'.join(_ZH_DAY_PARTS)})", _day_part),
    (r"\b(?:in\s+the\s+|at\s+)?(?P<part>morning|noon|afternoon|evening|night)s?\b(?!\s+(?:view|scene|market))", _day_part),
)
_RULES = tuple((re.compile(pattern, re.IGNORECASE), meaning) for pattern, meaning in _PATTERNS)
