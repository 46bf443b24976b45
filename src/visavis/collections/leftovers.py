"""Files of edited pictures that no row knows: what a process left that was killed before it wrote the row."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from visavis.collections import ledger
from visavis.collections.batches import batches

if TYPE_CHECKING:
    from visavis.collections.catalogue import Catalogue

#: A younger file may belong to an edit that is going on: its row is about to come.
_SETTLED = 600.0
_BATCH = 500


def leftovers(folder: Path, catalogue: Catalogue) -> Iterator[Path]:
    """Drafts, and whole files without a row, that nobody is working on any more.

    Args:
        folder: The collection's own folder of edited pictures; nothing else is ever looked at.
        catalogue: Where the rows are.
    """
    try:
        old = [path for path in folder.iterdir() if path.is_file() and time.time() - path.stat().st_mtime > _SETTLED]
    except OSError:  # no edits yet, or one that was just forgotten
        return
    for paths in batches(sorted(old), _BATCH):
        known = ledger.known_pictures(catalogue, [path.stem for path in paths])
        yield from (path for path in paths if path.stem not in known)
