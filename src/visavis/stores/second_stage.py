"""The parts of a query outside the engine: weights before it, re-ranking and tie order after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError
from visavis.stores.base import Hit, Query
from visavis.stores.points import unit_vectors

#: Requested beyond the limit, to detect a cut through equal scores.
_MARGIN = 1
#: At most this many more are requested to find the end of a run of equal scores.
_LONGEST_TIE = 4096


def weighted_vector(query: Query, dimension: int) -> FloatArray:
    """Return one vector whose dot product with a picture is the weighted sum of the query's cosines.

    The dot product is linear, so ``sum(w * (v . x)) = (sum(w * v)) . x``: one search suffices.

    Raises:
        BadInputError: Vectors and weights do not match each other or the store.
    """
    vectors = unit_vectors(query.vectors, dimension, "A query vector", rank=2)
    if query.weights is None and len(vectors) == 1:
        only: FloatArray = vectors[0]
        return only
    weights = np.ones(len(vectors)) if query.weights is None else np.asarray(query.weights, dtype=np.float64)
    if len(vectors) == 0 or weights.shape != (len(vectors),):
        raise BadInputError(
            f"A query has {len(vectors)} vectors and {weights.size} weights.", "Give one weight a vector."
        )
    if not np.all(np.isfinite(weights)):
        raise BadInputError("A weight of the query is no finite number.")
    combined: FloatArray = (weights @ vectors.astype(np.float64)).astype(np.float32)
    return combined


def region_vectors(query: Query, dimension: int) -> FloatArray | None:
    """Return the vectors of the second stage, or None when there is none.

    Raises:
        BadInputError: They do not match the store, or their weight is not between 0 and 1.
    """
    if not 0.0 <= query.region_weight <= 1.0:
        raise BadInputError(f"The weight of the regions must be between 0 and 1, not {query.region_weight}.")
    if query.regions is None or len(query.regions) == 0 or query.region_weight == 0.0:
        return None
    return unit_vectors(query.regions, dimension, "A region vector of the query", rank=2)


def check_limit(limit: int) -> int:
    """Validate a limit.

    Raises:
        BadInputError: It is not at least 1.
    """
    if limit < 1:
        raise BadInputError(f"The number of results must be at least 1, not {limit}.")
    return limit


def has_direction(vector: FloatArray) -> bool:
    """Return whether a combined vector is not zero; weights can cancel each other out."""
    return float(vector @ vector) > 1e-12


def ranked(hits: Iterable[Hit]) -> list[Hit]:
    """Sort hits, best first; equal scores in the order of their ids."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def best(search: Callable[[int], Sequence[Hit]], limit: int) -> list[Hit]:
    """Return the best ``limit`` hits of a search with arbitrary order of ties.

    Args:
        search: Returns so many hits, best first.
        limit: How many hits.
    """
    requested = limit + _MARGIN
    while True:
        hits = search(requested)
        cut_through_a_tie = len(hits) == requested and hits[-1].score == hits[limit - 1].score
        if not cut_through_a_tie or requested >= limit + _LONGEST_TIE:
            return ranked(hits)[:limit]
        requested = min(requested * 4, limit + _LONGEST_TIE)


def second_stage(first: Sequence[Hit], second: Mapping[str, float], weight: float, limit: int) -> list[Hit]:
    """Combine the scores of both stages, best first."""
    mixed = (Hit(hit.id, (1.0 - weight) * hit.score + weight * second[hit.id]) for hit in first)
    return ranked(mixed)[:limit]


def max_sims(queries: FloatArray, regions: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return for each picture the mean over the query's vectors of the best cosine with any region."""
    if len(queries) == 1:  # as a product with a vector, BLAS would share the work with other threads
        queries = np.repeat(queries, 2, axis=0)
    by_number: dict[int, list[str]] = {}
    for id, vectors in regions.items():
        by_number.setdefault(len(vectors) if vectors.ndim == 2 else 1, []).append(id)
    scores: dict[str, float] = {}
    for number, ids in by_number.items():
        cosines = np.empty((len(ids), number, len(queries)), np.float32)
        for row, id in zip(cosines, ids, strict=True):  # small products, which BLAS does without other threads
            np.matmul(regions[id].reshape(number, -1), queries.T, out=row)
        sums = cosines.max(axis=1).sum(axis=1, dtype=np.float64) / len(queries)
        scores.update(zip(ids, sums.tolist(), strict=True))
    return scores
