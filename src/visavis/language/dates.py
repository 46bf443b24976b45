"""Times in a person's own words as a range of days: "last summer", "June 2019", "before 2016", "the nineties".

``dateparser`` reads what calendars know; seasons, decades, feasts and ranges are added here.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any


@dataclass(frozen=True)
class TimeRange:
    """Days from the first to the last, both included; None where it is open."""

    first: date | None = None
    last: date | None = None


#: First and last month of each season, in the north; a winter begins in the year that names it.
_SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 14)}
_FEASTS = {
    "christmas eve": (12, 24, 0),
    "christmas": (12, 24, 2),
    "xmas": (12, 24, 2),
    "new year's eve": (12, 31, 0),
    "new year": (12, 31, 1),
    "halloween": (10, 31, 0),
    "valentine": (2, 14, 0),
}
_DECADES = {word: 20 + 10 * at for at, word in enumerate("twenties thirties forties fifties sixties seventies".split())}
_DECADES |= {"eighties": 80, "nineties": 90, "noughties": 0}
_YEAR = r"(?P<year>(?:18|19|20)\d\d)"
_WHICH = r"(?:(?P<which>last|past|previous|this)(?: year's)? )?"


def time_range(text: str, today: date) -> TimeRange | None:
    """The days that a text means, or None where it means none.

    >>> today = date(2026, 11, 15)
    >>> time_range("last summer", today)
    TimeRange(first=datetime.date(2026, 6, 1), last=datetime.date(2026, 8, 31))
    >>> time_range("before June 2019", today)
    TimeRange(first=None, last=datetime.date(2019, 5, 31))
    """
    said = re.sub(r"\s+", " ", text.lower().replace("’", "'")).strip(" .,!?")
    said = re.sub(r"^(?:(?:taken|shot|made|from|in|on|during|of|the|around|dated|over) )+(?!.* to )", "", said)
    for pattern, make in _BOUNDS:
        if found := pattern.fullmatch(said):
            return make([time_range(part, today) for part in found.groups() if part])
    for read in (_season, _feast, _decade, _weekend, _general):
        if (found_range := read(said, today)) is not None:
            return found_range
    return None


_DAY = r"(\d{4}-\d\d-\d\d)"
_DAYS = re.compile(rf"(?:since )?{_DAY}|until {_DAY}|{_DAY} to {_DAY}")


def days_text(days: TimeRange) -> str:
    """Days as dates, which do not depend on today: how "last summer" is stored.

    >>> days_text(TimeRange(date(2026, 6, 1), date(2026, 8, 31))), days_text(TimeRange(None, date(2019, 5, 31)))
    ('2026-06-01 to 2026-08-31', 'until 2019-05-31')
    """
    if days.first is None or days.last is None:
        return f"since {days.first}" if days.first else f"until {days.last}"
    return str(days.first) if days.first == days.last else f"{days.first} to {days.last}"


def read_days(text: str) -> TimeRange | None:
    """The inverse of :func:`days_text`; None for any other text."""
    found = _DAYS.fullmatch(text)
    if not found:
        return None
    try:
        one, end, first, last = (date.fromisoformat(day) if day else None for day in found.groups())
    except ValueError:
        return None
    if one is not None:
        return TimeRange(one, None if text.startswith("since") else one)
    return TimeRange(None, end) if end is not None else TimeRange(first, last)


def _day_before(day: date | None) -> date | None:
    return day - timedelta(days=1) if day else None


def _day_after(day: date | None) -> date | None:
    return day + timedelta(days=1) if day else None


Made = Callable[[list[TimeRange | None]], TimeRange | None]
_BOUNDS: tuple[tuple[re.Pattern[str], Made], ...] = (
    (
        re.compile(r"(?:between |from )?(.+?) (?:and|to|till|until|through) (.+)|(\d{4}) ?[-–] ?(\d{4})"),
        lambda parts: _between([part for part in parts if part is not None]),
    ),
    (
        re.compile(r"(?:before|older than|earlier than|prior to) (.+)"),
        lambda parts: TimeRange(None, _day_before(parts[0].first)) if parts[0] else None,
    ),
    (
        re.compile(r"(?:until|till|up to|by) (.+)"),
        lambda parts: TimeRange(None, parts[0].last) if parts[0] else None,
    ),
    (
        re.compile(r"(?:after|newer than|later than|more recent than) (.+)"),
        lambda parts: TimeRange(_day_after(parts[0].last), None) if parts[0] else None,
    ),
    (
        re.compile(r"(?:since|starting|from) (.+)|(.+) (?:onwards?|or later|or newer)"),
        lambda parts: next((TimeRange(part.first, None) for part in parts if part), None),
    ),
)


def _between(parts: list[TimeRange]) -> TimeRange | None:
    if len(parts) != 2 or parts[0].first is None or parts[1].last is None or parts[0].first > parts[1].last:
        return None
    return TimeRange(parts[0].first, parts[1].last)


def _months(year: int, first: int, last: int) -> TimeRange:
    """Whole months; those beyond twelve belong to the next year."""
    end_year, end_month = year + (last - 1) // 12, (last - 1) % 12 + 1
    return TimeRange(date(year, first, 1), date(end_year, end_month, calendar.monthrange(end_year, end_month)[1]))


def _season(said: str, today: date) -> TimeRange | None:
    found = re.fullmatch(rf"{_WHICH}(?P<season>{'|'.join(_SEASONS)})(?:(?: of|,)? {_YEAR})?", said)
    if not found:
        return None
    first, last = _SEASONS[found["season"]]
    if found["year"]:
        return _months(int(found["year"]), first, last)
    ranges = [_months(today.year - back, first, last) for back in range(3)]
    if found["which"] == "this":
        return ranges[0]
    over = [one for one in ranges if one.last is not None and one.last < today]
    begun = [one for one in ranges if one.first is not None and one.first <= today]
    return (over if found["which"] else begun)[0]


def _feast(said: str, today: date) -> TimeRange | None:
    names = "|".join(sorted(_FEASTS, key=len, reverse=True))
    found = re.fullmatch(rf"{_WHICH}(?P<feast>{names})(?:'s)?(?: day)?(?: {_YEAR})?", said)
    if not found:
        return None
    month, day, more = _FEASTS[found["feast"]]
    year = int(found["year"]) if found["year"] else today.year
    first = date(year, month, day)
    if not found["year"] and first > today:
        first = date(year - 1, month, day)
    return TimeRange(first, first + timedelta(days=more))


def _decade(said: str, today: date) -> TimeRange | None:
    found = re.fullmatch(
        rf"(?:early |late |mid )?(?:(?P<full>(?:18|19|20)\d)0'?s|'?(?P<short>\d)0'?s|(?P<word>{'|'.join(_DECADES)}))",
        said,
    )
    if not found:
        return None
    if found["full"]:
        start = int(found["full"]) * 10
    else:
        tens = int(found["short"]) * 10 if found["short"] else _DECADES[found["word"]]
        start = 2000 + tens if 2000 + tens <= today.year else 1900 + tens
    return TimeRange(date(start, 1, 1), date(start + 9, 12, 31))


def _weekend(said: str, today: date) -> TimeRange | None:
    if not re.fullmatch(r"(?:last|this|past) weekend|weekend", said):
        return None
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    if said.startswith("last") and (today - saturday).days < 2:
        saturday -= timedelta(days=7)
    return TimeRange(saturday, saturday + timedelta(days=1))


def _general(said: str, today: date) -> TimeRange | None:
    if re.fullmatch(r"\d{1,3}|\W*", said) or re.search(r"\d+ ?'?s\b", said):
        return None
    return _calendar(said, today)


@lru_cache(maxsize=256)
def _calendar(said: str, today: date) -> TimeRange | None:
    found = _reader(today).get_date_data(said)
    if found.date_obj is None:
        return None
    day: date = found.date_obj.date()
    if found.period == "year":
        return TimeRange(date(day.year, 1, 1), date(day.year, 12, 31))
    if found.period == "month":
        return _months(day.year, day.month, day.month)
    if found.period == "week":
        monday = day - timedelta(days=day.weekday())
        return TimeRange(monday, monday + timedelta(days=6))
    return TimeRange(day, day)


@lru_cache(maxsize=4)
def _reader(today: date) -> Any:
    from dateparser.date import DateDataParser

    base = datetime(today.year, today.month, today.day)  # days have no zone here
    settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": "past", "DATE_ORDER": "DMY"}
    return DateDataParser(languages=["en"], settings=settings)
