"""What travels through the stages, and what a run reports."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from visavis.collections.sources.candidate import Candidate
from visavis.encoders.base import FloatArray
from visavis.pictures.opening import OpenedPicture


class Outcome(StrEnum):
    """What became of a file."""

    ADDED = "added"
    CHANGED = "changed"
    MOVED = "moved"
    DUPLICATE = "duplicate"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    RETURNED = "returned"
    FAILED = "failed"


@dataclass
class Work:
    """One file on its way through the stages; each stage adds what it knows and drops what is no longer needed.

    Attributes:
        candidate: Where it came from.
        replaces: The picture that lay at this path before, if it was another one.
        details_changed: Whether the words that come with it are not those the catalogue has.
        data: The file's bytes, between reading and decoding.
        id: The picture's id.
        known: The catalogue, and so the store, has this picture.
        missing: It is known, and marked missing.
        opened: The decoded picture, between decoding and encoding.
        thumbnail: Its small copy.
        whole: Its vector.
        regions: The vectors of its regions.
        reason: Why it failed.
    """

    candidate: Candidate
    replaces: str | None = None
    details_changed: bool = True
    data: bytes | None = None
    id: str = ""
    known: bool = False
    missing: bool = False
    opened: OpenedPicture | None = None
    thumbnail: bytes | None = None
    whole: FloatArray | None = None
    regions: FloatArray | None = None
    reason: str = ""

    def fail(self, reason: str) -> Work:
        """Mark as failed and let go of everything large."""
        self.reason, self.data, self.opened, self.thumbnail = reason, None, None, None
        return self


@dataclass
class Report:
    """What an indexing run did.

    Attributes:
        source: The folder or file.
        outcomes: How many files ended how.
        missing: Files that are gone since the last run.
        failures: The first failures, path and reason.
        seconds: From start to end.
        encoded: How many pictures went through the encoder.
        stages: Seconds of work in each stage.
        interrupted: Whether the person stopped it; what was done is kept.
    """

    source: str
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    missing: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0
    encoded: int = 0
    stages: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def files(self) -> int:
        """How many files were looked at."""
        return self.outcomes.total()

    @property
    def changed(self) -> bool:
        """Whether anything is otherwise than before the run."""
        return self.missing > 0 or any(
            count for outcome, count in self.outcomes.items() if outcome is not Outcome.UNCHANGED
        )

    @property
    def rate(self) -> float:
        """Pictures encoded a second, end to end."""
        return self.encoded / self.seconds if self.seconds else 0.0

    def as_json(self) -> dict[str, object]:
        """For scripts."""
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
        }
