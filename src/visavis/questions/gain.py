"""What a question is worth: the bits its answer is expected to bring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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


def after_answer(probabilities: FloatArray64, likelihood: FloatArray64, answer: int) -> FloatArray64:
    """The candidates once that answer was given."""
    weights = probabilities * likelihood[:, answer]
    total = weights.sum()
    return weights / total if total > 0 else probabilities


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
