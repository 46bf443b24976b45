"""Words without their endings, so that ``rides``, ``riding`` and ``ride`` are one."""

from __future__ import annotations

import re
from functools import lru_cache

from visavis.questions.grammar import singular

_EMPTY = frozenset(
    "a an the of in on at with to for and or is are be was were it its this that there any some someone something"
    " anyone anything made photo picture image taken show shows showing his her their by from main one there's"
    " you your can could see do does did has have what which who whose how many much kind type sort"
    " else visible".split()
)


def words_of(text: str) -> list[str]:
    """Every word of a text, without endings."""
    return [stem(word) for word in _raw(text)]


def content(phrase: str) -> list[str]:
    """The words of a phrase that carry its meaning, without endings."""
    return [stem(word) for word in _raw(phrase) if word not in _EMPTY]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """One form for the forms of a word."""
    word = singular(word)
    if word.endswith("ing") and len(word) > 5:
        word = _undouble(word[:-3])
    elif word.endswith("ed") and len(word) > 4:
        word = _undouble(word[:-2])
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _raw(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("hot dog", "hotdog"))


def _undouble(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lse" else word
