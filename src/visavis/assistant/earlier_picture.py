"""A message that goes back to a picture by describing it: "I would rather have the white lace one, but longer".

MAI's rollback by description, for every retriever: the picture is looked for among those that were shown, the wishes
of its turn count again, and it is taken in hand, or is the model of what the rest of the message asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from visavis.conversation.conversation import Conversation
from visavis.language.base import Understanding
from visavis.language.commands import Command, Like, Rollback, Select
from visavis.language.commands.base import Shown
from visavis.language.meaning import content_words

#: The paper's templates, with what they say of the picture before or after "one".
_PREFERS = re.compile(
    r"\b(?:prefer(?:red)?|rather (?:choose|have|take)|(?:go|going|get) back to|liked?) the (?P<before>[^,.;]*?)\bone\b"
    r"(?: (?P<after>(?:with|in|that|without) [^,.;]+?))?"
    r"(?: better| more| best)?(?:,? (?:and|but)\b|[,.;!]|$)(?P<rest>.*)$",
    re.IGNORECASE,
)
#: Pictures that are named by their place, which the parser reads.
_PLACED = frozenset(
    ("first second third fourth fifth sixth seventh eighth ninth tenth last next previous other same middle left right "
     "top bottom original earlier former latter current new old").split()
)  # fmt: skip
#: So many pictures of each turn were surely looked at.
_LOOKED_AT = 12
#: A picture fits the description from this probability on.
_FITS = 0.5

#: The probabilities that pictures fit a text, by id.
Fits = Callable[[Sequence[str], str], dict[str, float]]


def described_picture(message: str) -> tuple[str, str] | None:
    """How a message describes the picture that it goes back to, and what else it asks for; None for other messages.

    >>> described_picture("I would rather have the white lace one, but longer")
    ('white lace', 'longer')
    >>> described_picture("Compared to this one I prefer the one with a collar")
    ('with a collar', '')
    >>> described_picture("I prefer the second one"), described_picture("I prefer the sea")
    (None, None)
    """
    found = _PREFERS.search(" ".join(message.split()))
    if found is None:
        return None
    text = " ".join(filter(None, (found["before"].strip(), found["after"])))
    words = content_words(text)
    if not words or set(text.lower().split()) & _PLACED or any(letter.isdigit() for letter in text):
        return None
    return text, found["rest"].strip(" ,.;!")


def as_earlier_picture(
    understood: Understanding,
    message: str,
    conversation: Conversation,
    fits: Fits,
    understand: Callable[[str], Understanding],
) -> Understanding:
    """The understanding, as a step back where the message prefers a picture that was shown earlier.

    Where one of the pictures that are shown now fits, the message is about these, and nothing changes.

    Args:
        understood: What the parser understood.
        message: What was said.
        conversation: The conversation.
        fits: How likely pictures fit a text.
        understand: Understands the rest of the message.
    """
    described = described_picture(message)
    if described is None:
        return understood
    text, rest = described
    now = {result.id for result in conversation.last.results}
    seen = _seen(conversation)
    if not seen.keys() - now:
        return understood
    found = fits([*seen, *now], text)
    best = max(seen, key=lambda id: found.get(id, 0.0))
    if found.get(best, 0.0) < _FITS or any(found.get(id, 0.0) >= _FITS for id in now):
        return understood
    turn, place = seen[best]
    commands: tuple[Command, ...] = (Rollback(turn),)
    if not rest:
        return replace(understood, commands=(*commands, Select(Shown(place))), clarify=None)
    asked = understand(rest)
    return replace(asked, commands=(*commands, Like(Shown(place)), *asked.commands))


def _seen(conversation: Conversation) -> dict[str, tuple[int, int]]:
    """The last turn that showed each picture, and its place there, counted from one."""
    made: dict[str, tuple[int, int]] = {}
    for turn in conversation.turns:
        for place, result in enumerate(turn.results[:_LOOKED_AT], start=1):
            made[result.id] = (turn.number, place)
    return made
