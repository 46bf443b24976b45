"""How well the right picture is found: ranks of targets, and recall from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError

Ranks = NDArray[np.float64]

#: Queries compared with the whole gallery at once; bounds the memory.
_CHUNK = 1024


def target_ranks(queries: FloatArray, gallery: FloatArray, targets: Sequence[int] | NDArray[np.int64]) -> Ranks:
    """The place of each query's target in its ranking of the gallery, 0 for the best.

    Ties count as half a place each: what chance would give on average, so that an encoder that finds everything
    alike gets the score of a guess, not a perfect one.

    Args:
        queries: ``[q, d]``.
        gallery: ``[n, d]``.
        targets: For each query the row of the gallery that it asks for.
    """
    wanted = np.asarray(targets, np.int64)
    if wanted.shape != (len(queries),):
        raise BadInputError(f"{len(queries)} queries need as many targets, not {len(wanted)}.")
    if len(wanted) and not (wanted.min() >= 0 and wanted.max() < len(gallery)):
        raise BadInputError(f"A target lies outside the gallery of {len(gallery)}.")
    ranks = np.zeros(len(queries), np.float64)
    for start in range(0, len(queries), _CHUNK):
        rows = slice(start, start + _CHUNK)
        ranks[rows] = _ranks(queries[rows] @ gallery.T, wanted[rows])
    return ranks


def _ranks(scores: FloatArray, targets: NDArray[np.int64]) -> Ranks:
    own = np.take_along_axis(scores, targets[:, None], axis=1)
    better = (scores > own).sum(axis=1)
    equal = (scores == own).sum(axis=1) - 1
    return np.asarray(better + equal / 2, np.float64)


def recall_at(ranks: Ranks, k: int) -> float:
    """The share of queries whose target is among the first ``k``, in percent; 0 without queries.

    >>> recall_at(np.array([0.0, 1.0, 7.0, 30.0]), 5)
    50.0
    """
    return 100 * float((ranks < k).mean()) if len(ranks) else 0.0


def recalls(ranks: Ranks, ks: Sequence[int] = (1, 5, 10)) -> dict[str, float]:
    """Recall at several depths, as ``{"R@1": ...}``, rounded for a report."""
    return {f"R@{k}": round(recall_at(ranks, k), 2) for k in ks}


def median_rank(ranks: Ranks) -> float:
    """The median place, counted from 1."""
    return float(np.median(ranks)) + 1 if len(ranks) else 0.0
