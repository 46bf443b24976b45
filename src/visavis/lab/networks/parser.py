"""The network of the parser: a BERT encoder, a small decoder, and a gate between writing and copying.

The encoder has the shape of MiniLM-L6 and reads a message with its context. The decoder writes commands piece by
piece. Each piece is either generated, by the word table that the text tower uses as well (tied and frozen; only the
vectors of marks are learned), or copied from the input by a pointer; a gate weighs the two (See et al., 2017).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.towers import Layer, TextTowerShape
from visavis.language.network import ARRAYS, DECODER, DESCRIPTION, ENCODER

#: Ids below this are marks, whose vectors are learned (visavis.language.prompt.MARKS).
MARKS = 104


@dataclass(frozen=True)
class ParserShape:
    """The sizes of a parser network.

    Attributes:
        vocabulary: How many pieces there are.
        width: Length of all vectors.
        layers: Layers of the encoder.
        heads: Heads of the encoder.
        decoder_layers: Layers of the decoder.
        decoder_heads: Heads of the decoder.
        decoder_inner: Width of the decoder's feed-forward parts.
        generated: How many pieces can be generated; the others can only be copied.
        positions: The longest input.
        targets: The longest output.
        copy: Whether there is a gate for copying.
        dropout: Share of states dropped in training.
    """

    vocabulary: int = 30522
    width: int = 384
    layers: int = 6
    heads: int = 12
    decoder_layers: int = 3
    decoder_heads: int = 6
    decoder_inner: int = 1024
    generated: int = 6000
    positions: int = 192
    targets: int = 64
    copy: bool = True
    dropout: float = 0.1

    def to_json(self) -> dict[str, Any]:
        """The sizes as plain values."""
        return asdict(self)


class DecoderLayer(nn.Module):
    """Attention to what was written, attention to what was read, feed-forward; each followed by a normalisation."""

    def __init__(self, shape: ParserShape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.decoder_heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.cross_out = nn.Linear(width, width)
        self.fc1 = nn.Linear(width, shape.decoder_inner)
        self.fc2 = nn.Linear(shape.decoder_inner, width)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
        self.dropout = nn.Dropout(shape.dropout)

    def split(self, x: Tensor) -> Tensor:
        """``[n, l, w]`` as ``[n, heads, l, w / heads]``."""
        n, length, width = x.shape
        return x.reshape(n, length, self.heads, width // self.heads).transpose(1, 2)

    def join(self, x: Tensor) -> Tensor:
        """The inverse of ``split``."""
        n, heads, length, size = x.shape
        return x.transpose(1, 2).reshape(n, length, heads * size)

    def read(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of the encoder's states."""
        key, value = self.key_value(states).chunk(2, dim=-1)
        return self.split(key), self.split(value)

    def own(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value of what was written."""
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        return self.split(query), self.split(key), self.split(value)

    def finish(self, x: Tensor, mixed: Tensor, key: Tensor, value: Tensor, readable: Tensor | None) -> Tensor:
        """Everything after the attention to what was written."""
        x = self.norm1(x + self.dropout(self.out(self.join(mixed))))
        read = F.scaled_dot_product_attention(self.split(self.query(x)), key, value, readable)
        x = self.norm2(x + self.dropout(self.cross_out(self.join(read))))
        return self.norm3(x + self.dropout(self.fc2(F.gelu(self.fc1(x)))))


class ParserNetwork(nn.Module):
    """Reads pieces of a message in its context, writes pieces of commands.

    Args:
        shape: The sizes.
        generated_ids: The pieces that can be generated, in the order of the generator's outputs.
        table: The vectors of the pieces ``[vocabulary, width]``, which are not trained.
    """

    generated_ids: Tensor
    table: Tensor
    slots: Tensor
    #: Whether only the decoder learns.
    frozen_encoder = False
    #: What computes the states in its place where it does not learn.
    exported_encoder: Callable[[Tensor, Tensor], Tensor] | None = None

    def __init__(self, shape: ParserShape, generated_ids: Tensor, table: Tensor) -> None:
        super().__init__()
        self.shape = shape
        width = shape.width
        tower = TextTowerShape(
            vocabulary=shape.vocabulary,
            positions=shape.positions,
            width=width,
            layers=shape.layers,
            heads=shape.heads,
            dropout=shape.dropout,
        )
        self.marks = nn.Parameter(torch.randn(MARKS, width) * float(table.float().std()))
        self.positions = nn.Embedding(shape.positions, width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(tower) for _ in range(shape.layers))
        self.places = nn.Embedding(shape.targets, width)
        self.decoder_norm = nn.LayerNorm(width)
        self.decoder = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.decoder_layers))
        self.to_words = nn.Linear(width, width)
        self.bias = nn.Parameter(torch.zeros(len(generated_ids)))
        self.copy_query = nn.Linear(width, width)
        self.copy_key = nn.Linear(width, width)
        self.gate = nn.Linear(width, 1)
        self.dropout = nn.Dropout(shape.dropout)
        slots = torch.full((shape.vocabulary,), -1, dtype=torch.long)
        slots[generated_ids] = torch.arange(len(generated_ids))
        self.register_buffer("generated_ids", generated_ids, persistent=False)
        self.register_buffer("table", table, persistent=False)
        self.register_buffer("slots", slots, persistent=False)
        nn.init.zeros_(self.kinds.weight)
        nn.init.normal_(self.places.weight, std=0.02)

    def vectors(self, ids: Tensor) -> Tensor:
        """The vectors ``[..., w]`` of pieces."""
        marks = self.marks[ids.clamp(max=MARKS - 1)]
        return torch.where((ids < MARKS)[..., None], marks, self.table[ids].to(marks.dtype))

    def encode(self, vectors: Tensor, kinds: Tensor, present: Tensor | None) -> Tensor:
        """States ``[n, l, w]`` of the input's vectors; ``present`` is false for padding."""
        places = torch.arange(vectors.shape[1], device=vectors.device)
        x = self.dropout(self.norm(vectors + self.positions(places) + self.kinds(kinds)))
        mask = None if present is None else present[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def decode(self, states: Tensor, present: Tensor, written: Tensor) -> Tensor:
        """The decoder's states ``[n, t, w]`` after each of the written pieces ``[n, t]``."""
        places = torch.arange(written.shape[1], device=written.device)
        x = self.dropout(self.decoder_norm(self.vectors(written) + self.places(places)))
        causal = places[None, :] <= places[:, None]
        readable = present[:, None, None, :]
        for layer in self.decoder:
            query, key, value = layer.own(x)
            mixed = F.scaled_dot_product_attention(query, key, value, causal)
            x = layer.finish(x, mixed, *layer.read(states), readable)
        return x

    def generator_table(self) -> Tensor:
        """The vectors of the pieces that can be generated."""
        return self.vectors(self.generated_ids)

    def sources(self, x: Tensor, copy_keys: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Vectors to compare with the word table, logits of copying each input piece, and of the gate."""
        scale = self.shape.width**-0.5
        copied = self.copy_query(x) @ copy_keys.transpose(1, 2) * scale
        return self.to_words(x), copied, self.gate(x)[..., 0]

    def log_probabilities(self, ids: Tensor, kinds: Tensor, written: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Log probabilities of both sources, and logits of the gate.

        Returns:
            Those of generating each piece ``[n, t, g]``, of copying each input piece ``[n, t, l]``, the gate's.
        """
        present = ids > 0
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen_encoder):
            encode = self.exported_encoder
            states = encode(ids, kinds) if encode else self.encode(self.vectors(ids), kinds, present)
        x = self.decode(states, present, written)
        vectors, copied, gate = self.sources(x, self.copy_key(states))
        scale = self.shape.width**-0.5
        generated = (vectors @ self.generator_table().T) * (scale * 8) + self.bias
        copied = copied.float().masked_fill(~present[:, None, :], -1e4)
        return F.log_softmax(generated.float(), dim=-1), F.log_softmax(copied, dim=-1), gate.float()

    def loss(
        self,
        ids: Tensor,
        kinds: Tensor,
        written: Tensor,
        targets: Tensor,
        smoothing: float = 0.0,
        consistency: float = 0.0,
    ) -> Tensor:
        """Mean negative log likelihood of the target pieces; a piece that cannot come about teaches nothing.

        With ``consistency`` the batch passes twice, and how far the two passes are apart is added with that weight
        (R-Drop, Liang et al., 2021).
        """
        if consistency:
            ids, kinds, written, targets = (torch.cat([part, part]) for part in (ids, kinds, written, targets))
        generated, copied, gate = self.log_probabilities(ids, kinds, written)
        likely = self._likelihood(generated, copied, gate, ids, targets)
        counted = (targets > 0) & (likely > -100)
        loss = -(likely * counted).sum() / counted.sum()
        if smoothing:
            spread = -(generated.mean(dim=-1) * counted).sum() / counted.sum()
            loss = (1 - smoothing) * loss + smoothing * spread
        if consistency:
            apart = sum(
                _apart(part) for part in (generated, copied, _both(gate)) if self.shape.copy or part is generated
            )
            half = counted[: len(counted) // 2]
            loss = loss + consistency * (apart * half).sum() / half.sum()
        return loss

    def likelihood(self, ids: Tensor, kinds: Tensor, written: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Log probability of each target piece ``[n, t]`` over both sources, and those of all generated pieces."""
        generated, copied, gate = self.log_probabilities(ids, kinds, written)
        return self._likelihood(generated, copied, gate, ids, targets), generated

    def _likelihood(self, generated: Tensor, copied: Tensor, gate: Tensor, ids: Tensor, targets: Tensor) -> Tensor:
        slot = self.slots[targets]
        by_generating = generated.gather(2, slot.clamp(min=0)[..., None])[..., 0].masked_fill(slot < 0, -1e4)
        if not self.shape.copy:
            return by_generating
        same = targets[:, :, None] == ids[:, None, :]
        by_copying = torch.logsumexp(copied.masked_fill(~same, -1e4), dim=-1)
        both = torch.stack([by_generating + F.logsigmoid(-gate), by_copying + F.logsigmoid(gate)], dim=-1)
        return torch.logsumexp(both, dim=-1)


def _both(gate: Tensor) -> Tensor:
    """Log probabilities ``[n, t, 2]`` of the gate's two sides."""
    return torch.stack([F.logsigmoid(-gate), F.logsigmoid(gate)], dim=-1)


def _apart(logs: Tensor) -> Tensor:
    """How far the distributions of both halves of a batch are apart at each step ``[n / 2, t]``, either way."""
    one, other = logs.chunk(2)
    return 0.5 * ((one.exp() - other.exp()) * (one - other)).sum(dim=-1)


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
