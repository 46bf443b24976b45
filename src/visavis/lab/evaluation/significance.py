"""Paired significance tests of two systems on the same queries."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from visavis.errors import BadInputError


@dataclass(frozen=True)
class Comparison:
    """The comparison of two systems on the same queries.

    Attributes:
        difference: The mean of the first minus the mean of the second.
        low: Lower end of the 95 % interval of the difference (paired bootstrap).
        high: Upper end of it.
        p: Two-sided p-value of the paired sign-flip permutation test.
        queries: How many queries were compared.
    """

    difference: float
    low: float
    high: float
    p: float
    queries: int

    @property
    def significant(self) -> bool:
        """Whether p is below 5 %, and the interval excludes zero."""
        return self.p < 0.05 and not self.low <= 0 <= self.high

    def as_json(self) -> dict[str, float | int | bool]:
        """Return the comparison as JSON values."""
        return {**asdict(self), "significant": self.significant}


def compare(first: ArrayLike, second: ArrayLike, *, samples: int = 10_000, seed: int = 0) -> Comparison:
    """Compare per-query values of two systems.

    Args:
        first: One value a query.
        second: One value for each of the same queries, in the same order.
        samples: The number of resamples.
        seed: The seed of the resamples.
    """
    one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if one.shape != two.shape or one.ndim != 1 or not one.size:
        raise BadInputError(
            f"{one.size} values cannot be compared with {two.size} query by query.", "Give both the same queries."
        )
    if samples < 1:
        raise BadInputError("At least one sample must be drawn.")
    differences = one - two
    mean = float(differences.mean())
    if np.ptp(differences) == 0:  # nothing to resample: every mean is the same
        return Comparison(mean, mean, mean, 1.0 if mean == 0 else 2.0 ** (1 - one.size), one.size)
    drawn = {"n_resamples": samples, "vectorized": True, "batch": 1000}
    interval = stats.bootstrap(
        (differences,), np.mean, method="percentile", rng=np.random.default_rng(seed), **drawn
    ).confidence_interval
    test = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", rng=np.random.default_rng(seed + 1), **drawn
    )
    return Comparison(mean, float(interval.low), float(interval.high), float(test.pvalue), one.size)
