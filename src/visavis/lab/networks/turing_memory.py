"""A memory that is written and read by content: a neural Turing machine (Graves et al., 2014; FashionNTM, 2023)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def addressed(keys: Tensor, strengths: Tensor, memory: Tensor) -> Tensor:
    """How much each head ``[n, t, d]`` looks at each row of the memory ``[n, s, d]``: ``[n, t, s]``, sums of one.

    A softmax of cosines, sharpened by the heads' strengths ``[n, t, 1]``.
    """
    cosines = F.normalize(keys, dim=-1) @ F.normalize(memory, dim=-1).transpose(1, 2)
    return torch.softmax(F.softplus(strengths) * cosines, dim=-1)


class TuringMemory(nn.Module):
    """Rows that every token of a turn writes to and reads from; each token has a writing and a reading head.

    FashionNTM puts several such memories behind each other; this is one.
    """

    def __init__(self, rows: int, dimension: int) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.randn(rows, dimension) * 0.02)
        self.write_key, self.read_key = nn.Linear(dimension, dimension), nn.Linear(dimension, dimension)
        self.write_strength, self.read_strength = nn.Linear(dimension, 1), nn.Linear(dimension, 1)
        self.erase, self.add = nn.Linear(dimension, dimension), nn.Linear(dimension, dimension)

    def empty(self, number: int) -> Tensor:
        """The memory of conversations before their first turn, ``[n, s, d]``."""
        return self.start.expand(number, -1, -1)

    def forward(self, tokens: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens ``[n, t, d]`` with what they read of the memory, and the memory after they wrote to it.

        All heads write at once: what they erase is multiplied, what they add is summed.
        """
        writing = addressed(self.write_key(tokens), self.write_strength(tokens), memory)
        erased = 1 - writing[..., None] * torch.sigmoid(self.erase(tokens))[:, :, None]
        memory = memory * erased.prod(dim=1) + writing.transpose(1, 2) @ torch.tanh(self.add(tokens))
        reading = addressed(self.read_key(tokens), self.read_strength(tokens), memory)
        return tokens + reading @ memory, memory
