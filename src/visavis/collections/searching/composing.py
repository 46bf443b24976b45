"""One query out of words and pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visavis.collections.searching.calibration import Calibration
from visavis.encoders.base import FloatArray

#: How much the words count against the pictures when both are given.
TEXT_SHARE = 0.5
#: How much the best region counts against the whole picture for words.
REGION_WEIGHT = 0.3


@dataclass(frozen=True)
class Composed:
    """A query as a store takes it.

    Attributes:
        vectors: ``[n, d]``.
        weights: One a vector; they add up to one.
        regions: What the best region is compared with in the second stage, or None.
    """

    vectors: FloatArray
    weights: tuple[float, ...]
    regions: FloatArray | None


def compose(text: FloatArray | None, likes: FloatArray, calibration: Calibration) -> Composed:
    """Weigh words and pictures so that each has the say it should have.

    Pictures resemble each other far more than words resemble pictures, so plain sums would follow the picture alone.
    Each part is therefore weighed by how far its scores spread over the collection.

    Args:
        text: ``[d]``, or None.
        likes: ``[m, d]``: pictures; may be none.
        calibration: How far scores spread in this collection.
    """
    if text is None:
        return Composed(likes, (1.0 / len(likes),) * len(likes), None)
    if not len(likes):
        return Composed(text[None], (1.0,), text[None])
    says = [TEXT_SHARE / calibration.whole_deviation]
    says += [(1 - TEXT_SHARE) / len(likes) / calibration.picture_deviation] * len(likes)
    total = sum(says)
    return Composed(np.vstack([text[None], likes]), tuple(say / total for say in says), None)
