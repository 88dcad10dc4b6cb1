"""The times that a query can name, in Chinese and English."""

from datetime import datetime

import pytest

from devices.virtual.gallery.dates import find_dates

NOW = datetime(2026, 2, 3, 12, 0)  # noqa: DTZ001 (a wall clock)


@pytest.mark.parametrize(
    ("text", "inside", "outside", "rest"),
    [
        ("2024年5月的海边", "2024-05-31T10", "2024-06-01T10", "的海边"),
        ("May 2024 beach", "2024-05-01T00", "2023-05-01T00", "beach"),
        ("2024年5月3日", "2024-05-03T23", "2024-05-04T00", ""),
        ("May 3, 2024 lunch", "2024-05-03T12", "2024-05-02T12", "lunch"),
        ("3rd of May 2024", "2024-05-03T12", "2024-05-13T12", ""),
        ("十一月红叶", "2019-11-08T12", "2019-12-08T12", "红叶"),
        ("23年冬天", "2024-01-15T12", "2023-01-15T12", ""),
        ("winter 2023", "2023-12-15T12", "2023-02-15T12", ""),
        ("last summer in Qingdao", "2025-07-01T12", "2024-07-01T12", "in Qingdao"),
        ("last winter", "2025-01-05T12", "2026-01-05T12", ""),
        ("去年夏天安娜", "2025-08-01T12", "2025-09-01T12", "安娜"),
        ("去年的蛋糕", "2025-01-01T00", "2026-01-01T00", "蛋糕"),
        ("cake last year", "2025-12-31T23", "2024-12-31T23", "cake"),
        ("photos from 2023", "2023-03-03T03", "2024-03-03T03", "photos from"),
        ("周末的咖啡", "2024-05-04T09", "2024-05-03T09", "的咖啡"),
        ("Sunday morning", "2024-05-05T07", "2024-05-05T13", ""),
        ("星期三下午", "2024-05-01T15", "2024-05-01T09", ""),
        ("photos at night", "2024-05-01T23", "2024-05-01T12", "photos"),
        ("beach in May", "2021-05-09T12", "2021-06-09T12", "beach"),
    ],
)
def test_a_date_is_taken_out_of_the_text(text: str, inside: str, outside: str, rest: str) -> None:
    found, remaining = find_dates(text, NOW)
    assert found
    assert all(when.holds(datetime.fromisoformat(inside)) for when in found)
    assert not all(when.holds(datetime.fromisoformat(outside)) for when in found)
    assert " ".join(remaining.split()) == rest


@pytest.mark.parametrize(
    "text",
    ["I may go on a hike", "spring festival lanterns", "autumn leaves", "night view of the city", "月亮", "春节", "route 66"],
)
def test_what_only_sounds_like_a_date_stays_in_the_text(text: str) -> None:
    assert find_dates(text, NOW) == ((), text)
