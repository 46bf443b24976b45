"""What every command is: a frozen value with an exact one-line text form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

from visavis.errors import BadInputError

#: Longer texts in a command are refused: a command is one line that a person can read.
LONGEST_TEXT = 500

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")
#: What ends a line or cannot be written down: control characters, and halves of characters, which JSON can name.
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Command:
    """One executable instruction.

    ``str(command)`` is its text form and ``parse_command`` reads it back: the two are exact inverses.
    """

    #: The first word of the text form.
    verb: ClassVar[str] = ""

    def __init_subclass__(cls, verb: str = "") -> None:
        cls.verb = verb or cls.verb

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


@dataclass(frozen=True)
class Shown:
    """The picture at this place of the last results, counted from one: ``#4``."""

    number: int

    def __post_init__(self) -> None:
        if self.number < 1:
            raise BadInputError(f"There is no picture #{self.number}.", "Pictures are counted from #1.")

    def __str__(self) -> str:
        return f"#{self.number}"


@dataclass(frozen=True)
class This:
    """The picture in hand: the selected one, the last edited one, or the first result."""

    def __str__(self) -> str:
        return "this"


@dataclass(frozen=True)
class AtTurn:
    """Whatever an earlier turn ended with: ``@2``."""

    turn: int

    def __post_init__(self) -> None:
        if self.turn < 1:
            raise BadInputError(f"There is no turn {self.turn}.", "Turns are counted from 1.")

    def __str__(self) -> str:
        return f"@{self.turn}"


@dataclass(frozen=True)
class Known:
    """A picture by its id: ``id:0f3a...``; clicks refer to pictures by id, messages do not."""

    id: str

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise BadInputError(f"'{self.id}' is no picture's id.", "An id has 32 hexadecimal digits.")

    def __str__(self) -> str:
        return f"id:{self.id}"


PictureRef = Shown | This
THIS = This()

_REFERENCE = re.compile(r"#(\d{1,6})|(this)|@(\d{1,6})")


def read_reference(text: str) -> Shown | This | AtTurn:
    """Read ``#4``, ``this`` or ``@2``."""
    found = _REFERENCE.fullmatch(text)
    if not found:
        raise BadInputError(f"'{text}' points at nothing.", "Use #4 for a shown picture, 'this', or @2 for a turn.")
    if found[1]:
        return Shown(int(found[1]))
    return AtTurn(int(found[3])) if found[3] else THIS


def read_picture(text: str) -> PictureRef:
    """Read ``#4`` or ``this``."""
    reference = read_reference(text)
    if isinstance(reference, AtTurn):
        raise BadInputError(f"'{text}' is a turn, not a picture.", "Use #4 for a shown picture, or 'this'.")
    return reference


def read_any_picture(text: str) -> PictureRef | Known:
    """Read ``#4``, ``this`` or ``id:0f3a...``."""
    return Known(text.removeprefix("id:")) if text.startswith("id:") else read_picture(text)


@dataclass(frozen=True)
class PictureCommand(Command):
    """A command whose only argument is a picture."""

    picture: PictureRef | Known

    def _arguments(self) -> str:
        return str(self.picture)

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(read_any_picture(text))


#: Places are given in thousandths of the picture's sides, so that they hold for every size of it.
WHOLE = 1000
#: A command stays a line that can be stored: longer corrections are to be made in two steps.
LONGEST_MARKS = 3000
#: The thing that nothing but marks stands for: ``remove selection marked +20:...``.
SELECTION = "selection"

_MARK = r"[+-](?:\d{1,3}:)?\d{1,4},\d{1,4}(?:,\d{1,4},\d{1,4})*"
_MARKED = re.compile(rf"(?:^|(?P<thing>.*) )marked (?P<marks>{_MARK}(?: {_MARK})*)")


@dataclass(frozen=True)
class Mark:
    """A click, or a stroke of a brush.

    Attributes:
        adds: Whether what is there belongs to the thing, or does not.
        points: One place, or the way of the brush; each across and down in thousandths of the picture's sides.
        radius: Half the width of the brush in thousandths of the longer side; None for a click, which means whatever
            is seen at its place.
    """

    adds: bool
    points: tuple[tuple[int, int], ...]
    radius: int | None = None

    def __post_init__(self) -> None:
        if not self.points or (self.radius is None and len(self.points) != 1):
            raise BadInputError("A click has one place, a stroke at least one.")
        if any(not 0 <= value <= WHOLE for point in self.points for value in point):
            raise BadInputError("A mark lies outside of the picture.", f"Give places from 0 to {WHOLE}.")
        if self.radius is not None and not 1 <= self.radius <= WHOLE // 2:
            raise BadInputError(f"A brush of {self.radius} cannot be used.", f"Use 1 to {WHOLE // 2}.")

    def __str__(self) -> str:
        brush = "" if self.radius is None else f"{self.radius}:"
        return f"{'+' if self.adds else '-'}{brush}{','.join(f'{x},{y}' for x, y in self.points)}"


def marks_text(marks: Iterable[Mark]) -> str:
    """The text form of marks; empty for none."""
    text = " ".join(map(str, marks))
    if len(text) > LONGEST_MARKS:
        raise BadInputError("So many strokes do not fit into one edit.", "Keep this edit, then go on with another.")
    return f"marked {text}" if text else ""


def split_marks(target: str) -> tuple[str | None, tuple[Mark, ...]]:
    """A thing and its marks, from the text form; the thing alone where there are none.

    >>> split_marks("dog marked +512,300 -20:100,80,140,90")[0]
    'dog'
    """
    found = _MARKED.fullmatch(target)
    if found is None:
        return target, ()
    return found["thing"], tuple(_read(text) for text in found["marks"].split(" "))


def _read(text: str) -> Mark:
    brush, colon, places = text[1:].rpartition(":")
    numbers = [int(number) for number in places.split(",")]
    points = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    return Mark(text[0] == "+", points, int(brush) if colon else None)
