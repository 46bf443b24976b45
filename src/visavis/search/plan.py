"""From wishes to a plan: everything that the store and the later stages need to rank by them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from visavis.conversation.brief import condition
from visavis.language.relative import directions
from visavis.search.answers import Evidence, claim_of
from visavis.search.phrases import (
    SecondStage,
    alternatives,
    joined_blocks,
    one_thing,
    value_direction,
    values_of,
    wanted_vector,
)
from visavis.search.request import SearchRequest
from visavis.search.vectors import RegionScale, Scale, Scales, TextVectors, VectorSample, product
from visavis.stores.base import VectorName
from visavis.stores.filters import All, Filter, HasId, Not
from visavis.types import FloatArray, Wish, WishKind


@dataclass(frozen=True)
class ScorePart:
    """One direction that pictures are judged by.

    Attributes:
        wish: The place of its wish in the request.
        kind: The kind of its wish.
        label: The wish in words.
        vector: ``[d]``, unit length.
        weight: What one spread along the vector is worth, against one of the wanted words; negative pushes away.
            Nothing for a single wanted text: the joined text speaks for all of them.
        scale: What is ordinary for whole pictures.
        region_scale: What is ordinary for best regions, for words; None for anything else.
        start: For a relative wish: where on the vector the reference picture lies.
        phrases: For words that name several things: each of them, as a part of its own.
    """

    wish: int
    kind: WishKind
    label: str
    vector: FloatArray
    weight: float
    scale: Scale
    region_scale: Scale | None = None
    start: float | None = None
    phrases: tuple[ScorePart, ...] = ()

    def above(self, whole: FloatArray) -> FloatArray:
        """How many spreads pictures lie above the ordinary, or beyond the reference."""
        scores = product(whole, self.vector)
        if self.start is None:
            return self.scale.above(scores)
        return np.asarray((scores - self.start) / self.scale.spread, np.float32)


@dataclass(frozen=True)
class WishWeights:
    """What one spread of a wish is worth against one spread of the wanted words (docs/search.md has the trials).

    Attributes:
        like: A liked picture.
        unlike: A disliked picture.
        keep: A kept aspect.
        relative: A relative change.
        reference: Resembling the picture that the newest relative change starts from.
        avoid: What is avoided, in the first stage; pictures that clearly show it are left out altogether.
        short: What each spread that a picture lacks to lie beyond the reference costs, in spreads.
        beyond: How many spreads beyond the reference a relative change should lead.
        before: The share of what was wanted before the newest turn, besides its part in the whole.
        written: A description that is borne out by what is written about the picture.
        rare: Rare words of a description that are written about the picture, all of them.
    """

    like: float = 0.8
    unlike: float = 0.4
    keep: float = 0.25
    relative: float = 0.6
    reference: float = 0.5
    avoid: float = 0.25
    short: float = 0.5
    beyond: float = 0.3
    before: float = 0.25
    written: float = 1.0
    rare: float = 2.0


DEFAULT_WEIGHTS = WishWeights()

_Numbered = list[tuple[int, Wish]]
_Wanted = list[tuple[int, str, Wish]]  # places, words and wishes of what is wanted

#: From so many spreads above the ordinary on a picture fits what was said, when they are sorted by something else.
_FITTING = 1.0


class VectorSource(Protocol):
    """Where the vectors of pictures that wishes point at come from: a store is one."""

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """The vectors of the pictures that exist."""


@dataclass(frozen=True)
class Plan:
    """How to rank.

    Attributes:
        parts: What pictures are judged by, in the order of the wishes.
        vectors: ``[n, d]``: the query of the first stage; none when there is nothing to rank by.
        weights: One a vector.
        states: ``[m, d]``: what the second stage looks for in the regions; None for no second stage.
        state_scales: What is ordinary for each of them.
        unit: What one spread of the wanted words is worth in the score.
        filter: The conditions, those of the request included.
        avoided: What must not be shown.
        order: The attribute to sort by and whether the largest comes first, or None.
        evidence: Answers to closed questions, which make pictures more or less likely.
    """

    parts: tuple[ScorePart, ...]
    vectors: FloatArray
    weights: tuple[float, ...]
    states: FloatArray | None
    state_scales: tuple[RegionScale, ...]
    unit: float
    filter: Filter | None
    avoided: tuple[str, ...]
    order: tuple[str, bool] | None
    evidence: tuple[Evidence, ...] = ()

    @property
    def vector(self) -> FloatArray:
        """The query of the first stage as one vector: scores are sums of cosines, and sums are linear."""
        return np.asarray(np.asarray(self.weights, np.float32) @ self.vectors, np.float32)

    @property
    def changes(self) -> tuple[ScorePart, ...]:
        """The parts that lead away from a reference picture."""
        return tuple(part for part in self.parts if part.start is not None)

    def shortfall(self, whole: FloatArray, weights: WishWeights) -> FloatArray:
        """What pictures lose that do not lie beyond the reference pictures of the changes, in the score's unit."""
        lost = np.zeros(len(whole), np.float32)
        for part in self.changes:
            lacking = np.maximum(0.0, weights.beyond - part.above(whole))
            lost += self.unit * weights.short * part.weight * lacking
        return lost


class Planner:
    """Makes plans for one collection."""

    def __init__(
        self,
        texts: TextVectors,
        store: VectorSource,
        sample: VectorSample,
        weights: WishWeights = DEFAULT_WEIGHTS,
        second: SecondStage | None = None,
    ) -> None:
        self._second = second or SecondStage()
        self._texts = texts
        self._store = store
        self._sample = sample
        self._scales = Scales(sample)
        self._weights = weights

    def plan(self, request: SearchRequest) -> Plan:
        """Work out how to rank; wishes that are switched off, weigh nothing or point at lost pictures do nothing."""
        wishes = [(at, wish) for at, wish in enumerate(request.wishes) if wish.active and wish.weight > 0]
        named = sorted(set(_pictures(wishes)) - request.vectors.keys())
        pictures = (self._store.vectors(named) if named else {}) | dict(request.vectors)
        wants = [(at, text, wish) for at, wish in wishes if (text := _wanted(wish, pictures))]
        self._encode_at_once(wishes, wants)
        parts = [self._word(at, wish, text) for at, text, wish in wants]
        parts += self._others(wishes, pictures)
        vectors, weights, unit = self._first_stage(self._all_wanted(wants), parts)
        states = self._second.states([text for _, text, _ in wants], self._texts)
        avoids = [wish for _, wish in wishes if wish.kind == "avoid" and not _is_answer(wish)]
        return Plan(
            tuple(sorted(parts, key=lambda part: part.wish)),
            vectors,
            weights,
            states,
            () if states is None else tuple(map(self._scales.regions, states)),
            unit,
            _conditions(request, wishes),
            tuple(dict.fromkeys(way for wish in avoids for way in alternatives(wish.text))),
            next(((w.attribute, w.text == "descending") for _, w in reversed(wishes) if w.kind == "sort"), None),
            tuple(self._evidence(wish, len(wants)) for _, wish in wishes if _is_answer(wish)),
        )

    def fitting(self, plan: Plan, count: int) -> int:
        """About how many of so many pictures a plan's query fits, by the sample."""
        if not len(self._sample):
            return count
        scores = self._sample.whole_scores(plan.vector)
        middle, spread = float(np.median(scores)), float(scores.std())
        return int(count * float((scores > middle + _FITTING * spread).mean()))

    def _all_wanted(self, wants: _Wanted) -> FloatArray | None:
        """All that is wanted as one vector; what was said before the newest turn counts a little by itself as well.

        One message that pictures cannot show ("for fall") turns the whole text away from what was found already.
        """
        if not wants:
            return None
        vector, share, before = wanted_vector(_weighed(wants), self._texts), self._weights.before, _before(wants)
        if not (before and share):
            return vector
        steadied = (1 - share) * vector + share * wanted_vector(_weighed(before), self._texts)
        return np.asarray(steadied / max(float(np.linalg.norm(steadied)), 1e-6), np.float32)

    def _encode_at_once(self, wishes: _Numbered, wants: _Wanted) -> None:
        """Ask for every text in one call, so that the encoder can use all cores; later calls find them known.

        Those that become parts or states get their scales at once, too.
        """
        said, before = [text for _, text, _ in wants], [text for _, text, _ in _before(wants)]
        parts = [*(self._second.named(text) for text in said), *self._second.phrases(said)]
        others = [(wish, text) for _, wish in wishes for text in _texts_of(wish) if text]
        parts += [text for wish, text in others if wish.kind == "avoid" or _is_answer(wish)]
        every = [*joined_blocks(said), *joined_blocks(before), *parts, *(text for _, text in others)]
        texts = list(dict.fromkeys(every))
        vectors = dict(zip(texts, self._texts(texts), strict=True))
        self._scales.measure([vectors[text] for text in dict.fromkeys(parts)])

    def _evidence(self, wish: Wish, descriptions: int) -> Evidence:
        """An answer; it partly repeats what was described, and the more was, the less it adds."""
        claim = claim_of(wish.text)
        weight = wish.weight / max(descriptions, 1)
        return Evidence(claim, self._texts([claim.prompt])[0], wish.kind == "want", weight)

    # -- the parts ---------------------------------------------------------------------------------

    def _word(self, at: int, wish: Wish, text: str) -> ScorePart:
        part = self._part(at, wish, self._texts([self._second.named(text)])[0], 0.0, words=True)
        phrases = self._second.phrases([text])
        if len(phrases) < 2:
            return part
        named = tuple(self._part(at, wish, vector, 0.0, words=True) for vector in self._texts(phrases))
        return replace(part, phrases=named)

    def _others(self, wishes: _Numbered, pictures: dict[str, FloatArray]) -> list[ScorePart]:
        parts: list[ScorePart] = []
        newest = max((at for at, w in wishes if w.kind == "relative" and w.reference in pictures), default=-1)
        for at, wish in wishes:
            if _is_answer(wish):
                vector = self._texts([claim_of(wish.text).prompt])[0]
                parts.append(self._part(at, wish, vector, 0.0, words=True))
                continue
            match wish.kind:
                case "like" | "unlike" if wish.picture in pictures:
                    weight = self._weights.like if wish.kind == "like" else -self._weights.unlike
                    parts.append(self._part(at, wish, pictures[wish.picture], weight))
                case "keep" if wish.picture in pictures:
                    parts.append(self._kept(at, wish, pictures[wish.picture]))
                case "avoid":
                    vector = self._texts([wish.text])[0]
                    parts.append(self._part(at, wish, vector, -self._weights.avoid, words=True))
                case "relative" if wish.reference in pictures:
                    parts += self._relative(at, wish, pictures[wish.reference], resemble=at == newest)
        return parts

    def _kept(self, at: int, wish: Wish, picture: FloatArray) -> ScorePart:
        """An aspect of a picture: the direction of its value, or, where the aspect is unknown, what it looks like."""
        direction = value_direction(picture, wish.attribute, self._texts, self._sample)
        if direction is None:
            direction = self._closest_region(wish, picture)
        return self._part(at, wish, direction, self._weights.keep, words=False)

    def _closest_region(self, wish: Wish, picture: FloatArray) -> FloatArray:
        assert wish.picture is not None
        regions = self._store.vectors([wish.picture], "regions").get(wish.picture)
        if regions is None or not wish.attribute:
            return picture
        return np.asarray(regions[int(np.argmax(regions @ self._texts([wish.attribute])[0]))], np.float32)

    def _relative(self, at: int, wish: Wish, reference: FloatArray, *, resemble: bool) -> Iterator[ScorePart]:
        for toward, away in directions(wish.text):
            vectors = self._texts([toward, away] if away else [toward])
            direction = vectors[0] - vectors[1] if away else vectors[0]
            length = float(np.linalg.norm(direction))
            if length > 1e-6:
                vector = np.asarray(direction / length, np.float32)
                yield self._part(at, wish, vector, self._weights.relative, start=float(reference @ vector))
        if resemble:
            yield self._part(at, wish, reference, self._weights.reference)

    def _part(
        self,
        at: int,
        wish: Wish,
        vector: FloatArray,
        weight: float,
        *,
        words: bool = False,
        start: float | None = None,
    ) -> ScorePart:
        scale = self._scales.whole(vector, words=words)
        regional = self._scales.regions(vector) if words else None
        return ScorePart(at, wish.kind, wish.label, vector, weight * wish.weight, scale, regional, start)

    # -- the query ---------------------------------------------------------------------------------

    def _first_stage(
        self, wanted: FloatArray | None, parts: Sequence[ScorePart]
    ) -> tuple[FloatArray, tuple[float, ...], float]:
        """Weigh every part so that one spread of it counts what it should against one spread of the words.

        Pictures resemble each other far more than words resemble pictures: a plain sum would follow the pictures.
        """
        counted = [part for part in parts if part.weight]
        if wanted is None and not counted:
            return np.zeros((0, self._texts.dimension), np.float32), (), 1.0
        if wanted is None:
            unit = counted[0].scale.spread
            vectors, weights = [], []
        else:
            unit = self._scales.spread(wanted)
            vectors, weights = [wanted], [1.0]
        vectors += [part.vector for part in counted]
        weights += [part.weight * unit / part.scale.spread for part in counted]
        return np.stack(vectors), tuple(weights), unit


def _pictures(wishes: _Numbered) -> Iterator[str]:
    for _, wish in wishes:
        if wish.kind in ("like", "unlike", "keep") and wish.picture:
            yield wish.picture
        elif wish.kind == "relative" and wish.reference:
            yield wish.reference


def _weighed(wants: _Wanted) -> list[tuple[str, float]]:
    return [(text, wish.weight) for _, text, wish in wants]


def _before(wants: _Wanted) -> _Wanted:
    """What was wanted before the newest turn that wanted something."""
    newest = max((wish.turn for _, _, wish in wants), default=0)
    return [want for want in wants if want[2].turn < newest]


def _wanted(wish: Wish, pictures: dict[str, FloatArray]) -> str:
    """The words that a wish adds to what is wanted; a change without a picture to start from is a description."""
    if _is_answer(wish):
        return ""
    if wish.kind == "want":
        return one_thing(wish.text)
    if wish.kind == "relative" and wish.reference not in pictures:
        return ", ".join(toward for toward, _ in directions(wish.text))
    return ""


def _is_answer(wish: Wish) -> bool:
    """Whether a wish is the answer to a closed question."""
    return wish.kind in ("want", "avoid") and wish.answer


def _texts_of(wish: Wish) -> Sequence[str]:
    if _is_answer(wish):
        return (claim_of(wish.text).prompt,)
    match wish.kind:
        case "avoid":
            return (wish.text,)
        case "relative":
            return tuple(text for pair in directions(wish.text) for text in pair)
        case "keep":
            return values_of(wish.attribute) or (wish.attribute,)
        case _:
            return ()


def _conditions(request: SearchRequest, wishes: _Numbered) -> Filter | None:
    conditions = [found for _, wish in wishes if (found := condition(wish)) is not None]
    if request.conditions is not None:
        conditions.append(request.conditions)
    gone = request.without | {wish.picture for _, wish in wishes if wish.kind == "unlike" and wish.picture}
    if gone:
        conditions.append(Not(HasId(tuple(sorted(gone)))))
    if len(conditions) == 1:
        return conditions[0]
    return All(tuple(conditions)) if conditions else None


def neutral(dimension: int) -> tuple[FloatArray, tuple[float, ...]]:
    """A query without a direction: every picture scores nothing."""
    vector = np.zeros((2, dimension), np.float32)
    vector[:, 0] = 1.0
    return vector, (1.0, -1.0)
