"""The data of an indexing run: its source, the items that pass through the stages, its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from visavis.collections import ledger
from visavis.collections.catalogue import Catalogue
from visavis.collections.sources.candidates import Candidate, canonical_path, folder_candidates, is_missing
from visavis.collections.sources.catalogue_file import is_catalogue_file, table_candidates
from visavis.encoders.base import FloatArray
from visavis.errors import NotFoundError
from visavis.home import expand_user
from visavis.pictures.decoder import OpenedPicture


class Outcome(StrEnum):
    """The outcome of a file."""

    ADDED = "added"
    CHANGED = "changed"
    MOVED = "moved"
    DUPLICATE = "duplicate"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    RETURNED = "returned"
    FAILED = "failed"


@dataclass
class IndexItem:
    """One file in the pipeline; each stage adds its results and drops what is no longer needed.

    Attributes:
        candidate: The file or link.
        replaces: The picture formerly at this path, if it was another one.
        details_changed: Whether its captions or attributes differ from the catalogue's.
        unchanged: The bytes are those in the catalogue, and need not be read; only its details are new.
        data: The file's bytes, between reading and decoding.
        id: The picture's id.
        known: The catalogue, and so the store, has this picture.
        opened: The decoded picture, between decoding and encoding.
        thumbnail: Its thumbnail.
        whole: Its vector.
        regions: The vectors of its regions.
        reason: Why it failed.
    """

    candidate: Candidate
    replaces: str | None = None
    details_changed: bool = True
    unchanged: bool = False
    data: bytes | None = None
    id: str = ""
    known: bool = False
    opened: OpenedPicture | None = None
    thumbnail: bytes | None = None
    whole: FloatArray | None = None
    regions: FloatArray | None = None
    reason: str = ""

    def fail(self, reason: str) -> IndexItem:
        """Mark as failed and free its data."""
        self.reason, self.data, self.opened, self.thumbnail = reason, None, None, None
        return self


@dataclass
class IndexReport:
    """The result of an indexing run.

    Attributes:
        source: The folder or file.
        outcomes: How many files by outcome.
        missing: Files deleted since the last run.
        failures: The first failures, path and reason.
        seconds: From start to end.
        encoded: How many pictures were encoded.
        stages: Seconds in each stage.
        interrupted: Whether the user stopped it; finished work is kept.
        texts: How many pictures were found to have text; None where it was not looked for.
    """

    source: str
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    missing: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0
    encoded: int = 0
    stages: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False
    texts: int | None = None

    @property
    def files(self) -> int:
        """How many files were processed."""
        return self.outcomes.total()

    @property
    def changed(self) -> bool:
        """Whether the run changed anything."""
        return self.missing > 0 or any(
            count for outcome, count in self.outcomes.items() if outcome is not Outcome.UNCHANGED
        )

    @property
    def rate(self) -> float:
        """Pictures encoded per second, end to end."""
        return self.encoded / self.seconds if self.seconds else 0.0

    def as_json(self) -> dict[str, object]:
        """Return the report as JSON values."""
        return {
            "source": self.source,
            "files": self.files,
            **{outcome.value: self.outcomes[outcome] for outcome in Outcome},
            "missing": self.missing,
            "encoded": self.encoded,
            "seconds": round(self.seconds, 3),
            "rate": round(self.rate, 2),
            "stages": self.stages,
            "failures": [{"path": path, "reason": reason} for path, reason in self.failures],
            **({} if self.texts is None else {"texts": self.texts}),
        }


#: Yields the missing files, given the number of a run.
MissingFinder = Callable[[int], Iterable[list[str]]]


@dataclass(frozen=True)
class IndexSource:
    """The source of a run.

    Attributes:
        name: Its name in the report and in the catalogue.
        candidates: The files and links to index.
        find_missing: Finds deleted files; None for a single picture.
    """

    name: str
    candidates: Iterable[Candidate]
    find_missing: MissingFinder | None = None


def find_source(
    catalogue: Catalogue,
    path: Path,
    ignore: Sequence[str],
    columns: Mapping[str, str] | None,
    allow_urls: bool,
    follow_links: bool = False,
) -> IndexSource:
    """Return the source for a folder, a picture or a catalogue file."""
    path = existing(path)
    if path.is_file() and is_catalogue_file(path):
        candidates = table_candidates(path, columns, allow_links=allow_urls, follow_links=follow_links)
        return IndexSource(str(path), candidates, _missing_from(catalogue, path))
    find_missing = _missing_below(catalogue, path) if path.is_dir() else None
    return IndexSource(str(path), folder_candidates(path, ignore, follow_links=follow_links), find_missing)


def existing(path: Path) -> Path:
    """Return the path as in the catalogue; it must exist."""
    path = canonical_path(expand_user(path))
    try:
        found = path.exists()
    except OSError:  # the name is too long, or a folder above it may not be read
        found = False
    if not found:
        raise NotFoundError(f"There is no file or folder {path}.", "Check the path; nothing was changed.")
    return path


def _missing_below(catalogue: Catalogue, root: Path) -> MissingFinder:
    """Find files below a folder that a run did not see and that do not exist: ignored ones exist, and stay."""

    def find(run: int) -> Iterator[list[str]]:
        for paths in ledger.unseen(catalogue, run, below=str(root)):
            if lost := [path for path in paths if is_missing(path)]:
                yield lost

    return find


def _missing_from(catalogue: Catalogue, table: Path) -> MissingFinder:
    """Find files that a catalogue file no longer lists."""
    return lambda run: ledger.unseen(catalogue, run, source=str(table))
