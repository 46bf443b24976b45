"""References to things in the picture: their nouns, and whether a message needs to know what the picture shows."""

from __future__ import annotations

import re

_THING = r"(?:what's (?:that|this)|object|thing|item|stuff|product|accessory|accessories|article|gadget)s?"
_LEANS = re.compile(
    rf"\b{_THING}\b|\b(?:colou?r|shade|tone|hue)s?\b.*\b(?:of|as|on|with|to|from)\b|"
    r"\b(?:match\w*|goes? with)\b.*\b(?:the|her|his|their|that)\b|\b(?:same|similar)\b.*\b(?:colou?r|shade|tone|hue)\b|"
    r"\bwhat (?:the|she|he|they|is)\b|\b(?:wear|hold|carry)(?:s|ing)\b|\b(?:worn|held)\b",
    re.IGNORECASE,
)
_STOP = frozenset(
    (
        "the a an of in on at to by with which that is are was were be it its this these those and or her his "
        "their she he they above image picture photo side left right top bottom middle center corner one first "
        "second third same seen shown kept placed wearing holding worn hold wears having has have from front back "
        "behind near next lying sitting standing colour color colored coloured shade tone most extreme upper lower "
        "small big whole complete entire there here"
    ).split()
)


#: Plurals of nouns in -f; "waves" and "gloves" are none.
_VES = frozenset("calves halves hooves leaves loaves scarves sheaves shelves thieves wolves themselves".split())
#: Nouns in -oe.
_OES = frozenset("shoes toes canoes oboes hoes".split())


def singular(noun: str) -> str:
    """A noun in the singular, near enough for comparing."""
    noun = re.sub(r"'s$|s'$|'$", "", noun)
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun in _VES:
        return noun[:-3] + "f"
    if noun.endswith(("ches", "shes", "sses", "xes", "oes")) and noun not in _OES:
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us")) and len(noun) > 3 else noun


def nouns_in(phrase: str) -> list[str]:
    """The words of a phrase that can name a thing, the head of the phrase first.

    "the girl's jacket" has the head "jacket", "cap of the bottle" has "cap", "wine kept in the glass" has "wine".
    """
    phrase = re.sub(r"[^a-z' -]", " ", phrase.lower())
    parts = re.split(
        r"\b(?:of|in|on|at|which|that|who|worn|kept|seen|from|with|near|next|behind|under|inside|beside|"
        r"besides|the \w+ is|is|are|wearing|holding)\b",
        phrase,
    )
    ordered: list[str] = []
    for part in parts:
        words = [word for word in part.split() if word not in _STOP and word.strip("'")]
        ordered.extend(reversed(words))
    return list(dict.fromkeys(ordered))


def leans_on_picture(message: str) -> bool:
    """Whether a message may be about things in a picture, so that it is worth looking at it.

    >>> leans_on_picture("a towel in the colour of the girl's jacket"), leans_on_picture("in red")
    (True, False)
    """
    return _LEANS.search(message) is not None
