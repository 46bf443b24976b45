"""What a message says must not be seen, in the words of people: nobody, no pictures without colours."""

from __future__ import annotations

import re
from collections.abc import Mapping

from visavis.language.commands import Avoid, Command, Filter
from visavis.language.context import Attribute
from visavis.pictures.tones import BLACK_AND_WHITE, TONES

PEOPLE = "people"
#: What must not be shown where nobody may be.
_NOBODY = re.compile(
    r"(?:one|no one|nobody|anyone|anybody|someone|somebody|humans?|any people)(?: (?:on|in|at|near|around|there)\b.*)?",
    re.IGNORECASE,
)
#: A description of a place in which nobody is.
_WITHOUT_PEOPLE = re.compile(
    r"(?:\bwith )?\b(?:nobody|no ?one|no-one|not a soul|no (?:people|persons?|humans?)"
    r"|without (?:people|any(?:one|body)))\b"
    r"(?: (?:else|around|there|here|visible|to be seen|(?:in|on|at|inside|near) (?:it|them|sight|view"
    r"|the (?:picture|photo|shot|image|frame|background))))*",
    re.IGNORECASE,
)
#: Pictures that are not black and white.
_COLOUR = re.compile(
    r"(?:only |just )?(?:in )?(?:full )?colou?r(?:ed)?(?: (?:photo|picture|image|pic|shot|one)s?)?(?: only)?",
    re.IGNORECASE,
)


def names_nobody(text: str) -> bool:
    """Whether a text stands for people, as what must not be shown: "one on the platform", of "no one on the platform".

    >>> names_nobody("anyone"), names_nobody("one red shoe")
    (True, False)
    """
    return _NOBODY.fullmatch(text) is not None


def absence_in(text: str) -> tuple[str, str] | None:
    """What a description says is not there, after what it says is there: nobody, or no pictures without colours.

    >>> absence_in("beach with nobody on it"), absence_in("colour photos only")
    (('beach', 'people'), ('', 'black and white'))
    """
    if _COLOUR.fullmatch(text.strip()):
        return "", BLACK_AND_WHITE
    found = _WITHOUT_PEOPLE.search(text)
    if found is None:
        return None
    return " ".join(f"{text[: found.start()]} {text[found.end() :]}".split()).strip(" ,;"), PEOPLE


def without(absent: str, attributes: Mapping[str, Attribute]) -> Command:
    """The exclusion of something; by its attribute where black and white pictures have one."""
    if absent == BLACK_AND_WHITE and TONES in attributes:
        return Filter(TONES, "!=", (BLACK_AND_WHITE,))
    return Avoid(absent)
