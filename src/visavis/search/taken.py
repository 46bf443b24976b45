"""Pictures of some days, as a condition that every store understands.

Stores compare numbers and texts; on which day each picture was taken, the catalogue knows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from sqlalchemy import select

from visavis.collections.collection import StoredCollection
from visavis.collections.database import AttributeRow
from visavis.errors import BadInputError
from visavis.language.commands.wishes import TIMES
from visavis.language.dates import TimeRange, read_days, time_range
from visavis.stores import filters

#: The attribute that a camera's date is kept in, and the year of it, by which stores can filter themselves.
TAKEN, YEAR = "taken", "year"


class TakenDays:
    """Knows on which day each picture of a collection was taken; read once for each state of the collection.

    Args:
        collection: The collection.
        state: Tells the state of the collection, as a text that changes when it does.
    """

    def __init__(self, collection: StoredCollection, state: Callable[[], str]) -> None:
        self._collection = collection
        self._state = state
        self._read: tuple[str, list[str], list[str], bool] | None = None

    def condition(self, span: TimeRange) -> filters.Filter:
        """Pictures of these days: whole years by the attribute, where all have it, the others by their ids."""
        taken, ids, years = self._dates(self._state())
        first = span.first.isoformat() if span.first else ""
        last = span.last.isoformat() if span.last else "9999-12-31"
        whole = _whole_years(span) if years else None
        if whole is None:
            return filters.HasId(tuple(ids[bisect_left(taken, first) : bisect_right(taken, last)]))
        low, high = whole
        before = ids[bisect_left(taken, first) : bisect_left(taken, f"{low:04}")] if low is not None else []
        after = ids[bisect_left(taken, f"{high + 1:04}") : bisect_right(taken, last)] if high is not None else []
        inner = filters.Range(YEAR, at_least=low, at_most=high)
        rest = (*before, *after)
        return filters.Any((inner, filters.HasId(rest))) if rest else inner

    def resolved(self, filter: filters.Filter) -> filters.Filter:
        """A filter in which times ("last summer", 2019) are the pictures of these days.

        Raises:
            BadInputError: Words mean no time.
        """
        match filter:
            case filters.Not():
                return filters.Not(self.resolved(filter.condition))
            case filters.All() | filters.Any():
                return replace(filter, conditions=tuple(map(self.resolved, filter.conditions)))
            case filters.AnyOf(field, values) if field in TIMES:
                return filters.Any(tuple(self.resolved(filters.Equals(field, value)) for value in values))
            case filters.Equals(field, value) if field in TIMES and not _is_moment(value):
                return self.condition(_days(value))
            case filters.Range(field) if field in TIMES:
                return self.condition(years_between(filter.above, filter.at_least, filter.below, filter.at_most))
            case _:
                return filter

    def _dates(self, state: str) -> tuple[list[str], list[str], bool]:
        """Days and ids in the order of time, and whether every picture with a day has its year as an attribute."""
        if self._read is None or self._read[0] != state:
            with self._collection.catalogue.transaction() as session:
                rows = session.execute(
                    select(AttributeRow.value, AttributeRow.picture_id).where(AttributeRow.name == TAKEN)
                )
                dated = sorted((str(value)[:10].replace("/", "-"), id) for value, id in rows)
            counted = dict(self._collection.catalogue.attribute_names())
            years = counted.get(YEAR, 0) >= len(dated)
            self._read = (state, [day for day, _ in dated], [id for _, id in dated], years)
        return self._read[1:]


def days_meant(text: str, today: date) -> TimeRange:
    """The days that a text means, in figures or in words.

    Raises:
        BadInputError: It means none.
    """
    found = read_days(text) or time_range(text, today)
    if found is None:
        raise BadInputError(f"I do not know when “{text}” is.", "Say it otherwise: “in June 2019”, “since 2016”.")
    return found


def years_between(
    above: float | None = None, at_least: float | None = None, below: float | None = None, at_most: float | None = None
) -> TimeRange:
    """The days of whole years between bounds; a bound of None is open.

    >>> years_between(above=2018, at_most=2019)
    TimeRange(first=datetime.date(2019, 1, 1), last=datetime.date(2019, 12, 31))
    """
    try:
        starts = [date(int(at_least), 1, 1)] if at_least is not None else []
        starts += [date(int(above) + 1, 1, 1)] if above is not None else []
        ends = [date(int(at_most), 12, 31)] if at_most is not None else []
        ends += [date(int(below), 1, 1) - timedelta(days=1)] if below is not None else []
    except (ValueError, OverflowError) as error:
        raise BadInputError("That is no year.", "Compare the time with a year: taken >= 2019") from error
    return TimeRange(max(starts, default=None), min(ends, default=None))


def _is_moment(value: filters.Scalar) -> bool:
    """Whether a value is the exact time of a picture, as attributes have it."""
    return isinstance(value, str) and len(value) > len("2019-07-04") and value[10] == "T"


def _days(value: filters.Scalar) -> TimeRange:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return years_between(at_least=value, at_most=value)
    return days_meant(str(value), date.today())


def _whole_years(span: TimeRange) -> tuple[int | None, int | None] | None:
    """The first and the last year that lie inside as a whole; None where there is no such year."""
    low = None
    if span.first is not None:
        low = span.first.year if (span.first.month, span.first.day) == (1, 1) else span.first.year + 1
    high = None
    if span.last is not None:
        high = span.last.year if (span.last.month, span.last.day) == (12, 31) else span.last.year - 1
    return None if low is not None and high is not None and low > high else (low, high)
