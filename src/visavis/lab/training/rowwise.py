"""Int8 matrix products with one activation scale and offset for each row, written into an ONNX graph.

A row ``x`` of activations becomes bytes ``u`` with ``x = low + step * u``, and so, for weights ``W = q * scale``,
``x @ W = step * (u @ q) * scale + low * sum(W)``: one integer product and two cheap corrections. A row's result
depends on that row alone, so a batch gives exactly what its members give one by one, and one word with an extreme
activation does not coarsen the others. It costs about a fifth more time than one scale for the whole product.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MICROSOFT = "com.microsoft"
_AXES_BECAME_INPUT = 18


def quantise_columns(weights: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Bytes and one scale a column of an ``[inputs, outputs]`` matrix."""
    scale = np.maximum(np.abs(weights).max(axis=0), np.finfo(np.float32).tiny) / np.float32(127)
    return np.round(weights / scale).astype(np.int8), scale.astype(np.float32)


def quantise_products_by_row(onnx: Any, model: Any) -> None:
    """Replace every product with constant weights in ``model`` by its row-wise int8 form."""
    writer = _Writer(onnx, model)
    nodes = []
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in writer.weights:
            nodes.extend(writer.product(node))
        else:
            nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    writer.finish()


class _Writer:
    """Builds the replacement nodes; inputs shared by several products (query, key, value) are quantised once."""

    def __init__(self, onnx: Any, model: Any) -> None:
        self._onnx, self._model = onnx, model
        self._version = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
        matrices = (t for t in model.graph.initializer if t.data_type == onnx.TensorProto.FLOAT and len(t.dims) == 2)
        self.weights = {tensor.name: tensor for tensor in matrices}
        self._constants: dict[str, NDArray[Any]] = {}
        self._quantised_inputs: set[str] = set()

    def product(self, node: Any) -> list[Any]:
        source, matrix = node.input
        (out,) = node.output
        nodes = [] if source in self._quantised_inputs else self._quantise_rows(source)
        table, scale = quantise_columns(self._onnx.numpy_helper.to_array(self.weights[matrix]))
        sums = (table.astype(np.float64) * scale).sum(axis=0).astype(np.float32)
        make = self._onnx.helper.make_node
        operands = [
            f"{source}_row_bytes",
            self._constant(f"{matrix}_columns", table),
            self._constant("rowwise_one", np.float32(1)),
            self._constant(f"{matrix}_columns_scale", scale),
            self._constant("rowwise_zero", np.uint8(0)),
        ]
        offset = self._constant(f"{matrix}_columns_sums", sums)
        nodes += [
            make("MatMulIntegerToFloat", operands, [f"{out}_units"], name=f"{out}_product", domain=_MICROSOFT),
            make("Mul", [f"{out}_units", f"{source}_row_step"], [f"{out}_steps"], name=f"{out}_stepped"),
            make("Mul", [f"{source}_row_low", offset], [f"{out}_offset"], name=f"{out}_offsets"),
            make("Add", [f"{out}_steps", f"{out}_offset"], [out], name=f"{out}_shifted"),
        ]
        return nodes

    def _quantise_rows(self, source: str) -> list[Any]:
        self._quantised_inputs.add(source)
        make, name = self._onnx.helper.make_node, f"{source}_row"
        one, zero = self._constant("rowwise_one", np.float32(1)), self._constant("rowwise_zero", np.uint8(0))
        share = self._constant("rowwise_share", np.float32(1 / 255))
        # A row of equal numbers has no range; a tiny one keeps the division below finite.
        least = self._constant("rowwise_least", np.float32(1e-20))
        return [
            self._reduce("ReduceMax", source, f"{name}_high"),
            self._reduce("ReduceMin", source, f"{name}_low"),
            make("Sub", [f"{name}_high", f"{name}_low"], [f"{name}_range"], name=f"{name}_ranges"),
            make("Mul", [f"{name}_range", share], [f"{name}_share"], name=f"{name}_shares"),
            make("Max", [f"{name}_share", least], [f"{name}_step"], name=f"{name}_steps"),
            make("Sub", [source, f"{name}_low"], [f"{name}_above"], name=f"{name}_aboves"),
            make("Div", [f"{name}_above", f"{name}_step"], [f"{name}_units"], name=f"{name}_unit"),
            make("QuantizeLinear", [f"{name}_units", one, zero], [f"{name}_bytes"], name=f"{name}_quantise"),
        ]

    def _reduce(self, kind: str, source: str, out: str) -> Any:
        make = self._onnx.helper.make_node
        if self._version < _AXES_BECAME_INPUT:
            return make(kind, [source], [out], name=f"{out}_reduce", axes=[-1], keepdims=1)
        axes = self._constant("rowwise_axes", np.array([-1], np.int64))
        return make(kind, [source, axes], [out], name=f"{out}_reduce", keepdims=1)

    def _constant(self, name: str, value: Any) -> str:
        self._constants.setdefault(name, np.asarray(value))
        return name

    def finish(self) -> None:
        """Store the new constants, drop the matrices that nothing reads any more, declare the operators used."""
        graph, used = self._model.graph, {name for node in self._model.graph.node for name in node.input}
        for name in self.weights.keys() - used:
            graph.initializer.remove(self.weights[name])
        graph.initializer.extend(self._onnx.numpy_helper.from_array(v, k) for k, v in self._constants.items())
        if _MICROSOFT not in {o.domain for o in self._model.opset_import}:
            self._model.opset_import.append(self._onnx.helper.make_opsetid(_MICROSOFT, 1))
