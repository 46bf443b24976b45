"""Says of which pictures of a collection a text is true, how likely, and how many there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property, partial
from threading import Lock

import numpy as np
from cachetools import FIFOCache

from visavis.encoders.builtin import available_cores
from visavis.search.captions import WrittenWords
from visavis.search.exclusion import best_probes
from visavis.search.probability import (
    MATCH,
    SHOWS,
    Distribution,
    MatchModel,
    Ordinary,
    best_places,
    best_regions,
    default_model,
    numbers_of,
    probability,
    words_in,
)
from visavis.search.reference import Reference
from visavis.search.vectors import PictureVectors, VectorSample, product, region_products
from visavis.stores.base import STATE, Query, Store
from visavis.types import FloatArray

#: Texts that are remembered: those of a few conversations.
_REMEMBERED = 256
#: Of the pictures nearest to a text, so many tell whether anything fits it.
_NEAREST = 10
#: What the log-odds of a thing count against those of a kind of it, and the least that must be left. Chosen on 29 kinds
#: in captions; of 32 others it leaves 89.5 % out instead of 92.0 %, and 19 % instead of 37 % of the other things.
_HEAD, _LEAD = 0.64, -1.2
#: From this probability on that anything fits it, what is added to a topic is believed to be there, unless what is
#: written about the pictures never speaks of it.
_BELIEVED = 0.02
#: By how much the line for what is avoided lies below that of a match, in log-odds.
_UNSURE = math.log(MATCH / (1 - MATCH)) - math.log(SHOWS / (1 - SHOWS))
#: Who avoids a thing has mostly seen it: where it seems not to be there, it is believed as if added to a topic, less
#: this. Of 43 things in captions, 81.5 % are left out instead of 76.2 %, and 3.5 % wrongly instead of 2.8 %; of things
#: that are not there, 2.8 % of the photos instead of 0.9 %.
_SEEN = 1.0
#: What is written about a picture, where it speaks for or against a text, in log-odds.
WRITTEN = 2.0
#: Where the line lies so much lower, in log-odds, a text is true of many pictures, of which few captions tell it.
_MANY = 0.5
#: By how much the line of a description in so many words or more is lower, in log-odds. It was fitted on captions, of
#: each of which only its own picture counts as true; others fit it as well. Not where all pictures are of one kind,
#: like a shop's: from the first deviation of general descriptions down none of it is left, from the second up all
#: (photos have 0.117, products 0.082).
_DESCRIBED, _FEWEST_WORDS, _ALIKE, _VARIED = 1.0, 3, 0.09, 0.11
_PHOTOS = 0.5
#: Where something is written about so large a share of the pictures, the words tell which ones a description fits.
_TOLD_OF = 0.5


@dataclass(frozen=True)
class JudgedText:
    """A text as a collection sees it.

    Attributes:
        text: The text.
        vector: Its vector, ``[d]``.
        distribution: How its scores spread over the sample.
        shift: Added to all log-odds, because something is there, or nothing is.
        present: How likely anything in the collection fits it.
        sample: The log-odds of the sampled pictures, ``[n]``.
        many: How much of the shift is there because it is true of many pictures.
        added: What is added to all log-odds besides where the text is added to a topic: the person has seen that some
            pictures of it are so, and that many are.
        silence: How much it counts against a picture that what is written about it does not speak of the text, from 0
            to 1.
    """

    text: str
    vector: FloatArray
    distribution: Distribution
    shift: float
    present: float
    sample: FloatArray
    many: float = 0.0
    added: float = 0.0
    silence: float = 1.0


@cache
def _pool() -> ThreadPoolExecutor | None:
    others = available_cores() - 1
    return ThreadPoolExecutor(others, thread_name_prefix="visavis-search") if others else None


class RegionCosines:
    """The cosines of a sample's regions with a text, computed on another core while pictures are looked for.

    It is the one part of a search that is worth another thread: long, and without Python, which runs on one core at a
    time. What no core has begun when it is needed is done by the thread that needs it.
    """

    def __init__(self, sample: VectorSample, vector: FloatArray) -> None:
        """Begin, where there is another core."""
        self._work = partial(sample.region_cosines, vector[None])
        pool = _pool()
        self._future = None if pool is None else pool.submit(self._work)

    def result(self) -> FloatArray:
        """The cosines, ``[n, r]``."""
        if self._future is None or self._future.cancel():
            return np.asarray(self._work()[0])
        return np.asarray(self._future.result()[0])


@dataclass(frozen=True)
class ReadPictures:
    """Pictures whose vectors and words were read once, to be judged by several texts.

    Attributes:
        ids: The pictures.
        sampled: The places among them of those in the sample, and their places in the sample.
        others: The places of the others; what follows is about these alone.
        whole: Their vectors, ``[n, d]``.
        regions: Those of their regions, ``[n, r, d]``.
        fit: How well the best general descriptions fit each, ``[n]``.
        words: What is written about them.
    """

    ids: tuple[str, ...]
    sampled: tuple[list[int], list[int]]
    others: list[int]
    whole: FloatArray
    regions: FloatArray
    fit: FloatArray
    words: WrittenWords

    def of(self, ids: Sequence[str]) -> ReadPictures:
        """The same of some of the pictures, without reading them again."""
        places = {id: at for at, id in enumerate(self.ids)}
        sampled, rows = dict(zip(*self.sampled, strict=True)), {at: row for row, at in enumerate(self.others)}
        chosen = [places[id] for id in ids]
        here = [at for at, place in enumerate(chosen) if place in sampled]
        others = [at for at, place in enumerate(chosen) if place in rows]
        picked = [rows[chosen[at]] for at in others]
        return ReadPictures(
            tuple(ids),
            (here, [sampled[chosen[at]] for at in here]),
            others,
            self.whole[picked],
            self.regions[picked],
            self.fit[picked],
            self.words.of([ids[at] for at in others]),
        )


class Judge:
    """Judges the pictures of one collection by texts. Safe to use from several threads."""

    def __init__(
        self,
        store: Store,
        sample: VectorSample,
        pictures: PictureVectors,
        probes: FloatArray,
        model: MatchModel | None = None,
        reference: Reference | None = None,
    ) -> None:
        """Get ready.

        Args:
            store: The pictures.
            sample: Some of them, or all.
            pictures: Reads their vectors.
            probes: The vectors of general descriptions, ``[p, d]``.
            model: The regression; the one that ships with the package when not given.
            reference: The reference pictures of the encoder that made the vectors, where there are any.
        """
        self._store = store
        self.sample = sample
        self._pictures = pictures
        self._probes = probes
        self.model = model or default_model("alone" if reference is None else "with reference")
        self._reference = reference
        self._known: FIFOCache[tuple[str, bytes], JudgedText] = FIFOCache(_REMEMBERED)
        self._lock = Lock()

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The places of the sampled pictures in the sample."""
        return {id: place for place, id in enumerate(self.sample.ids)}

    @cached_property
    def _ordinary(self) -> Ordinary:
        words = self.sample.whole @ self._probes.T
        if words.size < len(self._probes):
            return Ordinary(0.05, 0.1)
        return Ordinary(float(words.mean()), max(float(words.std()), 1e-3))

    @property
    def varied(self) -> bool:
        """Whether the pictures are of different kinds, like photos; a shop's are of one."""
        return self._variety >= _PHOTOS

    @cached_property
    def _variety(self) -> float:
        """How far the pictures are of different kinds, from 0 to 1."""
        return min(1.0, max(0.0, (self._ordinary.deviation - _ALIKE) / (_VARIED - _ALIKE)))

    @cached_property
    def _fit(self) -> FloatArray:
        """How well the best general descriptions fit each sampled picture."""
        return best_probes(self.sample.whole, self._probes) if len(self.sample) else np.zeros(0, np.float32)

    @cached_property
    def _written(self) -> WrittenWords:
        return WrittenWords(self._store, self.sample.ids)

    def begin(self, text: str, vector: FloatArray) -> Callable[[], JudgedText]:
        """Begin to judge a text, and return what gives the judgement."""
        with self._lock:
            known = (text, vector.tobytes()) in self._known
        return partial(self.text, text, vector, None if known else RegionCosines(self.sample, vector))

    def text(self, text: str, vector: FloatArray, begun: RegionCosines | None = None) -> JudgedText:
        """What there is to know of a text; measured once."""
        key = (text, vector.tobytes())
        with self._lock:
            found = self._known.get(key)
        if found is None:
            found = self._measure(text, vector, begun)
            with self._lock:
                self._known[key] = found
        return found

    def _measure(self, text: str, vector: FloatArray, begun: RegionCosines | None = None) -> JudgedText:
        sample = self.sample
        whole = product(sample.whole, vector)
        parts = sample.region_cosines(vector[None])[0] if begun is None else begun.result()
        parts = best_regions(parts) if len(sample) else np.zeros(0, np.float32)
        spread = Distribution.measure(whole, parts, self._ordinary)
        words = words_in(text)
        numbers = numbers_of(whole, parts, self._fit, spread, self._ordinary, words)
        near = self._near(vector)
        read = self._pictures.both(near)
        best = self._numbers(*read, self._fits(read[0]), vector, spread, words)
        everything = np.concatenate([numbers, best])
        chances = self.model.logits(everything)
        standing = self._standing(vector, chances, read, (whole, parts))
        size = max(len(sample), self._store.count())
        present, lines = self.model.present(everything, size, vector, standing, len(sample))
        if words >= math.log(_FEWEST_WORDS) and self._written.share < _TOLD_OF:
            lines = lines.lower(_DESCRIBED * self._variety)
        highest = float(chances.max(initial=-30.0))
        logits, others = chances[: len(sample)], chances[len(sample) :]
        silence, unheard = 1.0, False
        if self._written:
            votes = self._written.spoken_for(text)
            unheard = bool((votes < 0).any()) and not (votes > 0).any()
            if lines.added < lines.usual - _MANY:
                silence = _silence(votes, probability(logits - lines.alone))
            logits = logits + _written_odds(votes, silence)
            others = others + _written_odds(WrittenWords(self._store, near).spoken_for(text), silence)
        told = float(max(logits.max(initial=-30.0), others.max(initial=-30.0)))
        shift = self.model.shift(highest, present, lines.alone, told)
        many = shift - self.model.shift(highest, present, lines.usual, told)
        believed = 1.0 if self._reference is not None and present >= _BELIEVED and not unheard else present
        added = self.model.shift(highest, believed, lines.added, told) - shift
        sampled = np.asarray(logits + np.float32(shift), np.float32)
        return JudgedText(text, vector, spread, shift, present, sampled, many, added, silence)

    def _near(self, vector: FloatArray) -> list[str]:
        """The nearest pictures that are not in the sample, as far as a search shows them by default."""
        found = [hit.id for hit in self._store.query(Query(vector[None], limit=_NEAREST)) if hit.id not in self.places]
        payloads = self._store.payloads(found) if found else {}
        return [id for id in found if STATE not in payloads.get(id, {})]

    def _standing(
        self,
        vector: FloatArray,
        chances: FloatArray,
        read: tuple[FloatArray, FloatArray],
        scores: tuple[FloatArray, FloatArray],
    ) -> FloatArray | None:
        """How a text stands to reference pictures, by its best pictures among the sampled and the read ones."""
        if self._reference is None or not len(chances):
            return None
        sample = self.sample
        sources = (
            (sample.whole[at], sample.regions[at])
            if at < len(sample)
            else (read[0][at - len(sample)], read[1][at - len(sample)])
            for at in best_places(chances).tolist()
        )
        found = [(whole, regions[product(regions, vector).argmax()]) for whole, regions in sources]
        whole, regions = (np.stack(part) for part in zip(*found, strict=True))
        if len(read[0]):
            more = product(read[0], vector), best_regions(region_products(read[1], vector[None])[..., 0])
            scores = np.concatenate([scores[0], more[0]]), np.concatenate([scores[1], more[1]])
        return self._reference.numbers(vector, whole, regions, scores)

    def _fits(self, whole: FloatArray) -> FloatArray:
        return best_probes(whole, self._probes) if len(whole) else np.zeros(0, np.float32)

    def _numbers(
        self,
        whole: FloatArray,
        regions: FloatArray,
        fit: FloatArray,
        vector: FloatArray,
        spread: Distribution,
        words: float,
    ) -> FloatArray:
        scores = product(whole, vector)
        parts = best_regions(region_products(regions, vector[None])[..., 0])
        return numbers_of(scores, parts, fit, spread, self._ordinary, words)

    def read(self, ids: Sequence[str]) -> ReadPictures:
        """Read what judging pictures needs."""
        places = [self.places.get(id) for id in ids]
        here = [at for at, place in enumerate(places) if place is not None]
        others = [at for at, place in enumerate(places) if place is None]
        rest = [ids[at] for at in others]
        whole, regions = self._pictures.both(rest)
        there = [place for place in places if place is not None]
        words = WrittenWords(self._store, rest)
        return ReadPictures(tuple(ids), (here, there), others, whole, regions, self._fits(whole), words)

    def logits(self, judged: JudgedText, pictures: ReadPictures) -> FloatArray:
        """The log-odds that a text is true of each picture, ``[n]``."""
        made = np.empty(len(pictures.ids), np.float32)
        here, there = pictures.sampled
        made[here] = judged.sample[there]
        if pictures.others:
            seen = pictures.whole, pictures.regions, pictures.fit
            numbers = self._numbers(*seen, judged.vector, judged.distribution, words_in(judged.text))
            logits = self.model.logits(numbers) + judged.shift
            if pictures.words:
                logits = logits + _written_odds(pictures.words.spoken_for(judged.text), judged.silence)
            made[pictures.others] = logits
        return made

    def _lowered(self, thing: JudgedText, most: float) -> float:
        """What is added to the log-odds of what is avoided; at most so much less because it is true of many."""
        seen = max(0.0, thing.added - _SEEN) if thing.present < self.model.lines[1] else 0.0
        return seen - min(thing.many, most)

    def showing(self, things: Sequence[JudgedText], ids: Sequence[str], head: JudgedText | None = None) -> FloatArray:
        """The probability that a picture shows any of several things that stand for one, ``[n]``.

        Args:
            things: What stands for the one.
            ids: The pictures.
            head: The thing that it is a kind of ("a train", of "steam trains"): pictures that show the thing rather
                than this kind of it do not show it.
        """
        read = self.read(ids)
        # The line for what is avoided is lower than that of a match, and lies where a thing, which is rare, is shown.
        most = np.inf if len(things) > 1 else _UNSURE
        logits = np.max([self.logits(thing, read) + self._lowered(thing, most) for thing in things], axis=0)
        chances = probability(logits)
        if head is None:
            return chances
        return np.where(logits - _HEAD * self.logits(head, read) > _LEAD, chances, np.float32(0))


def _silence(votes: FloatArray, seen: FloatArray) -> float:
    """How much it counts against a picture that its captions do not mention a text, from 0 to 1.

    Captions name the dog, and seldom that it is outside. If a share ``m`` of them speaks of what by its look is true of
    a share ``p``, a true one is silent in ``1 - m / p`` of the cases.

    Args:
        votes: How far what is written bears out the text, ``[n]``.
        seen: How likely the text is true of each picture by its look, ``[n]``.
    """
    described = votes != 0
    told = float((votes[described] > 0).mean()) if described.any() else 0.0
    if not told:  # what nobody speaks of, "a green elephant", is hardly there
        return 1.0
    share = max(told, float(seen[described].mean()))
    return min(1.0, -math.log1p(-min(told / share, 0.99)) / WRITTEN)


def _written_odds(votes: FloatArray, silence: float) -> FloatArray:
    return np.asarray(WRITTEN * np.where(votes > 0, votes, silence * votes), np.float32)
