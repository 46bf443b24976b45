"""Commands about what the person wants to see: wishes, which results are shown, and in which order."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, Self

from lark import Lark, Token, Transformer

from visavis.errors import BadInputError
from visavis.language.commands.base import (
    AtTurn,
    Command,
    PictureCommand,
    PictureRef,
    Shown,
    TextCommand,
    This,
    number_text,
    one_line,
    quoted,
    read_picture,
    read_quoted,
    read_reference,
)
from visavis.language.filter_text import grammar_parser, parse_with, unquote
from visavis.language.relative import Change, relative_changes
from visavis.stores import filters as conditions


@dataclass(frozen=True)
class Search(TextCommand, verb="search"):
    """Start over with a new description: ``search red dress``."""


@dataclass(frozen=True)
class Refine(TextCommand, verb="refine"):
    """Add a wish to those that hold already: ``refine in red``, ``refine longer sleeves``, ``refine less formal``."""

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Its relative wishes ("longer sleeves"), measured from the picture in hand; none if it is absolute."""
        return relative_changes(self.text)

    @cached_property
    def relative(self) -> bool:
        """Whether it compares with what was shown instead of describing what to show."""
        return bool(self.changes)


@dataclass(frozen=True)
class Avoid(TextCommand, verb="avoid"):
    """Exclude something: ``avoid people``."""


@dataclass(frozen=True)
class Forget(TextCommand, verb="forget"):
    """Drop the wishes and filters about something: ``forget price``."""


@dataclass(frozen=True)
class Answer(TextCommand, verb="answer"):
    """Reply to the question that was asked: ``answer yes``, ``answer a blue one``."""


@dataclass(frozen=True)
class Keep(Command, verb="keep"):
    """Hold on to one aspect of an earlier turn or a picture: ``keep colour @2``, ``keep sleeves of #3``."""

    attribute: str
    source: PictureRef | AtTurn

    def __post_init__(self) -> None:
        object.__setattr__(self, "attribute", one_line(self.attribute, "attribute to keep"))

    def _arguments(self) -> str:
        link = "" if isinstance(self.source, AtTurn) else "of "
        return f"{self.attribute} {link}{self.source}"

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        found = re.fullmatch(r"(.+) (?:(@\d+)|of (#\d+|this))", text)
        if not found:
            raise BadInputError(
                f"'keep {text}' does not say of what.", "Write 'keep colour @2' or 'keep colour of #3'."
            )
        return cls(found[1], read_reference(found[2] or found[3]))


@dataclass(frozen=True)
class Like(PictureCommand, verb="like"):
    """More in the direction of a picture: ``like #4``."""


@dataclass(frozen=True)
class Unlike(PictureCommand, verb="unlike"):
    """Away from a picture: ``unlike #4``."""


@dataclass(frozen=True)
class Select(PictureCommand, verb="select"):
    """Take a picture in hand, to edit it or to talk about it: ``select #3``."""


Comparison = Literal["=", "!=", "<", "<=", ">", ">="]
Value = str | float | PictureRef
#: Other ways to write a comparison.
_COMPARISONS = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}

#: What the grammar reads as one text without quotes; what could be a number, a reference or a list is quoted.
_PLAIN_VALUE = re.compile(r"(?!this$)[^\W\d_](?:[\w &'./+-]*[\w'.+-])?")
#: Fields whose values are times in a person's own words: always quoted.
TIMES = frozenset({"taken"})
_EXAMPLE = "Write it like: filter price < 50, or filter colour = red | navy blue."
_PLAIN_FIELD = re.compile(r"[^\W\d]\w*")


def field_text(field: str) -> str:
    """A field's name as it is written: in quotes where it has other characters than letters."""
    return field if _PLAIN_FIELD.fullmatch(field) else quoted(field)


def read_field(text: str) -> tuple[str, str]:
    """The field that a text begins with, and the rest of it."""
    if text.startswith('"'):
        return read_quoted(text, "field")
    field, _, rest = text.partition(" ")
    if not _PLAIN_FIELD.fullmatch(field):
        raise BadInputError(f"'{field}' is no field name.", "Put a name with other characters than letters in quotes.")
    return field, rest.strip()


def _value_text(value: Value, field: str) -> str:
    if isinstance(value, str):
        return value if field not in TIMES and _PLAIN_VALUE.fullmatch(value) else quoted(value)
    return str(value) if isinstance(value, Shown | This) else number_text(value)


def _clean_value(value: Value) -> Value:
    if isinstance(value, str):
        return one_line(value, "value of a filter")
    if isinstance(value, Shown | This):
        return value
    if not math.isfinite(value):
        raise BadInputError(f"A filter cannot compare with {value}.", "Give a plain number.")
    return round(float(value), 4) + 0.0


class _FilterArguments(Transformer[Token, Any]):
    """Builds the arguments of a filter command from the parse tree: field, comparison and values."""

    def command(self, parts: list[Any]) -> tuple[str, str, tuple[Value, ...]]:
        field, comparison, *values = parts
        return field, _COMPARISONS.get(comparison, str(comparison)), tuple(values)

    def field(self, parts: list[Token]) -> str:
        return self._text(parts[0])

    def alternative(self, parts: list[Token]) -> Value:
        (token,) = parts
        if token.type == "PICTURE":
            return read_picture(token)
        return float(token) if token.type == "NUMBER" else self._text(token)

    @staticmethod
    def _text(token: Token) -> str:
        return read_quoted(token, "text")[0] if token.startswith('"') else unquote(token)


@cache
def _filter_parser() -> Lark:
    return grammar_parser("command", _FilterArguments())


@dataclass(frozen=True)
class Filter(Command, verb="filter"):
    """Show only pictures whose attribute fits: ``filter price < 50``, ``filter colour = red | blue``.

    A picture as the value stands for that picture's own value: ``filter price < #4`` is "cheaper than #4".
    """

    field: str
    comparison: Comparison
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "field", one_line(self.field, "field of a filter"))
        if self.comparison not in ("=", "!=", "<", "<=", ">", ">="):
            raise BadInputError(f"'{self.comparison}' compares nothing.", "Use =, !=, <, <=, > or >=.")
        cleaned = tuple(_clean_value(value) for value in self.values)
        object.__setattr__(self, "values", cleaned)
        if not cleaned or (len(cleaned) > 1 and self.comparison not in ("=", "!=")):
            raise BadInputError(f"A filter with '{self.comparison}' needs one value, but got {len(cleaned)}.")
        if self.comparison not in ("=", "!=") and isinstance(cleaned[0], str):
            raise BadInputError(f"'{cleaned[0]}' cannot be compared with '{self.comparison}'.", "Give a number.")

    @property
    def in_words(self) -> str:
        """The values that it keeps or keeps away, as a part of a topic; nothing for numbers, times and pictures."""
        named = [value for value in self.values if isinstance(value, str)]
        if self.field in TIMES or len(named) < len(self.values):
            return ""
        return f"{'no ' if self.comparison == '!=' else ''}{' or '.join(named)}"

    def _arguments(self) -> str:
        return (
            f"{field_text(self.field)} {self.comparison} {' | '.join(_value_text(v, self.field) for v in self.values)}"
        )

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(*parse_with(_filter_parser(), text, _EXAMPLE))

    def condition(self) -> conditions.Filter:
        """The condition that a store understands; the values must be resolved (no pictures among them)."""
        values = [v for v in self.values if isinstance(v, str | float)]
        if len(values) != len(self.values):
            raise BadInputError(f"'{self}' compares with a picture.", "Put that picture's value in its place first.")
        if self.comparison in ("=", "!="):
            plain = [int(v) if isinstance(v, float) and v.is_integer() else v for v in values]
            one_of = conditions.AnyOf(self.field, tuple(plain))
            equal = one_of if len(plain) > 1 else conditions.Equals(self.field, plain[0])
            return equal if self.comparison == "=" else conditions.Not(equal)
        bound = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least"}[self.comparison]
        return conditions.Range(self.field, **{bound: float(values[0])})


#: The order without any other: what fits best first.
RELEVANCE = "relevance"


@dataclass(frozen=True)
class Sort(Command, verb="sort"):
    """Order what is shown by an attribute: ``sort price asc``; ``sort relevance desc`` ends such an order."""

    field: str
    order: Literal["asc", "desc"] = "asc"

    def __post_init__(self) -> None:
        object.__setattr__(self, "field", one_line(self.field, "field to sort by"))
        if self.order not in ("asc", "desc"):
            raise BadInputError(f"'{self.order}' is no order.", "Use asc or desc.")

    def _arguments(self) -> str:
        return f"{field_text(self.field)} {self.order}"

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        field, order = read_field(text)
        return cls(field, order or "asc")  # type: ignore[arg-type]  # checked on construction


@dataclass(frozen=True)
class Rollback(Command, verb="rollback"):
    """Return to what an earlier turn showed: ``rollback 2``."""

    turn: int

    def __post_init__(self) -> None:
        AtTurn(self.turn)  # checks that turns are counted from one

    def _arguments(self) -> str:
        return str(self.turn)

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        if not re.fullmatch(r"\d{1,6}", text):
            raise BadInputError(f"'{text}' is no turn.", "Write 'rollback 2'.")
        return cls(int(text))


@dataclass(frozen=True)
class _Count(Command):
    """A command with an optional number of pictures."""

    count: int | None = None

    def __post_init__(self) -> None:
        if self.count is not None and not 1 <= self.count <= 1000:
            raise BadInputError(f"{self.count} pictures cannot be shown.", "Ask for 1 to 1000.")

    def _arguments(self) -> str:
        return "" if self.count is None else str(self.count)

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        if text and not re.fullmatch(r"\d{1,6}", text):
            raise BadInputError(f"'{text}' is no number of pictures.", f"Write '{cls.verb}' or '{cls.verb} 20'.")
        return cls(int(text) if text else None)


@dataclass(frozen=True)
class More(_Count, verb="more"):
    """Show further results: ``more`` or ``more 20``."""


@dataclass(frozen=True)
class Fewer(_Count, verb="fewer"):
    """Show fewer results at once: ``fewer`` or ``fewer 5``."""


@dataclass(frozen=True)
class Random(_Count, verb="random"):
    """Show anything, for inspiration: ``random``."""
