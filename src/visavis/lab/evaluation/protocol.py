"""Runs a simulated user against a questioner, round by round: the posterior over the gallery, the target's rank."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from cachetools import FIFOCache
from numpy.typing import NDArray

from visavis.lab.evaluation.gallery import Gallery
from visavis.lab.evaluation.metrics import place_of
from visavis.lab.simulation.base import Asked, SimulatedUser
from visavis.questions.answers import SENTENCE, said_about, understand_answer
from visavis.questions.base import Candidates, Exchange, QuestionContext, Questioner, entropy, posterior
from visavis.questions.informed import nearer
from visavis.search.answers import chance_of_options, chance_of_yes, common_of, kinds_of
from visavis.search.bank import ConceptBank
from visavis.types import Kind, Proposition, Question

#: How many candidates a questioner gets, and how many results are kept for runs and reports.
CANDIDATES, KEPT = 200, 10


class Reordering:
    """The first ranking of a conversation, perturbed in every round as much as the answers changed the real one."""

    def __init__(self, opening: Mapping[str, float], seed: str) -> None:
        """Start from the scores of the first pictures after the opening; the seed assigns the changes."""
        self._ids = list(opening)
        self._real = np.array([opening[id] for id in self._ids])
        self._shaken = self._real.copy()
        digest = hashlib.blake2b(seed.encode(), digest_size=8).digest()
        self._rng = np.random.default_rng(int.from_bytes(digest, "big"))

    def move(self, scores: Mapping[str, float]) -> None:
        """Apply the changes of the real ranking's scores after a round.

        A picture that is no longer among them ranks below all that are.
        """
        if not scores or not self._ids:
            return
        lowest = min(scores.values())
        after = np.array([scores.get(id, lowest) for id in self._ids])
        self._shaken = self._shaken + self._rng.permutation(after - self._real)
        self._real = after

    def rank_of(self, id: str, otherwise: int) -> int:
        """Return the rank of a picture; its rank at the opening, where it was not among the first."""
        if id not in self._ids:
            return otherwise
        return 1 + int((self._shaken > self._shaken[self._ids.index(id)]).sum())


@dataclass(frozen=True)
class PlayedConversation:
    """The record of one conversation.

    Attributes:
        target: The target's id.
        ranks: The target's rank after the opening and after each round.
        opening: The opening description.
        exchanges: Question, form and answer of each round.
        top: The first results after each round, with their scores.
        moved: The target's rank in the control, where every round's changes are assigned at random; none where
            that was not run.
    """

    target: str
    ranks: tuple[int, ...]
    opening: str
    exchanges: tuple[tuple[str, str, str], ...]
    top: tuple[tuple[tuple[str, float], ...], ...]
    moved: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain values, one line of a results file."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Parse what :meth:`as_json` returns."""
        return cls(
            value["target"],
            tuple(value["ranks"]),
            value["opening"],
            tuple((text, form, answer) for text, form, answer in value["exchanges"]),
            tuple(tuple((id, score) for id, score in results) for results in value["top"]),
            tuple(value.get("moved", ())),
        )


@dataclass(frozen=True)
class Protocol:
    """The rules, the same for every questioner.

    Attributes:
        belief: Ranks by the messages.
        user: The simulated user.
        rounds: The number of questions.
    """

    belief: Belief
    user: SimulatedUser
    rounds: int = 10

    def play(self, target: str, questioner: Questioner | None) -> PlayedConversation:
        """Run one conversation; without a questioner only the opening counts."""
        place = self.belief.gallery.places[target]
        opening = self.user.describe(target)
        scores = self.belief.sentence_evidence(opening)
        ranks, tops = [place_of(scores, place)], [self._top(scores)]
        first = _best(scores, CANDIDATES)
        control, moved = Reordering(_scores_of(scores, first), target), [ranks[0]]
        exchanges: list[Exchange] = []
        said, entropies = [opening], [0.0]
        for _ in range(self.rounds if questioner is not None else 0):
            assert questioner is not None
            best = _best(scores, CANDIDATES)
            entropies[-1] = entropy(posterior(scores[best]))
            question = questioner.ask(
                QuestionContext(
                    self._candidates(scores, best),
                    _story(said),
                    tuple(exchanges),
                    tuple(entropies),
                    sum(len(text.split()) >= SENTENCE for text in said),
                )
            )
            if question is None:
                break
            offered = () if question.form == "open" else tuple(label for label, _ in question.options)
            answer = self.user.answer(Asked(question.text, offered, question.pictures), target, said)
            described = sum(len(text.split()) >= SENTENCE for text in said)
            scores = scores + self.belief.answer_evidence(question, answer, described)
            exchanges.append(Exchange(question, answer))
            said.append(answer)
            entropies.append(0.0)
            ranks.append(place_of(scores, place))
            tops.append(self._top(scores))
            control.move(_scores_of(scores, first))
            moved.append(control.rank_of(str(place), ranks[0]))
        sentence_evidence = tuple((e.question.text, e.question.form, e.answer) for e in exchanges)
        return PlayedConversation(target, tuple(ranks), opening, sentence_evidence, tuple(tops), tuple(moved))

    def _candidates(self, scores: NDArray[np.float64], best: NDArray[np.int64]) -> Candidates:
        gallery = self.belief.gallery
        return Candidates(
            [gallery.ids[place] for place in best],
            scores[best],
            lambda: (gallery.whole[best], np.asarray(gallery.regions[best], np.float32)),
            [gallery.attributes[place] for place in best] if gallery.attributes else (),
            np.asarray(self.belief.table[best], np.float32),
        )

    def _top(self, scores: NDArray[np.float64]) -> tuple[tuple[str, float], ...]:
        ids = self.belief.gallery.ids
        return tuple((ids[place], round(float(scores[place]), 5)) for place in _best(scores, KEPT))


def _scores_of(scores: NDArray[np.float64], places: NDArray[np.int64]) -> dict[str, float]:
    return {str(place): float(scores[place]) for place in places}


def _best(scores: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the indexes of the best scores, best first; ties in the order of the gallery."""
    count = min(count, len(scores))
    part = np.argpartition(-scores, count - 1)[:count] if count < len(scores) else np.arange(len(scores))
    return np.asarray(part[np.lexsort((part, -scores[part]))])


def _story(said: list[str]) -> str:
    """Join the user's messages other than yes or no."""
    return ". ".join(text for text in said if len(text.split()) > 1 and not text.startswith("I don't"))


FloatVector = NDArray[np.float64]
_REMEMBERED = 4000


@dataclass(frozen=True)
class Weights:
    """Weights of each kind of evidence; tuned on development targets (docs/chatir.md).

    Attributes:
        text: Log-weight for a cosine of one with a sentence.
        region: The weight of the best region in that cosine.
        answer: The weight of an answer's log-likelihood against a sentence's.
        denial: The same for a "no".
        attribute: The probability that the catalogue and a user disagree about an attribute.
    """

    text: float = 30.0
    region: float = 0.3
    answer: float = 1.0
    denial: float = 1.0
    attribute: float = 0.03


class Belief:
    """Log-weights over a gallery. Stateless but for a cache: the messages are arguments."""

    def __init__(self, gallery: Gallery, bank: ConceptBank, weights: Weights | None = None) -> None:
        self.gallery = gallery
        self.bank = bank
        self.weights = weights or Weights()
        self._regions = np.asarray(gallery.regions, np.float32)
        self._cosines: FIFOCache[str, NDArray[np.float32]] = FIFOCache(_REMEMBERED)
        self._table: NDArray[np.float16] | None = None

    @property
    def table(self) -> NDArray[np.float16]:
        """``[n, v]``: the match of every picture with every concept of the vocabulary, computed once."""
        if self._table is None:
            self._table = self.bank.match(self._regions).astype(np.float16)
        return self._table

    def sentence_evidence(self, text: str) -> FloatVector:
        """Return the evidence of a sentence."""
        vector = self.bank.prompt_vectors([text])[0]
        share = self.weights.region
        cosines = (1 - share) * (self.gallery.whole @ vector) + share * self._best_region(text)
        return np.asarray(self.weights.text * cosines, np.float64)

    def answer_evidence(self, question: Question, answer: str, descriptions: int = 1) -> FloatVector:
        """Return the evidence of an answer; zeros where there is none.

        Args:
            question: The question.
            answer: The answer.
            descriptions: How many sentences the user has said: the more, the less an answer adds.
        """
        reading = understand_answer(question, answer)
        nothing = np.zeros(len(self.gallery))
        if reading.unknown:
            return nothing
        if reading.free:
            return self._free(question, reading.free)
        if question.pictures:
            return nothing if reading.chosen is None else self._alike(question, reading.chosen)
        if not question.propositions:
            return nothing
        chances = self._chances(question)
        place = chances.shape[1] - 1 if reading.none else reading.chosen
        if place is None:
            return nothing
        denied = reading.none or (question.form == "yes/no" and place == 1)
        weight = self.weights.denial if denied else self.weights.answer
        if not question.propositions[0].attribute:
            weight /= max(descriptions, 1)
        return np.asarray(weight * np.log(chances[:, place]))

    def _chances(self, question: Question) -> FloatVector:
        propositions = question.propositions
        if propositions[0].attribute:
            return self._attribute_chances(propositions)
        cosines = np.column_stack([self._best_region(p.prompt) for p in propositions]).astype(np.float64)
        if question.form == "yes/no":
            yes = chance_of_yes(cosines, kinds_of(propositions), common_of(propositions))
            return np.hstack([yes, 1 - yes])
        return chance_of_options(cosines, kinds_of(propositions), common_of(propositions))

    def _attribute_chances(self, propositions: tuple[Proposition, ...]) -> FloatVector:
        true = np.column_stack([self._has(p.attribute, p.value) for p in propositions])
        true = np.hstack([true, ~true.any(axis=1, keepdims=True)])
        slip = self.weights.attribute
        return np.where(true, 1 - slip, slip / (true.shape[1] - 1))

    def _has(self, name: str, value: str) -> NDArray[np.bool_]:
        """Return which pictures have this value of an attribute; ``< 16`` and ``>= 16`` are bands of a number."""
        rows = [row.get(name) for row in self.gallery.attributes]
        comparison, _, limit = value.partition(" ")
        if comparison in ("<", ">="):
            below = [isinstance(x, int | float) and x < float(limit) for x in rows]
            number = [isinstance(x, int | float) for x in rows]
            return np.array(below if comparison == "<" else [n and not b for n, b in zip(number, below, strict=True)])
        return np.array([str(x) == value for x in rows])

    def _free(self, question: Question, said: str) -> FloatVector:
        text = said_about(question.text, said)
        if len(said.split()) >= SENTENCE:
            return self.sentence_evidence(text)
        cosines = self._best_region(f"a photo of {text}").astype(np.float64)[:, None]
        return np.asarray(self.weights.answer * np.log(chance_of_yes(cosines, [Kind.STUFF]))[:, 0])

    def _alike(self, question: Question, chosen: int) -> FloatVector:
        pair = self.gallery.whole[[self.gallery.places[id] for id in question.pictures]]
        return np.asarray(self.weights.answer * np.log(nearer(self.gallery.whole, pair)[:, chosen]))

    def _best_region(self, prompt: str) -> NDArray[np.float32]:
        place = self.bank.places.get(prompt, len(self.bank.concepts))
        if place < len(self.bank.concepts):
            return self.table[:, place].astype(np.float32)
        if prompt not in self._cosines:
            vectors = self.bank.prompt_vectors([prompt])
            self._cosines[prompt] = self.bank.match(self._regions, vectors)[:, 0]
        return self._cosines[prompt]
