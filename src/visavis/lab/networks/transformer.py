"""Transformer blocks with self-attention and attention over another sequence; masks are added to the logits."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

#: What is added to the logit of a place that must not be seen; finite, so that a row without any gives no NaN.
_HIDDEN = -1e9


class Attention(nn.Module):
    """Multi-head attention of one sequence over another, or over itself."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, over: Tensor, hidden: Tensor | None = None) -> Tensor:
        """``x [n, q, w]`` over ``[n, k, w]``; ``hidden`` is added to the logits and fits ``[n, heads, q, k]``."""
        n, length, width = x.shape
        each = width // self.heads
        q = self.query(x).view(n, length, self.heads, each).transpose(1, 2)
        k, v = (part(over).view(n, over.shape[1], self.heads, each).transpose(1, 2) for part in (self.key, self.value))
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=None if hidden is None else hidden.to(q.dtype))
        return self.out(mixed.transpose(1, 2).reshape(n, length, width))


@dataclass(frozen=True, kw_only=True)
class TransformerShape:
    """The sizes of a transformer about pictures.

    Attributes:
        dimension: Length of a picture's vector.
        width: Hidden units.
        layers: Layers of the encoder, and of the decoder where there is one.
        heads: Attention heads.
        inner: Width inside a layer.
        dropout: What is dropped in training.
    """

    dimension: int = 256
    width: int = 256
    layers: int = 6
    heads: int = 8
    inner: int = 1024
    dropout: float = 0.1

    def blocks(self, *, crossed: bool = False) -> nn.ModuleList:
        """As many blocks as there are layers."""
        sizes = (self.width, self.heads, self.inner, self.dropout)
        return nn.ModuleList(TransformerBlock(*sizes, crossed=crossed) for _ in range(self.layers))


class TransformerBlock(nn.Module):
    """Self-attention, attention over another sequence where there is one, and two layers for each place."""

    def __init__(self, width: int, heads: int, inner: int, dropout: float = 0.1, *, crossed: bool = False) -> None:
        super().__init__()
        self.norm1, self.own = nn.LayerNorm(width), Attention(width, heads)
        self.norm2 = nn.LayerNorm(width) if crossed else None
        self.other = Attention(width, heads) if crossed else None
        self.norm3 = nn.LayerNorm(width)
        self.fc1, self.fc2 = nn.Linear(width, inner), nn.Linear(inner, width)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, hidden: Tensor, over: Tensor | None = None, over_hidden: Tensor | None = None
    ) -> Tensor:
        normal = self.norm1(x)
        x = x + self.dropout(self.own(normal, normal, hidden))
        if self.other is not None and self.norm2 is not None:
            assert over is not None
            assert over_hidden is not None
            x = x + self.dropout(self.other(self.norm2(x), over, over_hidden))
        return x + self.dropout(self.fc2(F.relu(self.fc1(self.norm3(x)))))


def hide(mask: Tensor) -> Tensor:
    """From a mask ``[n, k]`` of what is there to what is added to logits, ``[n, 1, 1, k]``."""
    return ((1.0 - mask.float()) * _HIDDEN)[:, None, None, :]


def hide_later(length: int, like: Tensor) -> Tensor:
    """Hides later places of a sequence, ``[1, 1, length, length]``."""
    later = torch.ones(length, length, device=like.device, dtype=torch.float32).triu(1)
    return (later * _HIDDEN)[None, None]
