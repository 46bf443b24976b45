"""Learning the choices that fill the holes of CAISE drafts: log-linear models, fitted by L-BFGS in NumPy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.language.caise.choosing import Choice, Choices, Features
from visavis.language.caise.colour_choice import COLOURS, colour_features, plain_colour
from visavis.language.caise.combining import Combined
from visavis.language.caise.drafts import Draft, draft_of
from visavis.language.caise.records import Record
from visavis.language.caise.similarity import WordVectors
from visavis.language.caise.thing_choice import thing_candidates, thing_features
from visavis.language.concepts import nouns_in
from visavis.language.lexicon import colours
from visavis.training.lbfgs import Array, minimise


@dataclass(frozen=True)
class Example:
    """One choice that was made: the candidates' features, which was right (-1: none), and the dialogue it is from."""

    candidates: tuple[Features, ...]
    right: int
    dialogue: str


@dataclass(frozen=True)
class Fit:
    """How a choice is fitted: pull towards zero, most steps, and how many examples a feature needs.

    All were set by cross-validation on the train split.
    """

    decay: float
    steps: int
    least: int


COLOUR_FIT, THING_FIT = Fit(3.0, 60, 2), Fit(1.0, 60, 3)
_FOLDS = 5


def fit_choice(examples: Sequence[Example], how: Fit) -> Choice:
    """The weights under which what was chosen is likeliest; examples whose choice is no candidate teach nothing."""
    examples = [one for one in examples if one.right >= 0]
    counts = Counter(name for one in examples for name in {n for features in one.candidates for n in features})
    names = [name for name, count in counts.items() if count >= how.least]
    if not names:
        return Choice({})
    loss = _Loss(examples, {name: at for at, name in enumerate(names)}, how.decay)
    weights = minimise(loss, np.zeros(len(names)), how.steps)
    return Choice(dict(zip(names, weights.tolist(), strict=True)))


class _Loss:
    """Minus the log likelihood of the choices, with its slope."""

    def __init__(self, examples: Sequence[Example], columns: dict[str, int], decay: float) -> None:
        rows, cols, values, starts, right, count = [], [], [], [], [], 0
        for one in examples:
            starts.append(count)
            right.append(count + one.right)
            for features in one.candidates:
                for name, value in features.items():
                    if name in columns and value:
                        rows.append(count)
                        cols.append(columns[name])
                        values.append(value)
                count += 1
        # Kinds are named, because a list may be empty: where every feature is zero.
        self._rows, self._cols = np.array(rows, np.intp), np.array(cols, np.intp)
        self._values = np.array(values, np.float64)
        self._starts, self._right, self._count = np.array(starts), np.array(right), count
        self._example = np.repeat(np.arange(len(starts)), np.diff([*starts, count]))
        self._decay = decay

    def __call__(self, weights: Array) -> tuple[float, Array]:
        scores = np.bincount(self._rows, self._values * weights[self._cols], self._count)
        scores -= np.maximum.reduceat(scores, self._starts)[self._example]
        shares = np.exp(scores)
        totals = np.add.reduceat(shares, self._starts)
        shares /= totals[self._example]
        loss = float(np.log(totals).sum() - scores[self._right].sum() + 0.5 * self._decay * weights @ weights)
        shares[self._right] -= 1
        slope = np.bincount(self._cols, self._values * shares[self._rows], len(weights)) + self._decay * weights
        return loss, slope


def examples_of(records: Sequence[Record], vectors: WordVectors) -> tuple[list[Example], list[Example]]:
    """What the annotators chose for the colours and for the things that drafts leave open."""
    drafts = [(record, draft_of(record)) for record in records]
    vectors.centre = _centre(drafts, vectors)
    by_colour = [
        Example(tuple(colour_features(record, draft, vectors)), _colour(record), _dialogue(record))
        for record, draft in drafts
        if draft.hole == "colour"
    ]
    by_thing = [
        Example(tuple(thing_features(record, draft)), _thing(record, draft), _dialogue(record))
        for record, draft in drafts
        if draft.hole == "thing"
    ]
    return by_colour, by_thing


def learn_choices(records: Sequence[Record], vectors: WordVectors | None = None) -> tuple[Choices, dict[str, float]]:
    """The choices of the annotators, and how many of them cross-validation got right."""
    vectors = vectors or WordVectors()
    by_colour, by_thing = examples_of(records, vectors)
    if vectors.centre is None:
        raise AssertionError("examples_of sets the centre")
    choices = Choices(fit_choice(by_colour, COLOUR_FIT), fit_choice(by_thing, THING_FIT), vectors.centre)
    return choices, {
        "colours_cross_validated": cross_validated(by_colour, COLOUR_FIT),
        "things_cross_validated": cross_validated(by_thing, THING_FIT),
    }


def cross_fitted(records: Sequence[Record], folds: int = _FOLDS) -> Callable[[Record], tuple[str, float]]:
    """Rules and choices for records that they are learned from: each is filled by what other dialogues taught."""
    vectors = WordVectors()
    by_colour, by_thing = examples_of(records, vectors)
    fold_of = _folds([_dialogue(record) for record in records], folds)
    parsers = []
    for fold in range(folds):
        colour, thing = (
            fit_choice([one for one in examples if fold_of[one.dialogue] != fold], how)
            for examples, how in ((by_colour, COLOUR_FIT), (by_thing, THING_FIT))
        )
        centre = vectors.plain(["thing"])[0] if vectors.centre is None else vectors.centre
        parsers.append(Combined(Choices(colour, thing, centre), vectors=vectors))
    return lambda record: parsers[fold_of[_dialogue(record)]](record)


def _folds(dialogues: Sequence[str], folds: int) -> dict[str, int]:
    """Which fold each dialogue belongs to."""
    return {dialogue: at % folds for at, dialogue in enumerate(sorted(set(dialogues)))}


def cross_validated(examples: Sequence[Example], how: Fit, folds: int = _FOLDS) -> float:
    """The share of choices that are right when learned from other dialogues."""
    fold_of = _folds([one.dialogue for one in examples], folds)
    right = 0
    for fold in range(folds):
        choice = fit_choice([one for one in examples if fold_of[one.dialogue] != fold], how)
        for one in examples:
            if fold_of[one.dialogue] == fold and one.candidates and one.right >= 0:
                right += int(choice.log_probabilities(one.candidates).argmax()) == one.right
    return right / max(1, len(examples))


def _centre(drafts: Sequence[tuple[Record, Draft]], vectors: WordVectors) -> NDArray[np.float32]:
    """The mean vector of what is spoken of and of what is seen."""
    texts = {noun for _, draft in drafts if draft.hole == "colour" for noun in nouns_in(draft.phrase)}
    texts |= {
        pair.partition(" ")[2] or pair
        for record, draft in drafts
        if draft.hole == "colour" and record.concepts
        for pair in record.concepts[-1]
    }
    return np.asarray(vectors.plain(sorted(texts) or ["thing"]).mean(axis=0))


def _dialogue(record: Record) -> str:
    return record.uid.rpartition("_")[0]


def _colour(record: Record) -> int:
    words = record.command.lower().split()
    named = words[1:2] if words[:1] == ["adjust_color"] else [word for word in words[1:] if word in colours()]
    colour = plain_colour(named[0]) if named else ""
    return COLOURS.index(colour) if colour in COLOURS else -1


def _thing(record: Record, draft: Draft) -> int:
    texts = [text for text, _ in thing_candidates(record, draft)]
    wanted = record.command.lower().removeprefix("search ")
    return texts.index(wanted) if wanted in texts else -1
