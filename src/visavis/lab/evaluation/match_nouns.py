"""Nouns that captions use: asked of photos that have them, and of collections from which all that have them are gone.

Objects alone would teach that what is none of COCO's eighty is never there.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterable

import numpy as np

from visavis.lab.evaluation.match_data import COLOURS, KnownClaim, Photos, forms_of, halves, number_of
from visavis.lab.evaluation.match_vectors import Encode
from visavis.language.english import with_article
from visavis.search.vocabulary import default_vocabulary
from visavis.types import Kind as Section

#: A noun is seen where captions speak of it: such a share of them, where any does.
_TOLD_SHARE = 0.36
#: Where so many captions of a photo have a noun, the photo shows it.
_SURE = 2
#: Nouns closer than this may be said of the same thing; photos with either are taken away.
_SYNONYMS = 0.75
_WORDS = re.compile("[a-z]+")
_LONGEST = 3


def said_nouns(photos: Photos, encode: Encode, *, fitting: bool) -> list[KnownClaim]:
    """Claims with half of the nouns, about half of the photos."""
    gallery, draw = photos.gallery, random.Random(11)
    ids = [number_of(key) for key in gallery.keys]
    nouns = sorted({term.phrase for term in default_vocabulary() if term.kind is Section.THING})
    stems = {_stem(noun): place for place, noun in enumerate(nouns)}
    anywhere, votes = (np.zeros((len(nouns), len(ids)), np.int8) for _ in range(2))
    spoken = np.zeros(len(ids))
    for at, id in enumerate(ids):
        anywhere[_found(photos.told.get(id, ""), stems), at] = 1
        spoken[at] = len(photos.captions.get(id, ()))
        for caption in photos.captions.get(id, ()):
            votes[_found(caption.lower(), stems), at] += 1
    told = [place for place in range(len(nouns)) if anywhere[place].any()]
    vectors = encode([nouns[place] for place in told])
    close, objects = vectors @ vectors.T > _SYNONYMS, set().union(*photos.objects.values())
    mine, none = halves(len(ids))[0 if fitting else 1], np.zeros(len(ids), bool)
    claims: list[KnownClaim] = []
    for row, place in enumerate(told):
        noun, share = nouns[place], votes[place].sum() / max(1.0, spoken[votes[place] > 0].sum())
        if _for_fitting(noun) != fitting or noun in objects or share < _TOLD_SHARE:
            continue
        related = np.asarray(anywhere[[told[other] for other in np.flatnonzero(close[row])]].max(axis=0) > 0)
        for among in (mine, mine[:400], mine[400:800], mine[800:900]):
            text = draw.choice(forms_of(noun))
            if np.any(votes[place, among] >= _SURE):
                claims.append(KnownClaim("noun", gallery, text, anywhere[place] > 0, among, unsure=True))
            gone = among[~related[among]]
            claims.append(KnownClaim("removed noun", gallery, text, none, gone))
            if draw.random() < 0.5:
                text = with_article(f"{draw.choice(COLOURS)} {noun}")
                claims.append(KnownClaim("absent pair", gallery, text, none, gone))
    return claims


def _for_fitting(noun: str) -> bool:
    return zlib.crc32(noun.encode()) % 2 == 0


def _stem(noun: str) -> str:
    """A noun without the ending of its plural."""
    return noun.removesuffix("s") if not noun.endswith("ss") else noun


def _found(text: str, stems: dict[str, int]) -> list[int]:
    """The places of the nouns in a text."""
    return sorted({stems[phrase] for phrase in _phrases(_WORDS.findall(text)) if phrase in stems})


def _phrases(words: list[str]) -> Iterable[str]:
    for at in range(len(words)):
        for end in range(at + 1, min(at + _LONGEST, len(words)) + 1):
            phrase = " ".join(words[at:end])
            yield from (_stem(phrase), phrase.removesuffix("es")) if phrase.endswith("es") else (_stem(phrase),)
