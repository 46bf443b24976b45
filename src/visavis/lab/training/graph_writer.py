"""Writes the ONNX graph of a transformer node by node, with the runtime's fused operators and int8 products.

What an exporter traces from a module computes shapes in hundreds of small nodes, and each costs some microseconds, as
much as a product with a few rows. Here attention is one node, and constants may be left to another file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.lab.training.quantise import quantise_columns

_FUSED = "com.microsoft"
#: Opset and file version that the oldest supported runtime reads.
_OPSET, _IR = 17, 8

Array = NDArray[Any]


class GraphWriter:
    """Collects the nodes and constants of one graph.

    Args:
        weights: The network's weights by their names.
    """

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, Array] = {}
        self._outside: dict[str, tuple[int, Sequence[int]]] = {}

    def node(self, kind: str, *inputs: str, name: str = "", outputs: int = 1, fused: bool = False, **given: Any) -> Any:
        """Add a node; returns the name of its output, or the names of several."""
        import onnx

        name = name or f"{kind}_{len(self._nodes)}"
        made = [name] if outputs == 1 else [f"{name}.{at}" for at in range(outputs)]
        domain = _FUSED if fused else ""
        self._nodes.append(onnx.helper.make_node(kind, list(inputs), made, name=name, domain=domain, **given))
        return made[0] if outputs == 1 else made

    def constant(self, name: str, value: Any, kind: Any = None) -> str:
        """Add a constant; the same name twice is the same constant."""
        self._constants.setdefault(name, np.asarray(value, kind))
        return name

    def outside(self, name: str, kind: Any, shape: Sequence[int]) -> str:
        """Declare a constant that is given when the graph is loaded, because another file has it already."""
        import onnx

        self._outside[name] = (onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)
        return name

    def weight(self, name: str) -> str:
        """Add one of the network's weights as it is."""
        return self.constant(name, self._weights[name], np.float32)

    def shape(self, *sides: int) -> str:
        """Add a shape."""
        return self.constant("shape_" + "_".join(map(str, sides)), sides, np.int64)

    def product(self, x: str, name: str, bias: bool = True) -> str:
        """Multiply by a matrix, int8 with one scale for all of ``x``."""
        codes, scale = self._matrix(name)
        told = [self.weight(f"{name}.bias")] if bias else []
        return str(self.node("DynamicQuantizeMatMul", x, codes, scale, "", *told, name=name, fused=True))

    def _matrix(self, name: str) -> tuple[str, str]:
        codes, scale = quantise_columns(self._weights[f"{name}.weight"].T)
        return self.constant(f"{name}.codes", codes), self.constant(f"{name}.scale", scale)

    def norm(self, x: str, name: str, epsilon: float) -> str:
        """Normalise."""
        both = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return str(self.node("LayerNormalization", x, *both, axis=-1, epsilon=epsilon))

    def norm_of_sum(self, x: str, added: str, name: str, epsilon: float) -> str:
        """Normalise the sum of a stream and what is added to it."""
        return self.norm(self.node("Add", x, added), name, epsilon)  # the fused operator is several times as slow

    def save(self, path: Path, inputs: Mapping[str, Any], outputs: Mapping[str, str]) -> None:
        """Write the file.

        Args:
            path: Where.
            inputs: By name: the type of the numbers and the sides; a side that varies has a name.
            outputs: By name: the result of a node, all of them floats but those that end in ``_at``.
        """
        import onnx

        helper, kinds = onnx.helper, onnx.TensorProto
        for name, made in outputs.items():
            self.node("Identity", made, name=name)
        given = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), sides)
            for name, (kind, sides) in inputs.items()
        ]
        wanted = [
            helper.make_tensor_value_info(name, kinds.INT64 if name.endswith("_at") else kinds.FLOAT, None)
            for name in outputs
        ]
        constants = [onnx.numpy_helper.from_array(value, name) for name, value in self._constants.items()]
        for name, (number, shape) in self._outside.items():
            tensor = kinds(name=name, data_type=number, dims=shape, data_location=kinds.EXTERNAL)
            tensor.external_data.add(key="location", value=f"{name}.bin")
            constants.append(tensor)
        graph = helper.make_graph(self._nodes, path.stem, given, wanted, constants)
        versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
        path.write_bytes(helper.make_model(graph, opset_imports=versions, ir_version=_IR).SerializeToString())


def write_byte_product(path: Path, kept: tuple[int, int] | None = None) -> None:
    """The graph of :class:`visavis.search.byte_matrix.ByteMatrix`: rows of bytes times bytes with scales.

    Args:
        path: Where.
        kept: Width and columns of bytes that are given when the graph is loaded; with every product when not given.
    """
    to = GraphWriter({})
    middle = to.constant("middle", 128, np.uint8)
    inputs: dict[str, Any] = {"rows": (np.uint8, ["rows", "width"]), "step": (np.float32, [])}
    if kept is None:
        inputs |= {"codes": (np.int8, ["width", "columns"]), "scale": (np.float32, ["columns"])}
    else:
        to.outside("codes", np.int8, kept)
        to.outside("scale", np.float32, kept[1:])
    made = to.node("MatMulIntegerToFloat", "rows", "codes", "step", "scale", middle, fused=True)
    to.save(path, inputs, {"product": made})
