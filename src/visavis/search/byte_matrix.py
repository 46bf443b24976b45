"""Many vectors as bytes, multiplied by a few without unpacking them.

A product with the regions of a sample reads 74 MB as floats, and reading is what takes the time; as bytes it is a
quarter. The store keeps regions as bytes with a scale a vector, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.builtin import open_model
from visavis.stores.region_file import quantised
from visavis.types import FloatArray

#: Written by ``visavis.lab.training.graph_writer.write_byte_product``: with bytes that are given in every product, and
#: with a block of this width and so many vectors, which is arranged for the processor when it is loaded.
GRAPH, KEPT_GRAPH = (Path(__file__).parent / f"byte_product{ending}.onnx" for ending in ("", "_kept"))
KEPT = 256, 8192
#: The largest byte, how much finer each further byte of a number is, and how many a number has.
_LARGEST, _FINER, _DIGITS = 127, 254, 3
_MIDDLE = 128
_ONE = np.array(1, np.float32)


@cache
def _model() -> Any:
    return open_model(GRAPH)


class ByteMatrix:
    """Vectors ``[n, d]`` as bytes."""

    def __init__(self, vectors: FloatArray) -> None:
        codes, scale = quantised(vectors)
        width, most = KEPT
        self._number = len(codes)
        self._parts = [(np.ascontiguousarray(codes.T), np.ascontiguousarray(scale[:, 0]))]
        self._models: list[Any] = []
        if codes.shape[1] == width and len(codes) >= most:
            self._parts = [_block(codes, scale, start) for start in range(0, len(codes), most)]
            for columns, scales in self._parts:
                given: dict[str, NDArray[Any]] = {"codes": columns, "scale": scales}
                self._models.append(open_model(KEPT_GRAPH, outside=given))

    def product(self, vector: FloatArray) -> FloatArray:
        """The scalar products with a vector ``[d]``, ``[n]``."""
        return np.asarray(self.products(vector[None])[0])

    def products(self, vectors: FloatArray, first: int | None = None) -> FloatArray:
        """The scalar products with several vectors ``[v, d]``, ``[v, n]``: the bytes are read once for all of them.

        The vectors' numbers have three bytes each, so they stay exact.

        Args:
            vectors: The vectors.
            first: Only the first so many are multiplied.
        """
        number = self._number if first is None else min(first, self._number)
        steps = np.maximum(np.abs(vectors).max(axis=1, initial=0.0, keepdims=True), 1e-12) / np.float32(_LARGEST)
        left, digits = vectors / steps, []
        for _ in range(_DIGITS):
            digits.append(np.rint(left))
            left = (left - digits[-1]) * _FINER
        rows = (np.concatenate(digits) + _MIDDLE).astype(np.uint8)
        made, start = np.empty((len(vectors), number), np.float32), 0
        for part in self._products(rows, number):
            coarse, fine, finest = part.reshape(_DIGITS, len(vectors), -1)
            fine += finest * np.float32(1 / _FINER)
            coarse += fine * np.float32(1 / _FINER)
            some = made[:, start : start + coarse.shape[1]]
            np.multiply(coarse[:, : some.shape[1]], steps, out=some)
            start += coarse.shape[1]
        return made

    def _products(self, rows: NDArray[np.uint8], number: int) -> Iterator[FloatArray]:
        """The products of rows of bytes with so many vectors at least, ``[rows, n]``, a block at a time."""
        feeds: dict[str, Any] = {"rows": rows, "step": _ONE}
        if self._models:
            yield from (model.run(None, feeds)[0] for model in self._models[: -(-number // KEPT[1])])
        else:
            (codes, scale), *_ = self._parts
            yield _model().run(None, {**feeds, "codes": codes, "scale": scale})[0]


def _block(codes: NDArray[np.int8], scale: NDArray[np.float32], start: int) -> tuple[NDArray[np.int8], FloatArray]:
    """So many vectors as the kept graph takes, zeros behind the last, as columns; and their scales."""
    width, most = KEPT
    columns, scales = np.zeros((width, most), np.int8), np.zeros(most, np.float32)
    some = codes[start : start + most]
    columns[:, : len(some)] = some.T
    scales[: len(some)] = scale[start : start + most, 0]
    return columns, scales
