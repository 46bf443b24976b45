"""Conditions on a picture's payload, as values, and how a store translates them for its engine.

Rules in every store: a field that is missing or None has no value, so no condition holds
for it (and ``Not`` of it does); a condition on a list holds when it holds for one of its elements; numbers are
compared as numbers (``50`` equals ``50.0``), and a boolean never equals a number or a text.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any as AnyValue
from typing import Protocol, TypeGuard

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
    if is_number(value) and is_number(expected):
        return float(value) == float(expected)
    return type(value) is type(expected) and bool(value == expected)


def _within(value: AnyValue, bounds: Range) -> bool:
    if not is_number(value):
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


def is_number(value: AnyValue) -> TypeGuard[float]:
    """Whether a value is a number and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
PICTURE_ID = re.compile(r"[0-9a-f]{32}")


class Dialect(Protocol):
    """The conditions of one engine. ``group`` is a filter of conditions, itself a condition."""

    def equals(self, key: str, value: str | bool) -> AnyValue:
        """Match this text or boolean."""

    def any_of(self, key: str, values: Sequence[str]) -> AnyValue:
        """Match one of these texts."""

    def within(self, key: str, gt: float | None, gte: float | None, lt: float | None, lte: float | None) -> AnyValue:
        """Match a number within these bounds."""

    def word(self, key: str, word: str) -> AnyValue:
        """Match this word."""

    def has_id(self, ids: Sequence[str]) -> AnyValue:
        """Match one of these points."""

    def group(
        self, must: Sequence[AnyValue] = (), should: Sequence[AnyValue] = (), must_not: Sequence[AnyValue] = ()
    ) -> AnyValue:
        """Combine conditions."""


def field_key(field: str) -> str:
    """Return a field's name as a path in the engine; a name with dots or brackets is escaped.

    Raises:
        BadInputError: The name cannot be escaped.
    """
    if not field or '"' in field or not field.isprintable():
        raise BadInputError(
            f"A filter cannot look at the field {field!r}.", "Rename it: no quotation marks, no control characters."
        )
    return field if _PLAIN_NAME.fullmatch(field) else f'"{field}"'


def translate(filter: Filter | None, dialect: Dialect) -> AnyValue | None:
    """Translate a filter for an engine; None for no filter.

    Raises:
        BadInputError: A bound is not a number, a field cannot be addressed, or it is nested too deeply.
    """
    if filter is None:
        return None
    for _ in leaves(filter):  # checks the nesting depth before any recursion
        pass
    translated = _Translation(dialect).condition(filter)
    return translated if isinstance(filter, Not | All | Any) else dialect.group(must=[translated])


class _Translation:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def condition(self, filter: Filter) -> AnyValue:
        match filter:
            case Equals():
                return self._equals(field_key(filter.field), filter.value)
            case AnyOf():
                return self._any_of(field_key(filter.field), filter.values)
            case Range():
                return self._range(filter)
            case Text():
                return self._text(field_key(filter.field), filter.words)
            case HasId():
                return self._dialect.has_id([id for id in filter.ids if PICTURE_ID.fullmatch(id)])
            case Not():
                return self._dialect.group(must_not=[self.condition(filter.condition)])
            case All():
                return self._dialect.group(must=[self.condition(each) for each in filter.conditions])
            case Any():
                return self._either([self.condition(each) for each in filter.conditions])

    def _nothing(self) -> AnyValue:
        return self._dialect.has_id([])

    def _either(self, conditions: list[AnyValue]) -> AnyValue:
        # An engine reads an empty "should" as "no condition"; here, no alternative means no match.
        return self._dialect.group(should=conditions or [self._nothing()])

    def _equals(self, key: str, value: Scalar) -> AnyValue:
        if isinstance(value, str | bool):
            return self._dialect.equals(key, value)
        # A range rather than a match: engines match 50 with 50 only, and a range finds 50.0 too.
        number = _number(key, value)
        return self._nothing() if math.isinf(number) else self._dialect.within(key, None, number, None, number)

    def _any_of(self, key: str, values: Sequence[Scalar]) -> AnyValue:
        texts = [value for value in values if isinstance(value, str)]
        conditions = [self._equals(key, value) for value in values if not isinstance(value, str)]
        if texts:
            conditions.append(self._dialect.any_of(key, texts))
        return conditions[0] if len(conditions) == 1 else self._either(conditions)

    def _range(self, bounds: Range) -> AnyValue:
        key = field_key(bounds.field)
        above, at_least, below, at_most = (
            None if bound is None else _number(key, bound)
            for bound in (bounds.above, bounds.at_least, bounds.below, bounds.at_most)
        )
        if math.inf in (above, at_least) or -math.inf in (below, at_most):
            return self._nothing()
        # Of two bounds on one side only the tighter one is passed on: an engine's index uses one of them only.
        if above is not None and at_least is not None:
            above, at_least = (above, None) if above >= at_least else (None, at_least)
        if below is not None and at_most is not None:
            below, at_most = (below, None) if below <= at_most else (None, at_most)
        return self._dialect.within(key, _finite(above), _finite(at_least), _finite(below), _finite(at_most))

    def _text(self, key: str, text: str) -> AnyValue:
        # Word by word: with and without an index, engines disagree on a text whose words are in
        # different elements of a list, and agree on single words.
        words = words_of(text)
        return self._dialect.group(must=[self._dialect.word(key, word) for word in words]) if words else self._nothing()


def _number(key: str, value: float) -> float:
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise BadInputError(f"The field {key} cannot be compared with {value!r}.", "Give a number.")
    return number


def _finite(bound: float | None) -> float | None:
    """Drop an infinite bound that everything satisfies: JSON cannot encode it."""
    return None if bound is None or math.isinf(bound) else bound
