"""From a brief to a ranking: everything the person has said so far, weighed against every picture."""

from __future__ import annotations

from visavis.retrieval.base import Reason, Request, Result, Results, Retriever, WishKind, WishLike

__all__ = ["Reason", "Request", "Result", "Results", "Retriever", "WishKind", "WishLike"]
