"""Runs a simulated user against a questioner, round by round, and records the target's rank after each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from visavis.lab.evaluation.belief import Belief
from visavis.lab.evaluation.metrics import place_of
from visavis.lab.simulation.base import Asked, SimulatedUser
from visavis.questions.answers import SENTENCE
from visavis.questions.base import Candidates, Exchange, QuestionContext, Questioner
from visavis.questions.information import entropy, posterior

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
