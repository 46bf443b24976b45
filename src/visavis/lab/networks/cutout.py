"""The networks of cut-outs: a head on the encoder's patches, and a network that follows outlines.

The head says which patches belong to the main thing, or to the thing that a hint points at. The outline network takes
a picture and a coarse hint of where to look, and gives a mask at the picture's own resolution.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

#: Channels and blocks of each stage of the outline network.
WIDTHS, DEPTHS = (24, 48, 88, 168, 288), (1, 2, 4, 8, 5)


def normed(inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution and its normalisation."""
    convolution = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
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


def doubled(x: Tensor) -> Tensor:
    """Twice as wide and high."""
    return F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)


class OutlineBlock(nn.Module):
    """A wide look at each channel alone, then a mix of channels; starts as the identity."""

    def __init__(self, width: int, expand: int = 3) -> None:
        super().__init__()
        self.look = normed(width, width, 5, groups=width)
        self.widen = nn.Conv2d(width, width * expand, 1)
        self.narrow = normed(width * expand, width, 1)
        nn.init.zeros_(self.narrow[1].weight)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.narrow(F.relu(self.widen(self.look(x))))


class ContextBlock(nn.Module):
    """What the whole picture says: pooled at three sizes and mixed back in."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.parts = nn.ModuleList(nn.Conv2d(inputs, 48, 1) for _ in range(3))
        self.mix = normed(inputs + 144, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        everywhere = x.mean((2, 3), keepdim=True).expand(-1, -1, *x.shape[-2:])
        around = [F.avg_pool2d(x, size, 1, size // 2, count_include_pad=False) for size in (5, 3)]
        pooled = [F.relu(part(y)) for part, y in zip(self.parts, (everywhere, *around), strict=True)]
        return F.relu(self.mix(torch.cat([x, *pooled], 1)))


class Join(nn.Module):
    """One step up: coarse features enlarged, fine ones added."""

    def __init__(self, coarse: int, fine: int, outputs: int, blocks: int) -> None:
        super().__init__()
        self.coarse = normed(coarse, outputs, 1) if coarse != outputs else nn.Identity()
        self.fine = normed(fine, outputs, 1)
        self.blocks = nn.Sequential(*(OutlineBlock(outputs, 2) for _ in range(blocks)))

    def forward(self, coarse: Tensor, fine: Tensor) -> Tensor:
        joined: Tensor = self.blocks(F.relu(doubled(self.coarse(coarse)) + self.fine(fine)))
        return joined


class OutlineNet(nn.Module):
    """5 million parameters, five resolutions down and up again."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = normed(4, WIDTHS[0], 3, 2)
        self.stages = nn.ModuleList(_stage(number) for number in range(len(WIDTHS)))
        self.context = ContextBlock(WIDTHS[4], 96)
        self.up3 = Join(96, WIDTHS[3], 96, 2)
        self.up2 = Join(96, WIDTHS[2], 64, 2)
        self.up1 = Join(64, WIDTHS[1], 48, 2)
        self.up0 = Join(48, WIDTHS[0], 24, 1)
        self.side4, self.side3, self.side2 = nn.Conv2d(96, 1, 1), nn.Conv2d(96, 1, 1), nn.Conv2d(64, 1, 1)
        self.side0 = nn.Conv2d(24, 1, 1)
        self.detail = nn.Sequential(normed(4, 12), nn.ReLU())
        self.last = nn.Sequential(normed(12 + 24, 16), nn.ReLU(), nn.Conv2d(16, 1, 3, 1, 1))

    def forward(self, picture: Tensor, hint: Tensor) -> Tensor | tuple[Tensor, ...]:
        """Logits of the mask; in training also those of four coarser masks, finest first.

        Args:
            picture: ``[n, 3, h, w]`` in 0..1, sides multiples of 32.
            hint: ``[n, 1, h, w]`` in -1..1; zeros mean the main thing.
        """
        seen = torch.cat([picture * 4 - 2, hint], 1)
        features, y = [], F.relu(self.stem(seen))
        for stage in self.stages:
            y = stage(y)
            features.append(y)
        whole = self.context(features[4])
        d3 = self.up3(whole, features[3])
        d2 = self.up2(d3, features[2])
        d0 = self.up0(self.up1(d2, features[1]), features[0])
        coarse = self.side0(d0)
        fine: Tensor = doubled(coarse) + self.last(torch.cat([self.detail(seen), doubled(d0)], 1))
        if self.training:
            return fine, coarse, self.side2(d2), self.side3(d3), self.side4(whole)
        return fine


def _stage(number: int) -> nn.Sequential:
    width = WIDTHS[number]
    down = [] if number == 0 else [normed(WIDTHS[number - 1], width, 3, 2), nn.ReLU()]
    return nn.Sequential(*down, *(OutlineBlock(width) for _ in range(DEPTHS[number])))
