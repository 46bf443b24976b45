"""What an answer to a question adds to the brief."""

from __future__ import annotations

import re
from dataclasses import replace

from visavis.conversation.brief import Brief
from visavis.types import Question

_ASKS = re.compile(
    r"^(?:so,? )?(?:is|are|was|were|does|do|did|should|must|can|could|would|has|have|will)\s+"
    r"(?:(?:there|it|they|he|she|you|we|i|the (?:picture|image|photo|person|one|ones)|this|that|any of them)\b\s*)?"
    r"(?:(?:have|show|be|contain|include|want|like|prefer|see|look|looking|to|for|any)\b\s*)*",
    re.IGNORECASE,
)


def statement(question: str) -> str:
    """What a question that is answered by yes or no is about.

    >>> statement("Is there a dog in the picture?")
    'a dog in the picture'
    >>> statement("Should it have long sleeves?")
    'long sleeves'
    """
    return _ASKS.sub("", question.strip()).strip(" ?.!")


def wishes_of(answer: str, question: Question | None) -> tuple[tuple[bool, str], ...]:
    """What an answer asks for: pairs of whether it is wanted (or to be avoided) and the words for it."""
    said = answer.lower().strip(" .!")
    if said in ("no preference", "skip"):
        return ()
    if question is None:
        return ((True, answer),) if said not in ("yes", "no", "none") else ()
    if said == "none":
        return tuple((False, label) for label, command in question.options if command is None)
    if said in ("yes", "no"):
        about = statement(question.text)
        return ((said == "yes", about),) if about and about != question.text.strip(" ?.!") else ()
    return ((True, answer),)


def as_evidence(brief: Brief, turn: int, answered: Question | None) -> Brief:
    """The brief with what was affirmed or denied in a turn marked as an answer to a closed question.

    Who says "no people" means it. Who answers "no" to "is there a basket in it?" has perhaps not noticed the basket,
    or calls it a bowl: leaving out all that resembles a basket would often leave out the picture in mind.
    """
    if answered is None or answered.form not in ("yes/no", "choice"):
        return brief
    return Brief(
        tuple(
            replace(wish, answer=True) if wish.turn == turn and wish.kind in ("want", "avoid") else wish
            for wish in brief
        )
    )
