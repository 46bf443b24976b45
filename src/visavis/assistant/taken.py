"""When pictures were taken: times in commands as days, and the conditions of a brief's wishes about days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from visavis.conversation.brief import Brief, days
from visavis.language.commands import Command, Filter, Sort
from visavis.language.commands.listing import TIMES
from visavis.language.dates import TimeRange, days_text
from visavis.search.taken import YEAR, TakenDays, days_meant, years_between
from visavis.stores import filters

if TYPE_CHECKING:
    from visavis.api import Collection
    from visavis.assistant.context import CollectionView

#: Years that stand for a time where pictures tell no more than their year: so many at most are listed.
_MOST_YEARS = 40
#: The bound of years that each comparison sets.
_BOUNDS = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least"}


def in_days(commands: Sequence[Command], view: CollectionView, today: date) -> tuple[Command, ...]:
    """Commands in which times are days: "last summer" means something else next year, its days do not.

    Where pictures tell only the year they are from, the time becomes years.

    Raises:
        BadInputError: Words mean no time.
    """
    return tuple(_in_days(command, view, today) for command in commands)


def _in_days(command: Command, view: CollectionView, today: date) -> Command:
    if isinstance(command, Sort) and command.field in TIMES and not view.has(command.field) and view.has(YEAR):
        return replace(command, field=YEAR)
    if not isinstance(command, Filter) or command.field not in TIMES:
        return command
    value = command.values[0]
    if isinstance(value, str):
        found = days_meant(value, today)
    elif isinstance(value, float):
        found = _years(command, value)
    else:
        return command
    if not view.has(command.field) and view.has(YEAR):
        return _in_years(command, found)
    return Filter(command.field, "!=" if command.comparison == "!=" else "=", (days_text(found),))


def _years(command: Filter, year: float) -> TimeRange:
    if command.comparison in _BOUNDS:
        return years_between(**{_BOUNDS[command.comparison]: year})
    years = [value for value in command.values if isinstance(value, float)]
    return years_between(at_least=min(years), at_most=max(years))


def _in_years(command: Filter, found: TimeRange) -> Filter:
    first = found.first.year if found.first else None
    last = found.last.year if found.last else None
    if first is None or last is None or last - first >= _MOST_YEARS:
        bound, comparison = (last, "<=") if first is None else (first, ">=")
        return Filter(YEAR, comparison, (float(bound or 0),))  # type: ignore[arg-type]  # one of the comparisons
    years = tuple(float(year) for year in range(first, last + 1))
    return Filter(YEAR, "!=" if command.comparison == "!=" else "=", years)


class TakenDates(TakenDays):
    """The days of a collection's pictures, for the wishes of a brief."""

    def __init__(self, collection: Collection, view: CollectionView) -> None:
        super().__init__(collection, view.state)

    def conditions(self, brief: Brief, without: str = "") -> tuple[filters.Filter, ...]:
        """The conditions of the brief's wishes about days; none where it has no such wish, which costs nothing."""
        wishes = [wish for wish in brief.of("filter") if wish.attribute != without]
        wanted = [found for wish in wishes if (found := days(wish)) is not None]
        made = [(self.condition(span), inside) for span, inside in wanted]
        return tuple(one if inside else filters.Not(one) for one, inside in made)
