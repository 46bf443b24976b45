"""Leaving out what must not be shown."""

from __future__ import annotations

import numpy as np

from visavis.collections.searching.background import Background
from visavis.encoders.base import FloatArray


class Exclusion:
    """Tells which pictures show something that is to be avoided."""

    def __init__(self, texts: FloatArray, background: Background) -> None:
        self._texts = texts
        self._limits = [
            (_limit(background.whole_scores(text)), _limit(background.region_scores(text))) for text in texts
        ]

    def shows(self, whole: FloatArray, regions: FloatArray) -> bool:
        """Whether a picture shows any of it."""
        for text, (whole_limit, region_limit) in zip(self._texts, self._limits, strict=True):
            if float(whole @ text) > whole_limit or float((regions @ text).max()) > region_limit:
                return True
        return False


def _limit(scores: FloatArray) -> float:
    """Above the ordinary by a clear step."""
    if not len(scores):
        return 0.5
    return float(np.median(scores) + 1.5 * scores.std())
