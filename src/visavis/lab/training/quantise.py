"""Make an exported tower small and fast: int8 matrix products, int8 word embeddings.

Weights are quantised once, one scale for each output channel; activations are quantised while running (the vector
instructions of current processors need both sides as bytes), with one scale for each product (``int8``) or for each
of its rows (``int8-rows``). A scale for each product is the fastest, and spans all the rows of a
run, so that a picture's vector would depend on its neighbours in a batch: the built-in encoder therefore runs one
picture, or one text, at a time and lets several run beside each other (see ``visavis.encoders.builtin``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.errors import BadInputError, MissingExtraError

Kind = Literal["int8", "int8-rows", "fp16", "fp32"]

#: A table read by rows (word embeddings) is worth storing as bytes from this many numbers on.
_LARGE_TABLE = 100_000


def quantise(
    fp32_path: Path | str, out_path: Path | str, kind: Kind = "int8", *, named: bool = True, table: int = _LARGE_TABLE
) -> None:
    """Write a smaller copy of an ONNX model.

    Args:
        fp32_path: The exported model, in fp32, with its weights inside or beside it.
        out_path: Where the copy goes, always as one file.
        kind: ``int8`` computes matrix products in bytes, the best for pictures; ``int8-rows`` does so with a scale a
            row, the best for texts, whose words differ more in range; ``fp16`` only stores the weights in half
            precision and computes in fp32; ``fp32`` copies.
        named: Whether nodes and values keep their names, by which weights can be read back (``read_shipped``).
        table: In bytes, a table that is read by rows is stored as bytes from this many numbers on.
    """
    if kind not in get_args(Kind):
        raise BadInputError(f"There is no quantisation '{kind}'.", f"Choose one of {', '.join(get_args(Kind))}.")
    onnx = _onnx()
    model = onnx.load(str(fp32_path))
    del model.graph.value_info[:]  # exporters leave shapes there from before their own optimisations
    if kind.startswith("int8"):
        _store_tables_as_bytes(onnx, model.graph, table)
    if kind == "int8":
        model = _quantise_products(onnx, model)
    elif kind == "int8-rows":
        quantise_products_by_row(onnx, model)
    elif kind == "fp16":
        _store_weights_as_halves(onnx, model.graph)
    if not named:
        number_values(model.graph)
    onnx.save(model, str(out_path))


def number_values(graph: Any) -> None:
    """Take the names of nodes away, and number the values between inputs and outputs, which are not read by name."""
    kept = {value.name for value in (*graph.input, *graph.output)}
    made = [tensor.name for tensor in graph.initializer] + [name for node in graph.node for name in node.output]
    numbers = {name: f"{place:x}" for place, name in enumerate(dict.fromkeys(made)) if name and name not in kept}
    for tensor in graph.initializer:
        tensor.name = numbers.get(tensor.name, tensor.name)
    for node in graph.node:
        node.ClearField("name")
        node.ClearField("doc_string")
        for names in (node.input, node.output):
            names[:] = [numbers.get(name, name) for name in names]


def _onnx() -> Any:
    try:
        import onnx
        import onnx.numpy_helper
    except ImportError as error:
        raise MissingExtraError("Quantising a model", "train") from error
    return onnx


def _quantise_products(onnx: Any, model: Any) -> Any:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with TemporaryDirectory(prefix="visavis-quantise-") as folder:
        out = Path(folder) / "int8.onnx"
        quantize_dynamic(
            model,
            out,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True},
        )
        return onnx.load(str(out))


def quantise_rows(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Bytes and one scale a row, so that ``bytes * scale`` is the table within half a step of each row's range."""
    scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), np.finfo(np.float32).tiny) / np.float32(127)
    return np.round(table / scale).astype(np.int8), scale.astype(np.float32)


def _store_tables_as_bytes(onnx: Any, graph: Any, least: int) -> None:
    """Replace a gather from a large float table by a gather of bytes and one of their scales."""
    for position, node in reversed(list(enumerate(graph.node))):
        if node.op_type != "Gather" or any(a.name == "axis" and a.i != 0 for a in node.attribute):
            continue
        tensor = next((t for t in graph.initializer if t.name == node.input[0]), None)
        if tensor is None or tensor.data_type != onnx.TensorProto.FLOAT or np.prod(tensor.dims) < least:
            continue
        for step, replacement in enumerate(_byte_gather(onnx, graph, node, tensor)):
            graph.node.insert(position + step, replacement)
        graph.node.remove(node)
        if not any(tensor.name in other.input for other in graph.node):
            graph.initializer.remove(tensor)


def _byte_gather(onnx: Any, graph: Any, node: Any, tensor: Any) -> Iterator[Any]:
    # Names of our own: those of onnxruntime's quantiser end in _scale, too.
    name, rows, (result,) = f"{tensor.name}_table", node.input[1], node.output
    out = f"{result}_table"
    table, scale = quantise_rows(onnx.numpy_helper.to_array(tensor))
    graph.initializer.append(onnx.numpy_helper.from_array(table, f"{name}_bytes"))
    graph.initializer.append(onnx.numpy_helper.from_array(scale, f"{name}_scale"))
    make = onnx.helper.make_node
    yield make("Gather", [f"{name}_bytes", rows], [f"{out}_bytes"], name=f"{out}_gather_bytes", axis=0)
    yield make("Gather", [f"{name}_scale", rows], [f"{out}_scale"], name=f"{out}_gather_scale", axis=0)
    yield make("Cast", [f"{out}_bytes"], [f"{out}_float"], name=f"{out}_cast", to=onnx.TensorProto.FLOAT)
    yield make("Mul", [f"{out}_float", f"{out}_scale"], [result], name=f"{out}_scaled")


def _store_weights_as_halves(onnx: Any, graph: Any) -> None:
    """Store float weights in half precision, each followed by a cast that the runtime folds away when loading."""
    casts = []
    for tensor in graph.initializer:
        if tensor.data_type != onnx.TensorProto.FLOAT or len(tensor.dims) < 2:
            continue
        name = tensor.name
        tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor).astype(np.float16), name))
        tensor.name = f"{name}_half"
        cast = onnx.helper.make_node("Cast", [tensor.name], [name], name=f"{name}_cast", to=onnx.TensorProto.FLOAT)
        casts.append(cast)
    for cast in reversed(casts):
        graph.node.insert(0, cast)


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


class RoundedLinear(nn.Linear):
    """A product whose weights and inputs are rounded to bytes."""

    def forward(self, values: Tensor) -> Tensor:
        """The product of what was rounded."""
        return F.linear(rounded_inputs(values), rounded_weights(self.weight), self.bias)


def rounded_inputs(values: Tensor) -> Tensor:
    """Each picture's values on the 256 steps between its least and its greatest, of which zero is one."""
    full = values.detach().float()
    inner = tuple(range(1, full.ndim))
    low = full.amin(dim=inner, keepdim=True).clamp(max=0)
    step = ((full.amax(dim=inner, keepdim=True).clamp(min=0) - low) / 255).clamp(min=1e-12)
    zero = (-low / step).round()
    steps = ((full / step).round() + zero).clamp(0, 255) - zero
    return values + (steps * step - full).to(values.dtype)


def rounded_weights(weights: Tensor) -> Tensor:
    """Each output's weights on 255 steps around zero."""
    full = weights.detach()
    step = (full.abs().amax(dim=1, keepdim=True) / 127).clamp(min=1e-12)
    return weights + ((full / step).round() * step - full)


def round_as_int8(module: nn.Module) -> None:
    """Let every product in a module round, in place; its weights keep their names."""
    for part in module.modules():
        if type(part) is nn.Linear:
            part.__class__ = RoundedLinear


def in_full(module: nn.Module) -> None:
    """Undo ``round_as_int8``."""
    for part in module.modules():
        if type(part) is RoundedLinear:
            part.__class__ = nn.Linear
