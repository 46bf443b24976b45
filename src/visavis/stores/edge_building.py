"""Building the embedded engine's search index in a process of its own (``python -m visavis.stores.edge_building``)."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from visavis.errors import StorageError

_GO = "go"
_PR_SET_PDEATHSIG = 1


class IndexBuilder:
    """A started child that waits for its turn."""

    def __init__(self, process: subprocess.Popen[str], files: Path) -> None:
        self._process = process
        self._files = files

    def run(self) -> None:
        """Let it build, and wait.

        Raises:
            StorageError: It could not.
        """
        _, complaint = self._process.communicate(_GO)
        if self._process.returncode:
            reason = complaint.strip().splitlines()[-1] if complaint.strip() else f"status {self._process.returncode}"
            raise StorageError(
                f"The search index in {self._files.parent} could not be built: {reason}.",
                "Nothing is lost, searching is only slower; free memory and disk space and try again.",
            )


@contextmanager
def build_in_child(files: Path) -> Iterator[IndexBuilder]:
    """Start the child before the shard is closed, so that the store is away for no longer than the building takes."""
    process = subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
        [sys.executable, "-m", __name__, str(files)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield IndexBuilder(process, files)
    finally:
        # On an error or Ctrl-C: what is half built is thrown away at the next open, what is stored stays.
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stderr):
            if pipe:
                with suppress(OSError):
                    pipe.close()


def main(files: str) -> None:
    """What the child does."""
    import qdrant_edge as engine

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    if sys.platform == "linux":  # do not outlive the parent: it holds the lock that keeps others away
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if sys.stdin.read() != _GO:
        return
    shard = engine.EdgeShard.load(files)
    shard.optimize()
    shard.flush()
    shard.close()


if __name__ == "__main__":
    main(sys.argv[1])
