"""Finding the lowest point of a smooth function: L-BFGS in NumPy."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def minimise(function: Callable[[Array], tuple[float, Array]], start: Array, steps: int, memory: int = 10) -> Array:
    """The lowest point of a smooth convex function, by L-BFGS with halving of the step."""
    at = start
    value, slope = function(at)
    past: deque[tuple[Array, Array]] = deque(maxlen=memory)
    for _ in range(steps):
        direction = -_quasi_newton(slope, past)
        step = 1.0
        while True:
            further, slope_there = function(at + step * direction)
            if further <= value + 1e-4 * step * (slope @ direction) or step < 1e-9:
                break
            step /= 2
        moved, turned = step * direction, slope_there - slope
        if moved @ turned > 1e-12:
            past.append((moved, turned))
        at, gained = at + moved, value - further
        value, slope = further, slope_there
        if gained < 1e-6 * max(1.0, abs(value)):
            break
    return at


def _quasi_newton(slope: Array, past: deque[tuple[Array, Array]]) -> Array:
    """The slope, bent by what the last steps told of the function's curvature."""
    if not past:
        return slope / max(1.0, float(np.linalg.norm(slope)))
    bent, shares = slope.copy(), []
    for moved, turned in reversed(past):
        share = (moved @ bent) / (moved @ turned)
        shares.append(share)
        bent -= share * turned
    moved, turned = past[-1]
    bent *= (moved @ turned) / (turned @ turned)
    for (moved, turned), share in zip(past, reversed(shares), strict=True):
        bent += moved * (share - (turned @ bent) / (moved @ turned))
    return bent
