"""One query out of words and pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visavis.collections.searching.background import Background
from visavis.encoders.base import FloatArray

#: How much the words count against the pictures when both are given.
TEXT_SHARE = 0.5
#: How much the best region counts against the whole picture for words.
REGION_WEIGHT = 0.3
#: What cosines with words and with pictures spread over, roughly, where there is no sample to tell.
_TEXT_SPREAD, _PICTURE_SPREAD = 0.05, 0.15


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


def compose(text: FloatArray | None, likes: FloatArray, background: Background) -> Composed:
    """Weigh words and pictures so that each has the say it should have.

    Pictures resemble each other far more than words resemble pictures, so plain sums would follow the picture alone.
    Each part is therefore weighed by how far its scores spread over the collection.

    Args:
        text: ``[d]``, or None.
        likes: ``[m, d]``: pictures; may be none.
        background: The collection's sample.
    """
    if text is None:
        return Composed(likes, (1.0 / len(likes),) * len(likes), None)
    if not len(likes):
        return Composed(text[None], (1.0,), text[None])
    says = [TEXT_SHARE / _spread(text, background, _TEXT_SPREAD)]
    says += [(1 - TEXT_SHARE) / len(likes) / _spread(like, background, _PICTURE_SPREAD) for like in likes]
    total = sum(says)
    return Composed(np.vstack([text[None], likes]), tuple(say / total for say in says), None)


def _spread(vector: FloatArray, background: Background, otherwise: float) -> float:
    if len(background) < 20:
        return otherwise
    return max(float(background.whole_scores(vector).std()), 1e-3)
