"""Conditions on a picture's payload, as plain values that each store translates for its engine."""

from __future__ import annotations

from dataclasses import dataclass

Scalar = str | int | float | bool


@dataclass(frozen=True)
class Equals:
    """The field has this value (or contains it, when the field is a list)."""

    field: str
    value: Scalar


@dataclass(frozen=True)
class AnyOf:
    """The field has one of these values."""

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
    """The field contains every word of this text."""

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
