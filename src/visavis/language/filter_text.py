"""Filters as a person writes them: ``price < 50 and colour = red and not (category in (hat, bag))``.

=====================================  =================================================
written                                means
=====================================  =================================================
``colour = red``, ``colour != red``    has this value, or not; ``true`` and ``false`` are booleans
``category in (hat, bag)``             has one of these values; also ``not in``
``price < 50``, ``10 <= price < 50``   is a number within bounds; also ``price is number``
``title ~ 'summer dress'``             contains these words; also ``!~``
``and``, ``or``, ``not``, ``( )``      combine conditions; ``not`` binds before ``and``, ``and`` before ``or``
``@id in (…)``                         is one of these pictures
``all(…, …)``, ``any(…, …)``           the same as ``and`` and ``or``, for any number of conditions, even none
=====================================  =================================================

Texts with spaces, and texts that look like numbers, are quoted: ``size = '42'``. The grammar is
``filter.lark``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any as AnyValue

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken

from visavis.errors import BadInputError
from visavis.stores.filters import All, Any, AnyOf, Equals, Filter, HasId, Not, Range, Scalar, Text, leaves

__all__ = ["FilterSyntaxError", "parse_filter"]

#: Longer filters are refused before parsing.
MOST_CHARACTERS = 20_000
EXAMPLE = "Write it like: price < 50 and colour in (red, blue) and not (title ~ 'summer')"

_BOUNDS = {"<": "below", "<=": "at_most", "≤": "at_most", ">": "above", ">=": "at_least", "≥": "at_least"}
_MIRRORED = {"<": ">", "<=": ">=", "≤": ">=", ">": "<", ">=": "<=", "≥": "<="}
_LONGEST_NUMBER = 40
#: What an error says was expected, by the terminals that the grammar accepts; the first match.
_EXPECTATIONS = (
    ({"_NOT", "_ID"}, "a field's name"),
    ({"COMMA", "RPAR"}, "',' or ')'"),
    ({"RPAR"}, "')'"),
    ({"VBAR"}, "'|'"),
    ({"$END"}, "'and' or 'or'"),
    ({"EQUALS", "WORDS"}, "=, !=, <, <=, >, >=, ~, in or is"),
    ({"EQUALS", "_IN"}, "'in' or '='"),
    ({"EQUALS", "COMPARISON"}, "=, !=, <, <=, > or >="),
    ({"COMPARISON"}, "<, <=, > or >="),
    ({"_IN"}, "'in'"),
    ({"_NUMBER_WORD"}, "'number'"),
    ({"LPAR"}, "'('"),
    ({"PHRASE"}, "a value"),
    ({"WORD"}, "a value"),
    ({"QUOTED"}, "a field's name"),
)


class FilterSyntaxError(BadInputError):
    """A filter cannot be parsed.

    Attributes:
        column: The position, from 1.
    """

    def __init__(self, problem: str, column: int, remedy: str = EXAMPLE) -> None:
        super().__init__(f"The filter cannot be read at column {column}: {problem}.", remedy)
        self.column = column


def parse_filter(text: str) -> Filter:
    """Parse a filter.

    >>> parse_filter("colour = red or title ~ 'summer dress'")
    Any(conditions=(Equals(field='colour', value='red'), Text(field='title', words='summer dress')))

    Raises:
        FilterSyntaxError: It cannot be parsed; the message has the column and what was expected.
        BadInputError: It is empty or too long.
    """
    filter: Filter = parse_with(_parser(), text)
    for _ in leaves(filter):  # checks the nesting depth before any recursion
        pass
    return filter


def grammar_parser(start: str, transformer: Transformer[Token, AnyValue]) -> Lark:
    """Return a parser for a start rule of the grammar.

    The transformer runs while parsing, so that no nesting makes it recurse.
    """
    grammar = resources.files(__package__).joinpath("filter.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", start=start, transformer=transformer, maybe_placeholders=False)


def parse_with(parser: Lark, text: str, example: str = EXAMPLE) -> AnyValue:
    """Parse a text and return what the parser's transformer made of it.

    Args:
        parser: A parser made by :func:`grammar_parser`.
        text: The text.
        example: The remedy of an error that has none of its own.

    Raises:
        FilterSyntaxError: It cannot be parsed; the message has the column and what was expected.
        BadInputError: It is empty or too long.
    """
    if not text.strip():
        raise BadInputError("The filter is empty.", example)
    if len(text) > MOST_CHARACTERS:
        raise BadInputError(f"The filter is longer than {MOST_CHARACTERS} characters.", "Write a shorter one.")
    try:
        return parser.parse(text)
    except UnexpectedCharacters as error:
        raise _misfit(text, error.pos_in_stream or 0, example) from None
    except UnexpectedToken as error:
        raise _unexpected(text, error, example) from None


@cache
def _parser() -> Lark:
    return grammar_parser("filter", _Builder())


class _Builder(Transformer[Token, AnyValue]):
    """One method a rule of the grammar."""

    def filter(self, parts: list[Filter]) -> Filter:
        return parts[0]

    def either(self, conditions: list[Filter]) -> Filter:
        return Any(tuple(conditions))

    def both(self, conditions: list[Filter]) -> Filter:
        return All(tuple(conditions))

    def negated(self, parts: list[Filter]) -> Filter:
        return Not(parts[0])

    def listed(self, parts: list[AnyValue]) -> Filter:
        name, *conditions = parts
        return (All if name.lower() == "all" else Any)(tuple(conditions))

    def equals(self, parts: list[AnyValue]) -> Filter:
        field, operator, value = parts
        return Equals(field, value) if operator in {"=", "=="} else Not(Equals(field, value))

    def words(self, parts: list[str]) -> Filter:
        field, operator, words = parts
        return Text(field, words) if operator == "~" else Not(Text(field, words))

    def bounded(self, parts: list[AnyValue]) -> Filter:
        field, operator, bound = parts
        return _bounded(Range(field), operator, bound)

    def among(self, parts: list[AnyValue]) -> Filter:
        return AnyOf(*parts)

    def not_among(self, parts: list[AnyValue]) -> Filter:
        return Not(AnyOf(*parts))

    def any_number(self, parts: list[str]) -> Filter:
        return Range(parts[0])

    def interval(self, parts: list[AnyValue]) -> Filter:
        bound, operator, field, *upper = parts
        bounds = _bounded(Range(field), _MIRRORED[operator], bound)
        if not upper:
            return bounds
        second, other = upper
        if (second[0] in "<≤") != (operator[0] in "<≤"):
            raise FilterSyntaxError(
                "both bounds of a range must point the same way", _column(second), "10 <= price < 50"
            )
        return _bounded(bounds, second, other)

    def one_id(self, parts: list[str]) -> Filter:
        return HasId((parts[1],))

    def ids(self, parts: list[str]) -> Filter:
        return HasId(tuple(parts))

    def values(self, parts: list[Scalar]) -> tuple[Scalar, ...]:
        return tuple(parts)

    def field(self, parts: list[Token]) -> str:
        (token,) = parts
        if token.type == "WORD" and token.lower() in RESERVED:
            raise FilterSyntaxError(f"a field's name was expected, not '{token}'", _column(token))
        return unquote(token)

    def text(self, parts: list[Token]) -> str:
        return unquote(parts[0])

    def truth(self, parts: list[Token]) -> bool:
        return parts[0].lower() == "true"

    def number(self, parts: list[Token]) -> int | float:
        (token,) = parts
        if len(token) > _LONGEST_NUMBER or abs(float(token)) == float("inf"):
            raise FilterSyntaxError(
                f"the number '{token[:_LONGEST_NUMBER]}' is too long", _column(token), "Give a smaller one."
            )
        return int(token) if token.lstrip("+-").isdecimal() else float(token)


def _bounded(bounds: Range, operator: str, bound: float) -> Range:
    return replace(bounds, **{_BOUNDS[operator]: bound})  # type: ignore[arg-type]  # the name is one of four bounds


def unquote(token: Token) -> str:
    """Return the text of a token, without its quotation marks."""
    return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL) if token.type == "QUOTED" else str(token)


def _column(token: Token) -> int:
    return token.column or 1


def _misfit(text: str, at: int, example: str) -> FilterSyntaxError:
    if text[at] in "'\"":
        return FilterSyntaxError("the quotation mark is not closed", at + 1, f"Add a {text[at]} behind the text.")
    return FilterSyntaxError(f"'{text[at]}' fits nowhere", at + 1, example)


def _unexpected(text: str, error: UnexpectedToken, example: str) -> FilterSyntaxError:
    """Return an error that says what the grammar expected."""
    token, before = error.token, (error.token_history or [None])[-1]
    if before is not None and before.type == "WORD" and before.lower() in RESERVED and "WORDS" in error.accepts:
        # A keyword in the place of a field's name; the next token shows it
        return FilterSyntaxError(f"a field's name was expected, not '{before}'", _column(before))
    ends = token.type == "$END"
    found, column = ("the end", len(text) + 1) if ends else (f"'{token[:40]}'", _column(token))
    if error.accepts == {"NUMBER"}:
        return FilterSyntaxError(f"a number was expected, not {found}", column, "Write it like: price < 50")
    what = next(words for terminals, words in _EXPECTATIONS if terminals <= error.accepts)
    two_words = token.type in {"WORD", "PHRASE", "QUOTED", "NUMBER"} and what not in {"a value", "a field's name"}
    remedy = "Put a text of several words in quotation marks: colour = 'dark red'" if two_words else example
    return FilterSyntaxError(f"{what} was expected, not {found}", column, remedy)


#: Keywords of the grammar: a field with such a name is quoted.
RESERVED = ("and", "or", "not", "in", "is", "all", "any", "number", "true", "false")
