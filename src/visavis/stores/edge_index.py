"""Build the embedded engine's search index in a child process (``python -m visavis.stores.edge_index``)."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import qdrant_edge as engine

from visavis.errors import StorageError

_GO = "go"
_PR_SET_PDEATHSIG = 1


class IndexBuilder:
    """A started child process that waits for the signal to build."""

    def __init__(self, process: subprocess.Popen[str], files: Path) -> None:
        self._process = process
        self._files = files

    def run(self) -> None:
        """Build the index, and wait.

        Raises:
            StorageError: The build failed.
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
    """Start the child before the shard is closed, so that the store is closed only during the build."""
    process = subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
        [sys.executable, "-P", "-m", __name__, str(files)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield IndexBuilder(process, files)
    finally:
        # On an error or Ctrl-C: a partial build is discarded at the next open, the points stay.
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stderr):
            if pipe:
                with suppress(OSError):
                    pipe.close()


def main(files: str) -> None:
    """Run in the child process."""
    import qdrant_edge as engine

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    if sys.platform == "linux":  # do not outlive the parent: it holds the store's lock
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if sys.stdin.read() != _GO:
        return
    shard = engine.EdgeShard.load(files)
    shard.optimize()
    shard.flush()
    shard.close()


if __name__ == "__main__":
    main(sys.argv[1])


#: The engine rewrites these in place whenever it opens a shard, so a view gets copies.
_COPIED = ("id_tracker.", "mutable_id_tracker.")


class ShardView:
    """A shard opened a second time, read-only."""

    def __init__(self, folder: Path, shard: Any) -> None:
        self._folder = folder
        self.shard = shard

    def close(self) -> None:
        """Release the view; its files are hard links to the shard's."""
        self.shard.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def open_view(files: Path, folder: Path) -> ShardView | None:
    """Open a view on the files of a closed shard; None where the file system has no hard links."""
    remove_view(folder)
    try:
        _link(files, folder)
    except OSError:
        remove_view(folder)
        return None
    return ShardView(folder, engine.EdgeShard.load(str(folder)))


def remove_view(folder: Path) -> None:
    """Remove a view that a killed process left."""
    shutil.rmtree(folder, ignore_errors=True)


def _link(files: Path, folder: Path) -> None:
    folder.mkdir()
    for source in sorted(files.rglob("*")):
        inside = source.relative_to(files)
        if inside.parts[0] == "wal":  # its content is in the segments since the flush before
            continue
        target = folder / inside
        if source.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif source.suffix == ".json" or source.name.startswith(_COPIED):
            shutil.copy2(source, target)
        else:
            os.link(source, target)
