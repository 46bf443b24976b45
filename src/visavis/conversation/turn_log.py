"""The turns of a conversation in order: the latest in memory, earlier ones read again from where they were saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import overload

from cachetools import LRUCache

from visavis.conversation.turns import Turn
from visavis.errors import NotFoundError

#: The latest turns, which stay in memory; a turn with twenty results is some 13 kB.
LATEST = 48
#: Earlier turns that were asked for and stay in memory: those that wishes which still count came from.
EARLIER = 64
#: Turns that are read at a time when all are gone through.
_CHUNK = 20

#: Reads the turns of a range of numbers, both ends included.
ReadTurns = Callable[[int, int], Sequence[Turn]]


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
