"""The towers: a ViT-S/14 of the DINOv2 shape for pictures, a BERT of the MiniLM-L6 shape for texts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class ImageTowerShape:
    """The sizes of an image tower; the defaults are ViT-S/14 reading 168 x 168 pixels."""

    image_size: int = 168
    patch: int = 14
    width: int = 384
    layers: int = 12
    heads: int = 6
    dimension: int = 256
    drop_path: float = 0.0

    @property
    def grid(self) -> int:
        """Patches along one side."""
        return self.image_size // self.patch


class Block(nn.Module):
    """One transformer layer: attention and MLP, each with a learned scale and stochastic depth."""

    def __init__(self, shape: ImageTowerShape, drop_path: float) -> None:
        super().__init__()
        self.heads, self.drop_path = shape.heads, drop_path
        self.norm1 = nn.LayerNorm(shape.width, eps=1e-6)
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.scale1 = nn.Parameter(torch.ones(shape.width))
        self.norm2 = nn.LayerNorm(shape.width, eps=1e-6)
        self.fc1 = nn.Linear(shape.width, 4 * shape.width)
        self.fc2 = nn.Linear(4 * shape.width, shape.width)
        self.scale2 = nn.Parameter(torch.ones(shape.width))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self._drop(self.scale1 * self._attend(self.norm1(x)))
        return x + self._drop(self.scale2 * self.fc2(F.gelu(self.fc1(self.norm2(x)))))

    def _attend(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        q, k, v = self.qkv(x).view(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v)
        return self.out(mixed.transpose(1, 2).reshape(n, length, width))

    def _drop(self, branch: Tensor) -> Tensor:
        """Leave the branch out for a random part of the batch (stochastic depth)."""
        if not self.training or self.drop_path == 0:
            return branch
        keep = torch.rand(len(branch), 1, 1, device=branch.device) >= self.drop_path
        return branch * keep / (1 - self.drop_path)


class ImageTower(nn.Module):
    """Pixels ``[n, 3, s, s]`` in, ``whole [n, d]`` and ``patches [n, g*g, d]`` out, all of unit length."""

    def __init__(self, shape: ImageTowerShape | None = None) -> None:
        super().__init__()
        self.shape = shape = shape or ImageTowerShape()
        self.project = nn.Conv2d(3, shape.width, shape.patch, stride=shape.patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, shape.width))
        self.position = nn.Parameter(torch.zeros(1, 1 + shape.grid**2, shape.width))
        rates = torch.linspace(0, shape.drop_path, shape.layers).tolist()
        self.blocks = nn.ModuleList(Block(shape, rate) for rate in rates)
        self.norm = nn.LayerNorm(shape.width, eps=1e-6)
        # The whole looks at the class token and the mean patch; patches have a head of their own.
        self.whole_head = nn.Linear(2 * shape.width, shape.dimension, bias=False)
        self.patch_head = nn.Linear(shape.width, shape.dimension, bias=False)

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        x = self.project(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1) + self.position
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        cls, patches = x[:, 0], x[:, 1:]
        whole = self.whole_head(torch.cat([cls, patches.mean(dim=1)], dim=-1))
        return F.normalize(whole, dim=-1), F.normalize(self.patch_head(patches), dim=-1)


def pool_regions(patches: Tensor) -> Tensor:
    """Patches ``[n, g*g, d]`` as regions of two by two, ``[n, g*g/4, d]``, of unit length."""
    count, width = int(patches.shape[1]), int(patches.shape[2])
    n, half = patches.shape[0], math.isqrt(count) // 2
    square = patches.reshape(n, half, 2, half, 2, width)
    return F.normalize(square.mean(dim=(2, 4)).reshape(n, half * half, width), dim=-1)


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
