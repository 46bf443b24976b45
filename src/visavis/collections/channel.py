"""A bounded queue between two stages that can be closed from either end."""

from __future__ import annotations

from collections import deque
from threading import Condition
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Cancelled(Exception):  # noqa: N818 - not an error: the other stages stopped
    """The pipeline was given up; whoever waits on a channel goes home."""


class Channel(Generic[Item]):
    """Items wait here between two stages; a full channel makes the faster stage wait, which bounds memory."""

    def __init__(self, capacity: int) -> None:
        self._items: deque[Item] = deque()
        self._capacity = capacity
        self._changed = Condition()
        self._closed = False
        self._cancelled = False

    def put(self, item: Item) -> None:
        """Add an item, waiting for room."""
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled or len(self._items) < self._capacity)
            if self._cancelled:
                raise Cancelled
            self._items.append(item)
            self._changed.notify_all()

    def get(self, count: int = 1) -> list[Item]:
        """Take ``count`` items, waiting for them; fewer when the channel was closed, none when it is used up."""
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled or self._closed or len(self._items) >= count)
            if self._cancelled:
                raise Cancelled
            taken = [self._items.popleft() for _ in range(min(count, len(self._items)))]
            self._changed.notify_all()
            return taken

    def close(self) -> None:
        """Say that nothing more will come; what waits is still handed out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def cancel(self) -> None:
        """Give everything up: all who wait, and all who come, get :class:`Cancelled`."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()
