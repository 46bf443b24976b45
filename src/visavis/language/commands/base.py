"""What every command is: a frozen value with an exact one-line text form."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import ClassVar, Self

from visavis.errors import BadInputError

#: Longer texts in a command are refused: a command is one line that a person can read.
LONGEST_TEXT = 500

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")
#: What ends a line or cannot be written down: control characters, and halves of characters, which JSON can name.
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


@dataclass(frozen=True)
class Command:
    """One executable instruction.

    ``str(command)`` is its text form and ``parse_command`` reads it back: the two are exact inverses.
    """

    #: The first word of the text form.
    verb: ClassVar[str] = ""

    def _arguments(self) -> str:
        return ""

    @classmethod
    def read(cls, arguments: str) -> Self:
        """Read a command of this kind from what follows its verb."""
        return cls._from_arguments(arguments)

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        if text:
            raise BadInputError(f"'{cls.verb}' takes no arguments, but got '{text}'.")
        return cls()

    def __str__(self) -> str:
        return f"{self.verb} {self._arguments()}".rstrip()


def one_line(text: str, what: str) -> str:
    """A text fit for a command: on one line, single spaces, not empty, not endless."""
    line = _BREAKS.sub(" ", text).strip()
    if not line:
        raise BadInputError(f"The {what} is empty.", "Say what it should be.")
    if len(line) > LONGEST_TEXT:
        raise BadInputError(f"The {what} has {len(line)} characters.", f"Use at most {LONGEST_TEXT}.")
    return line


def number_text(value: float) -> str:
    """A number as people write it: no exponent, no trailing zeros."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def read_number(text: str, what: str) -> float:
    """The inverse of ``number_text``, strict about anything that is not a plain number."""
    if not _NUMBER.fullmatch(text):
        raise BadInputError(f"The {what} '{text}' is not a number.", "Write it in digits, such as 20 or -12.5.")
    return float(text)


def in_range(value: float, low: float, high: float, what: str) -> float:
    """The value rounded to what the text form keeps, or an error that states the range."""
    if not low <= value <= high:
        raise BadInputError(
            f"The {what} {number_text(value)} is out of range.", f"Use {number_text(low)} to {number_text(high)}."
        )
    return round(float(value), 4) + 0.0  # + 0.0 turns -0.0 into 0.0, which prints the same


def quoted(text: str) -> str:
    """A text in double quotes, for places where a bare one could be misread."""
    return json.dumps(text, ensure_ascii=False)


def read_quoted(text: str, what: str) -> tuple[str, str]:
    """The quoted text that a line starts with, and the rest of the line."""
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        value, end = None, 0
    if not isinstance(value, str):
        raise BadInputError(f"The {what} must be in double quotes, but got '{text}'.")
    return value, text[end:].strip()


@dataclass(frozen=True)
class TextCommand(Command):
    """A command whose only argument is free text."""

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", one_line(self.text, f"text of '{self.verb}'"))

    def _arguments(self) -> str:
        return self.text

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(text)
