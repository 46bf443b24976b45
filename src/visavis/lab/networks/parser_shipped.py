"""The shipped int8 parser back as torch weights, so that a later training starts where the last one ended.

Matrices come back within the rounding of int8; biases, norms, positions and vectors of marks as they were stored.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from visavis.language.network import ARRAYS, DECODER, DESCRIPTION, ENCODER

#: ``/key_value_1/MatMul_quant`` is the second layer's: the exporter numbers modules of the same name.
_MODULE = re.compile(r"/(?P<path>(?:layers\.\d+/)?(?P<name>[a-z_]+?\d?)(?:_(?P<layer>\d+))?)/MatMul")
_PRODUCTS = ("MatMulInteger", "MatMulIntegerToFloat", "DynamicQuantizeMatMul")
_OUTSIDE_LAYERS = frozenset({"to_words", "copy_query", "copy_key", "gate"})


def read_shipped_parser(folder: Path) -> tuple[dict[str, Tensor], Tensor]:
    """The weights of an exported parser by their names in torch, and the pieces that it can generate."""
    state = _read(folder / ENCODER) | _read(folder / DECODER)
    with np.load(folder / ARRAYS) as arrays:
        state["marks"] = torch.from_numpy(arrays["marks"].astype(np.float32))
        state["bias"] = torch.from_numpy(arrays["bias"].astype(np.float32))
        generated = torch.from_numpy(arrays["generated"].astype(np.int64))
    return state, generated


def read_trained_on(folder: Path) -> str:
    """What an exported parser learned from, in words."""
    return str(json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))["trained_on"])


def _read(path: Path) -> dict[str, Tensor]:
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path), load_external_data=False).graph
    inside = [t for t in graph.initializer if t.data_location != onnx.TensorProto.EXTERNAL]
    raw = {t.name.removeprefix("network."): numpy_helper.to_array(t) for t in inside}
    state = {
        name: torch.from_numpy(value.astype(np.float32))
        for name, value in raw.items()
        if name.endswith((".weight", ".bias")) and not name.startswith("onnx::")
    }
    for node in graph.node:
        if node.op_type in _PRODUCTS and node.input[1] in raw:  # the word table is a file of its own
            scale = raw[_scale_name(node)].astype(np.float32)
            matrix = raw[node.input[1]].astype(np.float32) * scale
            state[f"{_module(node.name)}.weight"] = torch.from_numpy(matrix.T.copy())
    return state


def _module(node: str) -> str:
    """The module of a product: ``decoder.0.qkv``, or traced ``/layers.0/qkv/MatMul_...``, ``/fc1_2/MatMul_quant``."""
    if not node.startswith("/"):
        return node
    found = _MODULE.match(node)
    assert found, node
    if found["path"].startswith("layers."):
        return found["path"].replace("/", ".")
    return found["name"] if found["name"] in _OUTSIDE_LAYERS else f"decoder.{found['layer'] or 0}.{found['name']}"


def _scale_name(node: Any) -> str:
    if node.op_type in _PRODUCTS[1:]:
        return str(node.input[3 if node.op_type == "MatMulIntegerToFloat" else 2])
    return str(node.input[1]).removesuffix("_quantized") + "_scale"
