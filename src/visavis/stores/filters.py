"""Conditions on a picture's payload, as values that each store translates for its engine.

Rules in every store: a field that is missing or None has no value, so no condition holds
for it (and ``Not`` of it does); a condition on a list holds when it holds for one of its elements; numbers are
compared as numbers (``50`` equals ``50.0``), and a boolean never equals a number or a text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any as AnyValue

from visavis.errors import BadInputError
from visavis.types import Payload

Scalar = str | int | float | bool
#: Filters nested deeper than this are refused: engines recurse.
MOST_NESTED = 64


@dataclass(frozen=True)
class Equals:
    """The field has this value (or contains it, when the field is a list)."""

    field: str
    value: Scalar


@dataclass(frozen=True)
class AnyOf:
    """The field has one of these values; with none, nothing passes."""

    field: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True)
class Range:
    """The field is a number within bounds; a bound of None is open."""

    field: str
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Text:
    """The field contains every word of this text, whatever the case; with no word in it, nothing passes."""

    field: str
    words: str


@dataclass(frozen=True)
class HasId:
    """The point is one of these."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Not:
    """The condition does not hold."""

    condition: Filter


@dataclass(frozen=True)
class All:
    """Every condition holds; with none, everything passes."""

    conditions: tuple[Filter, ...]


@dataclass(frozen=True)
class Any:
    """At least one condition holds; with none, nothing passes."""

    conditions: tuple[Filter, ...]


Filter = Equals | AnyOf | Range | Text | HasId | Not | All | Any


def parts_of(condition: Filter) -> tuple[Filter, ...]:
    """Return the operands of a condition."""
    match condition:
        case Not():
            return (condition.condition,)
        case All() | Any():
            return condition.conditions
        case _:
            return ()


def leaves(filter: Filter) -> Iterator[Equals | AnyOf | Range | Text | HasId]:
    """Yield the conditions on fields and ids, in order.

    Raises:
        BadInputError: The filter is nested too deeply.
    """
    level: list[Filter] = [filter]
    for _ in range(MOST_NESTED + 1):
        deeper: list[Filter] = []
        for condition in level:
            if isinstance(condition, Not | All | Any):
                deeper.extend(parts_of(condition))
            else:
                yield condition
        if not deeper:
            return
        level = deeper
    raise BadInputError(f"The filter is nested more than {MOST_NESTED} deep.", "Write it with fewer parentheses.")


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, in order; marks, signs and spaces separate them.

    The engines tokenise texts by the same rule, so a condition on words means the same with and without an index.

    >>> words_of("Summer-dress, blue_sky!")
    ['summer', 'dress', 'blue', 'sky']
    """
    return "".join(" " if _separates(character) else character for character in text.lower()).split()


@lru_cache(maxsize=4096)
def _separates(character: str) -> bool:
    # Combining marks (M*) belong to the letter before them; many scripts need them.
    return unicodedata.category(character)[0] in "PSZC"


def matches(filter: Filter, payload: Payload, id: str = "") -> bool:
    """Return whether a picture with this payload (and id) passes the filter.

    >>> matches(Range("price", below=50), {"price": 49.5})
    True
    """
    match filter:
        case Equals():
            return any(_equal(value, filter.value) for value in values_of(payload, filter.field))
        case AnyOf():
            return any(_equal(value, one) for value in values_of(payload, filter.field) for one in filter.values)
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
    """Return the values of a field: none when it is missing, several when it is a list."""
    value = payload.get(field)
    values = list(value) if isinstance(value, list | tuple) else [value]
    return [each for each in values if each is not None]


def _equal(value: AnyValue, expected: Scalar) -> bool:
    if _is_number(value) and _is_number(expected):
        return float(value) == float(expected)
    return type(value) is type(expected) and bool(value == expected)


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
    required = words_of(text)
    present = {word for value in values if isinstance(value, str) for word in words_of(value)}
    return bool(required) and present.issuperset(required)


def _is_number(value: AnyValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
