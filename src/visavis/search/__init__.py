"""From a brief to a ranking: everything the person has said so far, weighed against every picture."""

from __future__ import annotations

from visavis.search.request import RankedResults, Retriever, SearchRequest

__all__ = ["RankedResults", "Retriever", "SearchRequest"]
