"""A file, or a link, that may hold a picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from visavis.collections.ledger import Stamp
from visavis.collections.sources.links import is_link
from visavis.pictures.picture import Details

#: PostgreSQL cannot index a longer text, and no file system has a longer path by far.
_LONGEST_NAME = 2000
#: How much of a path that is too long is told.
_TOLD = 100


@dataclass(frozen=True)
class Candidate:
    """What a source hands to indexing.

    Attributes:
        path: An absolute path, or a link.
        source: The folder or the catalogue file it was found through.
        stamp: Size and time of the file; zeros for a link, which is fetched once.
        details: Captions and attributes that came with it.
        problem: Set when it cannot be read at all: the reason, for the catalogue.
    """

    path: str
    source: str
    stamp: Stamp = field(default=Stamp(0, 0))
    details: Details = field(default_factory=Details)
    problem: str = ""


def unusable_name(name: str, source: str) -> Candidate | None:
    """A candidate that says why a path or link can be read, but neither stored nor printed; None where it can."""
    shown = name.encode(errors="backslashreplace").decode().replace("\0", "\\x00")
    if len(shown) > _LONGEST_NAME:
        problem = f"{shown[:_TOLD]}…: its path is longer than {_LONGEST_NAME} characters."
        return Candidate(f"{shown[:_LONGEST_NAME]}…", source, problem=problem)
    if shown != name:
        return Candidate(shown, source, problem=f"{shown}: its name is not valid UTF-8. Rename it.")
    return None


def one_name(path: Path) -> Path:
    """The path as the catalogue knows it: absolute, links in it kept as the person wrote them.

    Except where it goes up: then only the real path names each file in one way, whichever folder one stands in.
    """
    path = path.absolute()
    return path.resolve() if ".." in path.parts else path


def stamp_of(path: Path | str) -> Stamp:
    """Size and time of a file."""
    status = Path(path).stat()
    return Stamp(status.st_size, status.st_mtime_ns)


def is_gone(path: str) -> bool:
    """Whether a file certainly does not exist; links are not asked, and what cannot be looked at may be there."""
    if is_link(path):
        return False
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
