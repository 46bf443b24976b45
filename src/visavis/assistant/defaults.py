"""Who the assistant works with when nobody says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visavis.language.base import Parser
from visavis.retrieval.base import Retriever

if TYPE_CHECKING:
    from visavis.collections.collection import Collection


def default_parser() -> Parser:
    """The parser that understands most."""
    from visavis.language.combined import CombinedParser

    return CombinedParser()


def default_retriever(collection: Collection) -> Retriever:
    """The retriever that ranks best without training."""
    from visavis.retrieval.composed import ComposedRetriever

    return ComposedRetriever.of(collection)
