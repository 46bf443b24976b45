"""A pool of questions that was learned: which of the questions people ask comes next, by what was said so far.

A linear classifier over the commonest questions of published dialogues. It reads the vector of the description and the
mean of the vectors of the questions asked so far, so that training needs one vector a description and one a question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from visavis.errors import BadInputError
from visavis.questions.answers import free_question
from visavis.questions.base import QuestionContext, Questioner
from visavis.search.bank import ConceptBank
from visavis.types import FloatArray, Question

#: Questions of the pool, and how often one must have been asked.
MOST, FEWEST = 400, 4
_EPOCHS, _BATCH, _RATE, _DECAY = 30, 256, 0.05, 1e-4
#: Every fifth dialogue is not trained on.
_HELD = 5


@dataclass(frozen=True, eq=False)
class QuestionPool:
    """Questions with a classifier over them.

    Attributes:
        questions: The questions, the commonest first.
        vectors: Their vectors ``[q, d]``.
        weights: ``[2 d + 1, q]``: of the description, of the questions so far, and a constant.
        accuracy: On dialogues that it was not trained on: the share whose next question is its first, and among its
            first five; then the same of always the commonest that was not asked.
    """

    questions: tuple[str, ...]
    vectors: FloatArray
    weights: FloatArray
    accuracy: Mapping[str, float]

    def scores(self, description: FloatArray, asked: Sequence[int]) -> FloatArray:
        """How likely each question comes next, ``[q]``; those that were asked never do."""
        scores = np.asarray(_features(description, asked, self.vectors) @ self.weights, np.float32)
        scores[list(asked)] = -np.inf
        return scores


def learn_pool(dialogues: Mapping[str, Sequence[str]], bank: ConceptBank, seed: int = 0) -> QuestionPool:
    """Learn a pool.

    Args:
        dialogues: Description -> questions in order.
        bank: Makes vectors of texts.
        seed: Draws the start and the order.
    """
    counts = Counter(_plain(question) for questions in dialogues.values() for question in questions)
    questions = tuple(text for text, number in counts.most_common(MOST) if number >= FEWEST)
    if len(questions) < 2:
        raise BadInputError("Too few questions are asked more than once.", "Name a folder with more dialogues.")
    place = {text: number for number, text in enumerate(questions)}
    vectors = bank.prompt_vectors(questions)
    told = bank.prompt_vectors(list(dialogues))
    rows: list[tuple[FloatArray, int, list[int], bool]] = []
    for number, (vector, asked) in enumerate(zip(told, dialogues.values(), strict=True)):
        before: list[int] = []
        for question in map(_plain, asked):
            if question in place and place[question] not in before:
                rows.append((vector, place[question], list(before), number % _HELD == 0))
                before.append(place[question])
    train = [row for row in rows if not row[3]]
    inputs = np.stack([_features(vector, before, vectors) for vector, _, before, _ in train])
    weights = _fit(inputs, np.array([label for _, label, _, _ in train]), len(questions), seed)
    pool = QuestionPool(questions, vectors, weights, {})
    return QuestionPool(questions, vectors, weights, _accuracy(pool, [row for row in rows if row[3]]))


def _plain(question: str) -> str:
    return " ".join(question.strip().rstrip("?").split()).capitalize() + "?"


def _features(description: FloatArray, asked: Sequence[int], vectors: FloatArray) -> FloatArray:
    so_far = vectors[list(asked)].mean(axis=0) if len(asked) else np.zeros_like(description)
    return np.concatenate([description, so_far, np.ones(1, np.float32)]).astype(np.float32)


def _fit(inputs: FloatArray, labels: np.ndarray, classes: int, seed: int) -> FloatArray:
    """Softmax regression by Adam."""
    rng = np.random.default_rng(seed)
    weights = np.zeros((inputs.shape[1], classes), np.float32)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    step = 0
    for _ in range(_EPOCHS):
        order = rng.permutation(len(inputs))
        for start in range(0, len(order), _BATCH):
            chosen = order[start : start + _BATCH]
            logits = inputs[chosen] @ weights
            shares = np.exp(logits - logits.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            shares[np.arange(len(chosen)), labels[chosen]] -= 1
            slope = inputs[chosen].T @ shares / len(chosen) + _DECAY * weights
            step += 1
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope**2
            weights -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def _accuracy(pool: QuestionPool, held: Sequence[tuple[FloatArray, int, list[int], bool]]) -> dict[str, float]:
    found: dict[str, list[bool]] = {"first": [], "five": [], "common first": [], "common five": []}
    for vector, label, before, _ in held:
        best = np.argsort(-pool.scores(vector, before))[:5].tolist()
        common = [place for place in range(len(pool.questions)) if place not in before][:5]
        for name, guess in (("", best), ("common ", common)):
            found[f"{name}first"].append(guess[0] == label)
            found[f"{name}five"].append(label in guess)
    return {name: round(float(np.mean(hits)), 4) if hits else 0.0 for name, hits in found.items()}


class LearnedPoolQuestioner(Questioner):
    """Asks what people ask next most often of such a description, whatever the candidates are."""

    name = "learned"

    def __init__(self, pool: QuestionPool, bank: ConceptBank) -> None:
        self.pool = pool
        self._bank = bank
        self._questions = [free_question(text) for text in pool.questions]
        self._places = {question.key: place for place, question in enumerate(self._questions)}

    def ask(self, context: QuestionContext) -> Question | None:
        """The likeliest question that was not asked yet."""
        asked = [self._places[key] for key in context.asked if key in self._places]
        if len(asked) >= len(self._questions):
            return None
        opening = self._bank.prompt_vectors([context.told.split(". ")[0]])[0]
        return self._questions[int(self.pool.scores(opening, sorted(asked)).argmax())]
