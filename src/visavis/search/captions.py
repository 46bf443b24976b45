"""Captions and attributes as evidence for or against what is wanted or avoided.

An encoder sees that a garment has sleeves; a catalogue knows that they are long. Where the words that come with the
pictures use the person's own words, those that have them are preferred, and silence counts against a picture only
where others speak. Collections without captions and attributes are ranked by sight alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.collections.words import singular_form, without_denied
from visavis.encoders.base import FloatArray
from visavis.pictures.derived import BLACK_AND_WHITE, TONES
from visavis.search.phrases import head_of, one_thing, phrases_of
from visavis.stores.base import Store
from visavis.stores.filters import Equals
from visavis.types import Wish

#: So many captions, and so large a share, must name a thing before its absence in others counts.
_SPOKEN, _SPOKEN_SHARE = 2, 0.02
_WORD = re.compile(r"[^\W\d_]+")
_LITTLE = frozenset("a an the of with and or in on at any some".split())


#: What stands behind a thing: its colour is not the thing's.
_BEHIND = frozenset(("background", "backdrop"))


def written(captions: Sequence[str], attributes: Mapping[str, Any], *, behind: bool = True) -> str:
    """Everything that is said about a picture, in one text; empty where nothing is.

    Args:
        captions: Sentences.
        attributes: Fields with their values.
        behind: Whether with what is said about the background.

    >>> written(["a boot"], {"colour": "red", "background": "light blue"}, behind=False)
    'a boot ; red'
    """
    values = (
        str(value)
        for name, value in attributes.items()
        if isinstance(value, str | list | tuple) and (behind or not stems(name.replace("_", " ")) & _BEHIND)
    )
    return " ; ".join((*captions, *values))


#: Adjectives that say of clothes what they have on them; a plain ending would take a parked car for a park.
_HAVING = {
    f"{noun}{ending}": noun
    for ending, nouns in {
        "d": "stripe sleeve ruffle fringe".split(),
        "ed": "check hood belt button collar pocket cuff heel flower pleat pattern quilt bead tassel".split(),
        "ted": "dot spot".split(),
        "ped": "zip strap".split(),
    }.items()
    for noun in nouns
} | dict(
    pair.split("=")
    for pair in (
        "floral=flower flowery=flower wooden=wood woollen=wool woolen=wool woolly=wool furry=fur golden=gold snowy=snow"
        " sandy=sand grassy=grass rocky=rock feathered=feather"
    ).split()
)


@lru_cache(maxsize=50_000)
def stems(text: str) -> frozenset[str]:
    """The words of a text without their plural endings, and without what it denies; what has a thing names it.

    >>> sorted(stems("Two striped dresses, no belt")), sorted(stems("a floral skirt"))
    (['dress', 'stripe', 'two'], ['flower', 'skirt'])
    """
    words = _WORD.findall(without_denied(text).lower())
    return frozenset(_HAVING.get(word) or singular_form(word) for word in words if word not in _LITTLE)


_PEOPLE = "a person|people|a man|a woman|a child|a crowd|a player|a boy"
_ANIMALS = (
    "an animal|animals|a dog|a cat|a bird|a horse|a cow|cows|sheep|a bear|an elephant|a zebra|a giraffe"
    "|a wild animal|a fish"
)
_VEHICLES = "vehicles|a car|a bus|a truck|a motorcycle|a bicycle|a train|a boat|an airplane"
_FOOD = "food|a meal|fruit|vegetables|a cake|a sandwich|pizza|a plate of food|a banana|a donut|broccoli"
#: Burgers and sausages are seen in any plate; what is said to be meat, and this, are not.
_MEAT = "meat|a hot dog"
_FRUIT = "fruit|a banana|an apple|an orange"
_FURNITURE = "furniture|a chair|a table|a sofa|a bed|a shelf"
_PLANTS = "plants|flowers|trees|a potted plant|leaves|grass"
_BUILDINGS = "buildings|a house|a skyscraper|a church|a city street"
_CLOTHES = "clothes|a shirt|trousers|a dress|a jacket|shoes"

_STAND_FOR = {
    **dict.fromkeys(("people", "person", "persons", "human", "humans", "anybody", "anyone", "somebody"), _PEOPLE),
    **dict.fromkeys(("animal", "animals", "pets", "wildlife"), _ANIMALS),
    **dict.fromkeys(("vehicle", "vehicles", "traffic"), _VEHICLES),
    **dict.fromkeys(("food", "meal", "meals"), _FOOD),
    "meat": _MEAT,
    **dict.fromkeys(("fruit", "fruits"), _FRUIT),
    "furniture": _FURNITURE,
    **dict.fromkeys(("plant", "plants", "vegetation", "greenery"), _PLANTS),
    **dict.fromkeys(("building", "buildings", "architecture", "houses"), _BUILDINGS),
    **dict.fromkeys(("clothes", "clothing"), _CLOTHES),
}


def things_of(text: str) -> tuple[str, ...]:
    """What the words stand for; themselves where they stand for no kind of things.

    >>> things_of("a red car")
    ('a red car',)
    >>> things_of("clothes")
    ('clothes', 'a shirt', 'trousers', 'a dress', 'a jacket', 'shoes')
    """
    word = re.sub(r"^(any|all|the|a|an|other)\s+", "", text.strip().lower())
    return tuple(_STAND_FOR.get(word, text.strip()).split("|"))


def kinds_of(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What pictures that show a thing are known by, and the thing of which it is one kind, where it is.

    >>> kinds_of("steam trains"), kinds_of("cats")
    ((('a steam train',), ('a train',)), (('a cat',), ()))
    """
    things, head = things_of(text), head_of(text)
    if len(things) > 1:
        return things, ()
    return (one_thing(text),), (head,) if head else ()


class Mentions:
    """Which captions mention things that are avoided, and which do not although captions here usually do."""

    def __init__(self, avoided: Sequence[str]) -> None:
        self._things = [[stems(thing) for thing in things_of(text)] for text in avoided]

    def read(self, words: Sequence[str]) -> NDArray[np.int8]:
        """``[n, things]``: 1 mentioned, -1 not mentioned although captions here usually do, 0 not known.

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
    asked = sorted(set().union(*map(stems, phrases_of(text))) - _EMPTY)
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


def can_be_written(wish: Wish) -> bool:
    """Whether what is written about a picture may bear out a wish."""
    return wish.kind in ("want", "keep") and wish.active and wish.weight > 0


_TONES = re.compile(
    r"(?:any |the )?(?:black ?(?:and|&|n) ?white|b ?& ?w|bw|monochrome|gr[ae]y ?scale)"
    r"(?: (?:photo|picture|image|pic|shot|one)s?| photograph(?:y|s)?)?"
)


@lru_cache(maxsize=1024)  # asked three times a turn of each text
def names_tones(text: str) -> bool:
    """Whether a text means black and white pictures, and not a thing that is black and white.

    >>> names_tones("black and white photos"), names_tones("black and white cat")
    (True, False)
    """
    return _TONES.fullmatch(text.strip().lower()) is not None


class WrittenWords:
    """What is written about some pictures of a store."""

    def __init__(self, store: Store, ids: Sequence[str]) -> None:
        """Look it up.

        Args:
            store: Has the captions and attributes.
            ids: The pictures.
        """
        found = store.payloads(ids) if ids else {}
        self._store = store
        self._ids = tuple(ids)
        self._rows: list[Mapping[str, Any]] = [found.get(id, {}) for id in ids]
        self.words = [written((), row, behind=False) for row in self._rows]

    def of(self, ids: Sequence[str]) -> WrittenWords:
        """The same about some of the pictures, without looking it up again."""
        places = {id: place for place, id in enumerate(self._ids)}
        if not places.keys() >= set(ids):
            return WrittenWords(self._store, ids)
        part = copy(self)
        part._ids = tuple(ids)
        part._rows = [self._rows[places[id]] for id in ids]
        part.words = [self.words[places[id]] for id in ids]
        return part

    def __bool__(self) -> bool:
        return any(self.words)

    @property
    def share(self) -> float:
        """The share of the pictures about which anything is written."""
        return sum(map(bool, self.words)) / max(len(self.words), 1)

    def spoken_for(self, text: str) -> FloatArray:
        """How far it bears out a text, ``[n]``; the background speaks only where the text speaks of it."""
        behind = stems(text) & _BEHIND
        return spoken_for(text, [written((), row) for row in self._rows] if behind else self.words)

    def by_tones(self, avoided: Sequence[str]) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
        """Which are black and white, where that is avoided and was measured, ``[n]``; and what else is avoided."""
        rest = tuple(text for text in avoided if not names_tones(text))
        if len(rest) == len(avoided) or not self._store.count(Equals(TONES, BLACK_AND_WHITE)):
            return np.zeros(len(self._ids), bool), tuple(avoided)
        return np.array([row.get(TONES) == BLACK_AND_WHITE for row in self._rows], bool), rest

    def votes(self, wish: Wish) -> FloatArray | None:
        """How far captions bear out a wish, ``[n]`` from -1 to 1; None for the kinds of wishes that have no words."""
        if wish.kind in ("want", "avoid") and not wish.answer:
            return self.spoken_for(wish.text)
        if wish.kind == "keep" and wish.picture:
            return self._same(wish.attribute, self._store.payloads([wish.picture]).get(wish.picture, {}))
        return None

    def verdict(self, wishes: Sequence[Wish]) -> FloatArray:
        """All of it together, ``[n]``: descriptions count by their mean, each kept attribute by itself."""
        asked = filter(can_be_written, wishes)
        said = [(wish, vote) for wish in asked if (vote := self.votes(wish)) is not None]
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
