"""A conversation: its turns in order, the steps back and forth between them, and its JSON file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Lock
from typing import Any, overload

from cachetools import LRUCache

from visavis.conversation.turns import Turn
from visavis.errors import BadInputError, NotFoundError
from visavis.types import Question

#: The latest turns, which stay in memory; a turn with twenty results is some 13 kB.
LATEST = 48
#: Earlier turns that were asked for and stay in memory: those that wishes which still count came from.
EARLIER = 64
#: Turns that are read at a time when all are gone through.
_CHUNK = 20

#: Reads the turns of a range of numbers, both ends included.
ReadTurns = Callable[[int, int], Sequence[Turn]]
#: The state before the first turn.
BEGINNING = Turn(0, "")
#: So many of the assistant's own questions are remembered: one that was asked is not asked again.
_REMEMBERED_QUESTIONS = 256


class TurnLog(Sequence[Turn]):
    """The turns of one conversation. Safe to read from several threads while one appends.

    Args:
        read: Reads turns that were saved; without it all of them stay in memory.
    """

    def __init__(self, read: ReadTurns | None = None) -> None:
        self._read = read
        self._total = 0
        self._latest: dict[int, Turn] = {}
        self._earlier: LRUCache[int, Turn] = LRUCache(EARLIER)
        self._lock = Lock()

    @property
    def in_memory(self) -> int:
        """How many turns are in memory."""
        return len(self._latest) + len(self._earlier)

    def append(self, turn: Turn) -> None:
        """Add a turn that has been saved."""
        with self._lock:
            self._latest[self._total + 1] = turn
            self._total += 1
            if self._read is not None:
                self._latest.pop(self._total - LATEST, None)

    def __len__(self) -> int:
        return self._total

    @overload
    def __getitem__(self, place: int) -> Turn: ...
    @overload
    def __getitem__(self, place: slice) -> list[Turn]: ...
    def __getitem__(self, place: int | slice) -> Turn | list[Turn]:
        if isinstance(place, slice):
            first, end, step = place.indices(self._total)
            found = self._range(first + 1, end) if step > 0 else self._range(end + 2, first + 1)[::-1]
            return found[:: abs(step)]
        number = place + 1 if place >= 0 else self._total + place + 1
        if not 1 <= number <= self._total:
            raise IndexError(f"There is no turn {number}.")
        with self._lock:
            kept = self._latest.get(number) or self._earlier.get(number)
        if kept is None:
            (kept,) = self._read_again(number, number)
            with self._lock:
                self._earlier[number] = kept
        return kept

    def __iter__(self) -> Iterator[Turn]:
        number = 1
        while number <= self._total:
            some = self._range(number, min(self._total, number + _CHUNK - 1))
            yield from some
            number += len(some)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TurnLog) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it grows

    def _range(self, first: int, last: int) -> list[Turn]:
        """The turns of these numbers, without keeping those that have to be read."""
        with self._lock:
            kept = {number: self._latest[number] for number in range(first, last + 1) if number in self._latest}
        end = min(kept, default=last + 1)  # the latest are the last ones
        read = self._read_again(first, end - 1) if first < end else ()
        return [*read, *kept.values()]

    def _read_again(self, first: int, last: int) -> Sequence[Turn]:
        found = self._read(first, last) if self._read is not None else ()
        if len(found) != last - first + 1:
            raise NotFoundError("The conversation was deleted elsewhere.", "Start a new one.")
        return found


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

    def others_before(self) -> Turn | None:
        """The last state before the present one that showed other pictures; None where none did."""
        shown, at = {result.id for result in self.last.results}, self.last.stands_at
        while at:
            turn = self.turn(at)
            if turn.results and {result.id for result in turn.results} != shown:
                return turn
            at = turn.restores or turn.grew_from
        return None

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
