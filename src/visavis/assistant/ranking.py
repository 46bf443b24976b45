"""From the state of a conversation to what is shown."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from visavis.assistant.defaults import default_retriever
from visavis.assistant.history import pages_before, passed_over
from visavis.collections.payload import EDITED, MISSING, visible
from visavis.collections.tables import EditRow, PictureRow
from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.conversation.results import NO_WISH
from visavis.conversation.turns import Turn, Window
from visavis.retrieval.base import Reason, Request, Result, Results, Retriever
from visavis.stores.base import Query
from visavis.stores.filters import All, Filter

if TYPE_CHECKING:
    from visavis.collections.collection import Collection


class Ranking:
    """Ranks one collection for conversations about it."""

    def __init__(self, collection: Collection, retriever: Retriever | None = None) -> None:
        self._collection = collection
        self._given = retriever

    @cached_property
    def _retriever(self) -> Retriever:
        """Made when it is first needed: it loads the encoder, and a list of conversations needs none."""
        return self._given or default_retriever(self._collection)

    def rank(self, conversation: Conversation, since: Turn, brief: Brief, window: Window) -> tuple[Result, ...]:
        """The part of the ranking that a window shows; see :meth:`ranked`."""
        return tuple(self.ranked(conversation, since, brief, window).results)

    def ranked(
        self,
        conversation: Conversation,
        since: Turn,
        brief: Brief,
        window: Window,
        depth: int = 0,
    ) -> Results:
        """The part of the ranking that a window shows, and the ranking without reasons as deep as is wanted.

        Args:
            conversation: The conversation.
            since: The turn whose state the new one starts from: what was shown on the way there has been seen.
            brief: The wishes.
            window: Which part to show.
            depth: How deep the ranking without reasons should be.
        """
        without: frozenset[str] = frozenset()
        if window.start:
            without = pages_before(conversation, since, brief, window.start)
        models = [wish.picture for wish in brief.of("like", "keep") if wish.picture]
        if models:  # who asks for others like a crop does not ask for the picture that it was cropped from
            without |= self._collection.catalogue.kin(models)
        seen = passed_over(conversation, since, brief)
        request = Request(
            wishes=brief.wishes,
            k=window.size,
            passed_over={id: count for id, count in seen.items() if id not in without},
            without=without,
            conditions=self._visible(None),
            text=brief.told,
            depth=depth,
        )
        return self._retriever.retrieve(request)

    def random(self, brief: Brief, size: int, seed: str) -> tuple[Result, ...]:
        """Any pictures that the filters let through; the same seed gives the same ones."""
        digest = blake2b(seed.encode(), digest_size=16)
        filters = tuple(wish.filter for wish in brief.of("filter") if wish.filter is not None)
        if filters:
            random = np.random.default_rng(int.from_bytes(digest.digest()[:8], "big"))
            vector = random.normal(size=(1, self._collection.encoder.dimension)).astype(np.float32)
            vector /= np.linalg.norm(vector)
            hits = self._collection.store.query(Query(vector, filter=self._visible(All(filters)), limit=size))
            ids = [hit.id for hit in hits]
        else:
            ids = self._ids_after(digest.hexdigest(), size)
        because = (Reason(NO_WISH, "picked at random", 1.0),)
        return tuple(Result(id, 0.0, because) for id in ids)

    def _ids_after(self, place: str, size: int) -> list[str]:
        """Pictures from a place in the order of ids on, and from the beginning again: ids are hashes, so any are."""
        edited = select(EditRow.picture_id)
        there = (PictureRow.missing_since.is_(None), PictureRow.id.not_in(edited))
        with self._collection.catalogue.transaction() as session:
            query = select(PictureRow.id).where(*there).order_by(PictureRow.id)
            ids = list(session.scalars(query.where(PictureRow.id > place).limit(size)))
            if len(ids) < size:
                ids += session.scalars(query.where(PictureRow.id <= place).limit(size - len(ids)))
            return ids

    def _visible(self, filter: Filter | None) -> Filter | None:
        """Pictures that are there and not made by editing."""
        missing, edited = self._collection.catalogue.has_hidden()
        return visible(filter, hide=[state for state, there in ((MISSING, missing), (EDITED, edited)) if there])
