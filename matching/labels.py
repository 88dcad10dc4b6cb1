"""What a thumbnail's label says of when its photo was taken, and which photos it leaves possible.

    "Photo taken on Oct 3, 2024, 3:41:05 PM"   "照片，2024年10月3日 15:41"   "2024. 10. 3."

One decision: labels only narrow. A photo is ruled out when its own date and the label's are more than a day apart (a phone in
another time zone shifts it by up to one); photos without a date, and labels without one, rule nothing out.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

_TOLERANCE = timedelta(days=1)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES = (
    re.compile(r"(?P<year>(?:19|20)\d\d)\s*(?:[-/.:年])\s*(?P<month>\d{1,2})\s*(?:[-/.:月])\s*(?P<day>\d{1,2})"),
    re.compile(_MONTH + r"\s*(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>(?:19|20)\d\d)", re.IGNORECASE),
    re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+" + _MONTH + r",?\s+(?P<year>(?:19|20)\d\d)", re.IGNORECASE),
)
"""Year first with digits or 年月日; month name, day, year; day, month name, year. All-digit day-month orders are left alone:
they cannot be told apart."""


def date_in(label: str | None) -> date | None:
    """The one date that a label names; None when it names none, or several."""
    found = {when for pattern in _DATES for said in pattern.finditer(label or "") if (when := _date_of(said)) is not None}
    return found.pop() if len(found) == 1 else None


def possible(labels: Sequence[str | None], taken: Sequence[date | None]) -> NDArray[np.bool_] | None:
    """(labels, photos) which photos each label leaves possible; None when no label names a date."""
    named = [date_in(label) for label in labels]
    if not any(named):
        return None
    days = np.array([when.toordinal() if when is not None else -1 for when in taken])
    wanted = np.array([when.toordinal() if when is not None else -1 for when in named])
    near = np.abs(days[None, :] - wanted[:, None]) <= _TOLERANCE.days
    return np.asarray(near | (days < 0)[None, :] | (wanted < 0)[:, None])


def _date_of(said: re.Match[str]) -> date | None:
    month = said["month"].lower()[:3]
    number = _MONTHS.index(month) + 1 if month in _MONTHS else int(said["month"])
    try:
        return date(int(said["year"]), number, int(said["day"]))
    except ValueError:
        return None
