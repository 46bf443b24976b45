"""Whether anything in the collection fits at all.

Three things speak for or against it: how high the best picture scores, in standard deviations of what is ordinary
here; by how much the question describes one of the best pictures better than general descriptions do; and how large the
collection is, because among many pictures some score high by chance. Their weights were fitted on captions of
COCO pictures (docs/collections.md tells how, and how often it is wrong); in these units they carry over to other
collections and encoders.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from visavis.collections.searching.calibration import Calibration
from visavis.collections.searching.probes import best_probes
from visavis.encoders.base import FloatArray

#: Below this probability it is said that nothing fits. Saying so wrongly is worse than a few odd pictures.
LEAST_PROBABILITY = 0.3
#: How many of the best pictures are looked at more closely.
LOOKED_AT = 3
_HEIGHT, _MARGIN, _SIZE, _BIAS = 2.32, 1.68, -1.15, -3.46


@dataclass(frozen=True)
class Confidence:
    """How sure it is that something fits, as a probability."""

    probability: float

    @property
    def rejects(self) -> bool:
        """Whether to say that nothing fits."""
        return self.probability < LEAST_PROBABILITY


def confidence(
    text: FloatArray, best: FloatArray, probes: FloatArray, calibration: Calibration, count: int
) -> Confidence:
    """How sure it is that something fits.

    Args:
        text: The question's vector, ``[d]``.
        best: The whole vectors of the best pictures, ``[n, d]`` with ``n`` at least one.
        probes: The general descriptions, ``[p, d]``.
        calibration: What is ordinary in this collection.
        count: How many pictures the best were found among.
    """
    scores = best @ text
    height = (float(scores.max()) - calibration.whole_mean) / calibration.whole_deviation
    margin = float(np.max(scores - best_probes(best, probes))) / calibration.whole_deviation
    logit = _HEIGHT * height + _MARGIN * margin + _SIZE * math.log(max(count, 1)) + _BIAS
    return Confidence(1 / (1 + math.exp(-max(-60.0, min(60.0, logit)))))
