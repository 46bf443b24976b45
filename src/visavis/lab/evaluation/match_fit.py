"""Fits the match probability and measures how far it can be trusted."""

from __future__ import annotations

import math
import random
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis.lab.evaluation.match_data import (
    COLOURS,
    Kind,
    KnownClaim,
    Photos,
    caption_pairs,
    drawn_claims,
    foreign_claims,
    forms_of,
    halves,
    noun_claims,
    number_of,
    photo_claims,
    product_claims,
    product_titles,
)
from visavis.lab.evaluation.match_properties import property_claims
from visavis.lab.evaluation.match_vectors import Encode, MatchVectors
from visavis.lab.evaluation.presence_fit import KnownText, fit_presence
from visavis.language.english import with_article
from visavis.search.probability import (
    MatchModel,
    best_places,
    numbers_of,
    presence_numbers,
    probability,
    score_groups,
    words_in,
)
from visavis.search.vocabulary import default_vocabulary
from visavis.types import FloatArray
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


Floats = NDArray[np.float64]
#: How much each kind of claim counts in the fit of the pictures' probability, and of that without a reference.
_MIX = {"object": 2.0, "phrase": 0.2, "caption": 0.5, "attribute": 0.6, "pair": 0.4, "title": 0.2, "drawn": 1.0}
_MIX_ALONE = _MIX | {
    "object": 1.0,
    "absent object": 0.15,
    "absent phrase": 0.05,
    "absent caption": 0.05,
    "absent noun": 0.1,
    "absent attribute": 0.05,
    "absent drawn": 0.05,
    "foreign": 0.1,
}
#: Kinds of claims whose true pictures are all known.
_COUNTED = ("object", "attribute", "pair", "drawn", "title")
#: Kinds of claims that tell what share of the pictures they are true of.
_SHARED = ("object", "attribute", "drawn", "property")
#: Kinds of claims that are true of few pictures.
_SELDOM = ("caption", "title", "pair", "phrase", "noun")
#: Kinds of claims by the form of their texts: what is there and what is not are weighed against each other in each.
_FORMS: dict[Kind, str] = {
    **dict.fromkeys(("object", "noun", "attribute", "drawn", "absent object", "absent noun"), "noun"),
    **dict.fromkeys(("removed noun", "absent attribute", "absent drawn"), "noun"),
    **dict.fromkeys(("phrase", "pair", "absent phrase", "absent pair", "property", "absent property"), "phrase"),
    **dict.fromkeys(("caption", "title", "absent caption", "absent title", "foreign"), "sentence"),
}
#: An object of which so few pictures of so few show something is too small to tell.
_TINY = (2, 100)
#: Of each claim, so many of the highest are looked at and so many others, which stand for all others.
_HIGHEST, _OTHERS = 80, 120
#: Of a caption, so many of the highest pictures may be true as well.
_UNSURE = 10


@dataclass
class NumberedClaim:
    """A claim with the numbers of every picture of its collection, ``[n, NUMBERS]``."""

    claim: KnownClaim
    numbers: FloatArray
    vectors: MatchVectors

    @property
    def truth(self) -> NDArray[np.bool_]:
        """Of which pictures of the collection it is true."""
        return self.claim.truth[self.claim.among]

    def standing(self, logits: FloatArray) -> FloatArray:
        """How the text stands to the reference, by its best pictures."""
        gallery, vector = self.claim.gallery, self.vectors.encode([self.claim.text])[0]
        best = self.claim.among[best_places(logits)]
        regions = gallery.regions[best].astype(np.float32)
        first = (regions @ vector).argmax(axis=1)
        whole, parts = (part[self.claim.among] for part in gallery.scores[self.claim.text])
        near = regions[np.arange(len(best)), first]
        return self.vectors.reference.numbers(vector, gallery.whole[best], near, (whole, parts))


def numbered(vectors: MatchVectors, claims: Sequence[KnownClaim]) -> list[NumberedClaim]:
    """Work out the numbers of claims."""
    for gallery in (vectors.photos, vectors.products, vectors.drawn):
        gallery.score([claim.text for claim in claims if claim.gallery is gallery], vectors.encode)
    made = []
    for claim in claims:
        (whole, parts), at, gallery = claim.gallery.scores[claim.text], claim.among, claim.gallery
        words = words_in(claim.text)
        numbers = numbers_of(whole[at], parts[at], gallery.fit[at], claim.distribution(), gallery.ordinary, words)
        made.append(NumberedClaim(claim, numbers, vectors))
    return made


def fit(claims: Sequence[NumberedClaim], encoder: str, *, referenced: bool) -> MatchModel:
    """Fit both regressions, with or without the reference.

    With it, whether anything fits is told so well that the probability of a picture is fitted on texts that fit some.
    """
    chance, mix = np.random.default_rng(4), _MIX if referenced else _MIX_ALONE
    sizes: dict[str, int] = defaultdict(int)
    for one in claims:
        sizes[one.claim.kind] += 1
    rows, truths, weights = [], [], []
    for one in claims:
        numbers, truth = one.numbers, one.truth
        if one.claim.kind not in mix or (referenced and not truth.any()):
            continue
        weight = np.zeros(len(truth))
        order = np.argsort(-numbers[:, 2])
        others = chance.permutation(order[_HIGHEST:])[:_OTHERS]
        weight[others] = max(1.0, (len(truth) - _HIGHEST) / max(1, len(others)))
        weight[order[:_HIGHEST]] = 1.0
        if one.claim.unsure:
            weight[order[:_UNSURE]] = 0.0
        weight[truth] = 1.0
        chosen = weight > 0
        rows.append(numbers[chosen])
        truths.append(truth[chosen])
        weights.append(weight[chosen] * mix[one.claim.kind] / sizes[one.claim.kind])
    weight = np.concatenate(weights)
    solved = _logistic(
        np.concatenate(rows).astype(float), np.concatenate(truths).astype(float), weight * len(weight) / weight.sum()
    )
    model = MatchModel(float(solved[0]), tuple(map(float, solved[1:])), encoder=encoder)
    model = _fit_presence(model, claims)
    if not referenced:
        return model
    return replace(model, referenced=fit_presence([_known_text(model, one) for one in claims if not _too_small(one)]))


def _known_text(model: MatchModel, one: NumberedClaim) -> KnownText:
    """What is known of a text, for the fit of presence and of the line from which on a picture matches."""
    logits, truth, claim = model.logits(one.numbers), one.truth, one.claim
    numbers = presence_numbers(logits, one.numbers, len(logits), one.standing(logits))
    world = claim.gallery.keys[0].partition(":")[0]
    group = (world, _FORMS[claim.kind], round(math.log(len(truth)) / math.log(5)) if world == "coco" else 0)
    vector = one.vectors.encode([claim.text])[0]
    number = int(truth.sum()) if claim.kind in _COUNTED else 0
    ordered = -np.sort(-logits)
    cut = float(ordered[number - 1 : number + 1].mean()) if number else 0.0 if claim.kind == "caption" else None
    share = float(truth.mean()) if claim.kind in _SHARED else 0.0 if claim.kind in _SELDOM else None
    groups = score_groups(logits, one.numbers)
    return KnownText(claim.text, claim.kind, group, bool(truth.any()), numbers, vector, cut, share, groups)


def _too_small(one: NumberedClaim) -> bool:
    few, size = _TINY
    return one.claim.kind == "object" and one.truth.sum() <= few and len(one.truth) <= size


def _fit_presence(model: MatchModel, claims: Sequence[NumberedClaim]) -> MatchModel:
    """Fit whether anything fits, by the collection alone."""
    rows = [presence_numbers(model.logits(one.numbers), one.numbers, len(one.numbers)) for one in claims]
    solved = _logistic(np.stack(rows).astype(float), *_balanced(claims))
    return replace(model, presence_bias=float(solved[0]), presence=tuple(map(float, solved[1:])))


def _balanced(claims: Sequence[NumberedClaim]) -> tuple[Floats, Floats]:
    """Whether anything is true, and weights: kinds of texts count the same, and so do what is there and what is not."""
    truth = np.array([one.truth.any() for one in claims], float)
    kinds = Counter((one.claim.kind, bool(there)) for one, there in zip(claims, truth, strict=True))
    weight = np.array([1 / kinds[one.claim.kind, bool(there)] for one, there in zip(claims, truth, strict=True)])
    weight /= np.where(truth > 0, weight[truth > 0].sum(), weight[truth == 0].sum())
    return truth, weight * len(weight) / 2


def decided(model: MatchModel, one: NumberedClaim, *, avoided: bool = False) -> Floats:
    """The probabilities of a claim as a search tells them, or as they are where one of several things is avoided."""
    logits = model.logits(one.numbers)
    standing = one.standing(logits) if model.referenced is not None else None
    vector = one.vectors.encode([one.claim.text])[0]
    present, lines = model.present(one.numbers, len(logits), vector, standing)
    shift = model.shift(float(logits.max()), present, lines.usual if avoided else lines.alone)
    return probability(logits + shift).astype(float)


def _logistic(rows: Floats, truth: Floats, weight: Floats, ridge: float = 3.0) -> Floats:
    """Newton's method on standardised numbers."""
    mean = np.average(rows, axis=0, weights=weight)
    deviation = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weight)) + 1e-9
    design = np.hstack([np.ones((len(rows), 1)), (rows - mean) / deviation])
    penalty = ridge * np.eye(design.shape[1])
    penalty[0, 0] = 0.0
    solved = np.zeros(design.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(design @ solved, -30, 30)))
        slope = design.T @ (weight * (truth - chance)) - penalty @ solved
        curve = (design * (weight * chance * (1 - chance))[:, None]).T @ design + penalty
        step = np.linalg.solve(curve, slope)
        solved = solved + step
        if np.abs(step).max() < 1e-6:
            break
    scaled = solved[1:] / deviation
    return np.asarray(np.r_[solved[0] - (mean * scaled).sum(), scaled])


def _fit_together(model: MatchModel, claims: Sequence[NumberedClaim]) -> MatchModel:
    """Choose how far several texts about one picture are independent, by pairs of captions of one picture."""
    known = []
    for one, other in zip(claims[::2], claims[1::2], strict=True):
        each = np.stack([decided(model, claim) for claim in (one, other)], axis=1).astype(np.float32)
        order = np.argsort(-each.sum(axis=1))[:50]
        known.append((each[order], one.truth[order]))

    def loss(together: float) -> float:
        trial = replace(model, together=together)
        made = [(np.clip(trial.joint(each), 1e-4, 1 - 1e-4), truth) for each, truth in known]
        return float(np.mean([-np.where(truth, np.log(p), np.log(1 - p)).mean() for p, truth in made]))

    return replace(model, together=float(min(np.arange(0.0, 1.01, 0.05), key=loss)))


def claims_of(vectors: MatchVectors, data: Path, elsewhere: Sequence[str], *, fitting: bool) -> list[NumberedClaim]:
    """The claims of one half."""
    photos, styles = Photos.read(vectors.photos, data / "coco"), data / "products/styles.csv"
    made = photo_claims(photos, fitting=fitting)
    made += product_claims(vectors.products, styles, fitting=fitting)
    made += drawn_claims(vectors.drawn, fitting=fitting)
    made += noun_claims(vectors, photos, product_titles(vectors.products, styles), fitting=fitting)
    made += foreign_claims(vectors, made, elsewhere, fitting=fitting)
    made += said_nouns(photos, vectors.encode, fitting=fitting)
    made += property_claims(photos, fitting=fitting)
    made = [claim for claim in made if len(claim.among)]
    return numbered(vectors, made)


def fit_both(vectors: MatchVectors, data: Path, elsewhere: Sequence[str]) -> dict[str, MatchModel]:
    """Fit the regression that looks at the collection alone, and the one with the reference."""
    claims = claims_of(vectors, data, elsewhere, fitting=True)
    pairs = numbered(vectors, caption_pairs(Photos.read(vectors.photos, data / "coco")))
    encoder = vectors.reference.encoder
    return {
        part: _fit_together(fit(claims, encoder, referenced=part != "alone"), pairs)
        for part in ("alone", "with reference")
    }
