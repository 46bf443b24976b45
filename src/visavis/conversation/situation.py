"""What folding a command into the brief needs to know of the moment in which it was said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from visavis.errors import BadInputError
from visavis.language.commands import AtTurn, Known, Shown, This
from visavis.language.context import Question
from visavis.pictures.picture import AttributeValue


def _no_picture(_turn: int) -> str | None:
    return None


def _no_value(_picture: str, _attribute: str) -> AttributeValue | None:
    return None


@dataclass(frozen=True)
class Situation:
    """The moment in which a command was said.

    Attributes:
        turn: The turn that is being made.
        shown: The ids of the pictures on the table, in order.
        shown_at: The turn that put them there.
        this: The id of the picture that "this" means: the one in hand, or the first shown.
        question: The question that was waiting.
        picture_of: Gives the picture that a turn ended with.
        value_of: Gives the value of a picture's attribute.
    """

    turn: int
    shown: tuple[str, ...] = ()
    shown_at: int = 0
    this: str | None = None
    question: Question | None = None
    picture_of: Callable[[int], str | None] = _no_picture
    value_of: Callable[[str, str], AttributeValue | None] = _no_value

    def picture(self, reference: Shown | This | AtTurn | Known) -> str:
        """The id of the picture that a command points at.

        Raises:
            BadInputError: It points at nothing.
        """
        match reference:
            case Shown(number):
                if number > len(self.shown):
                    there = f"There are {len(self.shown)}: #1 to #{len(self.shown)}." if self.shown else "Search first."
                    raise BadInputError(f"There is no picture #{number} here.", there)
                return self.shown[number - 1]
            case AtTurn(turn):
                if not 1 <= turn < self.turn:
                    raise BadInputError(f"There is no turn {turn}.", f"This is turn {self.turn}.")
                if (id := self.picture_of(turn)) is None:
                    raise BadInputError(f"Turn {turn} showed no picture.", "Name another turn.")
                return id
            case Known(id):
                return id
            case _:
                if self.this is None:
                    raise BadInputError("There is no picture yet that could be meant.", "Search first.")
                return self.this

    def told(self, reference: Shown | This | AtTurn | Known) -> str:
        """The picture in words that still hold when something else is on the table."""
        match reference:
            case Shown(number):
                return f"#{number} of turn {self.shown_at}"
            case AtTurn(turn):
                return f"turn {turn}"
            case Known(id):
                return (
                    f"#{self.shown.index(id) + 1} of turn {self.shown_at}" if id in self.shown else f"picture {id[:8]}"
                )
            case _:
                place = self.shown.index(self.this) + 1 if self.this in self.shown else 0
                return f"#{place} of turn {self.shown_at}" if place else f"the picture of turn {self.turn - 1}"

    def turn_of(self, reference: Shown | This | AtTurn | Known) -> int:
        """The turn that showed the picture."""
        return reference.turn if isinstance(reference, AtTurn) else self.shown_at
