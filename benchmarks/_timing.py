"""The time that a task takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def milliseconds(task: Callable[[], object], times: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the median over several runs, after a warm-up."""
    task()
    taken = []
    for _ in range(times):
        start = clock()
        task()
        taken.append(clock() - start)
    return statistics.median(taken) * 1000
