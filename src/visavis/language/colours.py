"""Colour names as people say them ("forest green") and as commands write them (``forestgreen``)."""

from __future__ import annotations

import re

from visavis.language.pieces import ids

#: The last words of colours that are said in two words.
_LAST = "red green blue yellow orange pink purple brown grey gray black white gold violet turquoise salmon"
_COMPOUND = re.compile(rf"(?P<first>[a-z]{{3,}}?)[-_]?(?P<last>{'|'.join(_LAST.split())})")


def spaced_colour(name: str) -> str:
    """A colour's name in separate words, so that it can be copied from what was said.

    >>> spaced_colour("forestgreen"), spaced_colour("lightgoldenrod"), spaced_colour("red")
    ('forest green', 'lightgoldenrod', 'red')
    """
    found = _COMPOUND.fullmatch(name)
    return f"{found['first']} {found['last']}" if found and found["first"] in ids() else name


def joined_colour(words: str) -> str:
    """A colour's name as one word.

    >>> joined_colour("Forest green"), joined_colour("off-white")
    ('forestgreen', 'offwhite')
    """
    text = words.lower().replace(" ", "")
    return text if text.startswith("#") else re.sub(r"[^a-z]", "", text)
