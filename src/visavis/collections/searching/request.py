"""What is asked of a search, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from visavis.pictures.picture import Picture
from visavis.stores.filters import Filter

#: Two pictures closer than this (cosine) look the same to a person: a resized copy, the next shot of a burst.
NEAR_DUPLICATE = 0.985


@dataclass(frozen=True)
class Search:
    """What to look for.

    Attributes:
        text: What the picture shows.
        k: How many results at most.
        like: Pictures it resembles: ids, or paths of files that need not be in the collection.
        avoid: What it must not show.
        filter: Conditions on attributes.
        with_edits: Whether edited pictures are shown too.
        fold: Results closer to an earlier one than this cosine are folded into it; None shows them all.
        cutoff: Whether to answer "nothing fits"; without it the nearest are returned, however far.
    """

    text: str = ""
    k: int = 20
    like: tuple[str | Path, ...] = ()
    avoid: tuple[str, ...] = ()
    filter: Filter | None = None
    with_edits: bool = False
    fold: float | None = NEAR_DUPLICATE
    cutoff: bool = True


@dataclass(frozen=True)
class Result:
    """One picture that was found.

    Attributes:
        picture: What is known of it.
        score: How well it fits; higher is better.
        folded: Ids of near-duplicates that are not shown.
    """

    picture: Picture
    score: float
    folded: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        picture = self.picture
        return {
            "id": picture.id,
            "path": picture.path,
            "score": round(self.score, 6),
            "caption": picture.caption or picture.title,
            "attributes": dict(picture.attributes),
            "paths": list(picture.paths),
            "folded": list(self.folded),
        }


@dataclass(frozen=True)
class SearchResults:
    """Everything a search gives back.

    Attributes:
        results: Best first.
        seconds: How long it took, the encoder's loading not counted.
        confidence: How sure it is that anything fits, 0 to 1; None where that was not asked.
        message: What to tell the person when there are no results.
    """

    results: list[Result] = field(default_factory=list)
    seconds: float = 0.0
    confidence: float | None = None
    message: str = ""

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {
            "results": [result.as_json() for result in self.results],
            "seconds": round(self.seconds, 4),
            "confidence": None if self.confidence is None else round(self.confidence, 4),
            "message": self.message,
        }
