"""What the assistant asks of those it works with, beside the parser, the retriever and the editor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.language.context import Concept, Question
from visavis.retrieval.base import Result


class Questioner(Protocol):
    """Finds the one question worth asking."""

    def ask(self, brief: Brief, results: Sequence[Result], conversation: Conversation) -> Question | None:
        """The question, or None where none is worth the person's time."""


class Seer(Protocol):
    """Says what a picture shows."""

    def concepts(self, picture: str) -> tuple[Concept, ...]:
        """The things that the picture with this id shows."""
