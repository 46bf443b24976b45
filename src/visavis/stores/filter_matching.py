"""What a filter means, in plain Python: the reference that every engine is tested against."""

from __future__ import annotations

from typing import Any as AnyValue

from visavis.stores.base import Payload
from visavis.stores.filters import All, Any, AnyOf, Equals, Filter, HasId, Not, Range, Scalar, Text
from visavis.stores.words import words_of


def matches(filter: Filter, payload: Payload, id: str = "") -> bool:
    """Whether a picture with this payload (and id) passes the filter.

    >>> matches(Range("price", below=50), {"price": 49.5})
    True
    """
    match filter:
        case Equals():
            return any(_same(value, filter.value) for value in values_of(payload, filter.field))
        case AnyOf():
            return any(_same(value, one) for value in values_of(payload, filter.field) for one in filter.values)
        case Range():
            return any(_within(value, filter) for value in values_of(payload, filter.field))
        case Text():
            return _has_words(values_of(payload, filter.field), filter.words)
        case HasId():
            return id in filter.ids
        case Not():
            return not matches(filter.condition, payload, id)
        case All():
            return all(matches(condition, payload, id) for condition in filter.conditions)
        case Any():
            return any(matches(condition, payload, id) for condition in filter.conditions)


def values_of(payload: Payload, field: str) -> list[AnyValue]:
    """The values of a field: none when it is missing, several when it is a list."""
    value = payload.get(field)
    values = list(value) if isinstance(value, list | tuple) else [value]
    return [each for each in values if each is not None]


def _same(value: AnyValue, wanted: Scalar) -> bool:
    if _is_number(value) and _is_number(wanted):
        return float(value) == float(wanted)
    return type(value) is type(wanted) and bool(value == wanted)


def _within(value: AnyValue, bounds: Range) -> bool:
    if not _is_number(value):
        return False
    number = float(value)
    return (
        (bounds.above is None or number > bounds.above)
        and (bounds.at_least is None or number >= bounds.at_least)
        and (bounds.below is None or number < bounds.below)
        and (bounds.at_most is None or number <= bounds.at_most)
    )


def _has_words(values: list[AnyValue], text: str) -> bool:
    wanted = words_of(text)
    present = {word for value in values if isinstance(value, str) for word in words_of(value)}
    return bool(wanted) and present.issuperset(wanted)


def _is_number(value: AnyValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
