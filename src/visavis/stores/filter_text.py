"""Filters as a person writes them: ``price < 50 and colour = red and not (category in (hat, bag))``.

=====================================  =================================================
written                                means
=====================================  =================================================
``colour = red``, ``colour != red``    has this value, or has it not; ``true`` and ``false`` are truth values
``category in (hat, bag)``             has one of these values; also ``not in``
``price < 50``, ``10 <= price < 50``   is a number within bounds; also ``price is number``
``title ~ 'summer dress'``             contains these words; also ``!~``
``and``, ``or``, ``not``, ``( )``      put together; ``not`` binds before ``and``, ``and`` before ``or``
``@id in (…)``                         is one of these pictures
``all(…, …)``, ``any(…, …)``           the same as ``and`` and ``or``, for any number of conditions, even none
=====================================  =================================================

Texts with spaces, and texts that look like numbers, go in quotation marks: ``size = '42'``.
"""

from __future__ import annotations

from dataclasses import replace

from visavis.errors import BadInputError
from visavis.stores.filter_tokens import EXAMPLE, FilterSyntaxError, Token, tokens
from visavis.stores.filter_writing import ID_FIELD, RESERVED, format_filter
from visavis.stores.filters import MOST_NESTED, All, Any, AnyOf, Equals, Filter, HasId, Not, Range, Scalar, Text

__all__ = ["FilterSyntaxError", "format_filter", "parse_filter"]

_COMPARISONS = ("<", "<=", ">", ">=")
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def parse_filter(text: str) -> Filter:
    """Read a filter.

    >>> parse_filter("colour = red or title ~ 'summer dress'")
    Any(conditions=(Equals(field='colour', value='red'), Text(field='title', words='summer dress')))

    Raises:
        FilterSyntaxError: It cannot be read; the message names the column and what was expected.
    """
    if not text.strip():
        raise BadInputError("The filter is empty.", EXAMPLE)
    return _Parser(text).parse()


class _Parser:
    """Recursive descent; each method reads one rule of the grammar and leaves the cursor behind it."""

    def __init__(self, text: str) -> None:
        self._tokens = list(tokens(text))
        self._at = 0
        self._depth = 0

    def parse(self) -> Filter:
        filter = self._either()
        if self._next.kind != "end":
            raise self._expected("'and' or 'or'", after_value=True)
        return filter

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _accept(self, *words: str) -> bool:
        if self._next.says(*words):
            self._take()
            return True
        return False

    def _require(self, word: str, what: str) -> None:
        if not self._accept(word):
            raise self._expected(what, after_value=True)

    def _expected(self, what: str, *, after_value: bool = False) -> FilterSyntaxError:
        two_words = after_value and self._next.kind in {"word", "number", "quoted"}
        remedy = "Put a text of several words in quotation marks: colour = 'dark red'" if two_words else EXAMPLE
        return FilterSyntaxError(f"{what} was expected, not {self._next}", self._next.column, remedy)

    def _either(self) -> Filter:
        conditions = [self._both()]
        while self._accept("or"):
            conditions.append(self._both())
        return conditions[0] if len(conditions) == 1 else Any(tuple(conditions))

    def _both(self) -> Filter:
        conditions = [self._single()]
        while self._accept("and"):
            conditions.append(self._single())
        return conditions[0] if len(conditions) == 1 else All(tuple(conditions))

    def _single(self) -> Filter:
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise FilterSyntaxError(f"it is nested more than {MOST_NESTED} deep", self._next.column)
        try:
            return self._negated_or_grouped()
        finally:
            self._depth -= 1

    def _negated_or_grouped(self) -> Filter:
        if self._accept("not"):
            return Not(self._single())
        if self._accept("("):
            inner = self._either()
            self._require(")", "')'")
            return inner
        if self._next.says("all", "any") and self._tokens[self._at + 1].says("("):
            kind = All if self._take().says("all") else Any
            return kind(self._listed())
        return self._comparison()

    def _listed(self) -> tuple[Filter, ...]:
        self._require("(", "'('")
        conditions: list[Filter] = []
        while not self._accept(")"):
            if conditions:
                self._require(",", "',' or ')'")
            conditions.append(self._either())
        return tuple(conditions)

    def _comparison(self) -> Filter:
        if self._next.kind == "number":
            return self._interval()
        field = self._field()
        if field.kind == "word" and field.text == ID_FIELD:
            return self._ids()
        return self._about(field.text)

    def _field(self) -> Token:
        if self._next.kind not in {"word", "quoted"} or self._next.says(*RESERVED):
            raise self._expected("a field's name")
        return self._take()

    def _about(self, field: str) -> Filter:
        operator = self._next
        if self._accept("="):
            return Equals(field, self._value())
        if self._accept("!="):
            return Not(Equals(field, self._value()))
        if self._accept("~", "!~"):
            words = Text(field, self._text())
            return words if operator.text == "~" else Not(words)
        if self._accept(*_COMPARISONS):
            return _bounded(Range(field), operator.text, self._number())
        if self._accept("in"):
            return AnyOf(field, self._values())
        if self._accept("not"):
            self._require("in", "'in'")
            return Not(AnyOf(field, self._values()))
        if self._accept("is"):
            self._require("number", "'number'")
            return Range(field)
        raise self._expected("=, !=, <, <=, >, >=, ~, in or is", after_value=True)

    def _interval(self) -> Filter:
        """``10 <= price < 50``, or only ``10 <= price``."""
        lower, operator = self._number(), self._next.text
        if not self._accept(*_COMPARISONS):
            raise self._expected("<, <=, > or >=")
        bounds = _bounded(Range(self._field().text), _MIRRORED[operator], lower)
        second = self._next
        if not self._accept(*_COMPARISONS):
            return bounds
        if second.text[0] != operator[0]:
            raise FilterSyntaxError("both bounds of a range must point the same way", second.column, "10 <= price < 50")
        return _bounded(bounds, second.text, self._number())

    def _ids(self) -> Filter:
        if self._accept("="):
            return HasId((self._text(),))
        self._require("in", "'in' or '='")
        return HasId(tuple(str(value) for value in self._values(texts=True)))

    def _values(self, *, texts: bool = False) -> tuple[Scalar, ...]:
        self._require("(", "'('")
        values: list[Scalar] = []
        while not self._accept(")"):
            if values:
                self._require(",", "',' or ')'")
            values.append(self._text() if texts else self._value())
        return tuple(values)

    def _value(self) -> Scalar:
        if self._next.kind == "number":
            return self._number()
        if self._next.says("true", "false"):
            return self._take().text.lower() == "true"
        return self._text()

    def _text(self) -> str:
        if self._next.kind not in {"word", "quoted", "number"}:
            raise self._expected("a value")
        return self._take().text

    def _number(self) -> int | float:
        token = self._next
        if token.kind != "number":
            raise FilterSyntaxError(f"a number was expected, not {token}", token.column, "Write it like: price < 50")
        self._take()
        if len(token.text) > 40 or abs(float(token.text)) == float("inf"):
            raise FilterSyntaxError(f"the number {token} is too long", token.column, "Give a smaller one.")
        return int(token.text) if token.text.lstrip("+-").isdecimal() else float(token.text)


def _bounded(bounds: Range, operator: str, bound: float) -> Range:
    name = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least"}[operator]
    return replace(bounds, **{name: bound})  # type: ignore[arg-type]  # the name is one of four bounds
