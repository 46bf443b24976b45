"""How sure it is which candidate is meant."""

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


def mass_up_to(probabilities: ArrayLike, target: int) -> float:
    """The probability that must be gathered, most likely first, until the target is included."""
    values = np.asarray(probabilities, np.float64)
    return float(values[values >= values[target]].sum())


def conformal_mass(calibration: ArrayLike, coverage: float = 0.9) -> float:
    """How much mass a candidate set must hold so that it contains the target as often as promised.

    Split conformal prediction: the calibration targets' masses (:func:`mass_up_to`), and the quantile that makes the
    promise hold for the next one whatever the probabilities are worth.
    """
    masses = np.sort(np.asarray(calibration, np.float64))
    if not masses.size or not 0 < coverage < 1:
        raise BadInputError("A conformal set needs calibration values and a coverage between 0 and 1.")
    place = int(np.ceil((masses.size + 1) * coverage))
    return 1.0 if place > masses.size else float(masses[place - 1])
