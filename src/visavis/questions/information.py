"""The probabilities of the candidates, their entropy, and the information that an answer is expected to bring."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visavis.errors import BadInputError

FloatVector = NDArray[np.float64]


def posterior(scores: ArrayLike, temperature: float = 1.0) -> FloatVector:
    """Probabilities out of log-weights: a higher score never has a lower probability.

    Args:
        scores: Natural logarithms of weights, such as the encoder's scale times a cosine.
        temperature: Above 1 makes it less sure; what calibration found for the ranking in use.
    """
    values = np.asarray(scores, np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise BadInputError("Scores must be a list of finite numbers.")
    if temperature <= 0:
        raise BadInputError(f"A temperature cannot be {temperature}.", "Use more than 0.")
    if not values.size:
        return values
    weights = np.exp((values - values.max()) / temperature)
    return np.asarray(weights / weights.sum())


def entropy(probabilities: ArrayLike) -> float:
    """Bits that are missing to know for certain."""
    values = np.asarray(probabilities, np.float64)
    values = values[values > 0]
    return float(-(values * np.log2(values)).sum()) + 0.0


def candidate_set(probabilities: ArrayLike, mass: float) -> NDArray[np.int64]:
    """The fewest candidates that hold this much probability, most likely first."""
    values = np.asarray(probabilities, np.float64)
    order = np.argsort(-values, kind="stable")
    needed = int(np.searchsorted(np.cumsum(values[order]), mass - 1e-12)) + 1
    return np.asarray(order[: min(needed, len(order))])


FloatArray64 = NDArray[np.float64]
#: A bound must hold for rounded numbers, too.
_ROUNDING = 1e-4


def information_gain(probabilities: FloatArray64, likelihood: FloatArray64) -> float:
    """Expected fall of the candidates' entropy when the question is answered.

    Args:
        probabilities: ``[n]``: the candidates.
        likelihood: ``[n, a]``: how likely each answer is if that candidate is meant; rows add up to one.
    """
    answers = probabilities @ likelihood
    return float(_bits(answers).sum() - probabilities @ _bits(likelihood).sum(axis=1))


def yes_no_gains(probabilities: FloatArray64, yes: FloatArray64) -> FloatArray64:
    """The gain of many yes/no questions at once; ``yes[n, q]`` is the chance of a yes to each if n is meant."""
    expected = probabilities @ yes
    known = probabilities @ (_bits(yes) + _bits(1 - yes))
    return np.asarray(_bits(expected) + _bits(1 - expected) - known)


def most_bits_of_yes_no(least: float, most: float) -> float:
    """What a yes/no question can bring at best, if no candidate's chance of a yes lies outside these two.

    The gain is largest when every candidate has one of the two chances: it is the capacity of that channel.
    """
    share = np.linspace(0.0, 1.0, 1001)
    expected = share * most + (1 - share) * least
    ends = _bits(np.array([least, 1 - least, most, 1 - most]))
    known = share * ends[2:].sum() + (1 - share) * ends[:2].sum()
    return float((_bits(expected) + _bits(1 - expected) - known).max()) + _ROUNDING


def most_bits_of_choice(answers: int, stray: float) -> float:
    """What a choice can bring at best, if this share of the answers is spread evenly whatever is meant."""
    clearest = np.full(answers, stray / answers)
    clearest[0] += 1 - stray
    return float(np.log2(answers) - _bits(clearest).sum()) + _ROUNDING


def _bits(values: FloatArray64) -> FloatArray64:
    """``-p log2 p``, and 0 for 0."""
    safe = np.where(values > 0, values, 1.0)
    return np.asarray(-safe * np.log2(safe))
