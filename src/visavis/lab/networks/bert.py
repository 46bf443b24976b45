"""The text tower: a BERT of the MiniLM-L6 shape, mean-pooled, with a head into the common space."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class TextTowerShape:
    """The sizes of a text tower; the defaults are MiniLM-L6."""

    vocabulary: int = 30522
    positions: int = 512
    width: int = 384
    layers: int = 6
    heads: int = 12
    dimension: int = 256
    dropout: float = 0.0


class Layer(nn.Module):
    """One BERT layer: attention and MLP, each followed by a normalisation."""

    def __init__(self, shape: TextTowerShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.norm1 = nn.LayerNorm(shape.width, eps=1e-12)
        self.fc1 = nn.Linear(shape.width, 4 * shape.width)
        self.fc2 = nn.Linear(4 * shape.width, shape.width)
        self.norm2 = nn.LayerNorm(shape.width, eps=1e-12)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        n, length, width = x.shape
        q, k, v = self.qkv(x).view(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.norm1(x + self.dropout(self.out(mixed.transpose(1, 2).reshape(n, length, width))))
        return self.norm2(x + self.dropout(self.fc2(F.gelu(self.fc1(x)))))


class TextTower(nn.Module):
    """Token ids and their mask ``[n, l]`` in, unit vectors ``[n, d]`` out."""

    def __init__(self, shape: TextTowerShape | None = None) -> None:
        super().__init__()
        self.shape = shape = shape or TextTowerShape()
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.positions = nn.Embedding(shape.positions, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.dropout = nn.Dropout(shape.dropout)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.head = nn.Linear(shape.width, shape.dimension, bias=False)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        return self.read(self.words(input_ids), attention_mask)[0]

    def read(self, vectors: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """From vectors of the word table ``[n, l, width]``: the whole, and what each token became in its sentence."""
        places = torch.arange(vectors.shape[1], device=vectors.device)
        x = self.dropout(self.norm(vectors + self.positions(places)))
        mask = attention_mask[:, None, None, :] > 0
        for layer in self.layers:
            x = layer(x, mask)
        weight = attention_mask[:, :, None].to(x.dtype)
        mean = (x * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1)
        return F.normalize(self.head(mean), dim=-1), x
