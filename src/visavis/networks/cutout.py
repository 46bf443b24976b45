"""The cut-out decoder: what the encoder's patches know of a picture, drawn along the picture's own edges."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

#: Coarse to fine: logits at full, half, quarter and eighth of the side, and on the encoder's grid.
Logits = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def normed(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution that keeps the size (or divides it by the stride), and its normalisation."""
    convolution = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs))


class Block(nn.Module):
    """A wide look at each channel alone, then a mix of channels; starts as the identity."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.look = normed(width, width, 5, groups=width)
        self.widen = nn.Conv2d(width, 2 * width, 1)
        self.narrow = normed(2 * width, width, 1)
        nn.init.zeros_(self.narrow[1].weight)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.narrow(F.relu(self.widen(self.look(x))))


class CutoutDecoder(nn.Module):
    """Picture, patches and hint in, logits of a mask out.

    The patches tell what is where, coarsely; the picture tells where edges run; the hint, a coarse map of the thing
    that is meant, chooses one of several things. A hint of zeros means the main thing.

    Args:
        knowledge: Length of the encoder's patch vectors.
        grid: Patches along one side.
    """

    def __init__(self, knowledge: int = 256, grid: int = 12, width: int = 96) -> None:
        super().__init__()
        self.grid = grid
        self.know = normed(knowledge + 1, width, 1)
        self.think = nn.Sequential(Block(width), Block(width), Block(width))
        self.coarse = nn.Conv2d(width, 1, 1)
        self.see1 = nn.Sequential(normed(4, 16, 3, 2), nn.ReLU(), Block(16))
        self.see2 = nn.Sequential(normed(16, 32, 3, 2), nn.ReLU(), Block(32))
        self.see3 = nn.Sequential(normed(32, 64, 3, 2), nn.ReLU(), Block(64), Block(64))
        self.down = normed(width, 64, 1)
        self.join3, self.side3 = nn.Sequential(Block(64), Block(64)), nn.Conv2d(64, 1, 1)
        self.join2 = nn.Sequential(normed(64 + 32, 40, 1), nn.ReLU(), Block(40), Block(40))
        self.side2 = nn.Conv2d(40, 1, 1)
        self.join1, self.side1 = nn.Sequential(normed(40 + 16, 24, 1), nn.ReLU(), Block(24)), nn.Conv2d(24, 1, 1)
        self.last = nn.Sequential(normed(24 + 4, 16, 3), nn.ReLU(), nn.Conv2d(16, 1, 3, 1, 1))

    def reason(self, patches: Tensor, hint: Tensor) -> Tensor:
        """Features on the encoder's grid from patches ``[n, g, g, d]`` and a hint ``[n, 1, g, g]``."""
        # Unit vectors of 256 numbers are small numbers; times 8 they are of the size of the hint.
        return self.think(F.relu(self.know(torch.cat([patches.permute(0, 3, 1, 2) * 8, hint], 1))))

    def forward(self, picture: Tensor, patches: Tensor, hint: Tensor) -> Tensor | Logits:
        """Logits of the mask; in training those of all sizes.

        Args:
            picture: ``[n, 3, s, s]`` in 0..1; s is a multiple of 8 and of the grid.
            patches: ``[n, g, g, d]`` as the encoder gives them.
            hint: ``[n, 1, s, s]`` in -1..1; 0 where nothing is known.
        """
        side = picture.shape[-1]
        seen = torch.cat([picture * 4 - 2, hint], 1)
        known = self.reason(patches, F.avg_pool2d(hint, side // self.grid))
        half = self.see1(seen)
        quarter = self.see2(half)
        eighth = self.see3(quarter)
        eighth = self.join3(F.relu(eighth + _enlarged(self.down(known), side // 8)))
        quarter = self.join2(torch.cat([_enlarged(eighth, side // 4), quarter], 1))
        half = self.join1(torch.cat([_enlarged(quarter, side // 2), half], 1))
        rough = self.side1(half)
        fine: Tensor = _enlarged(rough, side) + self.last(torch.cat([_enlarged(half, side), seen], 1))
        if self.training:
            return fine, rough, self.side2(quarter), self.side3(eighth), self.coarse(known)
        return fine


def _enlarged(x: Tensor, side: int) -> Tensor:
    return F.interpolate(x, size=(side, side), mode="bilinear", align_corners=False)
