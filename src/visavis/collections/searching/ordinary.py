"""A sample of a collection, to tell what is near some words from what only comes from the same world.

In a shop's catalogue every garment is near "a belt", in a folder of holidays hardly any photo is. So how near a picture
must come to count as showing it depends on how near the others come.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from visavis.collections.searching.probes import best_probes
from visavis.encoders.base import FloatArray
from visavis.stores.base import Store

#: Ids are hashes of contents, so the first ones in order are a fair sample.
SAMPLE = 400
#: Two groups this many standard deviations apart are two groups: those that show it and those that do not.
_APART = 2.5
#: Where they are not, what lies this much above the mean counts.
_ABOVE = 0.5
_ROUNDS = 40
_NARROWEST = 0.15


@dataclass(frozen=True)
class Ordinary:
    """Vectors of a sample, and how well the best general descriptions fit each of them.

    Attributes:
        whole: ``[n, 1, d]``.
        regions: ``[n, r, d]``.
        whole_fit: ``[n, 1]``.
        regions_fit: ``[n, r]``.
    """

    whole: FloatArray
    regions: FloatArray
    whole_fit: FloatArray
    regions_fit: FloatArray

    @classmethod
    def take(cls, store: Store, probes: FloatArray) -> Ordinary | None:
        """Take one; None where there is too little to tell anything."""
        points = islice((point for points in store.scroll(SAMPLE) for point in points), SAMPLE)
        usable = [point for point in points if point.regions is not None]
        if len(usable) < SAMPLE // 10:
            return None
        whole = np.stack([point.whole for point in usable])[:, None]
        regions = np.stack([point.regions for point in usable if point.regions is not None])
        return cls(whole, regions, best_probes(whole, probes), best_probes(regions, probes))


def parting(nearness: FloatArray) -> float:
    """Where those that show something part from those that do not.

    Args:
        nearness: How near each picture of a sample comes, ``[n]``.
    """
    usual = float(nearness.mean() + _ABOVE * nearness.std())
    low, high, apart = _two_groups(nearness)
    if apart < _APART:
        return usual
    places = np.linspace(low[0], high[0], 200, dtype=np.float32)
    more_likely = _density(places, *high) > _density(places, *low)
    return min(usual, float(places[np.argmax(more_likely)]) if more_likely.any() else usual)


_Group = tuple[float, float, float]


def _two_groups(values: FloatArray) -> tuple[_Group, _Group, float]:
    """Two normal distributions (mean, deviation, share) fitted to the values, and how far apart they are."""
    low, high = float(np.quantile(values, 0.25)), float(np.quantile(values, 0.9))
    narrow = wide = max(float(values.std()) / 2, _NARROWEST)
    share = 0.2
    for _ in range(_ROUNDS):
        ours = _density(values, high, wide, share)
        theirs = _density(values, low, narrow, 1 - share)
        belongs = ours / (ours + theirs + 1e-12)
        share = float(np.clip(belongs.mean(), 0.02, 0.98))
        high, wide = _mean_and_deviation(values, belongs)
        low, narrow = _mean_and_deviation(values, 1 - belongs)
    apart = (high - low) / float(np.sqrt((wide**2 + narrow**2) / 2))
    return (low, narrow, 1 - share), (high, wide, share), apart


def _density(values: FloatArray, mean: float, deviation: float, share: float) -> FloatArray:
    return np.asarray(share / deviation * np.exp(-0.5 * ((values - mean) / deviation) ** 2), np.float32)


def _mean_and_deviation(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    total = float(weights.sum()) + 1e-12
    mean = float((weights * values).sum()) / total
    return mean, max(float(np.sqrt((weights * (values - mean) ** 2).sum() / total)), _NARROWEST)
