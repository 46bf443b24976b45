"""What a score means in this collection: how far above the ordinary, and how likely a fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.retrieval.sample import Sample

#: Fewer sampled pictures than this tell nothing about the spread of scores.
_ENOUGH = 20
#: Means and spreads of the built-in encoder where there is no sample, for words and for pictures.
_WORDS, _PICTURES = (0.05, 0.10), (0.15, 0.15)


@dataclass(frozen=True)
class Scale:
    """The ordinary score of one vector in the collection, and how far scores spread around it."""

    middle: float
    spread: float

    def above(self, scores: FloatArray) -> FloatArray:
        """How many spreads above the ordinary."""
        return np.asarray((scores - self.middle) / self.spread, np.float32)


def whole_scale(vector: FloatArray, sample: Sample, *, words: bool) -> Scale:
    """The scale of cosines with whole pictures."""
    if len(sample) < _ENOUGH:
        return Scale(*(_WORDS if words else _PICTURES))
    return _scale(sample.whole_scores(vector))


def region_scale(vector: FloatArray, sample: Sample) -> Scale:
    """The scale of cosines with the best region."""
    if len(sample) < _ENOUGH:
        return Scale(*_WORDS)
    return _scale(sample.region_scores(vector))


def _scale(scores: FloatArray) -> Scale:
    return Scale(float(np.median(scores)), max(float(scores.std()), 1e-3))


def likely(logit: float) -> float:
    """A logit as a probability, to four places."""
    return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit)))), 4)
