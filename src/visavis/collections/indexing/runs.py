"""Which candidates a path stands for, and what counts as gone after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from visavis.collections.catalogue import Catalogue
from visavis.collections.indexing.indexer import Indexer, gone_below, gone_from
from visavis.collections.indexing.work import Report
from visavis.collections.sources.folder import folder_candidates
from visavis.collections.sources.rows import is_catalogue_file
from visavis.collections.sources.table import table_candidates
from visavis.errors import NotFoundError


def index_source(
    indexer: Indexer,
    catalogue: Catalogue,
    path: Path,
    ignore: Sequence[str],
    columns: Mapping[str, str] | None,
    allow_urls: bool,
    on_progress: Callable[[Report], None] | None,
) -> Report:
    """Index a folder, a picture or a catalogue file."""
    path = existing(path)
    if path.is_file() and is_catalogue_file(path):
        candidates = table_candidates(path, columns, allow_links=allow_urls)
        return indexer.run(candidates, str(path), gone=gone_from(catalogue, path), on_progress=on_progress)
    gone = gone_below(catalogue, path) if path.is_dir() else None
    return indexer.run(folder_candidates(path, ignore), str(path), gone=gone, on_progress=on_progress)


def existing(path: Path) -> Path:
    """The path as the catalogue knows it: absolute, links in it kept as the person wrote them."""
    path = path.expanduser().absolute()
    if not path.exists():
        raise NotFoundError(f"There is no file or folder {path}.", "Check the path; nothing was changed.")
    return path
