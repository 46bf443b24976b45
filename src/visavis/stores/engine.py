"""What both stores on Qdrant share: how a query, a recommendation and a facet are put together."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError, NotFoundError
from visavis.stores.base import FieldKind, Hit, Payload, Query, Store
from visavis.stores.filter_matching import values_of
from visavis.stores.filters import All, Filter, HasId, Not
from visavis.stores.points import check_id
from visavis.stores.ranking import (
    best,
    check_limit,
    has_direction,
    max_sim,
    ranked,
    region_vectors,
    second_stage,
    weighted_vector,
)

#: Kinds of fields whose values an engine can count by itself.
_COUNTABLE: tuple[FieldKind, ...] = ("keyword", "integer", "bool")
#: Asked of the engine beyond the limit, so that equally frequent values come in one order everywhere.
_FACET_MARGIN = 1000


class EngineStore(Store):
    """A store whose engine searches, filters and counts; the rules of :class:`Store` are kept here, once."""

    dimension: int

    @abstractmethod
    def _search(self, vector: FloatArray, filter: Filter | None, limit: int, exact: bool) -> list[Hit]:
        """The engine's nearest points by dot product."""

    @abstractmethod
    def _search_both(
        self, vector: FloatArray, wanted: FloatArray, filter: Filter | None, limit: int, exact: bool
    ) -> tuple[list[Hit], dict[str, float]]:
        """The nearest points, and for those with regions the sum over ``wanted`` of the best dot product."""

    @abstractmethod
    def _recommend(
        self, positives: list[FloatArray], negatives: list[FloatArray], filter: Filter, limit: int
    ) -> list[Hit]:
        """The engine's recommendation by best score."""

    @abstractmethod
    def _facets(self, field: str, filter: Filter | None, limit: int) -> list[tuple[Any, int]]:
        """The values of a field that has a countable index, most frequent first."""

    @abstractmethod
    def _make_index(self, field: str, kind: FieldKind, known: FieldKind | None) -> None:
        """Build the index of a field, in place of the one of the known kind."""

    @abstractmethod
    def _payload_walk(self, filter: Filter | None, field: str | None) -> Iterator[tuple[str, Payload]]:
        """Ids in order with their payload, or only one field of it; ``""`` for none of it."""

    def index_field(self, field: str, kind: FieldKind) -> None:
        """Make filters on a field fast; a field of integers that turns out to hold fractions gets a float index."""
        known = self.fields().get(field)
        if known == kind or (kind == "integer" and known == "float"):
            return
        if kind == "integer" and has_fraction(payload.get(field) for _, payload in self._payload_walk(None, field)):
            kind = "float"
        self._make_index(field, kind, known)

    def _make_room_for_fractions(self, payloads: Iterable[Payload]) -> None:
        """An index of integers would leave fractions out, and filters would not find them."""
        integers = {field for field, kind in self.fields().items() if kind == "integer"}
        for payload in payloads if integers else ():
            for field in [name for name in integers & payload.keys() if has_fraction([payload[name]])]:
                self.index_field(field, "float")
                integers.remove(field)

    def query(self, query: Query) -> list[Hit]:
        """The nearest points, best first; equal scores in the order of their ids."""
        limit = check_limit(query.limit)
        vector = weighted_vector(query, self.dimension)
        wanted = region_vectors(query, self.dimension)
        depth = limit if wanted is None else max(limit, query.prefetch)
        sums: dict[str, float] = {}
        if not has_direction(vector):
            first = self._indifferent(query.filter, depth)
        elif wanted is None:
            return best(lambda number: self._search(vector, query.filter, number, query.exact), limit)
        else:
            first, sums = self._search_both(vector, wanted, query.filter, depth, query.exact)
        if wanted is None:
            return first
        return second_stage(first, self._region_scores(first, sums, wanted), query.region_weight, limit)

    def _indifferent(self, filter: Filter | None, limit: int) -> list[Hit]:
        """What a query finds whose weights cancel out: every score is 0, so the first ids."""
        return [Hit(id, 0.0) for id, _ in islice(self._payload_walk(filter, ""), limit)]

    def _region_scores(self, first: list[Hit], sums: dict[str, float], wanted: FloatArray) -> dict[str, float]:
        scores = {id: total / len(wanted) for id, total in sums.items()}
        missing = [hit.id for hit in first if hit.id not in scores]
        if missing:  # pictures without regions: their whole vector stands in
            regions = self.vectors(missing, "whole") | self.vectors(missing, "regions")
            scores |= {id: max_sim(wanted, regions[id]) for id in missing if id in regions}
        # A point deleted between the two stages has no vectors any more: it sinks to the end.
        return scores | {id: -1.0 for id in missing if id not in scores}

    def recommend(
        self,
        positives: Sequence[str],
        negatives: Sequence[str] = (),
        *,
        filter: Filter | None = None,
        limit: int = 20,
    ) -> list[Hit]:
        """Points near the given ones and far from the others (the engine's "best score"), without these themselves."""
        examples = tuple(check_id(id) for id in (*positives, *negatives))
        if not examples:
            raise BadInputError("A recommendation needs at least one picture to begin with.")
        known = self.vectors(examples)
        for id in examples:
            if id not in known:
                raise NotFoundError(f"There is no picture {id} to recommend from.")
        others = Not(HasId(examples))
        return ranked(
            self._recommend(
                [known[id] for id in positives],
                [known[id] for id in negatives],
                All((filter, others)) if filter else others,
                check_limit(limit),
            )
        )

    def facets(self, field: str, filter: Filter | None = None, limit: int = 50) -> list[tuple[str, int]]:
        """The values of a field and how many points have each, most frequent first, then by value.

        Counted by the engine when the field has a keyword, integer or bool index, by walking otherwise.
        """
        if self.fields().get(field) in _COUNTABLE:
            counts = self._facets(field, filter, check_limit(limit) + _FACET_MARGIN)
        else:
            counts = self._counted(field, filter)
        texts = ((facet_text(value), number) for value, number in counts)
        return sorted(texts, key=lambda facet: (-facet[1], facet[0]))[:limit]

    def _counted(self, field: str, filter: Filter | None) -> list[tuple[Any, int]]:
        found: Counter[str] = Counter()
        for _, payload in self._payload_walk(filter, field):
            found.update({facet_text(value) for value in values_of(payload, field)})
        return list(found.items())


def indexed_points(vectors: int, points: int, with_regions: int) -> int:
    """How many points are in the search index, when an engine counts the vectors of both names together."""
    share = vectors / (points + with_regions) if points else 0.0
    return min(points, round(points * share))


def has_fraction(values: Iterable[Any]) -> bool:
    """Whether one of the values, or of the elements of a list among them, is a number with a fraction.

    >>> has_fraction([1, 2.0, "text", None]), has_fraction([1, [2, 2.5]])
    (False, True)
    """
    for value in values:
        each = value if isinstance(value, list | tuple) else [value]
        if any(isinstance(number, float) and not number.is_integer() for number in each):
            return True
    return False


def facet_text(value: Any) -> str:
    """A payload's value as a facet names it: as a person would write it in a filter.

    >>> facet_text(True), facet_text(50.0), facet_text("red")
    ('true', '50', 'red')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
