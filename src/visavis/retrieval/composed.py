"""The training-free retriever: every wish is a direction, a condition or an exclusion."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Self

import numpy as np

from visavis.collections.searching.calibration import Calibration
from visavis.collections.searching.exclusion import Exclusion
from visavis.collections.searching.probes import probe_texts
from visavis.encoders.base import Encoder, FloatArray
from visavis.retrieval.base import Request, Result, Results, Retriever
from visavis.retrieval.multivector import SecondStage
from visavis.retrieval.novelty import sinking
from visavis.retrieval.ordering import in_order
from visavis.retrieval.planning import Plan, Planner, neutral
from visavis.retrieval.reasons import reasons
from visavis.retrieval.recipe import DEFAULT, Recipe
from visavis.retrieval.sample import Sample
from visavis.retrieval.texts import TextVectors
from visavis.stores.base import Hit, Query, Store

if TYPE_CHECKING:
    from visavis.collections.collection import Collection

#: From what is avoided to what tells whether a picture shows it.
Excluding = Callable[[tuple[str, ...]], Exclusion]

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
        *,
        sample: Sample | None = None,
        excluding: Excluding | None = None,
        recipe: Recipe = DEFAULT,
        second: SecondStage | None = None,
        texts: TextVectors | None = None,
    ) -> None:
        """Set it up; nothing is read before the first request.

        Args:
            encoder: What made the store's vectors.
            store: The pictures.
            sample: A sample of them; taken from the store when not given.
            excluding: Makes what tells which pictures show something; measured on the store when not given.
            recipe: How much each kind of wish counts.
            second: How the first pictures are put in order.
            texts: Remembers vectors of texts; share it between retrievers of one encoder.
        """
        self._store = store
        self._second = second or SecondStage()
        self._texts = texts or TextVectors(encoder)
        self._encoder = encoder
        self._recipe = recipe
        self._sample = sample
        self._excluding = lru_cache(maxsize=256)(excluding or self._measured)

    @classmethod
    def of(cls, collection: Collection) -> Self:
        """The retriever of a collection."""
        searcher = collection.searcher

        def excluding(avoided: tuple[str, ...]) -> Exclusion:
            return Exclusion(avoided, collection.encoder, searcher.probes, searcher.calibration)

        return cls(collection.encoder, collection.store, excluding=excluding)

    @cached_property
    def _planner(self) -> Planner:
        sample = self._sample or Sample.take(self._store, self._encoder.dimension)
        return Planner(self._texts, self._store, sample, self._recipe, self._second)

    def _measured(self, avoided: tuple[str, ...]) -> Exclusion:
        probes = self._encoder.encode_texts(probe_texts())
        calibration = Calibration.measure(self._store, probes, self._store.count(), self._encoder.fingerprint)
        return Exclusion(avoided, self._encoder, probes, calibration)

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
        return Results(results, seconds, excluded, tuple(found[: request.depth]))

    # -- finding -----------------------------------------------------------------------------------

    def _find(self, plan: Plan, request: Request) -> tuple[list[Hit], int]:
        """Fetch until there are enough that may be shown, or no more pictures."""
        limit = max(request.k * (_SPARE_AVOIDING if plan.avoided else _SPARE), request.depth)
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
        sink = plan.unit * sinking([hit.id for hit in hits], request.passed_over)
        if not (plan.avoided or plan.changes or sink.any()):
            return list(hits)
        kept = np.ones(len(hits), bool)
        if plan.avoided or plan.changes:
            whole = self._vectors(hits, "whole")
            sink = sink + plan.shortfall(whole, self._recipe)
            if plan.avoided:
                exclusion = self._excluding(plan.avoided)
                regions = self._vectors(hits, "regions")
                kept = ~exclusion.shown(whole, regions)
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
