"""The parts that a plan is made of: what one wish does to the score of a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.retrieval.base import WishKind
from visavis.retrieval.scales import Scale


@dataclass(frozen=True)
class Part:
    """One direction that pictures are judged by.

    Attributes:
        wish: The place of its wish in the request.
        kind: The kind of its wish.
        label: The wish in words.
        vector: ``[d]``, unit length.
        say: What one spread along the vector is worth, against one spread of the wanted words; negative pushes
            away. Nothing for a single wanted text: the joined text speaks for all of them.
        scale: What is ordinary for whole pictures.
        region_scale: What is ordinary for best regions, for words; None for anything else.
        start: For a relative wish: where on the vector the reference picture lies.
        phrases: For words that name several things: each of them, as a part of its own.
    """

    wish: int
    kind: WishKind
    label: str
    vector: FloatArray
    say: float
    scale: Scale
    region_scale: Scale | None = None
    start: float | None = None
    phrases: tuple[Part, ...] = ()

    def above(self, whole: FloatArray) -> FloatArray:
        """How many spreads pictures lie above the ordinary, or beyond the reference."""
        scores = np.asarray(whole @ self.vector, np.float32)
        if self.start is None:
            return self.scale.above(scores)
        return np.asarray((scores - self.start) / self.scale.spread, np.float32)

    def region_above(self, regions: FloatArray) -> FloatArray | None:
        """The same for the best region of each picture, ``[n, r, d]``; None where regions say nothing."""
        if self.region_scale is None:
            return None
        return self.region_scale.above(np.asarray((regions @ self.vector).max(axis=1), np.float32))
