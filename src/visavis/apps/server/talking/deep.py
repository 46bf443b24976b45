"""Scrolling through a ranking: long lists that grow step by step and stay in the order in which they were shown."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

from visavis.retrieval.base import Result

#: A ranking is made this deep at first, then deeper as somebody scrolls on.
_STEPS = (200, 1000, 4000, 10_000)
#: Results that are remembered at most, over all lists.
_REMEMBERED = 60_000

Rank = Callable[[int], Sequence[Result]]


class Depths:
    """Remembers long lists.

    A deeper ranking looks at more pictures closely and may order the first ones a little differently; what was shown
    stays where it was, and what is new comes behind it.
    """

    def __init__(self) -> None:
        self._lists: OrderedDict[str, tuple[int, list[Result]]] = OrderedDict()
        self._lock = Lock()

    def part(self, key: str, shown: Sequence[Result], rank: Rank, offset: int, limit: int) -> list[Result]:
        """A part of a long list.

        Args:
            key: Names the list: the conversation, the turn and the state of the collection.
            shown: What the turn itself shows; the list begins with it.
            rank: Ranks down to a depth.
            offset: Where the part begins.
            limit: How long it is.
        """
        with self._lock:
            depth, found = self._lists.get(key, (0, list(shown)))
        for step in _STEPS:
            if step <= depth:
                continue
            if len(found) >= offset + limit:
                break
            ranked = rank(step)
            there = {result.id for result in found}
            found = found + [result for result in ranked if result.id not in there]
            depth = step if len(ranked) >= step else _STEPS[-1]
        self._remember(key, depth, found)
        return found[offset : offset + limit]

    def _remember(self, key: str, depth: int, found: list[Result]) -> None:
        with self._lock:
            self._lists[key] = (depth, found)
            self._lists.move_to_end(key)
            while len(self._lists) > 1 and sum(len(kept) for _, kept in self._lists.values()) > _REMEMBERED:
                self._lists.popitem(last=False)
