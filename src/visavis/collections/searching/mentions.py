"""What the words that come with pictures say about something that is to be avoided."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.collections.searching.collectives import things_of

#: So many pictures, and so large a share, must speak of a thing before the silence of others means anything.
_SPOKEN, _SPOKEN_SHARE = 2, 0.02
_WORD = re.compile(r"[^\W\d_]+")
_DENIED = re.compile(r"\b(?:no|not|non|without|none|never)\b[\s-]+(?:an?\s+|any\s+|the\s+)?\w+", re.IGNORECASE)
_LITTLE = frozenset("a an the of with and or in on at any some".split())


def written(captions: Sequence[str], attributes: Mapping[str, Any]) -> str:
    """Everything that is said about a picture, in one text; empty where nothing is."""
    values = (str(value) for value in attributes.values() if isinstance(value, str | list | tuple))
    return " ; ".join((*captions, *values))


@lru_cache(maxsize=50_000)
def stems(text: str) -> frozenset[str]:
    """The words of a text without their plural endings, and without what it denies.

    >>> sorted(stems("Two striped dresses, no belt"))
    ['dress', 'striped', 'two']
    """
    words = _WORD.findall(_DENIED.sub(" ", text).lower())
    return frozenset(_singular(word) for word in words if word not in _LITTLE)


def _singular(word: str) -> str:
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + instead
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


class Mentions:
    """Tells whose words speak of what is avoided, and whose do not although they would."""

    def __init__(self, avoided: Sequence[str]) -> None:
        self._things = [[stems(thing) for thing in things_of(text)] for text in avoided]

    def read(self, words: Sequence[str]) -> NDArray[np.int8]:
        """``[n, things]``: 1 spoken of, -1 passed over in words that would speak of it, 0 not known.

        Args:
            words: What is said about each picture; an empty text where nothing is.
        """
        said = [stems(text) for text in words]
        if not said:
            return np.zeros((0, len(self._things)), np.int8)
        spoken = np.array([[any(form and form <= one for form in forms) for forms in self._things] for one in said])
        telling = (spoken.sum(axis=0) >= _SPOKEN) & (spoken.mean(axis=0) >= _SPOKEN_SHARE)
        silent = np.array([bool(one) for one in said])[:, None] & telling[None, :]
        return np.where(spoken, 1, np.where(silent, -1, 0)).astype(np.int8)
