"""Several processes that draw at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from visavis.demo.files import draw_file
from visavis.errors import StorageError

#: Up to this many pictures are drawn here: starting another process takes longer.
_FEW = 24


def draw_files(folder: Path, kind: str, seed: int, numbers: Sequence[int], processes: int) -> Iterator[int]:
    """Draw the pictures with these numbers and give each number when its picture is there."""
    if processes == 1 or len(numbers) <= _FEW:
        for number in numbers:
            draw_file(folder, kind, seed, number)
            yield number
        return
    workers = [_worker(folder, kind, seed) for _ in range(processes)]
    try:
        for start, worker in enumerate(workers):
            _hand_out(worker, numbers[start::processes])
        yield from _reports(workers)
        if any(worker.wait() for worker in workers):
            raise StorageError(
                f"Drawing into {folder} stopped half-way.",
                "Check its rights and the free space and call again: what is drawn is kept.",
            )
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()


def _worker(folder: Path, kind: str, seed: int) -> subprocess.Popen[str]:
    """A plain child program and not multiprocessing.

    It can be started from anywhere: a notebook, a script without a main guard, a process that runs threads.
    """
    command = [sys.executable, "-m", "visavis.demo.worker", str(folder), kind, str(seed)]
    return subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _hand_out(worker: subprocess.Popen[str], numbers: Sequence[int]) -> None:
    assert worker.stdin is not None
    with suppress(BrokenPipeError):  # it has ended already; its exit status will say so
        worker.stdin.write("\n".join(map(str, numbers)))
        worker.stdin.flush()
    with suppress(BrokenPipeError):
        worker.stdin.close()
    worker.stdin = None


def _reports(workers: Sequence[subprocess.Popen[str]]) -> Iterator[int]:
    """What the workers say, in turns: their shares are equal, so none waits long for another."""
    streams = [worker.stdout for worker in workers if worker.stdout is not None]
    while streams:
        for stream in tuple(streams):
            line = stream.readline()
            if line:
                yield int(line)
            else:
                streams.remove(stream)
