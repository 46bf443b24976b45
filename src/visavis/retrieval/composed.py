"""The training-free retriever: every wish is a direction, a condition or an exclusion."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Self

import numpy as np

from visavis.collections.searching.calibration import Calibration
from visavis.collections.searching.exclusion import Exclusion
from visavis.collections.searching.probes import probe_texts
from visavis.encoders.base import Encoder, FloatArray
from visavis.questions.evidence import log_chances
from visavis.retrieval.base import CERTAINTY, Reason, Request, Result, Results, Retriever
from visavis.retrieval.multivector import SecondStage
from visavis.retrieval.novelty import sinking
from visavis.retrieval.ordering import first_values, in_order
from visavis.retrieval.pictures import pictures_of
from visavis.retrieval.planning import Plan, Planner, neutral
from visavis.retrieval.products import product
from visavis.retrieval.reading import Written
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
#: Hits that are put in order where the person asked for an order: so many at least, so many at most.
_SORTED, _MOST_SORTED = 200, 5000
#: Before sorting, so many are asked whether they show what is wanted.
_FITTED = 1000
_FEW_FITTING = 5
#: The share of a collection that may come or go before it is sampled again.
_GROWTH = 0.2
#: Hits that answers to questions put in another order.
_HEARD = 100
#: Hits whose written words are read, and what kinds of wishes those may bear out.
_READ = 100
_READABLE = ("want", "keep")
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
        self._given = sample
        self._made: tuple[int, Planner] | None = None
        self._pictures = pictures_of(store, encoder.dimension)
        self._excluding = lru_cache(maxsize=256)(excluding or self._measured)

    @classmethod
    def of(cls, collection: Collection, recipe: Recipe = DEFAULT) -> Self:
        """The retriever of a collection."""
        searcher = collection.searcher

        def excluding(avoided: tuple[str, ...]) -> Exclusion:
            return searcher.exclusion(avoided)

        return cls(collection.encoder, collection.store, excluding=excluding, recipe=recipe)

    @property
    def _planner(self) -> Planner:
        """With a sample of the pictures as they are: it is taken again when a fifth of them came or went."""
        count = 0 if self._given is not None else self._store.count()
        if self._made is None or abs(count - self._made[0]) > _GROWTH * self._made[0]:
            sample = self._given or Sample.take(self._store, self._encoder.dimension)
            self._made = (count, Planner(self._texts, self._store, sample, self._recipe, self._second))
            self._excluding.cache_clear()  # what is ordinary, and so what shows a thing, is measured anew as well
        return self._made[1]

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
        found, told = self._read(plan, self._heard(plan, found), request)
        ranked = time.perf_counter()
        results = self._explained(plan, found[: request.k], request, told)
        done = time.perf_counter()
        seconds = {"plan": planned - started, "rank": ranked - planned, "reasons": done - ranked}
        return Results(results, seconds, excluded, tuple(found[: request.depth]))

    # -- finding -----------------------------------------------------------------------------------

    def _find(self, plan: Plan, request: Request) -> tuple[list[Hit], int]:
        """Fetch until there are enough that may be shown, or no more pictures."""
        if plan.order:
            return self._sorted(plan, plan.order, request)
        spare = _SPARE_AVOIDING if plan.avoided else _SPARE
        limit = max(request.k * spare, request.depth, self._second.judged)
        while True:
            hits = self._store.query(self._query(plan, limit))
            kept = self._settled(plan, hits, request)
            if len(kept) >= request.k or len(hits) < limit or limit >= _MOST_HITS:
                return self._judged(plan, kept, request), len(hits) - len(kept)
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

    def _sorted(self, plan: Plan, order: tuple[str, bool], request: Request) -> tuple[list[Hit], int]:
        """What fits, by an attribute: with words the pictures that they fit, without all that pass the conditions."""
        plan = replace(plan, states=None)  # the first stage alone has a scale
        if len(plan.vectors):
            limit = min(max(_SORTED, self._planner.fitting(plan, self._store.count())), _MOST_SORTED)
        else:
            limit = _MOST_SORTED
            near = first_values(order, plan.filter, request.k * _SPARE_AVOIDING, limit, self._store)
            plan = plan if near is None else replace(plan, filter=near)
        hits = self._store.query(self._query(plan, limit))
        kept = self._settled(plan, hits, replace(request, passed_over={}))
        return in_order(self._fitting(plan, kept, request), order, self._store), len(hits) - len(kept)

    def _fitting(self, plan: Plan, hits: list[Hit], request: Request) -> list[Hit]:
        """Those that miss the fewest of what is wanted: the cheapest shirt is asked for, not the cheapest thing.

        Where those are very few, the ones that miss one more thing come in. Best fit first is how they come, so that
        only the first need to be looked at.
        """
        wanted = {place for place, wish in enumerate(request.wishes) if wish.kind == "want" and wish.active}
        first = hits[:_FITTED]
        if not wanted or not plan.parts or not first:
            return hits
        because = self._reasons(plan, [hit.id for hit in first], request, None)
        missed = [sum(reason.wish in wanted and not reason.fits for reason in row) for row in because]
        most = sorted(missed)[min(_FEW_FITTING, len(missed)) - 1]
        return [hit for hit, misses in zip(first, missed, strict=True) if misses <= most]

    def _settled(self, plan: Plan, hits: Sequence[Hit], request: Request) -> list[Hit]:
        """The hits without what is avoided; what was passed over, or falls short of a change, lower down."""
        ids = [hit.id for hit in hits]
        sink = plan.unit * sinking(ids, request.passed_over)
        if not (plan.avoided or plan.changes or sink.any()):
            return list(hits)
        kept = np.ones(len(hits), bool)
        if plan.avoided:
            whole, regions = self._pictures.both(ids)
            kept = ~self._excluding(plan.avoided).shown(whole, regions, Written(self._store, ids).words)
            sink = sink + plan.shortfall(whole, self._recipe)
        elif plan.changes:
            sink = sink + plan.shortfall(self._pictures.whole(ids), self._recipe)
        return _in_place([hit for hit, stays in zip(hits, kept, strict=True) if stays], -sink[kept])

    def _judged(self, plan: Plan, hits: list[Hit], request: Request) -> list[Hit]:
        """The first pictures again, by how likely each shows each thing that was said."""
        if plan.states is None or not self._second.judged:
            return hits
        number = max(self._second.judged, request.k)
        first, rest = hits[:number], hits[number:]
        whole, regions = self._pictures.both([hit.id for hit in first])
        sunk = plan.unit * sinking([hit.id for hit in first], request.passed_over) + plan.shortfall(whole, self._recipe)
        judgement = plan.unit * self._second.judgement(plan.states, plan.state_scales, regions)
        scores = product(whole, plan.vector) - sunk + judgement
        below = float(scores.min() - rest[0].score) if rest else 0.0
        ordered = _in_place(first, scores - np.array([hit.score for hit in first], np.float32))
        return ordered + [Hit(hit.id, hit.score + min(below, 0.0)) for hit in rest]

    def _heard(self, plan: Plan, hits: list[Hit]) -> list[Hit]:
        """The first pictures again, by how likely a person who means them would have answered so."""
        if not plan.evidence or plan.order:
            return hits
        first, rest = hits[:_HEARD], hits[_HEARD:]
        _, regions = self._pictures.both([hit.id for hit in first])
        told = log_chances(plan.evidence, regions) / CERTAINTY
        return [*_in_place(first, told - told.max(initial=-np.inf)), *rest] if first else hits

    def _read(self, plan: Plan, hits: list[Hit], request: Request) -> tuple[list[Hit], Written | None]:
        """The first pictures again, by what is written about them, and what that is."""
        wishes = [wish for wish in request.wishes if wish.kind in _READABLE and wish.active and wish.weight > 0]
        if not (wishes and hits and self._recipe.written) or plan.order:
            return hits, None
        number = max(_READ, request.k)
        first, rest = hits[:number], hits[number:]
        told = Written(self._store, [hit.id for hit in first])
        if not told:
            return hits, told
        change = plan.unit * self._recipe.written * told.verdict(wishes)
        below = min(float(change.min()), 0.0)
        return [*_in_place(first, change), *(Hit(hit.id, hit.score + below) for hit in rest)], told

    # -- telling why -------------------------------------------------------------------------------

    def _explained(self, plan: Plan, hits: Sequence[Hit], request: Request, told: Written | None) -> list[Result]:
        if not hits or not plan.parts:
            return [Result(hit.id, hit.score) for hit in hits]
        why = self._reasons(plan, [hit.id for hit in hits], request, told)
        return [Result(hit.id, hit.score, because) for hit, because in zip(hits, why, strict=True)]

    def _reasons(
        self, plan: Plan, ids: Sequence[str], request: Request, told: Written | None
    ) -> list[tuple[Reason, ...]]:
        told = Written(self._store, ids) if told is None else told.of(ids)
        votes = ((at, told.votes(wish)) for at, wish in enumerate(request.wishes)) if told else ()
        said = {at: vote for at, vote in votes if vote is not None}
        return reasons(plan.parts, *self._pictures.both(ids), said)


def _in_place(hits: Sequence[Hit], change: FloatArray) -> list[Hit]:
    """The hits with changed scores, best first."""
    changed = [Hit(hit.id, hit.score + float(more)) for hit, more in zip(hits, change, strict=True)]
    return sorted(changed, key=lambda hit: (-hit.score, hit.id))
