"""A retriever over the collection's own search, for as long as there is none with more in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visavis.retrieval.base import Reason, Request, Result, Results, Retriever
from visavis.stores.filters import All

if TYPE_CHECKING:
    from visavis.collections.collection import Collection


class PlainRetriever(Retriever):
    """All words in one text, liked pictures beside it."""

    name = "plain"

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def retrieve(self, request: Request) -> Results:
        """Rank."""
        active = [(at, wish) for at, wish in enumerate(request.wishes) if wish.active]
        text = ", ".join(wish.text for _, wish in active if wish.kind in ("want", "relative"))
        like = [wish.picture for _, wish in active if wish.kind in ("like", "keep") and wish.picture]
        avoid = [wish.text for _, wish in active if wish.kind == "avoid"]
        filters = tuple(wish.filter for _, wish in active if wish.filter is not None)
        if not text and not like:
            text = "a picture"
        found = self._collection.search(
            text, request.k + len(request.without), like=like, avoid=avoid, filter=All(filters) if filters else None,
            cutoff=False,
        )  # fmt: skip
        because = tuple(Reason(at, wish.text, 1.0) for at, wish in active)
        kept = [r for r in found.results if r.picture.id not in request.without][: request.k]
        return Results([Result(r.picture.id, r.score, because) for r in kept])
