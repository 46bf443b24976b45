"""The states of an exported encoder, for a training in which only the decoder learns.

The int8 graph computes them several times as fast as torch does, and once for each sample: a processor is enough.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from visavis.encoders.tokens import read_word_table
from visavis.lab.networks.parser import MARKS
from visavis.language.network import ARRAYS, ENCODER

_STATES = "/layers.{last}/norm2/LayerNormalization_output_0"


class ExportedEncoder:
    """Input pieces and their kinds ``[n, l]`` in, states ``[n, l, w]`` out; 0 is padding.

    Args:
        folder: The exported weights.
    """

    def __init__(self, folder: Path) -> None:
        import onnx
        import onnxruntime

        model = onnx.load(str(folder / ENCODER))
        names = {output for node in model.graph.node for output in node.output}
        self._output = next(_STATES.format(last=at) for at in range(24, -1, -1) if _STATES.format(last=at) in names)
        model.graph.output.append(onnx.helper.make_tensor_value_info(self._output, onnx.TensorProto.FLOAT, None))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        self._words = read_word_table()
        with np.load(folder / ARRAYS) as arrays:
            self._marks: NDArray[np.float32] = arrays["marks"].astype(np.float32)
        self._kept: dict[bytes, NDArray[np.float16]] = {}

    def __call__(self, ids: Tensor, kinds: Tensor) -> Tensor:
        """The states of a batch."""
        rows = [self._one(row[row > 0], kind[row > 0]) for row, kind in zip(ids.numpy(), kinds.numpy(), strict=True)]
        states = np.zeros((*ids.shape, rows[0].shape[1]), np.float32)
        for at, row in enumerate(rows):
            states[at, : len(row)] = row
        return torch.from_numpy(states)

    def _one(self, ids: NDArray[np.int64], kinds: NDArray[np.int64]) -> NDArray[np.float16]:
        key = ids.astype(np.uint16).tobytes()
        if key not in self._kept:
            vectors = self._words.vectors(ids).astype(np.float32)
            marks = ids < MARKS
            vectors[marks] = self._marks[ids[marks]]
            given = {"vectors": vectors[None], "kinds": kinds[None].astype(np.int64)}
            (states,) = self._session.run([self._output], given)
            self._kept[key] = np.asarray(states)[0].astype(np.float16)
        return self._kept[key]
