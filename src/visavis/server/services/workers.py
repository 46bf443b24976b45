"""Thread pools with a bounded queue, shared fairly by users, in which work of one conversation is done in order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, TypeVar

from visavis.errors import VisavisError
from visavis.server.errors import OverloadedError, TooSlowError

Returned = TypeVar("Returned")
_log = logging.getLogger("visavis.server")
_RETRY_SECONDS = 2.0
#: Tasks of one key that run or wait: one conversation must not fill the queue.
MOST_PER_KEY = 16
#: One requester may have the queue divided by this.
_SHARES = 4
#: Whose work is started, where several people share the server: a user's name, or an address.
requester: ContextVar[str | None] = ContextVar("requester", default=None)


class _FairThreads:
    """Gives the threads of a pool to requesters in turn; work without a requester counts as that of one.

    Args:
        threads: The number of threads.
    """

    def __init__(self, threads: int) -> None:
        self._free = threads
        # One thread is left for others, so that they need not wait for the end of long work.
        self._most = max(1, threads - 1)
        self._running: Counter[str] = Counter()
        self._waiting: OrderedDict[str | None, deque[asyncio.Future[None]]] = OrderedDict()

    @contextlib.asynccontextmanager
    async def take(self, who: str | None) -> AsyncIterator[None]:
        """Wait for a thread."""
        ready = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(ready)
        self._give()
        try:
            await ready
        except asyncio.CancelledError:
            if not ready.cancelled():  # it was given meanwhile
                self._release(who)
            raise
        try:
            yield
        finally:
            self._release(who)

    def _release(self, who: str | None) -> None:
        self._free += 1
        if who is not None:
            self._running[who] -= 1
            if not self._running[who]:
                del self._running[who]
        self._give()

    def _give(self) -> None:
        """Give free threads to those who wait, one after the other."""
        while self._free:
            may = [one for one in self._waiting if one is None or self._running[one] < self._most]
            if not may:
                return
            who = may[0]
            queue = self._waiting[who]
            ready = queue.popleft()
            if queue:
                self._waiting.move_to_end(who)
            else:
                del self._waiting[who]
            if ready.cancelled():
                continue
            self._free -= 1
            if who is not None:
                self._running[who] += 1
            ready.set_result(None)


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
        self._threads = _FairThreads(threads)
        self._most = threads + waiting
        self._most_per_requester = max(threads, self._most // _SHARES)
        self._requesters: Counter[str] = Counter()
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
            OverloadedError: The queue is full, in all, for this key or this requester, or the server shuts down.
        """
        if self._closing or len(self._tasks) >= self._most:
            why = "is going down" if self._closing else "has too much to do"
            raise OverloadedError(f"The server {why}.", "Try again in a moment.", _RETRY_SECONDS)
        if key is not None and self._counts[key] >= MOST_PER_KEY:
            raise OverloadedError("Too much waits here already.", "Wait for the answers first.", _RETRY_SECONDS)
        who = requester.get()
        if who is not None and self._requesters[who] >= self._most_per_requester:
            raise OverloadedError("Too much of yours waits already.", "Wait for the answers first.", _RETRY_SECONDS)
        task = asyncio.get_running_loop().create_task(self._do(do, key, who))
        self._tasks.add(task)
        task.add_done_callback(self._done)
        if who is not None:
            self._requesters[who] += 1
            task.add_done_callback(lambda _: _count_down(self._requesters, who))
        if key is not None:
            self._counts[key] += 1
            task.add_done_callback(lambda _: _count_down(self._counts, key))
        return task

    def detach(self, task: asyncio.Task[Any]) -> None:
        """Log the error of a task that has no waiting caller, should it fail."""
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

    async def _do(self, do: Callable[[], Returned], key: str | None, who: str | None) -> Returned:
        async with self._in_turn(key) if key is not None else contextlib.nullcontext(), self._threads.take(who):
            return await asyncio.get_running_loop().run_in_executor(self._pool, do)

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

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        with contextlib.suppress(asyncio.CancelledError):
            task.exception()  # read, so that asyncio does not report it as never retrieved


def _count_down(counts: Counter[str], name: str) -> None:
    counts[name] -= 1
    if not counts[name]:
        del counts[name]


def _log_failure(task: asyncio.Task[Any]) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        error = task.exception()
        if error is not None:
            level = logging.WARNING if isinstance(error, VisavisError) else logging.ERROR
            _log.log(level, "work failed that nobody waits for", exc_info=error)
