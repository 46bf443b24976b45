"""What a score means in this collection: how far above the ordinary, and how likely a fit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.retrieval.sample import Sample

#: Fewer sampled pictures than this tell nothing about the spread of scores.
_ENOUGH = 20
#: Means and spreads of the built-in encoder where there is no sample, for words and for pictures.
_WORDS, _PICTURES = (0.05, 0.10), (0.15, 0.15)
#: Vectors whose scales are remembered: those of a few conversations.
_REMEMBERED = 2048


@dataclass(frozen=True)
class Scale:
    """The ordinary score of one vector in the collection, and how far scores spread around it."""

    middle: float
    spread: float

    def above(self, scores: FloatArray) -> FloatArray:
        """How many spreads above the ordinary."""
        return np.asarray((scores - self.middle) / self.spread, np.float32)


@dataclass(frozen=True)
class RegionScale(Scale):
    """The same for the best region of each picture.

    Attributes:
        agreement: How far best regions and whole pictures agree on who shows it, as a correlation: words for what can
            be seen ("wet street") have 0.8 and more, others ("classic", "for fall") less than 0.7.
    """

    agreement: float = 1.0


class Scales:
    """The scales of vectors, each worked out once: an old wish costs nothing in later turns."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._whole = lru_cache(_REMEMBERED)(self._measure_whole)
        self._regions = lru_cache(_REMEMBERED)(self._measure_regions)

    def whole(self, vector: FloatArray, *, words: bool) -> Scale:
        """The scale of cosines with whole pictures."""
        if len(self._sample) < _ENOUGH:
            return Scale(*(_WORDS if words else _PICTURES))
        return self._whole(np.asarray(vector, np.float32).tobytes())

    def regions(self, vector: FloatArray) -> RegionScale:
        """The scale of cosines with the best region."""
        if len(self._sample) < _ENOUGH:
            return RegionScale(*_WORDS)
        return self._regions(np.asarray(vector, np.float32).tobytes())

    def _measure_whole(self, data: bytes) -> Scale:
        return _scale(self._sample.whole_scores(np.frombuffer(data, np.float32)))

    def _measure_regions(self, data: bytes) -> RegionScale:
        vector = np.frombuffer(data, np.float32)
        best, whole = self._sample.region_scores(vector), self._sample.whole_scores(vector)
        scale = _scale(best)
        together = float(((best - best.mean()) * (whole - whole.mean())).mean())
        return RegionScale(scale.middle, scale.spread, together / max(float(best.std() * whole.std()), 1e-6))


def _scale(scores: FloatArray) -> Scale:
    return Scale(float(np.median(scores)), max(float(scores.std()), 1e-3))


def likely(logit: float) -> float:
    """A logit as a probability, to four places."""
    return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit)))), 4)
