"""From a trained parser network to the folder that ``visavis.language.parser`` reads."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from visavis.lab.networks.parser import MARKS, ParserNetwork, ParserShape
from visavis.lab.training.graph_writer import GraphWriter
from visavis.lab.training.quantise import Kind, quantise
from visavis.language.network import (
    ARRAYS,
    BIAS,
    DECODER,
    DESCRIPTION,
    ENCODER,
    FORMAT,
    MARKS_WRITTEN,
    TRIED,
    WORDS_SCALE,
    WORDS_WRITTEN,
)

#: What the normalisations add to a variance.
_EPSILON = 1e-5


def write_decoder(
    weights: dict[str, NDArray[np.float32]], shape: ParserShape, generated: NDArray[np.int64], path: Path
) -> None:
    """One step for several hypotheses: the last pieces in, the probability of each piece that may follow out.

    The pieces are those of the generator, then those of the input by their places; ``slots`` has where each piece of
    the input is counted. The generator's table is the word table, which is given when the graph is loaded.
    """
    to = GraphWriter(weights)
    width, heads, layers = shape.width, shape.decoder_heads, shape.decoder_layers
    places = to.node("Gather", to.weight("places.weight"), "place")
    x = to.norm(to.node("Add", "vectors", places), "decoder_norm", _EPSILON)
    first = to.shape(0)
    past = [to.node("Squeeze", part, first) for part in to.node("Split", "past", axis=0, outputs=2 * layers)]
    read = [to.node("Squeeze", part, first) for part in to.node("Split", "read", axis=0, outputs=2 * layers)]
    kept: list[str] = []
    for at in range(layers):
        x, present = _decoder_layer(to, x, f"decoder.{at}", heads, width, past[2 * at :], read[2 * at :])
        kept += present
    present = to.node("Concat", *(to.node("Unsqueeze", one, first) for one in kept), axis=0)
    x = to.node("Reshape", x, to.shape(-1, width))
    logits = _generated(to, to.product(x, "to_words"), width, generated)
    likely = to.node("Softmax", to.node("Add", logits, to.outside(BIAS, np.float32, [len(generated)])), axis=-1)
    if shape.copy:
        likely = _with_copies(to, likely, x, width)
    best, best_at = to.node("TopK", likely, to.constant("tried", [TRIED], np.int64), outputs=2)
    size = width // heads
    to.save(
        path,
        {
            "vectors": (np.float32, ["beams", 1, width]),
            "place": (np.int64, [1]),
            "past": (np.float32, [2 * layers, "beams", heads, "steps", size]),
            "read": (np.float32, [2 * layers, 1, heads, "length", size]),
            "copy_keys": (np.float32, [1, "length", width]),
            "slots": (np.int64, [1, "length"]),
        },
        {"likely": likely, "best": best, "best_at": best_at, "present": present},
    )


def _decoder_layer(
    to: GraphWriter, x: str, name: str, heads: int, width: int, past: list[str], read: list[str]
) -> tuple[str, list[str]]:
    """One layer, and the keys and values to keep for the next step."""
    query, key, value = to.node("Split", to.product(x, f"{name}.qkv", bias=False), axis=-1, outputs=3)
    bias = to.weight(f"{name}.qkv.bias")
    mixed, *kept = to.node(
        "MultiHeadAttention", query, key, value, bias, "", "", *past[:2], fused=True, outputs=3, num_heads=heads
    )
    x = to.norm_of_sum(x, to.product(mixed, f"{name}.out"), f"{name}.norm1", _EPSILON)
    # All hypotheses read the same input: they are the rows of one query.
    query = to.node("Reshape", to.product(x, f"{name}.query"), to.shape(1, -1, width))
    mixed = to.node("MultiHeadAttention", query, *read[:2], fused=True, num_heads=heads)
    mixed = to.node("Reshape", mixed, to.shape(-1, 1, width))
    x = to.norm_of_sum(x, to.product(mixed, f"{name}.cross_out"), f"{name}.norm2", _EPSILON)
    inner = to.node("Gelu", to.product(x, f"{name}.fc1"), fused=True)
    return to.norm_of_sum(x, to.product(inner, f"{name}.fc2"), f"{name}.norm3", _EPSILON), kept


def _generated(to: GraphWriter, x: str, width: int, generated: NDArray[np.int64]) -> str:
    """Products of ``[beams, width]`` with the vectors of the pieces: marks as floats, words as bytes.

    The bytes of the word table are what the network learned with. ``x`` becomes two bytes a number, so that nothing
    is lost: the second has what the first leaves over.
    """
    marks = int((generated < MARKS).sum())
    words = len(generated) - marks
    largest = to.node("ReduceMax", to.node("Abs", x), axes=[-1], keepdims=1)
    step = to.node("Div", largest, to.constant("bytes", 127, np.float32))
    step = to.node("Max", step, to.constant("least", 1e-20, np.float32))
    units = to.node("Div", x, step)
    whole = to.node("Round", units)
    finer = to.constant("finer", 254, np.float32)
    both = to.node("Concat", whole, to.node("Mul", to.node("Sub", units, whole), finer), axis=0)
    one, middle = to.constant("one", 1, np.float32), to.constant("middle", 128, np.uint8)
    table, scale = to.outside(WORDS_WRITTEN, np.int8, [width, words]), to.outside(WORDS_SCALE, np.float32, [words])
    codes = to.node("QuantizeLinear", both, one, middle)
    parts = to.node("MatMulIntegerToFloat", codes, table, one, scale, middle, fused=True)
    coarse, fine = to.node("Split", parts, axis=0, outputs=2)
    by_words = to.node("Mul", to.node("Add", coarse, to.node("Div", fine, finer)), step)
    by_marks = to.node("MatMul", x, to.outside(MARKS_WRITTEN, np.float32, [width, marks]))
    return str(to.node("Concat", by_marks, by_words, axis=-1))


def _with_copies(to: GraphWriter, likely: str, x: str, width: int) -> str:
    """Probabilities of generating or copying each piece ``[beams, pieces + length]``."""
    query = to.node("Mul", to.product(x, "copy_query"), to.constant("copy_scale", width**-0.5, np.float32))
    keys = to.node("Transpose", to.node("Squeeze", "copy_keys", to.shape(0)), perm=[1, 0])
    copied = to.node("Softmax", to.node("MatMul", query, keys), axis=-1)
    gate = to.node("Sigmoid", to.product(x, "gate"))
    written = to.node("Mul", likely, to.node("Sub", to.constant("one", 1, np.float32), gate))
    copied = to.node("Mul", copied, gate)
    room = to.node("Concat", written, to.node("Mul", copied, to.constant("nothing", 0, np.float32)), axis=-1)
    slots = to.node("Expand", "slots", to.node("Shape", copied))
    return str(to.node("ScatterElements", room, slots, copied, axis=1, reduction="add"))


class _Encoder(nn.Module):
    """Vectors and kinds in; keys and values of every decoder layer and keys for copying out."""

    def __init__(self, network: ParserNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, vectors: Tensor, kinds: Tensor) -> tuple[Tensor, Tensor]:
        states = self.network.encode(vectors, kinds, None)
        read = [part for layer in self.network.decoder for part in layer.read(states)]
        return torch.stack(read), self.network.copy_key(states)


def export(
    network: ParserNetwork,
    folder: Path,
    *,
    name: str,
    trained_on: str,
    kind: Kind = "int8-rows",
    calibration: dict[str, float] | None = None,
) -> None:
    """Write two ONNX graphs, the learned vectors and a description."""
    folder.mkdir(parents=True, exist_ok=True)
    network = network.float().cpu().eval()
    shape = network.shape
    with TemporaryDirectory() as scratch:
        whole = Path(scratch) / "encoder.onnx"
        _write(
            _Encoder(network),
            (torch.randn(1, 7, shape.width), torch.zeros(1, 7, dtype=torch.long)),
            whole,
            ["vectors", "kinds"],
            ["read", "copy_keys"],
            {"vectors": {1: "length"}, "kinds": {1: "length"}, "read": {3: "length"}, "copy_keys": {1: "length"}},
        )
        quantise(whole, folder / ENCODER, kind)
    weights = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    write_decoder(weights, shape, network.generated_ids.numpy(), folder / DECODER)
    np.savez_compressed(
        folder / ARRAYS,
        marks=network.marks.detach().numpy().astype(np.float16),
        bias=network.bias.detach().numpy().astype(np.float16),
        generated=network.generated_ids.numpy().astype(np.uint16),
    )
    description = {
        "format": FORMAT,
        "name": name,
        "trained_on": trained_on,
        "shape": shape.to_json(),
        "calibration": calibration or {"temperature": 1.0, "threshold": 0.0},
    }
    (folder / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")


def _write(
    part: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    names: list[str],
    outputs: list[str],
    axes: dict[str, dict[int, str]],
) -> None:
    torch.onnx.export(
        part,
        inputs,
        str(path),
        input_names=names,
        output_names=outputs,
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
