"""Many vectors as bytes, multiplied by one vector without unpacking them.

A product with the regions of a sample reads 74 MB as floats, and reading is what takes the time; as bytes it is a
quarter. The store keeps regions as bytes with a scale a vector, so nothing is lost.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from visavis.encoders.tower import open_model
from visavis.stores.region_file import quantised
from visavis.types import FloatArray

#: Written by ``visavis.lab.training.graph_writer.write_byte_product``.
GRAPH = Path(__file__).parent / "byte_product.onnx"
#: The largest byte, and how much finer the second byte of a number is.
_LARGEST, _FINER = 127, 254
_MIDDLE = 128


@cache
def _model() -> Any:
    return open_model(GRAPH)


class ByteMatrix:
    """Vectors ``[n, d]`` as bytes."""

    def __init__(self, vectors: FloatArray) -> None:
        codes, scale = quantised(vectors)
        self._codes, self._scale = np.ascontiguousarray(codes.T), np.ascontiguousarray(scale[:, 0])

    def product(self, vector: FloatArray) -> FloatArray:
        """The scalar products with a vector ``[d]``, ``[n]``; its numbers have two bytes each, so they stay exact."""
        step = np.array(max(float(np.abs(vector).max(initial=0.0)), 1e-12) / _LARGEST, np.float32)
        units = vector / step
        whole = np.rint(units)
        rows = np.stack([whole, np.rint((units - whole) * _FINER)]) + _MIDDLE
        feeds = {"rows": rows.astype(np.uint8), "codes": self._codes, "step": step, "scale": self._scale}
        coarse, fine = _model().run(None, feeds)[0]
        return np.asarray(coarse + fine / np.float32(_FINER))
