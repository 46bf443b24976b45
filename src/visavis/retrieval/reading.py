"""What is written about pictures, as far as it speaks for or against what is wanted.

An encoder sees that a garment has sleeves; a catalogue knows that they are long. Where the words that come with the
pictures use the person's own words, those that have them are preferred, and silence counts against a picture only
where others speak. Collections without captions and attributes are ranked by sight alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np

from visavis.collections.searching.mentions import stems, written
from visavis.encoders.base import FloatArray
from visavis.language.chunks import chunks
from visavis.retrieval.base import WishLike
from visavis.stores.base import Store

#: Words that say nothing about what is shown.
_EMPTY = frozenset("photo picture image photograph one thing something show".split())
#: A word tells pictures apart when so many of them have it, and not nearly all.
_FEWEST, _LARGEST_SHARE = 2, 0.98
#: A kept attribute whose value is written down is known, not guessed: it counts more than a word of a description.
_KEPT = 2.0


def spoken_for(text: str, words: Sequence[str]) -> FloatArray:
    """How far what is written about each picture bears out a wish, ``[n]`` from -1 to 1; 0 where nothing is known.

    Args:
        text: The wish.
        words: What is written about each picture; an empty text where nothing is.

    >>> spoken_for("long sleeves", ["a shirt, long sleeves", "long sleeves", "short sleeves", ""]).tolist()
    [1.0, 1.0, -1.0, 0.0]
    """
    said = [stems(text) for text in words]
    asked = sorted(set().union(*map(stems, chunks(text) or [text])) - _EMPTY)
    described = np.array([bool(one) for one in said])
    votes = []
    unheard = 0
    for stem in asked:
        has = np.array([stem in one for one in said])
        unheard += int(has.sum() < _FEWEST)
        if has.sum() >= _FEWEST and has.sum() <= _LARGEST_SHARE * described.sum():
            votes.append(np.where(has, 1.0, np.where(described, -1.0, 0.0)))
    if not votes:
        return np.zeros(len(said), np.float32)
    # "a green elephant" is not borne out by green coats: what nobody speaks of counts against what is described
    share = unheard / len(asked)
    return np.asarray((1 - share) * np.mean(votes, axis=0) - share * described, np.float32)


class Written:
    """What is written about some pictures of a store."""

    def __init__(self, store: Store, ids: Sequence[str]) -> None:
        """Look it up.

        Args:
            store: Has the captions and attributes.
            ids: The pictures.
        """
        found = store.payloads(ids)
        self._store = store
        self._ids = tuple(ids)
        self._rows: list[Mapping[str, Any]] = [found.get(id, {}) for id in ids]
        self.words = [written((), row) for row in self._rows]

    def of(self, ids: Sequence[str]) -> Written:
        """The same about some of the pictures, without looking it up again."""
        places = {id: place for place, id in enumerate(self._ids)}
        if not places.keys() >= set(ids):
            return Written(self._store, ids)
        part = copy(self)
        part._ids = tuple(ids)
        part._rows = [self._rows[places[id]] for id in ids]
        part.words = [self.words[places[id]] for id in ids]
        return part

    def __bool__(self) -> bool:
        return any(self.words)

    def votes(self, wish: WishLike) -> FloatArray | None:
        """How far what is written bears out a wish, ``[n]`` from -1 to 1; None for wishes it cannot speak of."""
        if wish.kind in ("want", "avoid") and not getattr(wish, "answer", False):
            return spoken_for(wish.text, self.words)
        if wish.kind == "keep" and wish.picture:
            return self._same(wish.attribute, self._store.payloads([wish.picture]).get(wish.picture, {}))
        return None

    def verdict(self, wishes: Sequence[WishLike]) -> FloatArray:
        """All of it together, ``[n]``: descriptions count by their mean, each kept attribute by itself."""
        said = [(wish, vote) for wish in wishes if (vote := self.votes(wish)) is not None]
        described = [wish.weight * vote for wish, vote in said if wish.kind == "want"]
        kept = [_KEPT * wish.weight * vote for wish, vote in said if wish.kind == "keep"]
        nothing = np.zeros(len(self.words), np.float32)
        return np.asarray(sum(kept, nothing) + (np.mean(described, axis=0) if described else nothing), np.float32)

    def _same(self, attribute: str, model: Mapping[str, Any]) -> FloatArray:
        """Which pictures have the value that another one has in an attribute, such as its colour."""
        wanted = _value(model, attribute)
        values = [_value(row, attribute) for row in self._rows]
        return np.array(
            [(1.0 if wanted & value else -1.0) if wanted and value else 0.0 for value in values], np.float32
        )


def _value(row: Mapping[str, Any], attribute: str) -> frozenset[str]:
    """The value of the field that is called like an attribute, in words; empty where there is none."""
    name = stems(attribute.replace("color", "colour"))
    for field, value in row.items():
        if name and stems(field.replace("color", "colour").replace("_", " ")) == name:
            return stems(str(value))
    return frozenset()
