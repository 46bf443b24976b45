"""From a brief to a ranking of the collection."""

from __future__ import annotations

from visavis.search.request import RankedResults, Retriever, SearchRequest

__all__ = ["RankedResults", "Retriever", "SearchRequest"]
