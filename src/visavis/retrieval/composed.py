"""The training-free retriever: every wish is a direction, a condition or an exclusion."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from visavis.collections.searching.background import Background
from visavis.encoders.base import Encoder, FloatArray
from visavis.retrieval.base import Request, Result, Results, Retriever
from visavis.retrieval.multivector import SecondStage
from visavis.retrieval.novelty import sinking
from visavis.retrieval.ordering import in_order
from visavis.retrieval.planning import Plan, Planner, neutral
from visavis.retrieval.reasons import reasons
from visavis.retrieval.recipe import DEFAULT, Recipe
from visavis.retrieval.texts import TextVectors
from visavis.stores.base import Hit, Query, Store

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: Hits looked at for each result asked for, because some are left out or sink; more where something is avoided.
_SPARE, _SPARE_AVOIDING = 2, 3
#: Hits that are put in order where the person asked for an order.
_SORTED = 200
#: The fewest new hits that are worth another, larger query when too many were left out.
_MOST_HITS = 20_000


class ComposedRetriever(Retriever):
    """Ranks by sums of directions, then by regions, then leaves out what is avoided. Safe for several threads."""

    name = "composed"

    def __init__(
        self,
        encoder: Encoder,
        store: Store,
        background: Background,
        *,
        recipe: Recipe = DEFAULT,
        second: SecondStage | None = None,
        texts: TextVectors | None = None,
    ) -> None:
        """Set it up; nothing is read before the first request.

        Args:
            encoder: What made the store's vectors.
            store: The pictures.
            background: A sample of them.
            recipe: How much each kind of wish counts.
            second: How the first pictures are put in order.
            texts: Remembers vectors of texts; share it between retrievers of one encoder.
        """
        self._store = store
        self._second = second or SecondStage()
        self._texts = texts or TextVectors(encoder)
        self._planner = Planner(self._texts, store, background, recipe, self._second)
        self._recipe = recipe

    @classmethod
    def of(cls, collection: Collection) -> Self:
        """The retriever of a collection."""
        return cls(collection.encoder, collection.store, collection.searcher.background)

    def plan(self, request: Request) -> Plan:
        """How a request is going to be ranked."""
        return self._planner.plan(request)

    def retrieve(self, request: Request) -> Results:
        """Rank."""
        started = time.perf_counter()
        plan = self.plan(request)
        planned = time.perf_counter()
        found, excluded = self._find(plan, request)
        ranked = time.perf_counter()
        results = self._explained(plan, found[: request.k])
        done = time.perf_counter()
        seconds = {"plan": planned - started, "rank": ranked - planned, "reasons": done - ranked}
        return Results(results, seconds, excluded)

    # -- finding -----------------------------------------------------------------------------------

    def _find(self, plan: Plan, request: Request) -> tuple[list[Hit], int]:
        """Fetch until there are enough that may be shown, or no more pictures."""
        limit = request.k * (_SPARE_AVOIDING if plan.exclusion else _SPARE)
        if plan.order:
            limit = max(limit, _SORTED)
        while True:
            hits = self._store.query(self._query(plan, limit))
            kept = self._settled(plan, hits, request)
            if len(kept) >= request.k or len(hits) < limit or limit >= _MOST_HITS:
                ordered = in_order(kept, plan.order, self._store) if plan.order else kept
                return ordered, len(hits) - len(kept)
            limit *= 4

    def _query(self, plan: Plan, limit: int) -> Query:
        vectors, weights = plan.vectors, plan.weights
        if not len(vectors):
            vectors, weights = neutral(self._texts.dimension)
        return Query(
            vectors,
            weights,
            plan.states,
            self._second.weight,
            plan.filter,
            limit,
            max(self._second.prefetch, limit),
        )

    def _settled(self, plan: Plan, hits: Sequence[Hit], request: Request) -> list[Hit]:
        """The hits without what is avoided; what was passed over, or falls short of a change, lower down."""
        changes = [part for part in plan.parts if part.start is not None]
        sink = plan.unit * sinking([hit.id for hit in hits], request.passed_over)
        if not (plan.exclusion or changes or sink.any()):
            return list(hits)
        kept = np.ones(len(hits), bool)
        if plan.exclusion or changes:
            whole = self._vectors(hits, "whole")
            for part in changes:
                lacking = np.maximum(0.0, self._recipe.beyond - part.above(whole))
                sink = sink + plan.unit * self._recipe.short * lacking * part.say / self._recipe.relative
            if plan.exclusion:
                regions = self._vectors(hits, "regions")
                kept = np.array([not plan.exclusion.shows(*pair) for pair in zip(whole, regions, strict=True)], bool)
        settled = [
            Hit(hit.id, hit.score - float(down)) for hit, down, stays in zip(hits, sink, kept, strict=True) if stays
        ]
        return sorted(settled, key=lambda hit: (-hit.score, hit.id))

    def _vectors(self, hits: Sequence[Hit], name: str) -> FloatArray:
        """The vectors of the hits in their order; a picture without regions is its own only region."""
        ids = [hit.id for hit in hits]
        whole = self._store.vectors(ids, "whole")
        empty = np.zeros(self._texts.dimension, np.float32)
        if name == "whole":
            return np.stack([whole.get(id, empty) for id in ids]) if ids else np.zeros((0, len(empty)), np.float32)
        regions = self._store.vectors(ids, "regions")
        if not ids:
            return np.zeros((0, 1, len(empty)), np.float32)
        number = max((len(found) for found in regions.values()), default=1)
        return np.stack([regions.get(id, np.tile(whole.get(id, empty), (number, 1))) for id in ids])

    # -- telling why -------------------------------------------------------------------------------

    def _explained(self, plan: Plan, hits: Sequence[Hit]) -> list[Result]:
        if not hits or not plan.parts:
            return [Result(hit.id, hit.score) for hit in hits]
        why = reasons(plan.parts, self._vectors(hits, "whole"), self._vectors(hits, "regions"))
        return [Result(hit.id, hit.score, because) for hit, because in zip(hits, why, strict=True)]
