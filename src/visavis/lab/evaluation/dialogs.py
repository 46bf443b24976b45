"""Conversations towards a target without questions: compares ways to combine the messages.

A system maps the messages so far to one score a picture. The shipped retriever is one of
them; the others are baselines, and alternatives that scored worse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visavis.conversation.history import Dialogue, Round, Said, rounds_of
from visavis.lab.datasets.scene_dialogues import wish_of_round
from visavis.lab.evaluation import metrics
from visavis.lab.evaluation.gallery import Gallery
from visavis.lab.evaluation.metrics import compare
from visavis.lab.evaluation.titles import TitleStages
from visavis.search.learned.base import DialogueReader, LearnedPlan, with_query
from visavis.search.learned.chatir import Dialog
from visavis.search.learned.registry import SCORED, make_reader
from visavis.search.phrases import SecondStage, joined
from visavis.search.plan import DEFAULT_WEIGHTS, Planner, WishWeights
from visavis.search.request import SearchRequest
from visavis.search.vectors import SAMPLE_SIZE, TextVectors, VectorSample, product
from visavis.stores.base import VectorName
from visavis.types import FloatArray, Wish


@dataclass(frozen=True)
class Message:
    """One message.

    Attributes:
        text: Its words.
        wishes: What it adds to the brief.
        shown: The pictures that were shown before it, best first.
        question: The question that it answers; empty where it answers none.
    """

    text: str
    wishes: tuple[Wish, ...]
    shown: tuple[str, ...] = ()
    question: str = ""

    @property
    def spoken(self) -> str:
        """Its words with the question that they answer."""
        return f"{self.question} {self.text}".strip()


def dialogue_of_messages(messages: Sequence[Message]) -> Dialogue:
    """The rounds of messages, with what was shown before each: what a learned retriever reads."""
    said = [Said(turn, one.text, shown=one.shown) for turn, one in enumerate(messages, start=1)]
    rounds = {one.turn: one for one in rounds_of((wish for one in messages for wish in one.wishes), said)}
    for turn, one in enumerate(messages, start=1):
        if one.question:
            text = rounds[turn].text if turn in rounds else ""
            rounds[turn] = Round(turn, text, one.question, one.text, one.text, shown=one.shown)
    return tuple(rounds[turn] for turn in sorted(rounds))


def dialog_messages(dialog: Dialog) -> list[Message]:
    """A dialogue in VisDial's form as messages: what each round says of the picture is a wish; a denial is none."""
    said = [("", dialog.caption), *dialog.rounds]
    texts = [dialog.caption, *(wish_of_round(*one) for one in dialog.rounds)]
    return [
        Message(answer, (Wish(f"{turn}.1", "want", text, turn),) if text else (), question=question)
        for turn, ((question, answer), text) in enumerate(zip(said, texts, strict=True), start=1)
    ]


#: Maps the messages so far to one score a picture of the gallery.
System = Callable[[Sequence[Message]], FloatArray]


@dataclass(frozen=True, eq=False)
class Bench:
    """A gallery and a cache of text vectors."""

    gallery: Gallery
    texts: TextVectors
    sample: VectorSample = field(init=False)

    def __post_init__(self) -> None:
        chosen = np.random.default_rng(0).permutation(len(self.gallery))[:SAMPLE_SIZE]
        sample = VectorSample(self.gallery.whole[chosen], np.asarray(self.gallery.regions[chosen], np.float32))
        object.__setattr__(self, "sample", sample)

    def vectors(self, ids: Sequence[str], name: VectorName = "whole") -> dict[str, FloatArray]:
        """Return vectors as a store does, for a planner."""
        source = self.gallery.whole if name == "whole" else self.gallery.regions
        places = self.gallery.places
        return {id: np.asarray(source[places[id]], np.float32) for id in ids if id in places}

    def scores(self, vector: FloatArray) -> FloatArray:
        """Return the cosine of every picture with a vector, on one core: for small products threads are slower."""
        return product(self.gallery.whole, np.asarray(vector, np.float32))

    def best(self, scores: FloatArray, count: int) -> np.ndarray:
        """Return the indexes of the best scores, in no order."""
        return np.argpartition(-scores, min(count, len(scores)) - 1)[:count]

    def regions(self, places: np.ndarray) -> FloatArray:
        """Return the regions of some pictures, ``[n, r, d]``."""
        return np.asarray(self.gallery.regions[places], np.float32)

    def both(self, ids: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return the whole vectors and the regions of pictures of the gallery."""
        places = np.array([self.gallery.places[id] for id in ids], np.int64)
        return self.gallery.whole[places], self.regions(places)

    def captions(self, ids: Sequence[str]) -> list[str]:
        """Return the titles of pictures of the gallery; empty where there is none."""
        if not self.gallery.attributes:
            return [""] * len(ids)
        rows = (self.gallery.attributes[self.gallery.places[id]] for id in ids)
        return [str(row.get("productDisplayName") or "") for row in rows]

    def max_sim(self, states: FloatArray, places: np.ndarray) -> FloatArray:
        """Return the mean over the states of the best cosine with any region."""
        return np.asarray((self.regions(places) @ states.T).max(axis=1).mean(axis=1), np.float32)


# -- baselines ---------------------------------------------------------------------------------------


def last_message(bench: Bench) -> System:
    """Use the last message only."""
    return lambda messages: bench.scores(bench.texts([messages[-1].text])[0])


def all_in_one_text(bench: Bench) -> System:
    """Join all messages to one text."""
    return lambda messages: bench.scores(bench.texts([joined([one.spoken for one in messages])])[0])


def mean_of_messages(bench: Bench) -> System:
    """Use the mean of the messages' vectors."""
    return lambda messages: bench.scores(bench.texts([one.text for one in messages]).mean(axis=0))


# -- the shipped retriever ---------------------------------------------------------------------------


def composed(
    bench: Bench,
    weights: WishWeights = DEFAULT_WEIGHTS,
    second: SecondStage | None = None,
    reader: DialogueReader | None = None,
    *,
    titles: bool = False,
) -> System:
    """Use the composed retriever's own plan, over the whole gallery instead of a store's first hits.

    With a reader it is the learned retriever: the reader turns the dialogue into the query. With titles it reads them
    as the live retriever reads what is written about pictures.
    """
    second = second or SecondStage()
    stages = TitleStages(bench, weights) if titles else None
    planner = Planner(bench.texts, bench, bench.sample, weights, second)

    def scores(messages: Sequence[Message]) -> FloatArray:
        wishes = tuple(wish for one in messages for wish in one.wishes)
        plan = planner.plan(SearchRequest(wishes))
        query = None if reader is None else reader.read(dialogue_of_messages(messages), bench.both)
        if query is not None:
            plan = with_query(plan, query, bench.sample)
        first = bench.scores(plan.vector)
        rescored = isinstance(plan, LearnedPlan) and plan.scorer is not None
        top = bench.best(first, SCORED if rescored else second.prefetch)
        found = {} if stages is None else stages.found(wishes)
        if stages is not None and found:
            top = np.union1d(top, stages.held(found))
        if isinstance(plan, LearnedPlan) and rescored:
            final = _rescored(bench, plan, first, top)
            if stages is not None:
                final = final + stages.change(plan, wishes, found, top, final)
            return _before_others(first, top, final)
        final = np.asarray(first[top], np.float32)
        if plan.states is not None:
            final = (1 - second.weight) * final + second.weight * bench.max_sim(plan.states, top)
        final = final - plan.shortfall(bench.gallery.whole[top], weights)
        if plan.states is not None and second.judged:
            few = bench.best(final, second.judged)
            chosen = top[few]
            judgement = second.judgement(plan.states, plan.state_scales, bench.regions(chosen))
            judged = first[chosen] - plan.shortfall(bench.gallery.whole[chosen], weights) + plan.unit * judgement
            others = np.delete(final, few)  # right below those that were judged, where titles may lift them
            final = final + min(float(judged.min() - others.max(initial=-np.inf)), 0.0) if len(others) else final
            final[few] = judged
        if stages is not None:
            final = final + stages.change(plan, wishes, found, top, final)
        return _before_others(first, top, final)

    return scores


def _before_others(first: FloatArray, top: np.ndarray, final: FloatArray) -> FloatArray:
    """Scores of all pictures: those that the first stage dropped come after the others."""
    ranked: FloatArray = first - first.max() - 100.0
    ranked[top] = final
    return ranked


def _rescored(bench: Bench, plan: LearnedPlan, first: FloatArray, top: np.ndarray) -> FloatArray:
    """Some pictures by the reader's score."""
    ids = [bench.gallery.ids[place] for place in top]
    change = plan.wanted_change(bench.gallery.whole[top], bench.regions(top), ids)
    return np.asarray(first[top] + change, np.float32)


def learned(name: str, *, titles: bool = False) -> Callable[[Bench], System]:
    """Use a learned retriever by its name; with titles it reads them, itself or as the composed one does."""

    def system(bench: Bench) -> System:
        reader = make_reader(name, bench.texts.encoder)
        if reader is not None and titles:
            reader.use_captions(bench.captions)
        return composed(bench, reader=reader, titles=titles)

    return system


def with_titles(bench: Bench) -> System:
    """Use the composed retriever, titles included."""
    return composed(bench, titles=True)


BASELINES: Mapping[str, Callable[[Bench], System]] = {
    "last message": last_message,
    "all in one text": all_in_one_text,
    "mean of messages": mean_of_messages,
}


# -- figures -----------------------------------------------------------------------------------------

CUTS = (1, 5, 10, 50)
#: Depths at which a lead is tested, from this turn on.
LEAD_CUTS, LEAD_FROM = (1, 5, 10), 3
#: A turn made things worse when the target's rank grew by more than this share.
_WORSE = 0.5


def worsened(ranks: metrics.RankTable) -> float:
    """Return the share of turns after which the target's rank was worse by more than half."""
    before, after = ranks[:, :-1], ranks[:, 1:]
    return float((after > (1 + _WORSE) * before).mean()) if after.size else 0.0


def interval(share: float, number: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, in points."""
    z = 1.96
    middle = (share + z**2 / (2 * number)) / (1 + z**2 / number)
    half = z * (share * (1 - share) / number + z**2 / (4 * number**2)) ** 0.5 / (1 + z**2 / number)
    return round(100 * (middle - half), 1), round(100 * (middle + half), 1)


def figures(ranks: Sequence[Sequence[int]], turns: int) -> dict[str, Any]:
    """Return R@K with intervals and mean rank by turn, and the share of turns that made things worse."""
    table = metrics.pad_ranks(ranks, turns - 1)
    by_cut: dict[str, Any] = {}
    for cut in CUTS:
        shares = [float(x) for x in metrics.recall(table, cut)]
        by_cut[f"R@{cut}"] = [round(100 * share, 1) for share in shares]
        by_cut[f"R@{cut} interval"] = [interval(share, len(table)) for share in shares]
    means = [round(float(x), 1) for x in metrics.mean_rank(table)]
    by_cut["Hits@10"] = [round(100 * float(x), 1) for x in metrics.hits(table, 10)]
    return {**by_cut, "mean rank": means, "worse": round(100 * worsened(table), 1)}


def leads(ours: Sequence[Sequence[int]], others: Sequence[Sequence[int]], turns: int) -> dict[str, Any]:
    """Return the lead of one system over another on the same targets, in points of R@K, and its significance."""
    tables = [metrics.pad_ranks(ranks, turns - 1) for ranks in (ours, others)]
    found = {}
    for cut in LEAD_CUTS:
        for turn in range(LEAD_FROM, turns + 1):
            hits = [100.0 * (table[:, turn - 1] <= cut) for table in tables]
            found[f"R@{cut}, turn {turn}"] = compare(*hits).as_json()
    return found


def scene_ranks(bench: Bench, system: System, target: str, captions: Sequence[str]) -> list[int]:
    """Return the target's rank after each message, where each caption is a message."""
    said = [Message(text, (Wish(f"{turn}.1", "want", text, turn),)) for turn, text in enumerate(captions, start=1)]
    return message_ranks(bench, system, target, said)


def message_ranks(bench: Bench, system: System, target: str, messages: Sequence[Message]) -> list[int]:
    """Return the target's rank after each message."""
    place = bench.gallery.places[target]
    return [metrics.place_of(system(messages[: turn + 1]), place) for turn in range(len(messages))]
