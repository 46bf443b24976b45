"""A pipeline of stages in threads, with bounded queues between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from threading import Condition, Lock, Thread
from time import perf_counter
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")


class Cancelled(Exception):  # noqa: N818 - not an error: the other stages stopped
    """The pipeline was cancelled; raised to all threads that wait on a channel."""


class Channel(Generic[Item]):
    """A bounded queue between two stages; a full one blocks the faster stage, which bounds memory."""

    def __init__(self, capacity: int) -> None:
        self._items: deque[Item] = deque()
        self._capacity = capacity
        self._changed = Condition()
        self._closed = False
        self._cancelled = False

    def put(self, item: Item) -> None:
        """Add an item, waiting for space."""
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled or len(self._items) < self._capacity)
            if self._cancelled:
                raise Cancelled
            self._items.append(item)
            self._changed.notify_all()

    def get(self, count: int = 1) -> list[Item]:
        """Take ``count`` items, waiting for them; fewer when the channel was closed, none when it is empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled or self._closed or len(self._items) >= count)
            if self._cancelled:
                raise Cancelled
            taken = [self._items.popleft() for _ in range(min(count, len(self._items)))]
            self._changed.notify_all()
            return taken

    def close(self) -> None:
        """Close for further items; queued ones can still be taken."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def cancel(self) -> None:
        """Wake all waiting threads; they, and all later calls, raise :class:`Cancelled`."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()


@dataclass
class Stage:
    """One step of a pipeline.

    Attributes:
        name: Its name in the timings.
        work: Takes a list of items, returns a list of items for the next stage (fewer, more or none).
        workers: Number of threads.
        batch: Items a call.
        capacity: How many finished items may be queued for the next stage.
        seconds: Total working time of its threads; waiting is not counted.
    """

    name: str
    work: Callable[[list[Any]], Iterable[Any]]
    workers: int = 1
    batch: int = 1
    capacity: int = 32
    seconds: float = field(default=0.0, init=False)


class Pipeline:
    """Runs a stream of items through stages; the first error of any stage stops all and is raised to the caller."""

    def __init__(self, stages: list[Stage]) -> None:
        self.stages = stages
        self._lock = Lock()
        self._error: BaseException | None = None
        self._channels: list[Channel[Any]] = []
        self._running: dict[str, int] = {}

    def run(self, source: Iterable[Any]) -> Iterator[Any]:
        """Feed the source through the stages and yield the results of the last one, in the order of completion."""
        self._channels = [Channel(self.stages[0].batch * 4), *(Channel(self._room(i)) for i in range(len(self.stages)))]
        self._running = {stage.name: stage.workers for stage in self.stages}
        threads = [Thread(target=self._feed, args=(source,), name="visavis-source", daemon=True)]
        for place, stage in enumerate(self.stages):
            threads += [
                Thread(target=self._work, args=(stage, place), name=f"visavis-{stage.name}", daemon=True)
                for _ in range(stage.workers)
            ]
        for thread in threads:
            thread.start()
        try:
            while taken := self._channels[-1].get():
                yield taken[0]
        except Cancelled:
            pass
        finally:  # also when the caller stops early: no thread may outlive the run
            self._cancel(None)
            for thread in threads:
                thread.join()
        if self._error:
            raise self._error

    def times(self) -> dict[str, float]:
        """Return the seconds of work in each stage so far."""
        return {stage.name: round(stage.seconds, 3) for stage in self.stages}

    def _room(self, place: int) -> int:
        following = self.stages[place + 1].batch if place + 1 < len(self.stages) else 1
        return max(self.stages[place].capacity, following * 2)

    def _feed(self, source: Iterable[Any]) -> None:
        try:
            for item in source:
                self._channels[0].put(item)
            self._channels[0].close()
        except Cancelled:
            pass
        except BaseException as error:  # raised in the caller's thread
            self._cancel(error)

    def _work(self, stage: Stage, place: int) -> None:
        inbox, outbox = self._channels[place], self._channels[place + 1]
        try:
            while items := inbox.get(stage.batch):
                started = perf_counter()
                results = list(stage.work(items))
                with self._lock:
                    stage.seconds += perf_counter() - started
                for result in results:
                    outbox.put(result)
            with self._lock:
                self._running[stage.name] -= 1
                last = not self._running[stage.name]
            if last:
                outbox.close()
        except Cancelled:
            pass
        except BaseException as error:  # raised in the caller's thread
            self._cancel(error)

    def _cancel(self, error: BaseException | None) -> None:
        with self._lock:
            self._error = self._error or error
        for channel in self._channels:
            channel.cancel()
