"""A conversation: its turns in order, the steps back and forth between them, and its JSON file."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from visavis.conversation.turn_log import TurnLog
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError
from visavis.types import Question

#: The state before the first turn.
BEGINNING = Turn(0, "")
#: So many of the assistant's own questions are remembered: one that was asked is not asked again.
_REMEMBERED_QUESTIONS = 256


@dataclass(frozen=True)
class AskedBefore:
    """A question that the assistant asked of its own accord.

    Attributes:
        turn: The turn that asked it.
        question: The question.
        answer: The message that answered it; empty where it was passed over.
    """

    turn: int
    question: Question
    answer: str


@dataclass
class Conversation:
    """The turns in order.

    Attributes:
        id: 32 hexadecimal digits.
        name: What the person calls it; unique within a collection.
        branch_of: The conversation that it left, where it is a branch.
        branch_at: The last turn that both have in common.
        turns: The turns in order; :meth:`append` adds one.
        asked: The questions of all turns but the last, with what was answered.
        changed_at: When it was last written, in UTC; tells whether a copy in memory is up to date.
    """

    id: str
    name: str
    branch_of: str | None = None
    branch_at: int | None = None
    changed_at: datetime | None = field(default=None, compare=False)
    turns: TurnLog = field(default_factory=TurnLog, repr=False)
    asked: deque[AskedBefore] = field(
        default_factory=lambda: deque(maxlen=_REMEMBERED_QUESTIONS), repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def last(self) -> Turn:
        """The last turn, which holds the present state; the empty beginning when nothing was said yet."""
        return self.turns[-1] if self.turns else BEGINNING

    @property
    def title(self) -> str:
        """The first thing that was said."""
        return self.turns[0].message if self.turns else ""

    def turn(self, number: int) -> Turn:
        """The turn with this number; 0 is the empty beginning."""
        if number == 0:
            return BEGINNING
        if not 1 <= number <= len(self.turns):
            there = f"There are turns 1 to {len(self.turns)}." if self.turns else "Nothing was said yet."
            raise BadInputError(f"There is no turn {number}.", there)
        return self.turns[number - 1]

    def append(self, turn: Turn, written: datetime | None = None) -> None:
        """Add a turn that has been saved, and when it was, where that is known."""
        if turn.number != len(self.turns) + 1:
            raise BadInputError(f"Turn {turn.number} cannot follow turn {len(self.turns)}.")
        before = self.last
        if before.question is not None and before.question.key:
            answer = turn.message if turn.answered is not None else ""
            self.asked.append(AskedBefore(before.number, before.question, answer))
        self.turns.append(turn)
        self.changed_at = written or self.changed_at

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


EXPORT_FORMAT = "visavis-conversation"
EXPORT_VERSION = 1


def export_conversation(conversation: Conversation, collection: str) -> dict[str, Any]:
    """Everything about a conversation, as plain values."""
    return {
        "format": EXPORT_FORMAT,
        "version": EXPORT_VERSION,
        "collection": collection,
        "id": conversation.id,
        "name": conversation.name,
        "branch_of": conversation.branch_of,
        "branch_at": conversation.branch_at,
        "turns": [turn.as_json() for turn in conversation.turns],
    }


def read_turns(value: Mapping[str, Any]) -> list[Turn]:
    """The turns of an exported conversation, checked to be whole and in order."""
    if value.get("format") != EXPORT_FORMAT or not isinstance(value.get("turns"), list):
        raise BadInputError("This is no exported conversation.", "Export one with: visavis chat --export NAME")
    if not isinstance(value.get("version"), int) or value["version"] > EXPORT_VERSION:
        raise BadInputError("The conversation was exported by a newer visavis.", "Update this one.")
    turns = [Turn.from_json(body) for body in value["turns"]]
    if [turn.number for turn in turns] != list(range(1, len(turns) + 1)):
        raise BadInputError("The exported conversation lacks turns.", "Export it again.")
    return turns
