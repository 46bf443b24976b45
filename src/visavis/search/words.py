"""What the words of a wish find among the words written about pictures: titles, captions, attributes, file names.

Looks find what can be seen; a brand or a place's name stands in a title only. A word that few pictures have counts the
more the fewer have it. A rare word that is no ordinary word of descriptions, and whose pictures do not look alike to
the encoder, is a *name*: it decides, and the rest of the wish is judged by looks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Protocol

import numpy as np

from visavis.collections.words import index_words
from visavis.conversation.aspects import first_thing
from visavis.search.captions import names_tones
from visavis.search.phrases import alternatives
from visavis.search.results import with_change
from visavis.search.values import ValueSearch, compounds, without_purpose
from visavis.search.vectors import PictureVectors, TextVectors, VectorSample, product
from visavis.stores.base import Hit
from visavis.types import Wish

#: A word that so large a share of the pictures has tells little; in small collections so many may have it.
_FREQUENT, _FEW = 0.1, 5
#: Pictures of a name that are looked up, and of an ordinary word.
MOST_NAMED, _MOST_HELD = 1000, 200
#: So many pictures of a word tell whether it can be seen, and no more words of one wish are tried.
_SEEN_BY, _TRIED = 30, 4
#: The mean share of a sample that looks less like the word than its own pictures do; from here on it can be seen. An
#: ordinary word can be a name too ("Turtle"), but then its pictures look nothing like it.
_VISIBLE, _ORDINARY_VISIBLE = 0.9, 0.7
#: What words say that ask for pictures, and what holds sentences together.
_ASKING = frozenset(
    "about again all also am an and another any anybody anyone anything are as at bit be been both bring but by can"
    " could do does else every everything fetch find for from get give got had has have her here him his how if image"
    " in into is it item its just kind let like little look looking lot made make maybe me more most much my near need"
    " not now of off on one ones only or other our out over per perhaps photo photograph picture piece please prefer"
    " really search see show shown showing so some somebody someone something sort such than thank that the their them"
    " then there these they thing this those to too type under up us very want was we well were what when where which"
    " who whose why will with without would wow yes yet you your nothing none never no".split()
)


class WordSource(Protocol):
    """An inverted index: :class:`visavis.collections.words.WordIndex` is one."""

    def frequencies(self, words: Sequence[str]) -> Mapping[str, int]:
        """How many pictures have each word; those that none has are left out."""

    def holding(self, word: str, limit: int) -> list[str]:
        """The pictures that have a word."""


@dataclass(frozen=True)
class WordMatches:
    """What the words of one wish find.

    Attributes:
        shares: By picture, the share of the wish's words that are written about it, each word by its rarity.
        named: The pictures that have every name in the wish; None where it has none.
        told: The pictures that have every word of the wish, where all of them are rare, or values of attributes.
        rest: The wish without its names; empty where nothing else was said.
        ways: By the text of an alternative, what it finds; nothing where the wish names none.
    """

    shares: Mapping[str, float]
    named: frozenset[str] | None
    told: frozenset[str]
    rest: str
    ways: Mapping[str, WordMatches] = field(default_factory=dict)

    @classmethod
    def of_any(cls, ways: Mapping[str, WordMatches]) -> WordMatches:
        """What any of several alternatives finds; names decide only where each has one."""
        shares: dict[str, float] = {}
        for way in ways.values():
            shares |= {id: max(share, shares.get(id, 0.0)) for id, share in way.shares.items()}
        names = [way.named for way in ways.values() if way.named is not None]
        named = frozenset[str]().union(*names) if len(names) == len(ways) else None
        told = frozenset[str]().union(*(way.told for way in ways.values()))
        return cls(shares, named, told, "", ways)


NOTHING = WordMatches({}, None, frozenset(), "")


@cache
def ordinary_words() -> frozenset[str]:
    """The words that people describe photos with."""
    lines = (files("visavis.search") / "ordinary.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def asked_words(text: str) -> list[str]:
    """The words of a wish that may be written about a picture.

    >>> asked_words("anything from Puma?"), asked_words("Show me red shoes, please")
    (['puma'], ['red', 'shoe'])
    """
    return [word for word in index_words(text) if word not in _ASKING]


def without_words(text: str, names: Sequence[str]) -> str:
    """A text without some of its words; empty where only stop words remain.

    >>> without_words("red Puma shoes", ["puma"]), without_words("anything from Puma?", ["puma"])
    ('red shoes', '')
    """
    kept = [word for word in re.split(r"\s+", text.strip()) if not set(index_words(word)) & set(names)]
    left = " ".join(kept).strip(" ,.;:!?")
    return left if asked_words(left) else ""


class WordSearch:
    """Looks wishes up in an inverted index. Safe to use from several threads."""

    def __init__(
        self, source: WordSource, texts: TextVectors, pictures: PictureVectors, values: ValueSearch | None = None
    ) -> None:
        """Get ready.

        Args:
            source: The inverted index.
            texts: Encodes words.
            pictures: Reads the vectors of pictures.
            values: Finds pictures by the values of their attributes.
        """
        self._source = source
        self._values = values
        self._texts = texts
        self._pictures = pictures

    def refresh(self) -> None:
        """Read the values of attributes again for the next request."""
        if self._values is not None:
            self._values.refresh()

    def find(self, wishes: Sequence[Wish], size: int, sample: VectorSample) -> dict[int, WordMatches]:
        """What the words of each wish find, by the place of the wish; wishes that find nothing are left out.

        Args:
            wishes: Everything that is wished.
            size: How many pictures there are.
            sample: Some of them.
        """
        wanted = {
            at: wish.text
            for at, wish in enumerate(wishes)
            if wish.kind == "want" and wish.active and wish.weight > 0 and not wish.answer
        }
        ways = {at: alternatives(text) for at, text in wanted.items()}
        asked = {way: asked_words(way) for each in ways.values() for way in each}
        frequencies = self._source.frequencies(list(dict.fromkeys(word for words in asked.values() for word in words)))

        def one(way: str) -> WordMatches:
            words = asked[way]
            return self._with_values(way, words, self._one(way, words, frequencies, size, sample)) if words else NOTHING

        found = {at: {way: one(way) for way in each} for at, each in ways.items()}
        made = {at: one[ways[at][0]] if len(one) == 1 else WordMatches.of_any(one) for at, one in found.items()}
        return {at: one for at, one in made.items() if one.shares or one.told or one.named is not None}

    def _with_values(self, text: str, words: Sequence[str], found: WordMatches) -> WordMatches:
        """What was found, or the pictures whose attributes have every word: that is all that was asked for."""
        if self._values is None:
            return found
        if (written := compounds(text)) != text:
            words = asked_words(written)
        told = self._values.find(words, text, lambda: self._texts([text])[0], MOST_NAMED)
        if not told:
            return self._of_kind(text, found, self._values)
        decided = names_tones(text) or self._values.decides(words)
        named = told if decided else None  # what is measured, or a catalogue tells of all: looks have no say
        return replace(found, named=named, told=found.told | told, rest="")

    def _of_kind(self, text: str, found: WordMatches, values: ValueSearch) -> WordMatches:
        """What was found, or the things that a catalogue knows to be what is wanted, whatever they are wanted for.

        Of "striped blue shirts for men" it knows the shirts, the blue and the men; stripes are seen.
        """
        main, purpose = without_purpose(found.rest or text)
        words = asked_words(compounds(main))
        about = asked_words(compounds(first_thing(main)))
        own = [word for word in about if values.decides([word]) and values.condition([word]) is not None]
        if not own or not values.names(compounds(main)):
            return found
        used = [word for word in asked_words(purpose) if values.condition([word]) is not None]
        literal = [word for word in used if values.decides([word])]  # "for women": the catalogue says so itself

        def having(asked: list[str]) -> frozenset[str]:
            found = values.find(asked, " ".join(asked), lambda: self._texts([main])[0], MOST_NAMED)
            return found if named is None else found & named

        named = found.named
        told = having([*own, *literal]) or having(own)
        if not told:
            return found
        suited = dict.fromkeys(having([*own, *used]), 1.0) if used else {}  # "interview": formal ones come first
        seen = main if values.condition(words) is None else ""
        return replace(found, shares={**found.shares, **suited}, named=told, told=frozenset(), rest=seen)

    def _one(
        self, text: str, words: Sequence[str], frequencies: Mapping[str, int], size: int, sample: VectorSample
    ) -> WordMatches:
        most = min(max(_FEW, _FREQUENT * size), size / 2)
        rare = [word for word in words if 0 < frequencies.get(word, 0) <= most]
        if not rare:
            return NOTHING
        holders = {word: self._source.holding(word, MOST_NAMED) for word in rare}
        alone = len(words) == len(rare)
        strange = [word for word in rare if alone or word not in ordinary_words()][:_TRIED]
        names = [word for word in strange if not self._is_visible(word, holders[word], sample)]
        told = frozenset.intersection(*map(frozenset, holders.values())) if alone else frozenset[str]()
        if len(words) > 1 and not told:  # "party dress": a word of descriptions that no dress has names no dress
            names = [word for word in names if word not in ordinary_words()]
        named = frozenset.intersection(*(frozenset(holders[word]) for word in names)) if names else None
        weights = {word: math.log1p(size / max(frequencies.get(word, 0), 1)) for word in words}
        whole, shares = sum(weights.values()), dict[str, float]()
        for word in rare:
            for id in holders[word]:
                shares[id] = shares.get(id, 0.0) + weights[word] / whole
        return WordMatches(shares, named, told, without_words(text, names) if names else "")

    def _is_visible(self, word: str, holders: Sequence[str], sample: VectorSample) -> bool:
        """Whether the pictures of a word look more like it than others do."""
        if not len(sample):
            return False
        vector = self._texts([word])[0]
        scores = np.sort(product(sample.whole, vector))
        own = product(self._pictures.whole(holders[:_SEEN_BY]), vector)
        least = _ORDINARY_VISIBLE if word in ordinary_words() else _VISIBLE
        return bool(np.mean(np.searchsorted(scores, own)) / len(scores) >= least)


def first_held(found: Mapping[int, WordMatches]) -> list[str]:
    """The pictures worth looking at besides those that look right: all that a name finds, the best of the others."""
    named = [id for one in found.values() for id in sorted(one.named or ())]
    shares: dict[str, float] = {}
    for one in found.values():
        for id, share in one.shares.items():
            shares[id] = shares.get(id, 0.0) + share
    best = sorted(shares, key=lambda id: (-shares[id], id))[:_MOST_HELD]
    told = [id for one in found.values() for id in sorted(one.told)]
    return list(dict.fromkeys((*named[:MOST_NAMED], *best, *told[:MOST_NAMED])))


#: How many times as much as all rare words of a wish a name counts.
_NAME = 4.0


def by_words(hits: Sequence[Hit], words: Mapping[int, WordMatches], wants: int, worth: float) -> list[Hit]:
    """The pictures again, those first that have rare words of the wishes.

    Args:
        hits: The pictures.
        words: What the words of the wishes find.
        wants: How many descriptions there are.
        worth: What all rare words of all descriptions are worth in the score.
    """

    def held(id: str) -> float:
        found = words.values()
        return sum(one.shares.get(id, 0.0) / max(1, wants) + _NAME * (id in (one.named or ())) for one in found)

    return with_change(hits, worth * np.array([held(hit.id) for hit in hits], np.float32))
