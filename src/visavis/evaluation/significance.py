"""Whether one system is better than another on the same queries, or only luckier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from visavis.errors import BadInputError

_CHUNK = 1000


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same queries.

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
        """At the usual 5 %, and with an interval that leaves out zero."""
        return self.p < 0.05 and not self.low <= 0 <= self.high

    def as_json(self) -> dict[str, float | int | bool]:
        """For reports."""
        return {
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "queries": self.queries,
            "significant": self.significant,
        }


def compare(first: ArrayLike, second: ArrayLike, *, samples: int = 10_000, seed: int = 0) -> Comparison:
    """Compare per-query values of two systems, query by query.

    Args:
        first: One value a query.
        second: One value for each of the same queries, in the same order.
        samples: How often to draw.
        seed: Same seed, same numbers.
    """
    one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if one.shape != two.shape or one.ndim != 1 or not one.size:
        raise BadInputError(
            f"{one.size} values cannot be compared with {two.size} query by query.", "Give both the same queries."
        )
    if samples < 1:
        raise BadInputError("At least one sample must be drawn.")
    differences = one - two
    low, high = _bootstrap(differences, samples, np.random.default_rng(seed))
    p = _sign_flips(differences, samples, np.random.default_rng(seed + 1))
    return Comparison(float(differences.mean()), low, high, p, one.size)


def _bootstrap(differences: np.ndarray, samples: int, rng: np.random.Generator) -> tuple[float, float]:
    means = [
        differences[rng.integers(0, differences.size, (size, differences.size))].mean(axis=1)
        for size in _chunks(samples)
    ]
    low, high = np.percentile(np.concatenate(means), (2.5, 97.5))
    return float(low), float(high)


def _sign_flips(differences: np.ndarray, samples: int, rng: np.random.Generator) -> float:
    """The chance of a mean this far from zero if it did not matter which system is which."""
    moved = differences[differences != 0]  # queries where both are equal do not change under a flip
    if not moved.size:
        return 1.0
    observed = abs(moved.sum())
    extreme = 0
    for size in _chunks(samples):
        signs = rng.integers(0, 2, (size, moved.size), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ moved) >= observed - 1e-12).sum())
    return (extreme + 1) / (samples + 1)


def _chunks(samples: int) -> list[int]:
    full, rest = divmod(samples, _CHUNK)
    return [_CHUNK] * full + [rest] * bool(rest)
