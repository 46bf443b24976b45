"""A conversation: its turns in order. Nothing is ever erased: a step back is a new turn that points at an old one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from visavis.conversation.turns import Turn
from visavis.errors import BadInputError

#: The state before the first turn.
BEGINNING = Turn(0, "")


@dataclass
class Conversation:
    """The turns in order.

    Attributes:
        id: 32 hexadecimal digits.
        name: What the person calls it; unique within a collection.
        branch_of: The conversation that it left, where it is a branch.
        branch_at: The last turn that both have in common.
        changed_at: When it was last written, in UTC; whoever keeps it in memory sees by it whether that still holds.
    """

    id: str
    name: str
    branch_of: str | None = None
    branch_at: int | None = None
    changed_at: datetime | None = field(default=None, compare=False)
    _turns: list[Turn] = field(default_factory=list, repr=False)

    @property
    def turns(self) -> Sequence[Turn]:
        """The turns in order; not to be changed."""
        return self._turns

    def __len__(self) -> int:
        return len(self._turns)

    @property
    def last(self) -> Turn:
        """The last turn, which holds the present state; the empty beginning when nothing was said yet."""
        return self._turns[-1] if self._turns else BEGINNING

    @property
    def title(self) -> str:
        """The first thing that was said."""
        return self._turns[0].message if self._turns else ""

    def turn(self, number: int) -> Turn:
        """The turn with this number; 0 is the empty beginning."""
        if number == 0:
            return BEGINNING
        if not 1 <= number <= len(self._turns):
            there = f"There are turns 1 to {len(self._turns)}." if self._turns else "Nothing was said yet."
            raise BadInputError(f"There is no turn {number}.", there)
        return self._turns[number - 1]

    def append(self, turn: Turn) -> None:
        """Add a turn that has been saved."""
        if turn.number != len(self._turns) + 1:
            raise BadInputError(f"Turn {turn.number} cannot follow turn {len(self._turns)}.")
        self._turns.append(turn)

    # -- steps back and forth --------------------------------------------------------------------------

    def undone(self, steps: int = 1) -> Turn:
        """The state so many steps before the present one, ready to be the next turn's; undo can be redone."""
        last = self.last
        at, undone = last.stands_at, last.undone
        for taken in range(steps):
            if at == 0:
                raise BadInputError(
                    f"There are only {taken} steps to undo." if taken else "There is nothing to undo.",
                    "Say what you are looking for.",
                )
            undone = (*undone, at)
            at = self.turn(at).grew_from
        return self._standing_at(at, undone)

    def redone(self, steps: int = 1) -> Turn:
        """The state that the last undo left."""
        undone = self.last.undone
        if len(undone) < steps:
            raise BadInputError(
                f"There are only {len(undone)} steps to redo." if undone else "There is nothing to redo.",
                "Redo takes back an undo, as long as nothing else was said since.",
            )
        return self._standing_at(undone[-steps], undone[:-steps])

    def _standing_at(self, at: int, undone: tuple[int, ...]) -> Turn:
        return replace(self.turn(at), stands_at=at, undone=undone, grew_from=self.turn(at).grew_from)

    def picture_of(self, turn: int) -> str | None:
        """The picture that a turn ended with: the one in hand, or the first result."""
        return self.turn(turn).reference
