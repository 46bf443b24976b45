"""Words grounded in the collection: which attribute, which of its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from visavis.language.context import Attribute, NumberRange

_WORD = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+)*")
#: Names of attributes that mean the same to a person.
_SYNONYMS = (
    {"price", "cost", "amount", "prices", "costs"},
    {"year", "date", "years"},
    {"colour", "color", "basecolour", "basecolor", "colours", "colors"},
    {"type", "category", "articletype", "kind", "article"},
    {"brand", "make", "maker", "label"},
    {"gender", "sex"},
)


@dataclass(frozen=True)
class Grounded:
    """A value of the collection found in a text, with where it stands."""

    field: str
    value: str
    start: int
    end: int


def _singular(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("'")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def key(text: str) -> str:
    """A text as values are compared: lower case, singular, without what stands between the letters."""
    words = _WORD.findall(text.lower())
    return "".join(re.sub(r"\W", "", _singular(word)) for word in words)


def values_in(text: str, attributes: Mapping[str, Attribute]) -> list[Grounded]:
    """The collection's values that a text names, longest first where they overlap, in the order of the text."""
    known: dict[str, tuple[str, str]] = {}
    for name, values in attributes.items():
        if not isinstance(values, NumberRange):
            for value in values:
                known.setdefault(key(value), (name, value))
    found: list[Grounded] = []
    words = list(_WORD.finditer(text))
    at = 0
    while at < len(words):
        for length in range(min(5, len(words) - at), 0, -1):
            start, end = words[at].start(), words[at + length - 1].end()
            hit = known.get(key(text[start:end]))
            if hit:
                found.append(Grounded(*hit, start, end))
                at += length
                break
        else:
            at += 1
    return found


def field_for(text: str, attributes: Mapping[str, Attribute]) -> str | None:
    """The attribute that a text names, by its own name or by a usual other one."""
    words = {key(word) for word in _WORD.findall(text)} | {key(text)}
    for name in attributes:
        own = key(name)
        if own in words or any(own in group and words & group for group in _SYNONYMS):
            return name
    for name in attributes:  # "colour" for an attribute called "baseColour"
        if any(len(word) > 3 and word in key(name) for word in words):
            return name
    return None


def numeric_fields(attributes: Mapping[str, Attribute]) -> dict[str, NumberRange]:
    """The attributes that are numbers."""
    return {name: values for name, values in attributes.items() if isinstance(values, NumberRange)}
