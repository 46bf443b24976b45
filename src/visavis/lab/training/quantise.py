"""Make an exported tower small and fast: int8 matrix products, int8 word embeddings.

Weights are quantised once, one scale for each output channel; activations are quantised while running (the vector
instructions of current processors need both sides as bytes), with one scale for each product (``int8``) or for each
of its rows (``int8-rows``: see ``rowwise``). A scale for each product is the fastest, and spans all the rows of a
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

from visavis.errors import BadInputError, MissingExtraError
from visavis.lab.training.rowwise import quantise_products_by_row

Kind = Literal["int8", "int8-rows", "fp16", "fp32"]

#: A table read by rows (word embeddings) is worth storing as bytes from this many numbers on.
_LARGE_TABLE = 100_000


def quantise(fp32_path: Path | str, out_path: Path | str, kind: Kind = "int8") -> None:
    """Write a smaller copy of an ONNX model.

    Args:
        fp32_path: The exported model, in fp32, with its weights inside or beside it.
        out_path: Where the copy goes, always as one file.
        kind: ``int8`` computes matrix products in bytes, the best for pictures; ``int8-rows`` does so with a scale a
            row, the best for texts, whose words differ more in range; ``fp16`` only stores the weights in half
            precision and computes in fp32; ``fp32`` copies.
    """
    if kind not in get_args(Kind):
        raise BadInputError(f"There is no quantisation '{kind}'.", f"Choose one of {', '.join(get_args(Kind))}.")
    onnx = _onnx()
    model = onnx.load(str(fp32_path))
    del model.graph.value_info[:]  # exporters leave shapes there from before their own optimisations
    if kind.startswith("int8"):
        _store_tables_as_bytes(onnx, model.graph)
    if kind == "int8":
        model = _quantise_products(onnx, model)
    elif kind == "int8-rows":
        quantise_products_by_row(onnx, model)
    elif kind == "fp16":
        _store_weights_as_halves(onnx, model.graph)
    onnx.save(model, str(out_path))


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


def _store_tables_as_bytes(onnx: Any, graph: Any) -> None:
    """Replace a gather from a large float table by a gather of bytes and one of their scales."""
    for position, node in reversed(list(enumerate(graph.node))):
        if node.op_type != "Gather" or any(a.name == "axis" and a.i != 0 for a in node.attribute):
            continue
        tensor = next((t for t in graph.initializer if t.name == node.input[0]), None)
        if tensor is None or tensor.data_type != onnx.TensorProto.FLOAT or np.prod(tensor.dims) < _LARGE_TABLE:
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
