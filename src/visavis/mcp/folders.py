"""The dry run of indexing: what a folder has that a collection has not."""

from __future__ import annotations

from pathlib import Path

from visavis.collections import ledger
from visavis.collections.catalogue import CHUNK, Catalogue
from visavis.collections.pipeline import batches
from visavis.collections.sources.candidates import folder_candidates
from visavis.collections.sources.catalogue_file import is_catalogue_file, table_candidates
from visavis.mcp.models import FolderPlan

_EXAMPLES = 5


def plan(collection: str, path: Path, catalogue: Catalogue | None) -> FolderPlan:
    """Count the files that indexing would read; nothing is written.

    Args:
        collection: The name of the collection.
        path: A folder, a picture or a catalogue file.
        catalogue: The catalogue of the collection; None where there is none yet.
    """
    table = path.is_file() and is_catalogue_file(path)
    candidates = table_candidates(path, None, allow_links=False) if table else folder_candidates(path)
    told = FolderPlan(collection=collection, folder=str(path), dry_run=True, new_collection=catalogue is None)
    for chunk in batches(candidates, CHUNK):
        known = ledger.known_files(catalogue, [one.path for one in chunk]) if catalogue is not None else {}
        for one in chunk:
            told.files += 1
            before = known.get(one.path)
            if before is not None and before.stamp == one.stamp:
                continue
            told.bytes += one.stamp.size
            if before is not None:
                told.changed += 1
                continue
            told.new += 1
            if len(told.examples) < _EXAMPLES:
                told.examples.append(one.path)
    return told
