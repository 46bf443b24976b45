"""The probability that a text is true of a picture.

A cosine alone decides nothing: 0.2 is high for one text and low for another. A logistic regression on a few numbers
makes it one. They compare the picture's cosines (of the whole, and the mean of the best three regions) with those of
the same text over a sample of the collection, with what is ordinary for any text here, and with what general
descriptions score on the same picture. A second regression tells whether anything fits at all; for the encoder that
ships it also looks at reference pictures and nouns (:mod:`visavis.search.reference`). The weights are fitted on things
and captions and measured on others (docs/matching-figures.md); ``visavis bench match --fit`` fits them again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.search import reference
from visavis.search.presence import MatchLines, PresenceModel, ScoreGroups, groups_of, shipped_presence
from visavis.search.vectors import Scale, product
from visavis.types import FloatArray

#: Regions that are averaged: the best one alone may be high by chance.
BEST_REGIONS = 3
#: A text's best pictures are this share of the sample, and so many at least.
_BEST_SHARE, _FEWEST_BEST = 0.01, 3
_LEAST_SPREAD = 1e-3
#: Spreads above the middle from which on a picture stands out from all others.
_STANDS_OUT = 3.0
#: Pictures of a sample that count as much as what is ordinary for any text.
_PRIOR = 20.0
_ARTICLES = frozenset({"a", "an", "the", "some", "any"})
#: A picture from this probability on is a match.
MATCH = 0.5
#: From this probability on a picture shows what is avoided: to show it is worse than to leave one picture more out.
SHOWS = 0.22

NUMBERS = (
    "height",
    "margin",
    "whole",
    "regions",
    "whole squared",
    "regions squared",
    "whole times regions",
    "below the best",
    "best",
    "stands out",
    "words",
    "words times height",
    "words times margin",
)

#: What tells whether anything in the collection fits, of the best pictures.
PRESENCE = ("highest", "height", "margin", "whole", "regions", "best", "words", "size")
#: With reference pictures.
REFERENCED = (*PRESENCE, "highest five", *reference.NUMBERS)
#: A text's best pictures, which are compared with nouns.
_BEST = 5
#: Larger collections than this hold no more by chance.
_LARGEST = 10_000
#: From this probability on something is there, and below the other nothing is; between them each picture decides for
#: itself. To refuse wrongly is worse than to show a few odd pictures.
PRESENT, ABSENT = 0.35, 0.02
_PLACES = {name: place for place, name in enumerate(NUMBERS)}
#: By how much the best picture's log-odds clear the line, where the presence of something decides.
_CLEAR = 0.1


@dataclass(frozen=True)
class Ordinary:
    """What any text scores in a collection: mean and deviation of cosines with general descriptions."""

    mean: float
    deviation: float


@dataclass(frozen=True)
class Distribution:
    """How the scores of one text spread over a sample of the collection.

    Attributes:
        whole: Of whole pictures.
        regions: Of the best regions.
        best: The mean of the highest scores of whole pictures, in spreads above the middle.
    """

    whole: Scale
    regions: Scale
    best: float

    @classmethod
    def measure(cls, whole: FloatArray, regions: FloatArray, ordinary: Ordinary) -> Distribution:
        """Measure it; of few pictures little is believed, and what is ordinary for any text counts instead.

        Args:
            whole: The scores of the sampled pictures, ``[n]``.
            regions: Those of their best regions, ``[m]``.
            ordinary: What any text scores.
        """
        scale, parts = _scale(whole, ordinary), _scale(regions, ordinary)
        if not len(whole):
            return cls(scale, parts, 0.0)
        number = min(len(whole), max(_FEWEST_BEST, round(_BEST_SHARE * len(whole))))
        best = float(np.partition(whole, -number)[-number:].mean())
        return cls(scale, parts, (best - scale.middle) / scale.spread)


def _scale(scores: FloatArray, ordinary: Ordinary) -> Scale:
    share = len(scores) / (len(scores) + _PRIOR)
    middle, spread = (float(np.median(scores)), float(scores.std())) if len(scores) else (0.0, 0.0)
    return Scale(
        share * middle + (1 - share) * ordinary.mean,
        max(share * spread + (1 - share) * ordinary.deviation, _LEAST_SPREAD),
    )


def best_regions(cosines: FloatArray) -> FloatArray:
    """The mean of the highest cosines along the regions' axis, ``[n, r, ...]`` to ``[n, ...]``."""
    number = min(BEST_REGIONS, cosines.shape[1])
    return np.asarray(np.partition(cosines, -number, axis=1)[:, -number:].mean(axis=1), np.float32)


def words_in(text: str) -> float:
    """The logarithm of the number of words of a text without articles, as the regression takes it.

    >>> words_in("a bag") == words_in("bag")
    True
    """
    return math.log(max(1, sum(word.lower() not in _ARTICLES for word in text.split())))


@dataclass(frozen=True)
class MatchModel:
    """The fitted regression.

    Attributes:
        bias: Log-odds where all numbers are zero.
        weights: One for each of :data:`NUMBERS`.
        presence_bias: The same for whether anything fits at all.
        presence: One weight for each of :data:`PRESENCE`.
        together: How much less than independent several texts about one picture are: with ``n`` of them, the sum of
            the logarithms of their probabilities counts ``n ** -together``.
        encoder: The fingerprint of the encoder that it was fitted for.
        referenced: Tells by reference pictures whether anything fits, instead of the presence above.
    """

    bias: float
    weights: tuple[float, ...]
    presence_bias: float = 0.0
    presence: tuple[float, ...] = (0.0,) * len(PRESENCE)
    together: float = 0.0
    encoder: str = ""
    referenced: PresenceModel | None = None

    @classmethod
    def from_json(
        cls, value: Mapping[str, Any], part: str = "alone", referenced: PresenceModel | None = None
    ) -> MatchModel:
        """Read the regression that looks at the collection ``alone``, or the one ``with reference`` pictures.

        Args:
            value: Plain values.
            part: Which of them.
            referenced: Tells by reference pictures whether anything fits.
        """
        given = value[part]
        return cls(
            float(given["bias"]),
            tuple(float(given["weights"][name]) for name in NUMBERS),
            float(given["presence_bias"]),
            tuple(float(given["presence"][name]) for name in PRESENCE),
            float(given["together"]),
            str(value["encoder"]),
            referenced,
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values of this part."""
        return {
            "bias": round(self.bias, 4),
            "weights": {name: round(weight, 4) for name, weight in zip(NUMBERS, self.weights, strict=True)},
            "presence_bias": round(self.presence_bias, 4),
            "presence": {name: round(weight, 4) for name, weight in zip(PRESENCE, self.presence, strict=True)},
            "together": round(self.together, 3),
        }

    def logits(self, numbers: FloatArray) -> FloatArray:
        """The log-odds for rows of numbers, ``[n, numbers]``."""
        return np.asarray(self.bias + product(numbers, np.asarray(self.weights, np.float32)), np.float32)

    def present(
        self,
        numbers: FloatArray,
        size: int,
        vector: FloatArray,
        standing: FloatArray | None = None,
        sampled: int | None = None,
    ) -> tuple[float, MatchLines]:
        """How likely anything fits, and the log-odds from which on a picture does.

        Args:
            numbers: Of the best pictures of a collection, or of all.
            sampled: So many of them, the first, are a sample of the collection; all unless told.
            size: How many there are.
            vector: The text, ``[d]``.
            standing: How the text stands to reference pictures, for a regression that looks at them.
        """
        if not len(numbers):
            return 0.0, MatchLines()
        lines, logits = MatchLines(), self.logits(numbers)
        if standing is not None and self.referenced is not None:
            told = presence_numbers(logits, numbers, size, standing)
            groups = partial(score_groups, logits[:sampled], numbers[:sampled])
            logit, lines = self.referenced.decide(told, vector, groups)
        else:
            logit = self.presence_bias + float(presence_numbers(logits, numbers, size) @ self.presence)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit)))), lines

    @property
    def lines(self) -> tuple[float, float]:
        """Below the first probability nothing is there, from the second on something is."""
        if self.referenced is None:
            return ABSENT, PRESENT
        line = 1 / (1 + math.exp(-self.referenced.line))
        return line, line

    def shift(self, highest: float, present: float, cut: float = 0.0, told: float | None = None) -> float:
        """What is added to all log-odds, so that as many pictures match as fit the text.

        Where something is surely there, the best picture matches, and where surely nothing is, none does.

        Args:
            highest: The log-odds of the best picture.
            present: How likely anything fits.
            cut: The log-odds from which on a picture matches.
            told: The log-odds of the best picture with what is written about it; those of the best unless told.
        """
        nothing, something = self.lines
        if present >= something:
            return max(-cut, _CLEAR - (highest if told is None else told))
        return min(-cut, -_CLEAR - highest) if present < nothing else -cut

    def joint(self, probabilities: FloatArray) -> FloatArray:
        """The probability that several texts are true of a picture at once: ``[n, texts]`` to ``[n]``.

        Texts that each match do so together, so that no picture is said to fit every wish and not to fit them all.
        """
        if not probabilities.shape[1]:
            return np.ones(len(probabilities), np.float32)
        share = probabilities.shape[1] ** -self.together
        joint = np.exp(share * np.log(np.maximum(probabilities, 1e-9)).sum(axis=1))
        every = probabilities.min(axis=1) >= MATCH
        return np.asarray(np.where(every, np.maximum(joint, MATCH), joint), np.float32)


def numbers_of(
    whole: FloatArray,
    regions: FloatArray,
    fit: FloatArray,
    distribution: Distribution,
    ordinary: Ordinary,
    words: float,
) -> FloatArray:
    """What the regression looks at, ``[n, numbers]``.

    Args:
        whole: The cosines of the pictures with the text, ``[n]``.
        regions: The mean cosine of their best regions, ``[n]``.
        fit: How well the best general descriptions fit each picture, ``[n]``.
        distribution: How this text's scores spread over the collection.
        ordinary: How any text's scores spread.
        words: How long the text is; see :func:`words_in`.
    """
    height, margin = (whole - ordinary.mean) / ordinary.deviation, (whole - fit) / ordinary.deviation
    above, parts = distribution.whole.above(whole), distribution.regions.above(regions)
    columns = (
        height,
        margin,
        above,
        parts,
        above * above / 10,
        parts * parts / 10,
        above * parts / 10,
        above - distribution.best,
        np.full_like(above, distribution.best),
        1 / (1 + np.exp(-2 * (above - _STANDS_OUT))),
        np.full_like(above, words),
        words * height,
        words * margin,
    )
    return np.stack(columns, axis=1, dtype=np.float32)


def presence_numbers(
    logits: FloatArray, numbers: FloatArray, size: int, standing: FloatArray | None = None
) -> FloatArray:
    """The features of whether anything fits: :data:`PRESENCE`, and with a standing :data:`REFERENCED`."""
    highest = numbers.max(axis=0)
    told = [highest[_PLACES[name]] for name in ("height", "margin", "whole", "regions", "best", "words")]
    alone = [logits.max(), *told, math.log(min(max(size, 1), _LARGEST))]
    if standing is None:
        return np.array(alone, np.float32)
    five = np.partition(logits, -5)[-5:] if len(logits) > 5 else logits
    return np.array([*alone, five.mean(), *standing], np.float32)


def score_groups(logits: FloatArray, numbers: FloatArray) -> ScoreGroups | None:
    """How the scores of a text fall into two groups, by the numbers of a sample of the collection."""
    if not len(numbers):
        return None
    looks = numbers[:, _PLACES["whole"]] + 0.5 * numbers[:, _PLACES["margin"]]
    return groups_of(logits, looks, float(numbers[0, _PLACES["best"]]))


def best_places(logits: FloatArray) -> NDArray[np.int64]:
    """The places of the highest log-odds, highest first."""
    number = min(_BEST, len(logits))
    best = np.argpartition(-logits, number - 1)[:number]
    return np.asarray(best[np.argsort(-logits[best])], np.int64)


def probability(logits: FloatArray) -> FloatArray:
    """Log-odds as probabilities."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)


@cache
def default_model(part: str = "alone") -> MatchModel:
    """The regression that ships with the package; see :meth:`MatchModel.from_json`."""
    told = json.loads((files("visavis.search") / "match.json").read_text(encoding="utf-8"))
    return MatchModel.from_json(told, part, None if part == "alone" else shipped_presence())
