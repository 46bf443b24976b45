"""The list of attacks, and what each of them costs the process that meets it."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path

ATTACKS: dict[str, Callable[[Path], str]] = {}


def attack(work: Callable[[Path], str]) -> Callable[[Path], str]:
    """Add an attack; its name is the function's, its text says what was told."""
    ATTACKS[work.__name__] = work
    return work


class _Meter:
    """Time and memory since the attack was prepared."""

    started = worked = 0.0

    def start(self) -> None:
        """Forget what preparing took."""
        Path("/proc/self/clear_refs").write_text("5")  # the peak of memory is counted anew
        self.started, self.worked = time.perf_counter(), _worked()

    def told(self) -> str:
        """What was taken since."""
        took, worked = time.perf_counter() - self.started, _worked() - self.worked
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return f"{took:7.1f} s {worked:7.1f} CPU s {int(status['VmHWM'].split()[0]) // 1000:6d} MB"


def _worked() -> float:
    both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in both)


meter = _Meter()
