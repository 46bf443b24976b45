"""Candidates out of a folder, with the words that lie beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from visavis.collections.ledger import Stamp
from visavis.collections.sources.candidate import Candidate, stamp_of, unusable_name
from visavis.pictures.errors import PictureError
from visavis.pictures.metadata import FolderMetadata
from visavis.pictures.walking import walk


def folder_candidates(
    root: Path,
    ignore: Sequence[str] = (),
    *,
    on_error: Callable[[PictureError], None] | None = None,
    only: Iterable[Path] | None = None,
) -> Iterator[Candidate]:
    """The pictures below a folder.

    Args:
        root: An absolute path: a folder, or a single file.
        ignore: Patterns of what to pass over, as in a .gitignore.
        on_error: Told of each folder that cannot be read.
        only: Look at these files instead of all.
    """
    metadata = FolderMetadata(root if root.is_dir() else root.parent)
    for path in walk(root, ignore, on_error=on_error) if only is None else only:
        yield _candidate(path, root, metadata)


def _candidate(path: Path, root: Path, metadata: FolderMetadata) -> Candidate:
    name = str(path)
    if (unusable := unusable_name(name, str(root))) is not None:
        return unusable
    try:
        return Candidate(name, str(root), stamp_of(path), metadata.details_of(path))
    except OSError as error:  # it went away since the walk, or cannot be looked at
        return Candidate(name, str(root), Stamp(0, 0), problem=f"{name}: {error.strerror or error}.")
