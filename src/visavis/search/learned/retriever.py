"""A learned retriever: the composed one, with a reader that turns the dialogue into the query."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from visavis.conversation.dialogue import rounds_of
from visavis.search.judge import Judge
from visavis.search.learned.base import DialogueReader, LearnedPlan, with_query
from visavis.search.order import with_change
from visavis.search.plan import Plan, Planner
from visavis.search.request import SearchRequest
from visavis.search.retriever import ComposedRetriever
from visavis.stores.base import Hit
from visavis.types import FloatArray

#: Hits that the reader scores by their regions, of those that its query finds.
SCORED = 400


class LearnedRetriever(ComposedRetriever):
    """Ranks the pictures of another retriever by what a reader makes of the dialogue.

    What was measured of the pictures (the sample, what is ordinary, vectors of texts) is shared with that retriever.
    """

    def __init__(self, base: ComposedRetriever, reader: DialogueReader) -> None:
        self.__dict__.update(vars(base))
        self._base = base
        self._reader = reader
        self.name = reader.name
        self._least_fetched = SCORED

    def _measurements(self) -> tuple[int, Planner, Judge]:
        return self._base._measurements()

    def refresh(self) -> None:
        """Take a new sample of the pictures for the next request."""
        self._base.refresh()

    def plan(self, request: SearchRequest) -> Plan:
        """How a request is going to be ranked: the wanted words as the reader reads the dialogue."""
        plan = super().plan(request)
        query = self._reader.read(request.dialogue or rounds_of(request.wishes), partial(self._vectors, request))
        return plan if query is None else with_query(plan, query, self.judge.sample)

    def _vectors(self, request: SearchRequest, ids: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Vectors of pictures, those that came with the request included: such a picture is its own only region."""
        whole, regions = self._pictures.both(ids)
        for place, id in enumerate(ids):
            if id in request.vectors:
                whole[place] = regions[place] = request.vectors[id]
        return whole, regions

    def _by_regions(self, plan: Plan, hits: list[Hit], request: SearchRequest) -> list[Hit]:
        """The first pictures again, by the reader's score in place of the cosine with its query."""
        if not isinstance(plan, LearnedPlan) or plan.scorer is None:
            return super()._by_regions(plan, hits, request)
        number = max(SCORED, request.k)
        first, rest = hits[:number], hits[number:]
        if not first:
            return hits
        ids = [hit.id for hit in first]
        change = plan.wanted_change(*self._pictures.both(ids), ids)
        ordered = with_change(first, np.asarray(change, np.float32))
        below = min(ordered[-1].score - rest[0].score, 0.0) if rest else 0.0
        return ordered + [Hit(hit.id, hit.score + below) for hit in rest]
