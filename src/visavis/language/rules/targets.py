"""Which thing of the picture an edit is about, or that it is about the whole of it."""

from __future__ import annotations

import re

#: Words for the picture as a whole.
WHOLE = (
    r"(?:(?:the|this|that|my|our|your|same|above|whole|complete|entire|full|last|latest|current|shared|given|"
    r"original|new|selected|previous|awesome|lovely)[ ]+)*"
    r"(?:images?|pictures?|photos?|photograph|shot|snap|screen|it|this|that|them|these|those|one|everything|all|"
    r"whole thing|whole|rest|entire thing|colou?rs?)"
)
_WHOLE = re.compile(rf"{WHOLE}(?: (?:above|here|itself|up|now|please|for me|again|please now|you (?:just )?shared))*")

#: A thing with its article: what an edit can be about.
THING = r"(?:(?:just|only) )?(?:the|this|that|these|those|her|his|its|their|my|every|all)\b[\w' -]*?"
#: Where the name of a thing ends.
THING_END = (
    r"(?= (?:by|to|with|into|up|down|(?:just )?a (?:bit|little|lot|touch|tad|notch|hair|smidge|shade)|slightly|much|"
    r"more|less|even|so|please|from|and|at|"
    r"look|appear|be|in (?:the )?(?:above )?(?:image|picture)|for me|automatically|again|now|\d)\b|[,.]|$)"
)

_ARTICLE = re.compile(r"^(?:(?:only|just|the|a|an|this|that|these|those|its|my|all|some)\s+)+")
_TAIL = re.compile(
    r"(?:\s+(?:please|now|for me|in (?:the|this) (?:above )?(?:image|picture|photo)|a (?:bit|little|lot|tad|touch|"
    r"notch|hair)|"
    r"too))+$"
)
#: "the picture of my dog" is the whole picture.
_PICTURE_OF = re.compile(r"(?:the|this|that|my|our) (?:image|picture|photo|photograph) of \w")


def without_article(text: str) -> str:
    """A noun phrase without its article and without politeness behind it."""
    return _TAIL.sub("", _ARTICLE.sub("", text.strip())).strip(" ,.?!")


def target(phrase: str | None) -> str | None:
    """The thing that a phrase names, or None when it stands for the whole picture (or there is no phrase)."""
    if not phrase or _WHOLE.fullmatch(phrase.strip(" ,.?!")) or _PICTURE_OF.match(phrase):
        return None
    name = without_article(phrase)
    return None if not name or _WHOLE.fullmatch(name) else name
