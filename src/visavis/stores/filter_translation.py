"""Translate filters to an engine's conditions, so that a filter means the same in every engine."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any as AnyValue
from typing import Protocol

from visavis.errors import BadInputError
from visavis.stores.filters import All, Any, AnyOf, Equals, Filter, HasId, Not, Range, Scalar, Text, leaves, words_of

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_ID = re.compile(r"[0-9a-f]{32}")


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
                return self._dialect.has_id([id for id in filter.ids if _ID.fullmatch(id)])
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
