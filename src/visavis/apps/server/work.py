"""Work in threads: bounded, in order for each conversation, and finished even when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from visavis.apps.server.security.errors import OverloadedError, TooSlowError
from visavis.errors import VisavisError

Outcome = TypeVar("Outcome")
_log = logging.getLogger("visavis.server")
_RETRY_SECONDS = 2.0
#: Pieces with one key that are done or wait: one conversation must not take up the room of all.
MOST_IN_TURN = 16


class Work:
    """A pool of threads with a limit on what may wait for it.

    Args:
        name: What its threads are called.
        threads: How many.
        waiting: How much may wait beyond what is being done.
        seconds: How long a request waits for its own.
    """

    def __init__(self, name: str, threads: int, waiting: int, seconds: float) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"visavis-{name}")
        self._most = threads + waiting
        self._seconds = seconds
        self._tasks: set[asyncio.Task[Any]] = set()
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}
        self._begun: Counter[str] = Counter()
        self._closing = False

    @property
    def pending(self) -> int:
        """How much is being done or waits."""
        return len(self._tasks)

    def start(self, do: Callable[[], Outcome], *, key: str | None = None) -> asyncio.Task[Outcome]:
        """Begin something that is finished whether anybody waits for it or not.

        Args:
            do: What to do, in a thread.
            key: Pieces of work with the same key are done one after the other, in the order they came.

        Raises:
            OverloadedError: Too much waits already, in all or with this key, or the server is going down.
        """
        if self._closing or len(self._tasks) >= self._most:
            why = "is going down" if self._closing else "has too much to do"
            raise OverloadedError(f"The server {why}.", "Try again in a moment.", _RETRY_SECONDS)
        if key is not None and self._begun[key] >= MOST_IN_TURN:
            raise OverloadedError("Too much waits here already.", "Wait for the answers first.", _RETRY_SECONDS)
        task = asyncio.get_running_loop().create_task(self._do(do, key))
        self._tasks.add(task)
        task.add_done_callback(self._done)
        if key is not None:
            self._begun[key] += 1
            task.add_done_callback(lambda _: self._ended(key))
        return task

    def leave(self, task: asyncio.Task[Any]) -> None:
        """Nobody waits for what was begun (any more): should it fail, only the log can tell."""
        task.add_done_callback(_tell_failure)

    async def run(self, do: Callable[[], Outcome], *, key: str | None = None) -> Outcome:
        """Do something and wait for it, though not for ever."""
        return await self.wait(self.start(do, key=key))

    async def wait(self, task: asyncio.Task[Outcome]) -> Outcome:
        """Wait for what was begun; giving up, or going away, does not stop it."""
        try:
            return await asyncio.wait_for(asyncio.shield(task), self._seconds)
        except TimeoutError:
            self.leave(task)
            raise TooSlowError("This takes longer than expected.", "It goes on; look again in a while.", 5) from None

    async def close(self) -> None:
        """Take nothing more and finish what was begun."""
        self._closing = True
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=self._seconds)
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _do(self, do: Callable[[], Outcome], key: str | None) -> Outcome:
        loop = asyncio.get_running_loop()
        if key is None:
            return await loop.run_in_executor(self._pool, do)
        async with self._in_turn(key):
            return await loop.run_in_executor(self._pool, do)

    @contextlib.asynccontextmanager
    async def _in_turn(self, key: str) -> AsyncIterator[None]:
        """Wait for those who came before with the same key; the lock is forgotten when nobody needs it."""
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
        self._begun[key] -= 1
        if not self._begun[key]:
            del self._begun[key]

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        with contextlib.suppress(asyncio.CancelledError):
            task.exception()  # looked at, so that one nobody waits for is not reported as lost


def _tell_failure(task: asyncio.Task[Any]) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        error = task.exception()
        if error is not None:
            level = logging.WARNING if isinstance(error, VisavisError) else logging.ERROR
            _log.log(level, "work failed that nobody waits for", exc_info=error)
