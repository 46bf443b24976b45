"""The base class of the stores with an engine: validation, queries and facets."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError
from visavis.stores.base import (
    FieldKind,
    Hit,
    Query,
    Store,
    StoredPoint,
    check_id,
    check_payload,
    check_points,
    unit_vectors,
)
from visavis.stores.filters import Filter, values_of
from visavis.types import Payload

#: Requested beyond the limit, to detect a cut through equal scores.
_MARGIN = 1
#: At most this many more are requested to find the end of a run of equal scores.
_LONGEST_TIE = 4096
#: Kinds of fields whose values the engine can count.
_COUNTABLE: tuple[FieldKind, ...] = ("keyword", "integer", "bool")
#: Requested beyond the limit, so that equally frequent values have a stable order.
_FACET_MARGIN = 1000


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
    mixed = sorted((-((1.0 - weight) * hit.score + weight * second[hit.id]), hit.id) for hit in first)
    return [Hit(id, -below) for below, id in mixed[:limit]]


def max_sims(queries: FloatArray, regions: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return for each picture the mean over the query's vectors of the best cosine with any region."""
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


class EngineStore(Store):
    """A store whose engine searches, filters and counts; implements the ordering rules of :class:`Store`."""

    dimension: int

    @abstractmethod
    def _write_points(self, points: Sequence[StoredPoint]) -> None:
        """Write points that are valid."""

    @abstractmethod
    def _write_payload(self, id: str, payload: dict[str, Any]) -> None:
        """Replace the payload of a point; an unknown id is skipped."""

    @abstractmethod
    def _delete_points(self, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are skipped."""

    @abstractmethod
    def _search(self, vector: FloatArray, filter: Filter | None, limit: int, exact: bool) -> list[Hit]:
        """Return the engine's nearest points by dot product."""

    @abstractmethod
    def _search_both(
        self, vector: FloatArray, queries: FloatArray, filter: Filter | None, limit: int, exact: bool
    ) -> tuple[list[Hit], dict[str, float]]:
        """Return the nearest points, and for those with regions the sum over the query's of the best dot product."""

    @abstractmethod
    def _facets(self, field: str, filter: Filter | None, limit: int) -> list[tuple[Any, int]]:
        """Return the values of a field with a countable index, most frequent first."""

    @abstractmethod
    def _make_index(self, field: str, kind: FieldKind, known: FieldKind | None) -> None:
        """Build the index of a field, replacing the one of the known kind."""

    @abstractmethod
    def _payload_walk(self, filter: Filter | None, field: str | None) -> Iterator[tuple[str, Payload]]:
        """Yield ids in order with their payload, or only one field of it; ``""`` for none of it."""

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        """Add points or replace those with the same id. On return they are durable against a killed process."""
        checked = check_points(points, self.dimension)
        self._widen_integer_indexes(point.payload for point in checked)
        self._write_points(checked)

    def set_payload(self, id: str, payload: Payload) -> None:
        """Replace the payload of a point; an unknown id is skipped."""
        checked = check_payload(payload, check_id(id))
        self._widen_integer_indexes([checked])
        self._write_payload(id, checked)

    def delete(self, ids: Sequence[str]) -> None:
        """Remove points; unknown ids are skipped."""
        self._delete_points([check_id(id) for id in ids])

    def index_field(self, field: str, kind: FieldKind) -> None:
        """Build an index for filters on a field; an integer field that contains fractions gets a float index."""
        known = self.fields().get(field)
        if known == kind or (kind == "integer" and known == "float"):
            return
        if kind == "integer" and has_fraction(payload.get(field) for _, payload in self._payload_walk(None, field)):
            kind = "float"
        self._make_index(field, kind, known)

    def _widen_integer_indexes(self, payloads: Iterable[Payload]) -> None:
        """Change integer indexes to float ones where needed: an integer index omits fractions."""
        integers = {field for field, kind in self.fields().items() if kind == "integer"}
        for payload in payloads if integers else ():
            for field in [name for name in integers & payload.keys() if has_fraction([payload[name]])]:
                self.index_field(field, "float")
                integers.remove(field)

    def query(self, query: Query) -> list[Hit]:
        """Return the nearest points, best first; equal scores in the order of their ids."""
        limit = check_limit(query.limit)
        vector = weighted_vector(query, self.dimension)
        queries = region_vectors(query, self.dimension)
        depth = limit if queries is None else max(limit, query.prefetch)
        sums: dict[str, float] = {}
        if not has_direction(vector):
            first = self._first_hits(query.filter, depth)
        elif queries is None:
            return best(lambda number: self._search(vector, query.filter, number, query.exact), limit)
        else:
            first, sums = self._search_both(vector, queries, query.filter, depth, query.exact)
        if queries is None:
            return first
        return second_stage(first, self._region_scores(first, sums, queries), query.region_weight, limit)

    def _first_hits(self, filter: Filter | None, limit: int) -> list[Hit]:
        """Return the first ids with score 0, for a query whose weights cancel out."""
        return [Hit(id, 0.0) for id, _ in islice(self._payload_walk(filter, ""), limit)]

    def _region_scores(self, first: list[Hit], sums: dict[str, float], queries: FloatArray) -> dict[str, float]:
        scores = {id: total / len(queries) for id, total in sums.items()}
        missing = [hit.id for hit in first if hit.id not in scores]
        if missing:
            if len(queries) == 1:  # as a product with a vector, BLAS would share the work with other threads
                queries = np.repeat(queries, 2, axis=0)
            scores |= self._best_regions(missing, queries)
            if alone := [id for id in missing if id not in scores]:  # pictures without regions: score the whole vector
                scores |= max_sims(queries, self.vectors(alone, "whole"))
        # A point deleted between the two stages has no vectors: it is ranked last.
        return scores | {id: -1.0 for id in missing if id not in scores}

    def _best_regions(self, ids: Sequence[str], queries: FloatArray) -> dict[str, float]:
        """Return what :func:`max_sims` does of the pictures that have regions."""
        return max_sims(queries, self.vectors(ids, "regions"))

    def facets(self, field: str, filter: Filter | None = None, limit: int = 50) -> list[tuple[str, int]]:
        """Return the values of a field and how many points have each, most frequent first, then by value.

        Counted by the engine when the field has a keyword, integer or bool index, by a scan otherwise.
        """
        if self.fields().get(field) in _COUNTABLE:
            counts = self._facets(field, filter, check_limit(limit) + _FACET_MARGIN)
        else:
            counts = self._scanned_facets(field, filter)
        texts = ((facet_text(value), number) for value, number in counts)
        return sorted(texts, key=lambda facet: (-facet[1], facet[0]))[:limit]

    def _scanned_facets(self, field: str, filter: Filter | None) -> list[tuple[Any, int]]:
        found: Counter[str] = Counter()
        for _, payload in self._payload_walk(filter, field):
            found.update({facet_text(value) for value in values_of(payload, field)})
        return list(found.items())


def indexed_points(vectors: int, points: int, with_regions: int) -> int:
    """Return how many points are in the search index, from an engine's count of the vectors of both names."""
    share = vectors / (points + with_regions) if points else 0.0
    return min(points, round(points * share))


def has_fraction(values: Iterable[Any]) -> bool:
    """Return whether one of the values, or of the elements of a list among them, has a fraction.

    >>> has_fraction([1, 2.0, "text", None]), has_fraction([1, [2, 2.5]])
    (False, True)
    """
    for value in values:
        each = value if isinstance(value, list | tuple) else [value]
        if any(isinstance(number, float) and not number.is_integer() for number in each):
            return True
    return False


def facet_text(value: Any) -> str:
    """Format a payload's value as a facet: as it is written in a filter.

    >>> facet_text(True), facet_text(50.0), facet_text("red")
    ('true', '50', 'red')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
