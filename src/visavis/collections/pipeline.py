"""Stages in threads with bounded channels between them.

Reading waits for the disk, decoding and encoding work outside the interpreter's lock, storing waits for the disk
again: as threads side by side they keep every core busy, and a full channel holds the faster stages back, so that
memory stays bounded however many files there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from threading import Lock, Thread
from time import perf_counter
from typing import Any

from visavis.collections.channel import Cancelled, Channel


@dataclass
class Stage:
    """One step of a pipeline.

    Attributes:
        name: What the times are reported under.
        work: Takes a list of items, gives a list of items for the next stage (fewer, more or none).
        workers: How many threads do it.
        batch: How many items it wants at once.
        capacity: How many finished items may wait for the next stage.
        seconds: How long its workers have worked so far, together; waiting is not counted.
    """

    name: str
    work: Callable[[list[Any]], Iterable[Any]]
    workers: int = 1
    batch: int = 1
    capacity: int = 32
    seconds: float = field(default=0.0, init=False)


class Pipeline:
    """Runs a stream of items through stages; the first error of any stage stops all and reaches the caller."""

    def __init__(self, stages: list[Stage]) -> None:
        self.stages = stages
        self._lock = Lock()
        self._error: BaseException | None = None
        self._channels: list[Channel[Any]] = []
        self._running: dict[str, int] = {}

    def run(self, source: Iterable[Any]) -> Iterator[Any]:
        """Feed the source through the stages and yield what the last one gives, in the order it is ready."""
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
        """Seconds of work in each stage so far."""
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
        except BaseException as error:  # handed to the caller's thread
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
        except BaseException as error:  # handed to the caller's thread
            self._cancel(error)

    def _cancel(self, error: BaseException | None) -> None:
        with self._lock:
            self._error = self._error or error
        for channel in self._channels:
            channel.cancel()
