"""Whether anything in the collection fits at all."""

from __future__ import annotations

from dataclasses import dataclass

from visavis.collections.searching.background import Background
from visavis.encoders.base import FloatArray


@dataclass(frozen=True)
class Confidence:
    """How sure it is that something fits, and whether that is enough."""

    probability: float

    @property
    def rejects(self) -> bool:
        """Whether to say that nothing fits."""
        return self.probability < 0.5


def confidence(text: FloatArray, top: float, background: Background) -> Confidence | None:
    """Placeholder."""
    return None
