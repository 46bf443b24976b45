"""Claims about properties that photos have: where they were taken, what happens, what kinds of things are there.

Objects and captions name things that are rare. People also ask for what is true of half of a collection ("outside",
"people"), and by words of which only a caption can tell whether they are true.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visavis.lab.evaluation.match_data import AVOIDED, AVOIDED_OBJECTS, KnownClaim, Photos, Places, halves, number_of
from visavis.search.captions import stems
from visavis.search.vocabulary import default_vocabulary
from visavis.types import Kind

#: Of photos with fewer captions nothing is known for sure; where so many captions say it, it is true.
_CAPTIONS, _SURE = 3, 2
#: A property is told by captions where such a share of them has it, if any does, and so many photos have it.
_TOLD, _FEWEST = 0.36, 12
#: A place that more photos than this have is also in photos whose captions do not say so.
_RARE = 0.05
_SECTIONS = (Kind.PLACE, Kind.STUFF, Kind.ACTIVITY, Kind.COLOUR, Kind.MATERIAL, Kind.STATE)
_LITTLE = frozenset("on at in down it its under out".split())

_OPEN = (
    r"\b(outside|outdoors?|street|road|grass|grassy|field|beach|sky|ocean|sea|lake|river|snow|snowy|mountain|hill|forest"
    r"|park|yard|garden|sidewalk|runway|tarmac|parking lot|tracks?|waves?|zoo|trees?|harbor|pasture|slope|highway)\b"
)
_OPEN_OBJECTS = {
    "airplane", "traffic light", "fire hydrant", "stop sign", "parking meter", "elephant", "bear", "zebra", "giraffe",
    "skis", "snowboard", "kite", "surfboard", "boat", "horse", "cow", "sheep", "baseball bat", "truck", "train", "bus",
}  # fmt: skip
_CLOSED = (
    r"\b(inside|indoors?|room|kitchen|bathroom|bedroom|office|restaurant|couch|sofa|bed|desk|toilet|sink|stove|oven"
    r"|fridge|refrigerator|bathtub|tub|shower|counter|television|tv|hotel|store|ceiling|hallway|classroom)\b"
)
_CLOSED_OBJECTS = {
    "couch", "bed", "toilet", "tv", "microwave", "oven", "toaster", "sink", "refrigerator", "laptop", "mouse",
    "keyboard", "hair drier", "remote",
}  # fmt: skip

#: 1 where it is true, 0 where it is not, -1 where that is not known.
Verdicts = NDArray[np.int8]
_Vote = Callable[[list[str], set[str]], int]


class PropertyScene(NamedTuple):
    """A property with several names, and what tells that it is there."""

    fitting: bool
    texts: tuple[str, ...]
    vote: _Vote


def _kind(words: str, objects: set[str]) -> _Vote:
    """Two captions, or one and an object, speak for it; none and no object against it."""

    def vote(captions: list[str], seen: set[str]) -> int:
        said = sum(bool(re.search(words, text)) for text in captions)
        if said >= _SURE or (said and seen & objects):
            return 1
        return -1 if said or seen & objects else 0

    return vote


def _outdoors(captions: list[str], seen: set[str]) -> int:
    opened, closed = (sum(bool(re.search(words, text)) for text in captions) for words in (_OPEN, _CLOSED))
    if (opened >= _SURE or (opened and seen & _OPEN_OBJECTS)) and not closed and not seen & _CLOSED_OBJECTS:
        return 1
    if (closed >= _SURE or (closed and seen & _CLOSED_OBJECTS)) and not opened and not seen & _OPEN_OBJECTS:
        return 0
    return -1


def _not(vote: _Vote) -> _Vote:
    return lambda captions, seen: {1: 0, 0: 1}.get(vote(captions, seen), -1)


_people = _kind(AVOIDED["people"], AVOIDED_OBJECTS["people"])
SCENES = (
    PropertyScene(True, ("indoors", "inside", "in a room", "at home", "an interior", "taken indoors"), _not(_outdoors)),
    PropertyScene(True, ("people", "a person", "with people", "someone", "humans", "with somebody in it"), _people),
    PropertyScene(
        True, ("food", "something to eat", "with food", "a meal"), _kind(AVOIDED["food"], AVOIDED_OBJECTS["food"])
    ),
    PropertyScene(
        True,
        ("sports", "a sport", "sports equipment", "doing sports"),
        _kind(
            r"\b(tennis|baseball|skateboard\w*|surf\w*|ski\w*|snowboard\w*|soccer|frisbee|player|match|game)\b", set()
        ),
    ),
    PropertyScene(
        True,
        ("in a city", "in town", "an urban scene", "urban"),
        _kind(r"\b(street|city|road|buildings?|sidewalk|downtown|intersection|traffic|town)\b", {"traffic light"}),
    ),
    PropertyScene(False, ("outside", "outdoors", "in the open air", "taken outdoors", "an outdoor scene"), _outdoors),
    PropertyScene(
        False,
        ("animals", "an animal", "with animals", "wildlife"),
        _kind(AVOIDED["animals"], AVOIDED_OBJECTS["animals"]),
    ),
    PropertyScene(
        False,
        ("vehicles", "a vehicle", "transport", "with vehicles"),
        _kind(AVOIDED["vehicles"], AVOIDED_OBJECTS["vehicles"]),
    ),
    PropertyScene(
        False,
        ("furniture", "with furniture"),
        _kind(r"\b(chairs?|couch|sofa|beds?|tables?|furniture|desk|bench)\b", {"chair", "couch", "bed"}),
    ),
    PropertyScene(
        False,
        ("nature", "in nature", "in the countryside", "a landscape"),
        _kind(
            r"\b(grass|trees?|forest|field|mountains?|beach|ocean|lake|river|flowers?|snow|woods|hills?|sky)\b", set()
        ),
    ),
    PropertyScene(False, ("without people", "nobody"), _not(_people)),
)


class KnownProperty(NamedTuple):
    """A property, what it is called, and of which photos it is true.

    Attributes:
        texts: What it is called.
        verdicts: Of which photos it is true, ``[n]``.
        colour: Whether it is a colour, of which a caption does not say what has it.
        seldom: Whether it is a place that few photos show, so that photos whose captions do not tell it lack it.
    """

    texts: tuple[str, ...]
    verdicts: Verdicts
    colour: bool = False
    seldom: bool = False


def known_properties(photos: Photos, *, fitting: bool) -> list[KnownProperty]:
    """Half of the properties, and of which photos they are true."""
    gallery = photos.gallery
    captions = [[text.lower() for text in photos.captions.get(number_of(key), ())] for key in gallery.keys]
    objects = [photos.objects.get(number_of(key), set()) for key in gallery.keys]
    found: list[KnownProperty] = []
    for scene in SCENES:
        if scene.fitting == fitting:
            said = [scene.vote(*one) if len(one[0]) >= _CAPTIONS else -1 for one in zip(captions, objects, strict=True)]
            found.append(KnownProperty(scene.texts, np.array(said, np.int8)))
    words = [[stems(text) for text in each] for each in captions]
    numbers = np.array([len(each) for each in words])
    for term in default_vocabulary():
        asked = stems(term.phrase) - _LITTLE
        if term.kind not in _SECTIONS or not asked or (zlib.crc32(term.phrase.encode()) % 2 == 1) != fitting:
            continue
        votes = np.array([sum(asked <= said for said in each) for each in words])
        if votes.sum() < _TOLD * max(1, numbers[votes > 0].sum()):
            continue
        told = np.where(votes >= _SURE, 1, np.where(votes == 0, 0, -1))
        verdicts = np.where(numbers < _CAPTIONS, -1, told).astype(np.int8)
        if (verdicts == 1).sum() >= _FEWEST:
            seldom = term.kind is Kind.PLACE and bool((verdicts == 1).mean() < _RARE)
            names = tuple(dict.fromkeys((term.phrase, term.wish)))
            found.append(KnownProperty(names, verdicts, term.kind is Kind.COLOUR, seldom))
    return found


def property_claims(photos: Photos, *, fitting: bool) -> list[KnownClaim]:
    """Claims with half of the properties, about half of the photos; photos of which nothing is known are left out."""
    mine = halves(len(photos.gallery.keys))[0 if fitting else 1]
    claims: list[KnownClaim] = []
    for one in known_properties(photos, fitting=fitting):
        claims += _claims(photos, one.texts, one.verdicts, mine, absent=one.seldom)
    return claims


def _claims(
    photos: Photos, texts: tuple[str, ...], verdicts: Verdicts, mine: Places, *, absent: bool
) -> list[KnownClaim]:
    gallery, none = photos.gallery, np.zeros(len(verdicts), bool)
    known = mine[verdicts[mine] >= 0]
    claims: list[KnownClaim] = []
    for text in texts:
        for among in (known, known[:400]):
            claims.append(KnownClaim("property", gallery, text, verdicts == 1, among))
            if absent:
                claims.append(KnownClaim("absent property", gallery, text, none, among[verdicts[among] == 0]))
    return [claim for claim in claims if claim.kind != "property" or claim.truth[claim.among].sum() > 1]
