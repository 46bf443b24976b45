"""Conditions on a picture's payload, as plain values that each store translates for its engine.

What holds for all of them, in every store: a field that is missing or None has no value, so no condition holds
for it (and ``Not`` of it does); a condition on a list holds when it holds for one of its elements; numbers are
compared as numbers (``50`` equals ``50.0``), and a boolean never equals a number or a text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from visavis.errors import BadInputError

Scalar = str | int | float | bool
#: Filters nested deeper than this are refused: no person writes them, and engines recurse.
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
    """The conditions that a condition is made of."""
    match condition:
        case Not():
            return (condition.condition,)
        case All() | Any():
            return condition.conditions
        case _:
            return ()


def leaves(filter: Filter) -> Iterator[Equals | AnyOf | Range | Text | HasId]:
    """The conditions that look at a picture, in order.

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
