"""How a command points at something: a picture that is shown, the current picture, an earlier turn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from visavis.errors import BadInputError
from visavis.language.commands.base import Command

_ID = re.compile(r"[0-9a-f]{32}")


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
