"""Corrections of what an edit touches, made by hand: clicks and brush strokes that add or take away.

They stand behind the thing in the text form, so that a recipe replays them: ``remove dog marked +512,300
-20:100,80,140,90`` removes the dog with what lies under a click, without what a brush went over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from visavis.errors import BadInputError

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
