"""The network that fills holes: from what is around a hole to a guess of what would be seen there.

It looks at 1/2 to 1/16 of the size and goes back up. At 1/16 every place sees every other one, so that what is to the
left of a hole can meet what is to the right.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.cutout import Join, OutlineBlock, normed

#: Channels and blocks at 1/2, 1/4, 1/8 and 1/16 of the size, and the width of a head of attention.
WIDTHS, DEPTHS, HEAD = (32, 64, 128, 224), (1, 2, 3, 4), 32
#: Sides of what it sees are multiples of this.
STEP = 16


class Everywhere(nn.Module):
    """Attention of every place to every other one; starts as the identity."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(1, width)
        self.ask = nn.Conv2d(width, 3 * width, 1)
        self.answer = nn.Conv2d(width, width, 1)
        nn.init.zeros_(self.answer.weight)
        nn.init.zeros_(self.answer.bias)

    def forward(self, x: Tensor) -> Tensor:
        count, width, height, across = x.shape
        asked = self.ask(self.norm(x)).reshape(count, 3 * (width // HEAD), HEAD, height * across)
        query, key, value = asked.transpose(2, 3).chunk(3, 1)
        shares = torch.softmax(query @ key.transpose(2, 3) * HEAD**-0.5, -1)
        seen = (shares @ value).transpose(2, 3).reshape(count, width, height, across)
        return x + self.answer(seen)


class FillNet(nn.Module):
    """3 million parameters, four resolutions down and up again."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = normed(4, WIDTHS[0], 5, 2)
        self.stages = nn.ModuleList(_stage(number) for number in range(len(WIDTHS)))
        self.up2 = Join(WIDTHS[3], WIDTHS[2], WIDTHS[2], 3)
        self.up1 = Join(WIDTHS[2], WIDTHS[1], WIDTHS[1], 2)
        self.up0 = Join(WIDTHS[1], WIDTHS[0], WIDTHS[0], 1)
        self.last = nn.Conv2d(WIDTHS[0], 12, 3, 1, 1)

    def forward(self, picture: Tensor, hole: Tensor) -> Tensor:
        """The whole picture as it is guessed to be, ``[n, 3, h, w]`` in 0..1; only the hole is meant to be taken.

        Args:
            picture: ``[n, 3, h, w]`` in 0..1, sides multiples of 16; what lies in the hole is not looked at.
            hole: ``[n, 1, h, w]``, 1 where something is missing.
        """
        features, y = [], F.relu(self.stem(torch.cat([(picture * 2 - 1) * (1 - hole), hole], 1)))
        for stage in self.stages:
            y = stage(y)
            features.append(y)
        fine = self.up0(self.up1(self.up2(y, features[2]), features[1]), features[0])
        return torch.sigmoid(F.pixel_shuffle(self.last(fine), 2))


class Judge(nn.Module):
    """Tells filled places from photographed ones, patch by patch; the features in between are compared, too."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        norm = nn.utils.parametrizations.spectral_norm
        widths = (4, width, 2 * width, 4 * width, 4 * width)
        self.layers = nn.ModuleList(
            norm(nn.Conv2d(before, after, 4, 2 if number < 3 else 1, 1 if number < 3 else 2))
            for number, (before, after) in enumerate(pairwise(widths))
        )
        self.last = norm(nn.Conv2d(widths[-1], 1, 3, 1, 1))

    def forward(self, picture: Tensor, hole: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Logits of having been photographed, and the features in between."""
        y, features = torch.cat([picture * 2 - 1, hole], 1), []
        for layer in self.layers:
            y = F.leaky_relu(layer(y), 0.2)
            features.append(y)
        return self.last(y), features


def _stage(number: int) -> nn.Sequential:
    width = WIDTHS[number]
    layers: list[nn.Module] = [] if number == 0 else [normed(WIDTHS[number - 1], width, 3, 2), nn.ReLU()]
    for _ in range(DEPTHS[number]):
        layers.append(OutlineBlock(width))
        if number == len(WIDTHS) - 1:
            layers.append(Everywhere(width))
    return nn.Sequential(*layers)
