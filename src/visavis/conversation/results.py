"""What a turn shows: pictures in order, each with its score and the reasons it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Reason:
    """How a picture stands to one wish.

    Attributes:
        wish: The wish's id, or an empty text for a reason that is no wish ("picked at random").
        text: The wish in words, or the reason itself.
        fits: Whether the picture fits it; a reason that does not fit says what the picture misses.
        score: How well, 0..1 where it is calibrated; None where it is not.
    """

    wish: str
    text: str
    fits: bool = True
    score: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"wish": self.wish, "text": self.text, "fits": self.fits, "score": self.score}


@dataclass(frozen=True)
class Result:
    """One picture of a ranking.

    Attributes:
        id: The picture's id.
        score: How well it fits the brief; higher is better.
        because: The reasons, those that count most first.
    """

    id: str
    score: float
    because: tuple[Reason, ...] = ()

    @property
    def why(self) -> str:
        """The reasons as one line: "a train, in the snow; misses: no people"."""
        fits = ", ".join(reason.text for reason in self.because if reason.fits)
        misses = ", ".join(reason.text for reason in self.because if not reason.fits)
        return "; ".join(part for part in (fits, f"misses: {misses}" if misses else "") if part)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"id": self.id, "score": self.score, "because": [reason.as_json() for reason in self.because]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`as_json`."""
        reasons = (Reason(r["wish"], r["text"], r["fits"], r["score"]) for r in value["because"])
        return cls(value["id"], value["score"], tuple(reasons))
