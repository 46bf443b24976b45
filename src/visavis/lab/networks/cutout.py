"""The cut-out head: which of the encoder's patches belong to the main thing, or to the thing that a hint points at."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def normed(inputs: int, outputs: int, kernel: int, groups: int = 1) -> nn.Sequential:
    """A convolution that keeps the size, and its normalisation."""
    convolution = nn.Conv2d(inputs, outputs, kernel, 1, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs))


class CutoutBlock(nn.Module):
    """A wide look at each channel alone, then a mix of channels; starts as the identity."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.look = normed(width, width, 5, groups=width)
        self.widen = nn.Conv2d(width, 2 * width, 1)
        self.narrow = normed(2 * width, width, 1)
        nn.init.zeros_(self.narrow[1].weight)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.narrow(F.relu(self.widen(self.look(x))))


class CutoutHead(nn.Module):
    """Patches and hint in, one logit a patch out.

    Args:
        knowledge: Length of the encoder's patch vectors.
        width: Channels in between.
    """

    def __init__(self, knowledge: int = 256, width: int = 96) -> None:
        super().__init__()
        self.know = normed(knowledge + 1, width, 1)
        self.think = nn.Sequential(CutoutBlock(width), CutoutBlock(width), CutoutBlock(width))
        self.coarse = nn.Conv2d(width, 1, 1)

    def forward(self, patches: Tensor, hint: Tensor) -> Tensor:
        """Logits ``[n, 1, g, g]`` of how much of each patch the thing covers.

        Args:
            patches: ``[n, g, g, d]`` as the encoder gives them.
            hint: ``[n, 1, g, g]`` in -1..1, a coarse map of the thing that is meant; zeros mean the main thing.
        """
        # Unit vectors of 256 numbers are small numbers; times 8 they are of the size of the hint.
        known = torch.cat([patches.permute(0, 3, 1, 2) * 8, hint], 1)
        logits: Tensor = self.coarse(self.think(F.relu(self.know(known))))
        return logits
