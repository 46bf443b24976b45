"""The generator-extractor of CAISE (Kim et al., AAAI 2022), rebuilt on a text transformer.

A transformer reads the message, the conversation before it and what the picture shows as one sequence. A decoder
writes the command piece by piece; at each step a gate weighs three sources: generate from a vocabulary, copy from
what was said, copy from what is seen. The paper has LSTMs and detector features in the place of the transformer.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.networks.bert import Layer, TextTowerShape


@dataclass(frozen=True)
class CommandShape:
    """The sizes of a command network.

    Attributes:
        vocabulary: How many word pieces it can read.
        embedding: Length of a piece's vector.
        width: Length of the states.
        layers: Layers of the reader.
        heads: Attention heads of the reader and the writer.
        writer_layers: Layers of the writer.
        generated: How many pieces can be generated (the others can only be copied).
        positions: The longest input.
        targets: The longest command.
        dropout: Share of states dropped in training.
    """

    vocabulary: int = 30522
    embedding: int = 96
    width: int = 192
    layers: int = 2
    heads: int = 4
    writer_layers: int = 1
    generated: int = 2000
    positions: int = 160
    targets: int = 40
    dropout: float = 0.1

    def to_json(self) -> dict[str, Any]:
        """The sizes as plain values."""
        return asdict(self)


class WriterLayer(nn.Module):
    """One layer of the writer: attention to what was written, attention to what was read, MLP."""

    def __init__(self, shape: CommandShape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.cross_out = nn.Linear(width, width)
        self.fc1 = nn.Linear(width, 2 * width)
        self.fc2 = nn.Linear(2 * width, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.dropout = nn.Dropout(shape.dropout)

    def _split(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        return x.view(n, length, self.heads, width // self.heads).transpose(1, 2)

    def _join(self, x: Tensor) -> Tensor:
        n, heads, length, size = x.shape
        return x.transpose(1, 2).reshape(n, length, heads * size)

    def forward(self, x: Tensor, states: Tensor, causal: Tensor, readable: Tensor) -> Tensor:
        q, k, v = (self._split(part) for part in self.qkv(x).chunk(3, dim=-1))
        x = self.norms[0](x + self.dropout(self.out(self._join(F.scaled_dot_product_attention(q, k, v, causal)))))
        q = self._split(self.query(x))
        k, v = (self._split(part) for part in self.key_value(states).chunk(2, dim=-1))
        mixed = F.scaled_dot_product_attention(q, k, v, readable)
        x = self.norms[1](x + self.dropout(self.cross_out(self._join(mixed))))
        return self.norms[2](x + self.dropout(self.fc2(F.gelu(self.fc1(x)))))


#: Pieces below this are no words but marks; their vectors are learned, those of words are given.
MARKS = 104


class CommandNetwork(nn.Module):
    """Reads a message in context, writes commands.

    Args:
        shape: The sizes.
        generated_ids: The word pieces that can be generated, in the order of the generator's outputs.
        table: The vectors of the word pieces ``[vocabulary, embedding]``, which are not trained.
    """

    generated_ids: Tensor
    table: Tensor

    def __init__(self, shape: CommandShape, generated_ids: Tensor, table: Tensor) -> None:
        super().__init__()
        self.shape = shape
        tower = TextTowerShape(
            vocabulary=shape.vocabulary,
            positions=shape.positions,
            width=shape.width,
            layers=shape.layers,
            heads=shape.heads,
            dropout=shape.dropout,
        )
        self.marks = nn.Parameter(torch.randn(MARKS, shape.embedding) * float(table.std()))
        self.widen = nn.Linear(shape.embedding, shape.width)
        self.positions = nn.Embedding(shape.positions, shape.width)
        self.kinds = nn.Embedding(3, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.dropout = nn.Dropout(shape.dropout)
        self.layers = nn.ModuleList(Layer(tower) for _ in range(shape.layers))
        self.places = nn.Embedding(shape.targets, shape.width)
        self.writer_norm = nn.LayerNorm(shape.width)
        self.writer = nn.ModuleList(WriterLayer(shape) for _ in range(shape.writer_layers))
        self.generate = nn.Linear(shape.width, shape.generated)
        self.copy_query = nn.Linear(shape.width, 2 * shape.width)
        self.copy_key = nn.Linear(shape.width, 2 * shape.width)
        self.gate = nn.Linear(2 * shape.width, 3)
        self.register_buffer("generated_ids", generated_ids)
        self.register_buffer("table", table)
        nn.init.normal_(self.kinds.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)

    def vectors(self, ids: Tensor) -> Tensor:
        """The vectors ``[n, l, e]`` of pieces ``[n, l]``."""
        marks = self.marks[ids.clamp(max=MARKS - 1)]
        return torch.where((ids < MARKS)[..., None], marks, self.table[ids])

    def read(self, vectors: Tensor, kinds: Tensor, present: Tensor) -> Tensor:
        """States ``[n, l, w]`` of the input's vectors ``[n, l, e]``; ``present`` is false for padding."""
        places = torch.arange(vectors.shape[1], device=vectors.device)
        x = self.widen(vectors) + self.positions(places) + self.kinds(kinds)
        x = self.dropout(self.norm(x))
        mask = present[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def write(
        self, states: Tensor, kinds: Tensor, present: Tensor, written: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """For each written piece (its vectors ``[n, t, e]``), where the next one comes from.

        Returns:
            Log weights of the three sources ``[n, t, 3]``, log probabilities of the generated pieces ``[n, t, g]``,
            and of copying each input piece as said and as seen ``[n, t, l]`` each.
        """
        places = torch.arange(written.shape[1], device=written.device)
        x = self.dropout(self.writer_norm(self.widen(written) + self.places(places)))
        causal = places[None, :] <= places[:, None]
        readable = present[:, None, None, :]
        for layer in self.writer:
            x = layer(x, states, causal, readable)
        queries = self.copy_query(x).chunk(2, dim=-1)
        keys = self.copy_key(states).chunk(2, dim=-1)
        scale = self.shape.width**-0.5
        said = (present & (kinds < 2))[:, None, :]
        seen = (present & (kinds == 2))[:, None, :]
        scores = [
            (query @ key.transpose(1, 2) * scale).float().masked_fill(~allowed, -1e4)
            for query, key, allowed in zip(queries, keys, (said, seen), strict=True)
        ]
        mixed = torch.softmax(scores[1], dim=-1).to(states.dtype) @ states
        gate = torch.log_softmax(self.gate(torch.cat([x, mixed], dim=-1)).float(), dim=-1)
        generated = torch.log_softmax(self.generate(x).float(), dim=-1)
        return gate, generated, torch.log_softmax(scores[0], dim=-1), torch.log_softmax(scores[1], dim=-1)

    def target_log_likelihood(self, ids: Tensor, kinds: Tensor, written: Tensor, targets: Tensor) -> Tensor:
        """Log probability of each target piece ``[n, t]``, summed over the ways in which it can come about."""
        present = ids > 0
        states = self.read(self.vectors(ids), kinds, present)
        gate, generated, said, seen = self.write(states, kinds, present, self.vectors(written))
        slot = torch.full((self.shape.vocabulary,), -1, dtype=torch.long, device=ids.device)
        slot[self.generated_ids] = torch.arange(len(self.generated_ids), device=ids.device)
        at = slot[targets]
        by_generating = generated.gather(2, at.clamp(min=0)[..., None])[..., 0].masked_fill(at < 0, -1e4)
        same = targets[:, :, None] == ids[:, None, :]
        by_copying = [torch.logsumexp(copy.masked_fill(~same, -1e4), dim=-1) for copy in (said, seen)]
        return torch.logsumexp(torch.stack([by_generating, *by_copying], dim=-1) + gate, dim=-1)
