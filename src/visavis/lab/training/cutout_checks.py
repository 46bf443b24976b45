"""IoU of an outline network on held-out photographs."""

from __future__ import annotations

import random

import torch
from torch import Tensor
from torch.nn import functional as F

from visavis.lab.networks.cutout_outline import OutlineNet
from visavis.lab.training.cutout_samples import draw_hints

_BATCH = 50


@torch.no_grad()
def overlap(model: OutlineNet, masked: Tensor, *, hinted: bool = False, side: int = 320) -> float:
    """Return the mean IoU where the masks are certain, with or without a coarse hint; the same hints each time.

    Args:
        model: In evaluation mode.
        masked: Photographs with masks, ``[n, 4, h, w]`` bytes.
        hinted: Whether the network gets a hint.
        side: The input size.
    """
    device = next(model.parameters()).device
    state = random.getstate()
    random.seed(7)
    found: list[Tensor] = []
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(7)
        for part in masked.split(_BATCH):
            seen = F.interpolate(part.to(device).float() / 255, size=(side, side), mode="bilinear")
            with device:
                known = torch.full((len(seen),), hinted)
                hints = draw_hints((seen[:, 3:] > 0.4).float(), known)
            masks = model(seen[:, :3], hints) > 0
            sure = (seen[:, 3:] < 0.25) | (seen[:, 3:] > 0.75)
            true = (seen[:, 3:] > 0.5) & sure
            both, either = (masks & true).sum((1, 2, 3)), ((masks & sure) | true).sum((1, 2, 3))
            found.append(torch.where(either > 0, both / either.clamp(min=1), 1.0))
    random.setstate(state)
    return float(torch.cat(found).mean())
