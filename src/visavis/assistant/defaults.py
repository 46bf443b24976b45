"""Who the assistant works with when nobody says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visavis.assistant.interfaces import Questioner, Seer
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


def default_questioner(collection: Collection) -> Questioner:
    """The questioner that asks only when it pays; nothing is loaded before it first has something to look at."""
    from visavis.assistant.asking import AskingBack
    from visavis.assistant.candidates import CandidateReader
    from visavis.questions.registry import asking_when_it_pays

    home = collection.place.folder.parents[1]
    return AskingBack(lambda: asking_when_it_pays(collection.encoder, home), CandidateReader(collection))


def default_seer(collection: Collection) -> Seer:
    """Who says what a picture shows; nothing is loaded before somebody talks about a thing in one."""
    from visavis.seeing.seer import PictureSeer

    return PictureSeer(collection)
