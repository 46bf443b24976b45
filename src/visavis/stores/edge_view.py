"""A second look at a shard's files, to search in while a child process rebuilds them.

The engine lets one process at a time open a shard. A view is a folder of its own in which the files lie a second time
under the same blocks of the disk (hard links), so making one takes no room and no time. The child replaces files
and never changes one that is there, and nothing is written while it works; so the view stays what it was.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import qdrant_edge as engine

#: The engine tidies these up in place whenever it opens a shard; a view gets its own.
_COPIED = ("id_tracker.", "mutable_id_tracker.")


class View:
    """A shard opened a second time, only for reading."""

    def __init__(self, folder: Path, shard: Any) -> None:
        self._folder = folder
        self.shard = shard

    def close(self) -> None:
        """Let go of it; its files are still those of the shard."""
        self.shard.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def open_view(files: Path, folder: Path) -> View | None:
    """Open a view on the files of a shard that is closed at this moment; None where the disk cannot link files."""
    remove_view(folder)
    try:
        _link(files, folder)
    except OSError:
        remove_view(folder)
        return None
    return View(folder, engine.EdgeShard.load(str(folder)))


def remove_view(folder: Path) -> None:
    """Remove what a killed process left."""
    shutil.rmtree(folder, ignore_errors=True)


def _link(files: Path, folder: Path) -> None:
    folder.mkdir()
    for source in sorted(files.rglob("*")):
        inside = source.relative_to(files)
        if inside.parts[0] == "wal":  # what it holds is in the segments since the flush before
            continue
        target = folder / inside
        if source.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif source.suffix == ".json" or source.name.startswith(_COPIED):
            shutil.copy2(source, target)
        else:
            os.link(source, target)
