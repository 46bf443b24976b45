"""Values that another core computes while this thread does something else."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Generic, TypeVar

from visavis.encoders.builtin import available_cores

Value = TypeVar("Value")


@cache
def _pool() -> ThreadPoolExecutor | None:
    others = available_cores() - 1
    return ThreadPoolExecutor(others, thread_name_prefix="visavis-search") if others else None


class Deferred(Generic[Value]):
    """A value that is needed later. Work that no other core has begun by then is done by the thread that needs it.

    On a busy machine, waiting for a thread would take longer than the work.
    """

    def __init__(self, work: Callable[[], Value]) -> None:
        """Begin, where another core may do it."""
        self._work = work
        pool = _pool()
        self._future: Future[Value] = Future() if pool is None else pool.submit(work)

    @classmethod
    def of(cls, value: Value) -> Deferred[Value]:
        """A value that is known already."""
        known = cls.__new__(cls)
        known._future = Future()
        known._future.set_result(value)
        return known

    def cancel(self) -> None:
        """The value is not needed any more; work that has begun goes on."""
        self._future.cancel()

    def result(self) -> Value:
        """The value."""
        if self._future.cancel():
            self._future = Future()
            try:
                self._future.set_result(self._work())
            except Exception as error:
                self._future.set_exception(error)
        return self._future.result()
