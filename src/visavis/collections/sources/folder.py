"""Candidates out of a folder, with the words that lie beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from visavis.collections.ledger import Stamp
from visavis.collections.sources.candidate import Candidate, stamp_of
from visavis.pictures.errors import PictureError
from visavis.pictures.metadata import FolderMetadata
from visavis.pictures.walking import walk

#: PostgreSQL cannot index a longer text, and no file system has a longer path by far.
_LONGEST_PATH = 2000


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
    try:
        name.encode()
    except UnicodeEncodeError:  # a name that is not UTF-8 can be read, but neither stored nor printed
        printable = name.encode(errors="backslashreplace").decode()
        return Candidate(printable, str(root), problem=f"{printable}: its name is not valid UTF-8. Rename it.")
    if len(name) > _LONGEST_PATH:
        shown = f"{name[:_LONGEST_PATH]}…"
        return Candidate(shown, str(root), problem=f"{shown}: its path is longer than {_LONGEST_PATH} characters.")
    try:
        return Candidate(name, str(root), stamp_of(path), metadata.details_of(path))
    except OSError as error:  # it went away since the walk, or cannot be looked at
        return Candidate(name, str(root), Stamp(0, 0), problem=f"{name}: {error.strerror or error}.")
