"""Conversations towards a target without questions: what different ways of remembering make of the same words.

A system is anything that turns what was said so far into one score a picture. The retriever that ships is one of
them; the others are what it has to beat, and the alternatives that were tried and lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visavis.conversation.wishes import Wish
from visavis.encoders.base import FloatArray
from visavis.evaluation import metrics
from visavis.evaluation.gallery import Gallery
from visavis.evaluation.significance import compare
from visavis.retrieval.base import Request
from visavis.retrieval.joining import joined
from visavis.retrieval.multivector import SecondStage
from visavis.retrieval.planning import Planner
from visavis.retrieval.products import product
from visavis.retrieval.recipe import DEFAULT, Recipe
from visavis.retrieval.sample import SIZE, Sample
from visavis.retrieval.texts import TextVectors
from visavis.stores.base import VectorName


@dataclass(frozen=True)
class Said:
    """One message: its words, and the wishes that it adds to the brief when it is understood."""

    text: str
    wishes: tuple[Wish, ...]


#: What was said so far in, one score a picture of the gallery out.
System = Callable[[Sequence[Said]], FloatArray]


@dataclass(frozen=True, eq=False)
class Bench:
    """A gallery to look in and a memory for the vectors of texts."""

    gallery: Gallery
    texts: TextVectors
    sample: Sample = field(init=False)

    def __post_init__(self) -> None:
        chosen = np.random.default_rng(0).permutation(len(self.gallery))[:SIZE]
        sample = Sample(self.gallery.whole[chosen], np.asarray(self.gallery.regions[chosen], np.float32))
        object.__setattr__(self, "sample", sample)

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """What a planner asks of a store."""
        source = self.gallery.whole if name == "whole" else self.gallery.regions
        places = self.gallery.places
        return {id: np.asarray(source[places[id]], np.float32) for id in ids if id in places}

    def scores(self, vector: FloatArray) -> FloatArray:
        """The cosine of every picture with a vector, on one core: a hundred small products wait for no other."""
        return product(self.gallery.whole, np.asarray(vector, np.float32))

    def best(self, scores: FloatArray, count: int) -> np.ndarray:
        """The places of the best scores, in no order."""
        return np.argpartition(-scores, min(count, len(scores)) - 1)[:count]

    def regions(self, places: np.ndarray) -> FloatArray:
        """The regions of some pictures, ``[n, r, d]``."""
        return np.asarray(self.gallery.regions[places], np.float32)

    def max_sim(self, states: FloatArray, places: np.ndarray) -> FloatArray:
        """The mean over the states of the best cosine with any region."""
        return np.asarray((self.regions(places) @ states.T).max(axis=1).mean(axis=1), np.float32)


# -- what has to be beaten ---------------------------------------------------------------------------


def last_message(bench: Bench) -> System:
    """No memory at all."""
    return lambda said: bench.scores(bench.texts([said[-1].text])[0])


def all_in_one_text(bench: Bench) -> System:
    """Every message, one after another, as one text."""
    return lambda said: bench.scores(bench.texts([joined([one.text for one in said])])[0])


def mean_of_messages(bench: Bench) -> System:
    """The mean of the messages' vectors."""
    return lambda said: bench.scores(bench.texts([one.text for one in said]).mean(axis=0))


# -- what ships --------------------------------------------------------------------------------------


def composed(bench: Bench, recipe: Recipe = DEFAULT, second: SecondStage | None = None) -> System:
    """The composed retriever's own plan, over the whole gallery instead of a store's first hits."""
    second = second or SecondStage()
    planner = Planner(bench.texts, bench, bench.sample, recipe, second)

    def scores(said: Sequence[Said]) -> FloatArray:
        plan = planner.plan(Request(tuple(wish for one in said for wish in one.wishes)))
        first = bench.scores(plan.vector)
        top = bench.best(first, second.prefetch)
        final = np.asarray(first[top], np.float32)
        if plan.states is not None:
            final = (1 - second.weight) * final + second.weight * bench.max_sim(plan.states, top)
        final = final - plan.shortfall(bench.gallery.whole[top], recipe)
        if plan.states is not None and second.judged:
            few = bench.best(final, second.judged)
            chosen = top[few]
            judgement = second.judgement(plan.states, plan.state_scales, bench.regions(chosen))
            judged = first[chosen] - plan.shortfall(bench.gallery.whole[chosen], recipe) + plan.unit * judgement
            final = final - final.max() - 10.0
            final[few] = judged
        # Whatever the first stage left out comes after what it let through.
        ranked: FloatArray = first - first.max() - 100.0
        ranked[top] = final
        return ranked

    return scores


BASELINES: Mapping[str, Callable[[Bench], System]] = {
    "last message": last_message,
    "all in one text": all_in_one_text,
    "mean of messages": mean_of_messages,
}


# -- figures -----------------------------------------------------------------------------------------

CUTS = (1, 5, 10, 50)
#: Where a lead is tested: at these depths, from this turn on.
LEAD_CUTS, LEAD_FROM = (1, 5, 10), 3
#: A turn has made things worse when the target's rank grew by more than this share.
_WORSE = 0.5


def worsened(ranks: metrics.RankTable) -> float:
    """The share of turns after which the target's rank had got worse by more than half."""
    before, after = ranks[:, :-1], ranks[:, 1:]
    return float((after > (1 + _WORSE) * before).mean()) if after.size else 0.0


def figures(ranks: Sequence[Sequence[int]], turns: int) -> dict[str, Any]:
    """R@K and mean rank by turn, and the share of turns that made things worse."""
    table = metrics.pad_ranks(ranks, turns - 1)
    by_cut = {f"R@{cut}": [round(100 * float(x), 1) for x in metrics.recall(table, cut)] for cut in CUTS}
    means = [round(float(x), 1) for x in metrics.mean_rank(table)]
    return {**by_cut, "mean rank": means, "worse": round(100 * worsened(table), 1)}


def leads(ours: Sequence[Sequence[int]], others: Sequence[Sequence[int]], turns: int) -> dict[str, Any]:
    """How far one system is ahead of another on the same targets, in points of R@K, and whether that may be luck."""
    tables = [metrics.pad_ranks(ranks, turns - 1) for ranks in (ours, others)]
    found = {}
    for cut in LEAD_CUTS:
        for turn in range(LEAD_FROM, turns + 1):
            hits = [100.0 * (table[:, turn - 1] <= cut) for table in tables]
            found[f"R@{cut}, turn {turn}"] = compare(*hits).as_json()
    return found


def scene_ranks(bench: Bench, system: System, target: str, captions: Sequence[str]) -> list[int]:
    """A scene: each caption is a message; the target's rank after each."""
    place = bench.gallery.places[target]
    said: list[Said] = []
    ranks = []
    for turn, caption in enumerate(captions, start=1):
        said.append(Said(caption, (Wish(f"{turn}.1", "want", caption, turn),)))
        ranks.append(metrics.place_of(system(said), place))
    return ranks
