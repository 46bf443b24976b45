"""Fashion IQ's dialog retriever: words, attributes and picture of every turn in, one query vector out (section 4.2).

Words come in as the frozen text tower's token vectors, where the paper has GloVe. The recurrent retriever of Guo et
al. (2018) is the baseline. Both add what they read to the tower's own vector of all the feedback, so that a training
begins at what the encoder knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.transformer import TransformerBlock, hide


class History(NamedTuple):
    """The turns of dialogues, oldest first.

    Attributes:
        words: Token vectors of each turn's feedback, ``[n, t, l, w]``.
        there: Which of them are there, ``[n, t, l]``.
        pictures: The whole vectors of the pictures that were shown, ``[n, t, d]``.
        attributes: Numbers of their attributes, ``[n, t, a]``.
        seen: Whether a picture was shown, ``[n, t]``.
        said: The tower's vector of all the feedback in one text, ``[n, d]``.
    """

    words: Tensor
    there: Tensor
    pictures: Tensor
    attributes: Tensor
    seen: Tensor
    said: Tensor


@dataclass(frozen=True)
class RetrieverShape:
    """The sizes of a retriever.

    Attributes:
        attributes: How many attributes there are; 0 where none are read.
        dimension: Length of a picture's vector.
        tokens: Length of a token's vector.
        width: Hidden units.
        layers: Layers.
        heads: Attention heads.
        inner: Width inside a layer.
        turns: Turns that are told apart.
        words: Words of a turn that are read.
        dropout: What is dropped in training.
    """

    attributes: int
    dimension: int = 256
    tokens: int = 384
    width: int = 256
    layers: int = 6
    heads: int = 8
    inner: int = 512
    turns: int = 10
    words: int = 16
    dropout: float = 0.1


class DialogRetriever(nn.Module):
    """The paper's retriever: one sequence of all turns, pooled and made a query."""

    def __init__(self, shape: RetrieverShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Linear(shape.tokens, shape.width)
        self.pictures = nn.Linear(shape.dimension, shape.width)
        self.attributes = nn.Embedding(max(1, shape.attributes), shape.width)
        self.kinds = nn.Embedding(3, shape.width)
        self.turns = nn.Embedding(shape.turns, shape.width)
        self.places = nn.Embedding(shape.words, shape.width)
        for table in (self.attributes, self.kinds, self.turns, self.places):
            nn.init.normal_(table.weight, std=0.1)
        sizes = (shape.width, shape.heads, shape.inner, shape.dropout)
        self.layers = nn.ModuleList(TransformerBlock(*sizes) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        self.out = nn.Linear(shape.width, shape.dimension)
        nn.init.zeros_(self.out.weight)  # what the tower reads of the feedback to begin with
        nn.init.zeros_(self.out.bias)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, history: History) -> Tensor:
        """The query ``[n, d]``, unit length."""
        x, mask = self.tokens(history)
        x, hidden = self.dropout(x), hide(mask)
        for layer in self.layers:
            x = layer(x, hidden)
        weight = mask[:, :, None].to(x.dtype)
        pooled = (self.norm(x) * weight).sum(dim=1, keepdim=True) / weight.sum(dim=1, keepdim=True).clamp(min=1)
        return F.normalize(history.said + self.out(pooled)[:, 0], dim=-1)

    def tokens(self, history: History) -> tuple[Tensor, Tensor]:
        """The sequence ``[n, s, w]`` and which of it is there ``[n, s]``."""
        turns, length = history.words.shape[1:3]
        newest = torch.arange(turns - 1, -1, -1, device=history.words.device).clamp(max=self.shape.turns - 1)
        turn = self.turns(newest)[None, :, None]
        words = self.words(history.words) + self.kinds.weight[0] + self.places.weight[:length] + turn
        scale = float(self.shape.dimension) ** 0.5
        pictures = self.pictures(history.pictures * scale)[:, :, None] + self.kinds.weight[1] + turn
        parts, masks = [words, pictures], [history.there, history.seen[:, :, None]]
        if self.shape.attributes:
            parts.append(self.attributes(history.attributes) + self.kinds.weight[2] + turn)
            masks.append(history.seen[:, :, None].expand(-1, -1, history.attributes.shape[2]))
        x, mask = torch.cat(parts, dim=2), torch.cat(masks, dim=2)
        return x.flatten(1, 2), mask.flatten(1, 2)


class RecurrentRetriever(nn.Module):
    """The baseline: feedback and picture of a turn joined, a GRU over turns, and its last state made a query."""

    def __init__(self, shape: RetrieverShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Linear(shape.tokens, shape.width)
        self.pictures = nn.Linear(shape.dimension, shape.width)
        self.turn = nn.Linear(2 * shape.width, shape.width)
        self.history = nn.GRU(shape.width, shape.width, batch_first=True)
        self.out = nn.Linear(shape.width, shape.dimension)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, history: History) -> Tensor:
        """The query ``[n, d]``, unit length."""
        weight = history.there[..., None].to(history.words.dtype)
        words = (self.words(history.words) * weight).sum(dim=2) / weight.sum(dim=2).clamp(min=1)
        scale = float(self.shape.dimension) ** 0.5
        pictures = self.pictures(history.pictures * scale) * history.seen[..., None]
        states, _ = self.history(F.relu(self.turn(torch.cat([words, pictures], dim=-1))))
        return F.normalize(history.said + self.out(states[:, -1]), dim=-1)
