"""Which candidates a path stands for, and what counts as gone after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.sources.candidate import Candidate, is_gone, one_name
from visavis.collections.sources.folder import folder_candidates
from visavis.collections.sources.rows import is_catalogue_file
from visavis.collections.sources.table import table_candidates
from visavis.errors import NotFoundError
from visavis.home import in_full

#: Given the number of a run, the files that are no longer there.
Gone = Callable[[int], Iterable[list[str]]]


@dataclass(frozen=True)
class Source:
    """What a run goes through.

    Attributes:
        name: What to call it in the report and in the catalogue.
        candidates: Where pictures may be.
        gone: Finds what is no longer there; None for a single picture.
    """

    name: str
    candidates: Iterable[Candidate]
    gone: Gone | None = None


def find_source(
    catalogue: Catalogue, path: Path, ignore: Sequence[str], columns: Mapping[str, str] | None, allow_urls: bool
) -> Source:
    """A folder, a picture or a catalogue file."""
    path = existing(path)
    if path.is_file() and is_catalogue_file(path):
        candidates = table_candidates(path, columns, allow_links=allow_urls)
        return Source(str(path), candidates, _gone_from(catalogue, path))
    gone = _gone_below(catalogue, path) if path.is_dir() else None
    return Source(str(path), folder_candidates(path, ignore), gone)


def existing(path: Path) -> Path:
    """The path as the catalogue knows it; it must be there."""
    path = one_name(in_full(path))
    if not path.exists():
        raise NotFoundError(f"There is no file or folder {path}.", "Check the path; nothing was changed.")
    return path


def _gone_below(catalogue: Catalogue, root: Path) -> Gone:
    """Files below a folder that a run did not see and that do not exist: ignored ones exist, and stay."""

    def find(run: int) -> Iterator[list[str]]:
        for paths in ledger.unseen(catalogue, run, below=str(root)):
            if lost := [path for path in paths if is_gone(path)]:
                yield lost

    return find


def _gone_from(catalogue: Catalogue, table: Path) -> Gone:
    """Files that a catalogue file no longer lists."""
    return lambda run: ledger.unseen(catalogue, run, source=str(table))
