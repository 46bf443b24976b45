"""Format a filter as text that parses to the same filter."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from visavis.errors import BadInputError
from visavis.stores.filters import All, Any, AnyOf, Equals, Filter, HasId, Not, Range, Scalar, Text, leaves

#: Keywords of the grammar: a field with such a name is quoted.
RESERVED = ("and", "or", "not", "in", "is", "all", "any", "number", "true", "false")
#: The name of the picture's id in a filter, which is not a payload field.
ID_FIELD = "@id"
#: A text that the grammar reads as one word without quotes; not what begins like a number.
_PLAIN = re.compile(r"""(?![-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.@-]))[^\s'"()=<>!~,≤≥≠]+""")


def format_filter(filter: Filter) -> str:
    """Format a filter; :func:`parse_filter` reads it back.

    A range with two bounds on the same side comes back as two ranges, which means the same.

    >>> format_filter(Not(AnyOf("category", ("hat", "summer bag"))))
    "not category in (hat, 'summer bag')"
    """
    for _ in leaves(filter):  # checks the nesting depth before any recursion
        pass
    return _written(filter)


def _written(filter: Filter) -> str:
    match filter:
        case Equals():
            return f"{_field(filter.field)} = {_value(filter.value)}"
        case AnyOf():
            return f"{_field(filter.field)} in {_list(_value(value) for value in filter.values)}"
        case Range():
            return _range(filter)
        case Text():
            return f"{_field(filter.field)} ~ {quote(filter.words)}"
        case HasId():
            return f"{ID_FIELD} in {_list(_word(id) for id in filter.ids)}"
        case Not():
            return f"not {_grouped(filter.condition)}"
        case All():
            return _joined("all", " and ", filter.conditions)
        case Any():
            return _joined("any", " or ", filter.conditions)


def _joined(name: str, word: str, conditions: tuple[Filter, ...]) -> str:
    if len(conditions) < 2:  # "and" needs two operands; all() and any() keep which one it was
        return f"{name}{_list(_written(condition) for condition in conditions)}"
    return word.join(_grouped(condition) for condition in conditions)


def _grouped(condition: Filter) -> str:
    written = _written(condition)
    needs_brackets = isinstance(condition, All | Any) and len(condition.conditions) >= 2
    return f"({written})" if needs_brackets or _is_several(condition) else written


def _is_several(condition: Filter) -> bool:
    return isinstance(condition, Range) and len(_bounds(condition)) > 1 and not _is_interval(condition)


def _range(condition: Range) -> str:
    field, bounds = _field(condition.field), _bounds(condition)
    if not bounds:
        return f"{field} is number"
    if _is_interval(condition):
        (low_operator, low), (high_operator, high) = bounds
        return f"{_value(low)} {low_operator.replace('>', '<')} {field} {high_operator} {_value(high)}"
    return " and ".join(f"{field} {operator} {_value(bound)}" for operator, bound in bounds)


def _bounds(condition: Range) -> list[tuple[str, float]]:
    named = ((">", condition.above), (">=", condition.at_least), ("<", condition.below), ("<=", condition.at_most))
    return [(operator, bound) for operator, bound in named if bound is not None]


def _is_interval(condition: Range) -> bool:
    return [operator[0] for operator, _ in _bounds(condition)] == [">", "<"]


def _field(name: str) -> str:
    return quote(name) if name.lower() in RESERVED or name == ID_FIELD else _word(name)


def _value(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value) if value.lower() in RESERVED else _word(value)
    if not math.isfinite(value):
        raise BadInputError(f"A filter cannot be written with the number {value}.", "Leave that bound out.")
    return repr(value)


def _word(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else quote(text)


def quote(text: str) -> str:
    """Quote a text as in a filter."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _list(written: Iterable[str]) -> str:
    return f"({', '.join(written)})"
