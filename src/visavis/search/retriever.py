"""The training-free retriever: every wish is a direction, a condition or an exclusion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.base import Encoder
from visavis.pictures.looks import Measures
from visavis.search.answers import log_chances
from visavis.search.captions import Mentions, WrittenWords, can_be_written, kinds_of
from visavis.search.exclusion import Calibration, Exclusion, probe_texts
from visavis.search.judge import Judge
from visavis.search.match_set import MatchSet
from visavis.search.phrases import SecondStage
from visavis.search.plan import DEFAULT_WEIGHTS, Plan, Planner, WishWeights, neutral
from visavis.search.probability import MATCH, SHOWS, MatchModel
from visavis.search.reference import reference_for
from visavis.search.request import CERTAINTY, RankedResults, Retriever, SearchRequest
from visavis.search.results import first_values, fold, followed_by, in_order, reasons, sinking, with_change, with_lines
from visavis.search.values import ValueSearch
from visavis.search.vectors import TextVectors, VectorSample, pictures_of, product
from visavis.search.words import MOST_NAMED, WordMatches, WordSearch, WordSource, by_words, first_held
from visavis.stores.base import Hit, Query, Store
from visavis.stores.filters import All, HasId
from visavis.types import FloatArray, Reason, Result, Wish

#: From what is avoided to what tells whether a picture shows it.
Excluding = Callable[[tuple[str, ...]], Exclusion]
#: A hit that is shown, with the ids of near-duplicates that are not.
_Shown = tuple[Hit, tuple[str, ...]]

#: Hits looked at for each result asked for, because some are left out or sink; more where something is avoided.
_SPARE, _SPARE_AVOIDING = 2, 3
#: So many are looked at in any case: as many as a question needs, so that asking one does not change the ranking.
_FETCHED = 60
#: Hits that are put in order where the person asked for an order: so many at least, so many at most.
_SORTED, _MOST_SORTED = 200, 5000
#: Spreads by which what is avoided sinks where nearly all that matches shows it.
_LOWERED = 4.0
#: So many of the first are judged in any case: as many as are fetched.
_JUDGED = 60
#: Before sorting, so many are judged.
_FITTED = 1000
#: The share of a collection that may come or go before it is sampled again.
_GROWTH = 0.2
#: Hits that answers to questions put in another order.
_ANSWERED = 100
#: Hits whose written words are read.
_READ = 100
#: The fewest new hits that are worth another, larger query when too many were left out.
_MOST_HITS = 20_000


class ComposedRetriever(Retriever):
    """Ranks by sums of directions, then by regions, then leaves out what is avoided. Safe for several threads."""

    name = "composed"
    reads_dialogue = False
    _least_fetched = _FETCHED

    def __init__(
        self,
        encoder: Encoder,
        store: Store,
        *,
        sample: VectorSample | None = None,
        excluding: Excluding | None = None,
        probes: Callable[[], FloatArray] | None = None,
        model: MatchModel | None = None,
        weights: WishWeights = DEFAULT_WEIGHTS,
        second: SecondStage | None = None,
        texts: TextVectors | None = None,
        words: WordSource | None = None,
        fields: Callable[[], Iterable[str]] | None = None,
        looks: Measures | None = None,
    ) -> None:
        """Set it up; nothing is read before the first request.

        Args:
            encoder: What made the store's vectors.
            store: The pictures.
            sample: A sample of them; taken from the store when not given.
            excluding: Makes what tells which pictures show something, for encoders that the match probability was not
                fitted for; measured on the store when not given.
            probes: Gives the vectors of general descriptions; they are encoded when not given.
            model: The match probability; the one that ships with the package when not given.
            weights: How much each kind of wish counts.
            second: How the first pictures are put in order.
            texts: Remembers vectors of texts; share it between retrievers of one encoder.
            words: The inverted index of what is written about the pictures.
            fields: Gives the names of their attributes.
            looks: Measures what pictures can be sorted by though no attribute tells it.
        """
        self._store, self._looks = store, looks
        self._second = second or SecondStage()
        self._texts, self._encoder = texts or TextVectors(encoder), encoder
        self._weights, self._given = weights, sample
        self._made: tuple[int, Planner, Judge] | None = None
        self._model = model
        self._probes = probes or cache(lambda: encoder.encode_texts(probe_texts()))
        self._pictures = pictures_of(store, encoder.dimension)
        self._excluding = lru_cache(maxsize=256)(excluding or self._measured)
        values = ValueSearch(store, fields) if fields is not None else None
        self._words = WordSearch(words, self._texts, self._pictures, values) if words is not None else None

    @property
    def texts(self) -> TextVectors:
        """The vectors of texts that it has encoded."""
        return self._texts

    @property
    def judge(self) -> Judge:
        """Says of which pictures a text is true."""
        return self._measurements()[2]

    def _measurements(self) -> tuple[int, Planner, Judge]:
        """The number of pictures now, and what was made with a sample of them.

        The sample is taken again when a fifth of them came or went.
        """
        count, made = self._store.count(), self._made
        if made is None or (self._given is None and abs(count - made[0]) > _GROWTH * made[0]):
            sample = self._given or VectorSample.take(self._store, self._encoder.dimension)
            planner = Planner(self._texts, self._store, sample, self._weights, self._second)
            reference = reference_for(self._encoder.fingerprint) if self._model is None else None
            judge = Judge(self._store, sample, self._pictures, self._probes(), self._model, reference)
            made = self._made = (count, planner, judge)
            self._excluding.cache_clear()  # what is ordinary, and so what shows a thing, is measured anew as well
        return count, made[1], made[2]

    def refresh(self) -> None:
        """Take a new sample of the pictures for the next request."""
        self._made = None
        if self._words is not None:
            self._words.refresh()

    def _measured(self, avoided: tuple[str, ...]) -> Exclusion:
        probes = self._probes()
        calibration = Calibration.measure(self._store, probes, self._store.count(), self._encoder.fingerprint)
        return Exclusion(avoided, self._encoder, probes, calibration)

    def plan(self, request: SearchRequest) -> Plan:
        """How a request is going to be ranked."""
        return self._measurements()[1].plan(request)

    def retrieve(self, request: SearchRequest) -> RankedResults:
        """Rank: what matches first, then what comes near."""
        plan, matching, words = self._judged(request)
        found, shown, told = self._ranked(plan, matching, request, words)
        results = self._explained(plan, matching, shown[: request.k], request, told)
        if held := [one.id for one in results if any(one.id in found.shares for found in words.values())]:
            results = with_lines(results, request.wishes, self._store.payloads(held))
        excluded = partial(self._shows, plan.avoided) if plan.avoided and not matching.lowers else None
        judged = [hit.id for hit in found[: MOST_NAMED if matching.named else _JUDGED]]
        count, about = matching.count(judged, excluded)
        meant = [hit for hit in found[: request.depth] if matching.holds(hit.id)]
        ranked = meant if len(meant) > 1 else found[: request.depth]
        return RankedResults(results, tuple(ranked), count, about, matching.confidence, matching.present)

    def _judged(self, request: SearchRequest) -> tuple[Plan, MatchSet, Mapping[int, WordMatches]]:
        """The plan of a request, the set of its matches, and the results of its word search."""
        plan = self.plan(request)
        count, _, judge = self._measurements()
        found = self._words.find(request.wishes, count, judge.sample) if self._words else {}
        return plan, MatchSet(judge, plan, self._store, found, lambda rest: self._texts([rest])[0]), found

    def count(self, request: SearchRequest) -> int | None:
        """How many pictures match; nothing is ranked where the sample holds every picture."""
        plan, matching, _ = self._judged(request)
        if plan.avoided or matching.named or len(self.judge.sample.ids) < self._store.count():
            return super().count(request)
        return matching.count(())[0]

    def matching(self, wishes: Sequence[Wish]) -> list[str]:
        """The pictures that match what is wanted, as far as they are judged; conditions do not count here.

        Args:
            wishes: What is wanted; without words or pictures among it nothing is told apart, and the list is empty.
        """
        plan, found, words = self._judged(
            SearchRequest([wish for wish in wishes if wish.kind not in ("filter", "sort")])
        )
        if not found.decides:
            return []
        hits = self._fetched(replace(plan, states=None), _FITTED, found, words)
        allowed = self._allowed(plan, found, hits, SearchRequest(()))
        return [hit.id for hit in found.only(allowed, _FITTED, 0)]

    # -- finding -----------------------------------------------------------------------------------

    def _ranked(
        self, plan: Plan, matching: MatchSet, request: SearchRequest, words: Mapping[int, WordMatches]
    ) -> tuple[list[Hit], list[_Shown], WrittenWords | None]:
        """Fetch until there are enough that may be shown, or no more pictures.

        Returns:
            All that were found, those that are shown, and what is written about the first.
        """
        if plan.order:
            found = self._sorted(plan, plan.order, matching, request, words)
            return found, self._folded(found, request), None
        spare = _SPARE_AVOIDING if plan.avoided else _SPARE
        least = max(request.depth, self._second.judged, self._least_fetched)
        limit, close = max(request.k * spare, least), max(self._close(request) * spare, least)
        while True:
            hits = self._fetched(plan, limit, matching, words, close)
            kept = self._allowed(plan, matching, hits, request)
            last = len(hits) < limit or limit >= _MOST_HITS
            if last or len(kept) >= request.k:
                found = self._by_answers(plan, self._by_regions(plan, kept, request))
                found, told = self._by_captions(plan, found, request)
                if words and self._weights.rare:
                    wants = sum(part.kind == "want" for part in plan.parts)
                    found = by_words(found, words, wants, plan.unit * self._weights.rare)
                found = matching.first(found, max(_JUDGED, request.k))
                shown = self._folded(found, request)
                if last or len(shown) >= request.k:
                    return found, shown, told
            limit *= 4

    def _fetched(
        self, plan: Plan, limit: int, matching: MatchSet, words: Mapping[int, WordMatches], close: int = _MOST_HITS
    ) -> list[Hit]:
        """The pictures that look right, those that have rare words of the wishes, and those known to match.

        Args:
            plan: What is wanted.
            limit: How many.
            matching: Tells which pictures match.
            words: What the words of the wishes find.
            close: The regions of so many are looked at.
        """
        hits = self._store.query(self._query(plan, min(limit, close)))
        if len(hits) == close < limit:
            hits = followed_by(hits, self._store.query(self._query(replace(plan, states=None), limit)))
        if plan.states is not None:
            self._pictures.prefetch([hit.id for hit in hits[:_JUDGED]])  # the store still has them from scoring
        known = {hit.id for hit in hits}
        more = (*first_held(words), *matching.likeliest) if len(hits) == limit else ()
        held = [id for id in dict.fromkeys(more) if id not in known]
        if not held:
            return hits
        among = All((*((plan.filter,) if plan.filter else ()), HasId(tuple(held))))
        others = self._store.query(self._query(replace(plan, filter=among), len(held)))
        return sorted([*hits, *others], key=lambda hit: (-hit.score, hit.id))

    def _close(self, request: SearchRequest) -> int:
        """How many results are looked at closely."""
        return request.k if request.close is None else min(request.k, request.close)

    def _query(self, plan: Plan, limit: int) -> Query:
        vectors, weights = plan.vectors, plan.weights
        if not len(vectors):
            vectors, weights = neutral(self._texts.dimension)
        states, prefetch = (plan.states, self._second.weight), max(self._second.prefetch, limit)
        return Query(vectors, weights, *states, plan.filter, limit, prefetch)

    def _sorted(
        self,
        plan: Plan,
        order: tuple[str, bool],
        matching: MatchSet,
        request: SearchRequest,
        words: Mapping[int, WordMatches],
    ) -> list[Hit]:
        """What matches, by an attribute: with words the pictures that they fit, else all that pass the conditions."""
        near_plan, plan = replace(plan, order=None), replace(plan, states=None)  # the first stage alone has a scale
        if any(part.kind != "avoid" for part in plan.parts):
            limit = min(max(_SORTED, self._measurements()[1].fitting(plan, self._store.count())), _MOST_SORTED)
        else:
            limit = _MOST_SORTED
            near = first_values(order, plan.filter, request.k * _SPARE_AVOIDING, limit, self._store)
            plan = plan if near is None else replace(plan, filter=near)
        hits = self._fetched(plan, limit, matching, words)
        kept = self._allowed(plan, matching, hits, replace(request, passed_over={}))
        fitting = matching.only(kept, _FITTED, 0)
        groups = [fitting]
        if not fitting:  # what would be shown without an order; what fits the topic before the rest
            groups = matching.by_topic(self._ranked(near_plan, matching, request, words)[0][: request.k])
        return [hit for group in groups for hit in in_order(group, order, self._store, self._looks)]

    def _shows(self, avoided: tuple[str, ...], ids: Sequence[str]) -> NDArray[np.bool_]:
        """Which pictures show any of what is avoided, by sight or by what is written about them."""
        words = WrittenWords(self._store, ids)
        toned, avoided = words.by_tones(avoided)
        if self.judge.model.encoder != self._encoder.fingerprint:  # the line was drawn for the encoder that ships
            whole, regions = self._pictures.both(ids)
            return toned | self._excluding(avoided).shown(whole, regions, words.words) if avoided else toned
        read = Mentions(avoided).read(words.words)
        shown = toned | np.asarray((read > 0).any(axis=1))
        for place, text in enumerate(avoided):
            things, head = kinds_of(text)
            every = (*things, *head)
            judged = [self.judge.text(*thing) for thing in zip(every, self._texts(every), strict=True)]
            line = np.where(read[:, place] < 0, MATCH, SHOWS)  # words that would speak of it and do not are believed
            shown |= self.judge.showing(judged[: len(things)], ids, *judged[len(things) :]) >= line
        return shown

    def _allowed(self, plan: Plan, matching: MatchSet, hits: Sequence[Hit], request: SearchRequest) -> list[Hit]:
        """The hits without what is avoided; what was passed over, or falls short of a change, lower down.

        What nearly all that matches shows is not left out: it only comes behind the rest.
        """
        ids = [hit.id for hit in hits]
        sink = plan.unit * sinking(ids, request.passed_over)
        if not (plan.avoided or plan.changes or sink.any()):
            return list(hits)
        kept = np.ones(len(hits), bool)
        if plan.avoided:
            whole = self._pictures.whole(ids)
            shown = self._shows(plan.avoided, ids)
            if matching.shares(ids[:_JUDGED], shown[:_JUDGED]):
                sink = sink + plan.unit * _LOWERED * shown
            else:
                kept = ~shown
            sink = sink + plan.shortfall(whole, self._weights)
        elif plan.changes:
            sink = sink + plan.shortfall(self._pictures.whole(ids), self._weights)
        return with_change([hit for hit, stays in zip(hits, kept, strict=True) if stays], -sink[kept])

    def _by_regions(self, plan: Plan, hits: list[Hit], request: SearchRequest) -> list[Hit]:
        """The first pictures again, by how likely each shows each thing that was said."""
        if plan.states is None or not self._second.judged:
            return hits
        number = max(self._second.judged, self._close(request))
        first, rest = hits[:number], hits[number:]
        self._pictures.prefetch([hit.id for hit in hits[: max(number, _JUDGED)]])
        whole, regions = self._pictures.both([hit.id for hit in first])
        sunk = plan.unit * sinking([hit.id for hit in first], request.passed_over) + plan.shortfall(
            whole, self._weights
        )
        judgement = plan.unit * self._second.judgement(plan.states, plan.state_scales, regions)
        scores = product(whole, plan.vector) - sunk + judgement
        below = float(scores.min() - rest[0].score) if rest else 0.0
        ordered = with_change(first, scores - np.array([hit.score for hit in first], np.float32))
        return ordered + [Hit(hit.id, hit.score + min(below, 0.0)) for hit in rest]

    def _by_answers(self, plan: Plan, hits: list[Hit]) -> list[Hit]:
        """The first pictures again, by how likely a person who means them would have answered so."""
        if not plan.evidence:
            return hits
        first, rest = hits[:_ANSWERED], hits[_ANSWERED:]
        _, regions = self._pictures.both([hit.id for hit in first])
        told = log_chances(plan.evidence, regions) / CERTAINTY
        return [*with_change(first, told - told.max(initial=-np.inf)), *rest] if first else hits

    def _by_captions(
        self, plan: Plan, hits: list[Hit], request: SearchRequest
    ) -> tuple[list[Hit], WrittenWords | None]:
        """The first pictures again, by what is written about them, and what that is."""
        if not (hits and self._weights.written and any(map(can_be_written, request.wishes))):
            return hits, None
        number = max(_READ, self._close(request))
        first, rest = hits[:number], hits[number:]
        told = WrittenWords(self._store, [hit.id for hit in first])
        if not told:
            return hits, told
        change = plan.unit * self._weights.written * told.verdict(request.wishes)
        below = min(float(change.min()), 0.0)
        return [*with_change(first, change), *(Hit(hit.id, hit.score + below) for hit in rest)], told

    def _folded(self, hits: Sequence[Hit], request: SearchRequest) -> list[_Shown]:
        if request.fold is None:
            return [(hit, ()) for hit in hits]
        return fold(hits, self._pictures.whole([hit.id for hit in hits]), request.fold)

    # -- reasons -----------------------------------------------------------------------------------

    def _explained(
        self,
        plan: Plan,
        matching: MatchSet,
        shown: Sequence[_Shown],
        request: SearchRequest,
        told: WrittenWords | None,
    ) -> list[Result]:
        ids = [hit.id for hit, _ in shown]
        chances = matching.probabilities(ids)
        why = self._reasons(plan, matching, ids, request, told) if shown and plan.parts else [()] * len(ids)
        return [
            Result(hit.id, hit.score, because, folded, round(float(chance), 4), matching.holds(hit.id))
            for (hit, folded), because, chance in zip(shown, why, chances, strict=True)
        ]

    def _reasons(
        self, plan: Plan, matching: MatchSet, ids: Sequence[str], request: SearchRequest, told: WrittenWords | None
    ) -> list[tuple[Reason, ...]]:
        said: dict[int, FloatArray] = {}
        if keeps := [at for at, wish in enumerate(request.wishes) if wish.kind == "keep"]:
            told = WrittenWords(self._store, ids) if told is None else told.of(ids)
            said = {at: vote for at in keeps if told and (vote := told.votes(request.wishes[at])) is not None}
        return reasons(plan.parts, self._pictures.whole(ids), matching.logits(plan.parts, ids), said)
