"""Thread pools with a bounded queue, in which work of one conversation is done in order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from visavis.errors import VisavisError
from visavis.server.errors import OverloadedError, TooSlowError

Returned = TypeVar("Returned")
_log = logging.getLogger("visavis.server")
_RETRY_SECONDS = 2.0
#: Tasks of one key that run or wait: one conversation must not fill the queue.
MOST_PER_KEY = 16


class WorkerPool:
    """A thread pool with a bounded queue.

    Args:
        name: The prefix of the threads' names.
        threads: The number of threads.
        waiting: The length of the queue.
        seconds: How long a request waits for its result.
    """

    def __init__(self, name: str, threads: int, waiting: int, seconds: float) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"visavis-{name}")
        self._most = threads + waiting
        self._seconds = seconds
        self._tasks: set[asyncio.Task[Any]] = set()
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}
        self._counts: Counter[str] = Counter()
        self._closing = False

    @property
    def pending(self) -> int:
        """The number of tasks that run or wait."""
        return len(self._tasks)

    def start(self, do: Callable[[], Returned], *, key: str | None = None) -> asyncio.Task[Returned]:
        """Start a task; it is finished whether or not anybody waits for it.

        Args:
            do: The function to call in a thread.
            key: Tasks with the same key run one after the other, in the order of their start.

        Raises:
            OverloadedError: The queue is full, in all or for this key, or the server shuts down.
        """
        if self._closing or len(self._tasks) >= self._most:
            why = "is going down" if self._closing else "has too much to do"
            raise OverloadedError(f"The server {why}.", "Try again in a moment.", _RETRY_SECONDS)
        if key is not None and self._counts[key] >= MOST_PER_KEY:
            raise OverloadedError("Too much waits here already.", "Wait for the answers first.", _RETRY_SECONDS)
        task = asyncio.get_running_loop().create_task(self._do(do, key))
        self._tasks.add(task)
        task.add_done_callback(self._done)
        if key is not None:
            self._counts[key] += 1
            task.add_done_callback(lambda _: self._ended(key))
        return task

    def detach(self, task: asyncio.Task[Any]) -> None:
        """Log the error of a task that nobody waits for, should it fail."""
        task.add_done_callback(_log_failure)

    async def run(self, do: Callable[[], Returned], *, key: str | None = None) -> Returned:
        """Run a function in the pool and wait for its result."""
        return await self.wait(self.start(do, key=key))

    async def wait(self, task: asyncio.Task[Returned]) -> Returned:
        """Wait for a task; a timeout or a client that disconnects does not cancel it."""
        try:
            return await asyncio.wait_for(asyncio.shield(task), self._seconds)
        except TimeoutError:
            self.detach(task)
            raise TooSlowError("This takes longer than expected.", "It goes on; look again in a while.", 5) from None

    async def close(self) -> None:
        """Accept no more tasks and wait for those that were started."""
        self._closing = True
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=self._seconds)
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _do(self, do: Callable[[], Returned], key: str | None) -> Returned:
        loop = asyncio.get_running_loop()
        if key is None:
            return await loop.run_in_executor(self._pool, do)
        async with self._in_turn(key):
            return await loop.run_in_executor(self._pool, do)

    @contextlib.asynccontextmanager
    async def _in_turn(self, key: str) -> AsyncIterator[None]:
        """Wait for earlier tasks of the same key; the lock is removed after the last one."""
        lock, number = self._turns.get(key, (asyncio.Lock(), 0))
        self._turns[key] = (lock, number + 1)
        try:
            async with lock:
                yield
        finally:
            lock, number = self._turns.pop(key)
            if number > 1:
                self._turns[key] = (lock, number - 1)

    def _ended(self, key: str) -> None:
        self._counts[key] -= 1
        if not self._counts[key]:
            del self._counts[key]

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        with contextlib.suppress(asyncio.CancelledError):
            task.exception()  # read, so that asyncio does not report it as never retrieved


def _log_failure(task: asyncio.Task[Any]) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        error = task.exception()
        if error is not None:
            level = logging.WARNING if isinstance(error, VisavisError) else logging.ERROR
            _log.log(level, "work failed that nobody waits for", exc_info=error)
