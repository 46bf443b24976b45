"""Small matrix products on one core.

BLAS starts a thread a core for anything above a few hundred thousand multiplications. For products that take a tenth of
a millisecond, waiting until another core is free takes far longer than the work, on a machine that does other things
as well 8 ms instead of 0.2; so they are made in slices that BLAS does on the spot.
"""

from __future__ import annotations

import numpy as np

from visavis.encoders.base import FloatArray

#: Multiplications that OpenBLAS does without other threads: of matrices, and of a matrix and a vector.
_MATRICES, _VECTOR = 262_144, 9_000
#: Rows of a slice at least, where there are many vectors.
_TALL = 8


def product(rows: FloatArray, vectors: FloatArray) -> FloatArray:
    """The scalar products of rows ``[n, d]`` with one vector ``[d]`` or several ``[v, d]``: ``[n]`` or ``[n, v]``."""
    number, dimension = rows.shape
    if vectors.ndim == 1:
        made, least = np.empty(number, np.float32), _VECTOR // dimension
    else:
        made = np.empty((number, len(vectors)), np.float32)
        wide = max(1, _MATRICES // (_TALL * dimension))
        if len(vectors) > wide:
            for start in range(0, len(vectors), wide):
                made[:, start : start + wide] = product(rows, vectors[start : start + wide])
            return made
        least = _MATRICES // (dimension * max(1, len(vectors)))
    step = max(1, least)
    for start in range(0, number, step):
        np.matmul(rows[start : start + step], vectors.T, out=made[start : start + step])
    return made
