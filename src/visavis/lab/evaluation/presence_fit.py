"""Fits the network that tells whether anything fits a text, and the line from which on a picture does."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.search.presence import PresenceModel, ScoreGroups, standardised, with_distances
from visavis.search.probability import REFERENCED
from visavis.search.reference import SCORES
from visavis.types import FloatArray

Floats = NDArray[np.floating[Any]]
#: How many of the texts of things that are there may be refused.
_REFUSED = 0.1
_FOLDS, _NETWORKS = 4, 3
#: Of the map to usual scores; of the network; of the line.
_RIDGE_USUAL, _DECAY, _RIDGE_CUT = 0.3, 2e-3, 60.0
_HIDDEN, _STEPS, _RATE = 16, 400, 0.02
#: How much texts of these forms, and of these worlds, count.
_FORM_WEIGHTS, _WORLD_WEIGHTS = {"noun": 2.0}, {"coco": 2.0, "product": 1.5}
_LEAST_CUT, _MOST_CUT = -3.5, 2.5
#: How much kinds of texts count in the fit of the line; of sentences little is known but their own picture.
_CUT_WEIGHTS = {"object": 2.0, "caption": 0.2, "title": 0.2}
#: What is true of such a share of the pictures is true of many; how much such texts count, and the ridge.
_MANY, _MANY_WEIGHT, _RIDGE_COMMON = 0.15, 0.3, 20.0
_SCORES = np.array([REFERENCED.index(name) for name in SCORES])


@dataclass(frozen=True)
class KnownText:
    """A text asked of a collection.

    Attributes:
        text: The text.
        kind: What kind of text it is.
        group: World, form of the text and size of the collection: what is there and what is not count the same in it.
        present: Whether it is true of anything.
        numbers: What :data:`visavis.search.probability.REFERENCED` names.
        vector: The text's vector.
        cut: The log-odds between the pictures that it is true of and the others, by their number; None if unknown.
        share: The share of the pictures that it is true of; None if unknown.
        groups: How its scores fall into two groups; None where there are too few.
    """

    text: str
    kind: str
    group: tuple[str, str, int]
    present: bool
    numbers: FloatArray
    vector: FloatArray
    cut: float | None = None
    share: float | None = None
    groups: ScoreGroups | None = None


def fit_presence(known: Sequence[KnownText]) -> PresenceModel:
    """Fit it; the line is drawn on texts that were left out of a fit."""
    numbers = np.stack([one.numbers for one in known]).astype(np.float64)
    vectors = np.stack([one.vector for one in known]).astype(np.float64)
    truth = np.array([one.present for one in known])
    folds = np.array([zlib.crc32(_last_word(one.text).encode()) % _FOLDS for one in known])
    middle = vectors.mean(axis=0)
    usual = np.zeros((len(known), 2 * len(_SCORES)))
    for fold in range(_FOLDS):
        rest = folds != fold
        usual[~rest] = _with_one(vectors[~rest] - middle) @ _usual(
            vectors[rest] - middle, numbers[rest][:, _SCORES], truth[rest]
        )
    rows = with_distances(numbers, usual, _SCORES)
    means, deviations = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    rows, weights = _with_one(standardised(rows, means, deviations)), balanced(known)
    unseen = np.zeros(len(known))
    for fold in range(_FOLDS):
        rest = folds != fold
        mine = balanced([one for one, kept in zip(known, rest, strict=True) if kept])
        unseen[~rest] = _Network.fit(rows[rest], truth[rest], mine, fold).logits(rows[~rest])
    networks = [_Network.fit(rows, truth, weights, seed) for seed in range(_NETWORKS)]
    return PresenceModel(
        middle.astype(np.float32),
        _usual(vectors - middle, numbers[:, _SCORES], truth).astype(np.float32),
        _SCORES,
        means.astype(np.float32),
        deviations.astype(np.float32),
        np.stack([one.inner for one in networks]),
        np.stack([one.outer for one in networks]),
        np.stack([one.direct for one in networks]),
        np.array(_quantile(unseen[truth], weights[truth], _REFUSED), np.float32),
        _fit_cut(known, rows),
        *fit_common(known, rows[:, :-1]),
    )


def _usual(vectors: Floats, scores: Floats, truth: NDArray[np.bool_]) -> Floats:
    """The maps from vectors to usual scores where a text fits something and where it fits nothing, ``[d + 1, 2 s]``."""
    maps = []
    for mine in (truth, ~truth):
        rows, wanted = vectors[mine], scores[mine]
        mean, centred = wanted.mean(axis=0), rows - rows.mean(axis=0)
        solved = np.linalg.solve(
            centred.T @ centred + _RIDGE_USUAL * np.eye(rows.shape[1]), centred.T @ (wanted - mean)
        )
        maps.append(np.vstack([solved, mean - rows.mean(axis=0) @ solved]))
    return np.hstack(maps)


def _fit_cut(known: Sequence[KnownText], rows: Floats) -> Floats:
    """The line by the numbers."""
    places = [place for place, one in enumerate(known) if one.cut is not None]
    wanted = np.array([np.clip(one.cut, _LEAST_CUT, _MOST_CUT) for one in known if one.cut is not None])
    kinds = Counter(known[place].kind for place in places)
    weights = np.array([_CUT_WEIGHTS.get(known[place].kind, 1.0) / kinds[known[place].kind] for place in places])
    weights /= weights.mean()
    chosen, mean = rows[places][:, :-1].astype(np.float64), float(np.average(wanted, weights=weights))
    weighted = chosen * weights[:, None]
    solved = np.linalg.solve(weighted.T @ chosen + _RIDGE_CUT * np.eye(chosen.shape[1]), weighted.T @ (wanted - mean))
    return np.append(solved, mean).astype(np.float32)


def fit_common(known: Sequence[KnownText], rows: Floats) -> tuple[Floats, Floats]:
    """What tells that a text is true of many pictures, and means and deviations of the groups' numbers.

    Args:
        known: Texts; those with a share count.
        rows: Their numbers, standardised, ``[n, k]``.
    """
    places = [at for at, one in enumerate(known) if one.share is not None and one.groups is not None]
    chosen = [known[at] for at in places]
    numbers = np.stack([one.groups.numbers for one in chosen if one.groups is not None]).astype(np.float64)
    scale = np.stack([numbers.mean(axis=0), numbers.std(axis=0) + 1e-6])
    truth = np.array([(one.share or 0.0) >= _MANY for one in chosen])
    sides = Counter((one.kind, many) for one, many in zip(chosen, truth.tolist(), strict=True))
    weights = np.array([1 / sides[one.kind, many] for one, many in zip(chosen, truth.tolist(), strict=True)])
    weights *= np.where(
        truth, _MANY_WEIGHT / (weights[truth].sum() or 1), (1 - _MANY_WEIGHT) / (weights[~truth].sum() or 1)
    )
    weights *= len(weights)
    design = _with_one(np.hstack([rows[places], standardised(numbers, *scale)]).astype(np.float64))
    penalty = _RIDGE_COMMON * np.eye(design.shape[1])
    penalty[-1, -1] = 0.0
    solved = np.zeros(design.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(design @ solved, -30, 30)))
        curve = (design * (weights * chance * (1 - chance))[:, None]).T @ design + penalty
        solved = solved + np.linalg.solve(curve, design.T @ (weights * (truth - chance)) - penalty @ solved)
    return solved.astype(np.float32), scale.astype(np.float32)


def balanced(known: Sequence[KnownText]) -> Floats:
    """Weights: in each group what is there and what is not count the same, and so do kinds of texts on either side."""
    kinds = Counter((one.group, one.present, one.kind) for one in known)
    sides = Counter((group, present) for group, present, _ in kinds)
    weights = np.array(
        [
            1 / kinds[one.group, one.present, one.kind] / sides[one.group, one.present]
            * _WORLD_WEIGHTS.get(one.group[0], 1.0) * _FORM_WEIGHTS.get(one.group[1], 1.0)
            * ((one.group, not one.present) in sides)
            for one in known
        ]
    )  # fmt: skip
    return np.asarray(weights * len(weights) / weights.sum())


@dataclass(frozen=True)
class _Network:
    """One hidden layer beside a linear part."""

    inner: Floats
    outer: Floats
    direct: Floats

    def logits(self, rows: Floats) -> Floats:
        return np.asarray(np.tanh(rows @ self.inner) @ self.outer + rows @ self.direct)

    @classmethod
    def fit(cls, rows: Floats, truth: NDArray[np.bool_], weights: Floats, seed: int) -> _Network:
        """Adam on all rows at once; the last column of the rows is one, and its weights do not decay."""
        draw, width = np.random.default_rng(seed), rows.shape[1]
        rows, share = rows.astype(np.float32), (weights / weights.sum()).astype(np.float32)
        inner = draw.normal(0, width**-0.5, (width, _HIDDEN)).astype(np.float32)
        inner[-1] = 0.0
        values = [inner, draw.normal(0, 0.3, _HIDDEN).astype(np.float32), np.zeros(width, np.float32)]
        slopes, squares = ([np.zeros_like(value) for value in values] for _ in range(2))
        decay = np.full(width, _DECAY, np.float32)
        decay[-1] = 0.0
        for step in range(1, _STEPS + 1):
            hidden = np.tanh(rows @ values[0])
            wrong = share * (1 / (1 + np.exp(-(hidden @ values[1] + rows @ values[2]))) - truth)
            back = wrong[:, None] * values[1] * (1 - hidden * hidden)
            found = (
                rows.T @ back + decay[:, None] * values[0],
                hidden.T @ wrong + _DECAY * values[1],
                rows.T @ wrong + decay * values[2],
            )
            rate = _RATE * 0.5 * (1 + np.cos(np.pi * step / _STEPS))
            for place, slope in enumerate(found):
                slopes[place] = 0.9 * slopes[place] + 0.1 * slope
                squares[place] = 0.99 * squares[place] + 0.01 * slope * slope
                size = np.sqrt(squares[place] / (1 - 0.99**step)) + 1e-8
                values[place] = np.asarray(values[place] - rate * slopes[place] / (1 - 0.9**step) / size, np.float32)
        return cls(*values)


def _with_one(rows: Floats) -> Floats:
    return np.hstack([rows, np.ones((len(rows), 1), rows.dtype)])


def _last_word(text: str) -> str:
    """The last word without the ending of its plural, so that all forms of a name are in one fold."""
    return (text.lower().split() or [""])[-1].removesuffix("s")


def _quantile(values: Floats, weights: Floats, share: float) -> float:
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), share * weights.sum())])
