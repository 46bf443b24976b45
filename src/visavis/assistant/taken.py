"""When pictures were taken: which of them are from some days, as a condition that every store understands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from sqlalchemy import select

from visavis.collections.tables import AttributeRow
from visavis.conversation.brief import Brief, days
from visavis.errors import BadInputError
from visavis.language.commands import Command, Filter, Sort
from visavis.language.commands.listing import TIMES
from visavis.language.dates import TimeRange, days_text, read_days, time_range
from visavis.stores import filters

if TYPE_CHECKING:
    from visavis.api import Collection
    from visavis.assistant.context import CollectionView

#: The attribute that a camera's date is kept in, and the year of it, by which stores can filter themselves.
_TAKEN, _YEAR = "taken", "year"
#: Years that stand for a time where pictures tell no more than their year: so many at most are listed.
_MOST_YEARS = 40


def in_days(commands: Sequence[Command], view: CollectionView, today: date) -> tuple[Command, ...]:
    """Commands in which times are days: "last summer" means something else next year, its days do not.

    Where pictures tell only the year they are from, the time becomes years.

    Raises:
        BadInputError: Words mean no time.
    """
    return tuple(_in_days(command, view, today) for command in commands)


def _in_days(command: Command, view: CollectionView, today: date) -> Command:
    if isinstance(command, Sort) and command.field in TIMES and not view.has(command.field) and view.has(_YEAR):
        return replace(command, field=_YEAR)
    if not isinstance(command, Filter) or command.field not in TIMES or command.comparison not in ("=", "!="):
        return command
    value = command.values[0]
    if not isinstance(value, str):
        return command
    found = read_days(value) or time_range(value, today)
    if found is None:
        raise BadInputError(f"I do not know when “{value}” is.", "Say it otherwise: “in June 2019”, “since 2016”.")
    if not view.has(command.field) and view.has(_YEAR):
        return _in_years(command, found)
    return replace(command, values=(days_text(found),))


def _in_years(command: Filter, found: TimeRange) -> Filter:
    first = found.first.year if found.first else None
    last = found.last.year if found.last else None
    if first is None or last is None or last - first >= _MOST_YEARS:
        bound, comparison = (last, "<=") if first is None else (first, ">=")
        return Filter(_YEAR, comparison, (float(bound or 0),))  # type: ignore[arg-type]  # one of the comparisons
    return Filter(_YEAR, command.comparison, tuple(float(year) for year in range(first, last + 1)))


class TakenDates:
    """Knows on which day each picture of a collection was taken; read once for each state of the collection."""

    def __init__(self, collection: Collection, view: CollectionView) -> None:
        self._collection = collection
        self._view = view
        self._read: tuple[str, list[str], list[str], bool] | None = None

    def conditions(self, brief: Brief, without: str = "") -> tuple[filters.Filter, ...]:
        """The conditions of the brief's wishes about days; none where it has no such wish, which costs nothing."""
        wishes = [wish for wish in brief.of("filter") if wish.attribute != without]
        wanted = [found for wish in wishes if (found := days(wish)) is not None]
        made = [(self.condition(span), inside) for span, inside in wanted]
        return tuple(one if inside else filters.Not(one) for one, inside in made)

    def condition(self, span: TimeRange) -> filters.Filter:
        """Pictures of these days: whole years by the attribute, where all have it, the others by their ids."""
        taken, ids, years = self._dates(self._view.state())
        first = span.first.isoformat() if span.first else ""
        last = span.last.isoformat() if span.last else "9999-12-31"
        whole = _whole_years(span) if years else None
        if whole is None:
            return filters.HasId(tuple(ids[bisect_left(taken, first) : bisect_right(taken, last)]))
        low, high = whole
        before = ids[bisect_left(taken, first) : bisect_left(taken, f"{low:04}")] if low is not None else []
        after = ids[bisect_left(taken, f"{high + 1:04}") : bisect_right(taken, last)] if high is not None else []
        inner = filters.Range(_YEAR, at_least=low, at_most=high)
        rest = (*before, *after)
        return filters.Any((inner, filters.HasId(rest))) if rest else inner

    def _dates(self, state: str) -> tuple[list[str], list[str], bool]:
        """Days and ids in the order of time, and whether every picture with a day has its year as an attribute."""
        if self._read is None or self._read[0] != state:
            with self._collection.catalogue.transaction() as session:
                rows = session.execute(
                    select(AttributeRow.value, AttributeRow.picture_id).where(AttributeRow.name == _TAKEN)
                )
                dated = sorted((str(value)[:10].replace("/", "-"), id) for value, id in rows)
            counted = dict(self._collection.catalogue.attribute_names())
            years = counted.get(_YEAR, 0) >= len(dated)
            self._read = (state, [day for day, _ in dated], [id for _, id in dated], years)
        return self._read[1:]


def _whole_years(span: TimeRange) -> tuple[int | None, int | None] | None:
    """The first and the last year that lie inside as a whole; None where there is no such year."""
    low = None
    if span.first is not None:
        low = span.first.year if (span.first.month, span.first.day) == (1, 1) else span.first.year + 1
    high = None
    if span.last is not None:
        high = span.last.year if (span.last.month, span.last.day) == (12, 31) else span.last.year - 1
    return None if low is not None and high is not None and low > high else (low, high)
