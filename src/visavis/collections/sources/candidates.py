"""Candidates of an indexing run: files and links, with the metadata beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from visavis.collections.ledger import Stamp
from visavis.collections.sources.links import is_link
from visavis.logs import line_logger
from visavis.pictures.folders import walk
from visavis.pictures.metadata import FolderMetadata
from visavis.pictures.picture import Details, FailureReason, PictureError

logger = line_logger(__name__)

#: PostgreSQL cannot index a longer text, and no file system has paths of that length.
_LONGEST_NAME = 2000
#: How much of a path that is too long is reported.
_TOLD = 100


@dataclass(frozen=True)
class Candidate:
    """A file or link to index.

    Attributes:
        path: An absolute path, or a link.
        source: The folder or catalogue file that lists it.
        stamp: Size and time of the file; zeros for a link, which is downloaded once.
        details: Its captions and attributes.
        problem: Why it cannot be read, if so; for the catalogue.
    """

    path: str
    source: str
    stamp: Stamp = field(default=Stamp(0, 0))
    details: Details = field(default_factory=Details)
    problem: str = ""


def unusable_name(name: str, source: str) -> Candidate | None:
    """Return a candidate with the reason why a path or link cannot be stored or printed; None where it can."""
    shown = name.encode(errors="backslashreplace").decode().replace("\0", "\\x00")
    if len(shown) > _LONGEST_NAME:
        problem = f"{shown[:_TOLD]}…: its path is longer than {_LONGEST_NAME} characters."
        return Candidate(f"{shown[:_LONGEST_NAME]}…", source, problem=problem)
    if shown != name:
        return Candidate(shown, source, problem=f"{shown}: its name is not valid UTF-8. Rename it.")
    return None


def canonical_path(path: Path) -> Path:
    """Return the path as in the catalogue: absolute, with symbolic links as the user wrote them.

    A path with ``..`` is resolved instead: only the real path is then unique.
    """
    path = path.absolute()
    return path.resolve() if ".." in path.parts else path


def stamp_of(path: Path | str) -> Stamp:
    """Return the size and time of a file."""
    status = Path(path).stat()
    return Stamp(status.st_size, status.st_mtime_ns)


def is_missing(path: str) -> bool:
    """Return whether a file certainly does not exist; URLs are not checked, and an unreadable file may exist."""
    if is_link(path):
        return False
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def folder_candidates(
    root: Path,
    ignore: Sequence[str] = (),
    *,
    follow_links: bool = False,
    on_error: Callable[[PictureError], None] | None = None,
    only: Iterable[Path] | None = None,
) -> Iterator[Candidate]:
    """Yield the pictures below a folder.

    A link out of the folder becomes a candidate with its problem, so that the report says what was left out.

    Args:
        root: An absolute path: a folder, or a single file.
        ignore: Patterns of files to skip, as in a .gitignore.
        follow_links: Whether links may lead out of the folder.
        on_error: Called for each folder that cannot be read.
        only: Restrict to these files.
    """
    metadata = FolderMetadata(root if root.is_dir() else root.parent, follow_links=follow_links)
    outside: list[PictureError] = []

    def note(error: PictureError) -> None:
        if error.reason is FailureReason.OUTSIDE:
            outside.append(error)
        elif on_error is not None:
            on_error(error)
        else:
            logger.warning("%s", error)

    for path in walk(root, ignore, follow_links=follow_links, on_error=note) if only is None else only:
        yield _candidate(path, root, metadata)
        while outside:
            yield _left_out(outside.pop(), root)
    while outside:
        yield _left_out(outside.pop(), root)


def _left_out(error: PictureError, root: Path) -> Candidate:
    return unusable_name(error.name, str(root)) or Candidate(error.name, str(root), problem=str(error))


def _candidate(path: Path, root: Path, metadata: FolderMetadata) -> Candidate:
    name = str(path)
    if (unusable := unusable_name(name, str(root))) is not None:
        return unusable
    try:
        return Candidate(name, str(root), stamp_of(path), metadata.details_of(path))
    except OSError as error:  # deleted since the scan, or not accessible
        return Candidate(name, str(root), Stamp(0, 0), problem=f"{name}: {error.strerror or error}.")
