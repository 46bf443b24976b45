"""The base class of both Qdrant stores: queries and facets."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from visavis.encoders.base import FloatArray
from visavis.stores.base import FieldKind, Hit, Query, Store
from visavis.stores.filters import Filter, values_of
from visavis.stores.second_stage import (
    best,
    check_limit,
    has_direction,
    max_sims,
    region_vectors,
    second_stage,
    weighted_vector,
)
from visavis.types import Payload

#: Kinds of fields whose values the engine can count.
_COUNTABLE: tuple[FieldKind, ...] = ("keyword", "integer", "bool")
#: Requested beyond the limit, so that equally frequent values have a stable order.
_FACET_MARGIN = 1000


class EngineStore(Store):
    """A store whose engine searches, filters and counts; implements the ordering rules of :class:`Store`."""

    dimension: int

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
            regions = self.vectors(missing, "regions")
            if alone := [id for id in missing if id not in regions]:  # pictures without regions: score the whole vector
                regions |= self.vectors(alone, "whole")
            scores |= max_sims(queries, regions)
        # A point deleted between the two stages has no vectors: it is ranked last.
        return scores | {id: -1.0 for id in missing if id not in scores}

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
