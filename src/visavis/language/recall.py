"""Which earlier turn a message describes: "go back to the red ones", "the ones before the snow".

The topics of the turns tell it, so this is looked up and not learned. The network is told the turn, as it is told what
"two turns ago" comes to; whether the message wants to go there is for the network to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from visavis.language.english import content_words

#: Messages without one of these do not look back.
_LOOKS_BACK = re.compile(
    r"\b(?:back|return|revisit|restore|again|earlier|before|previous(?:ly)?|first|initial(?:ly)?|better|nicer|prettier|"
    r"preferred|liked|rather|after all|were|was|had|showed|saw)\b",
    re.IGNORECASE,
)
#: What follows it was not there yet: "before the snow", "before you made it red".
_BEFORE = re.compile(
    r"\bbefore (?:(?:the|a|an|it|they|we|i|you)\b ?)?(?:(?:were|was|is|are|went|came|became|got|had|made|put|added|"
    r"asked for|said|chose|took)\b)?(?P<what>[^,.;]+)",
    re.IGNORECASE,
)


def described_turn(message: str, topics: Sequence[str]) -> int | None:
    """The earlier turn whose topic a message describes, counted from one, or None.

    Args:
        message: What was said.
        topics: What the results of each turn answer, the present one last.

    >>> topics = ["dogs", "dogs, red collar", "dogs, blue collar"]
    >>> described_turn("go back to the red ones", topics), described_turn("red ones", topics)
    (2, None)
    >>> described_turn("the ones before the collar", topics)
    1
    """
    if len(topics) < 2 or not _LOOKS_BACK.search(message):
        return None
    words = [content_words(topic) if topic else frozenset[str]() for topic in topics]
    if (found := _BEFORE.search(message)) and (turn := _turn_before(content_words(found["what"]), words)):
        return turn
    *earlier, present = words
    said = content_words(message)
    best, chosen = (0, 0, 0), None
    for number, topic in enumerate(earlier, start=1):
        shared = said & topic
        if not shared or topic == present:
            continue
        # What is still wished for points at the turn that wished for nothing else; what is not, at the last with it.
        gone = shared - present
        score = (len(gone), len(shared), number if gone else -len(topic))
        if chosen is None or score >= best:
            best, chosen = score, number
    return chosen


def _turn_before(what: frozenset[str], topics: Sequence[frozenset[str]]) -> int | None:
    """The turn before the last one that brought some words in."""
    for number in range(len(topics) - 1, 0, -1):
        if what & (topics[number] - topics[number - 1]) and topics[number - 1]:
            return number
    return None
