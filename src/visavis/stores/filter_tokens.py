"""The smallest pieces of a written filter, each with the column it begins at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from visavis.errors import BadInputError

Kind = Literal["word", "quoted", "number", "operator", "bracket", "comma", "end"]

#: Longer filters are refused before they are read.
MOST_CHARACTERS = 20_000
EXAMPLE = "Write it like: price < 50 and colour in (red, blue) and not (title ~ 'summer')"

_PIECES = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<quoted>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*")
  | (?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.@-]))
  | (?P<operator><=|>=|<>|!=|!~|==|=|<|>|~|≤|≥|≠)
  | (?P<bracket>[()])
  | (?P<comma>,)
  | (?P<word>[^\s'"()=<>!~,≤≥≠]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_SPELLINGS = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}


class FilterSyntaxError(BadInputError):
    """A written filter cannot be read.

    Attributes:
        column: Where, counted from 1.
    """

    def __init__(self, problem: str, column: int, remedy: str = EXAMPLE) -> None:
        super().__init__(f"The filter cannot be read at column {column}: {problem}.", remedy)
        self.column = column


@dataclass(frozen=True)
class Token:
    """One piece: its kind, its text (quotes removed, operators in one spelling) and its column from 1."""

    kind: Kind
    text: str
    column: int

    def says(self, *words: str) -> bool:
        """Whether it is one of these words, operators or brackets, in any case."""
        return self.kind in {"word", "operator", "bracket", "comma"} and self.text.lower() in words

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"'{self.text[:40]}'"


def tokens(text: str) -> Iterator[Token]:
    """The pieces of a filter, then one of the kind ``end``.

    Raises:
        FilterSyntaxError: A character fits nowhere, or a quotation mark is not closed.
        BadInputError: The text is too long.
    """
    if len(text) > MOST_CHARACTERS:
        raise BadInputError(f"The filter is longer than {MOST_CHARACTERS} characters.", "Write a shorter one.")
    at = 0
    while at < len(text):
        found = _PIECES.match(text, at)
        if not found:
            raise _misfit(text, at)
        kind, piece = str(found.lastgroup), found.group()
        if kind == "quoted":
            yield Token("quoted", _unquoted(piece), at + 1)
        elif kind != "space":
            yield Token(kind, _SPELLINGS.get(piece, piece), at + 1)  # type: ignore[arg-type]  # the group is the kind
        at = found.end()
    yield Token("end", "", len(text) + 1)


def quote(text: str) -> str:
    """A text in quotation marks, as it is written in a filter."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def is_plain(text: str) -> bool:
    """Whether a text is read as one word when it stands without quotation marks."""
    found = _PIECES.match(text)  # as the reader does: a full match would go on looking where the reader takes a number
    return found is not None and found.lastgroup == "word" and found.end() == len(text)


def _unquoted(piece: str) -> str:
    return re.sub(r"\\(.)", r"\1", piece[1:-1], flags=re.DOTALL)


def _misfit(text: str, at: int) -> FilterSyntaxError:
    if text[at] in "'\"":
        return FilterSyntaxError("the quotation mark is not closed", at + 1, f"Add a {text[at]} behind the text.")
    return FilterSyntaxError(f"'{text[at]}' fits nowhere", at + 1)
