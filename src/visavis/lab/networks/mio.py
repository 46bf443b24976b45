"""Multi-turn iterative optimisation: which tokens of a dialogue are kept (MAI, section 4.2). It has no parameters.

Tokens are clustered by density peaks over nearest neighbours (DPC-kNN, Du et al., 2016). The paper prints the score of
a token as its density times the distance to its nearest neighbour; in DPC-kNN that is the distance to the nearest
token of *higher density*, which keeps one of two equal tokens where the printed form drops both.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

Form = Literal["peaks", "printed"]


def densities(squared: Tensor, valid: Tensor, neighbours: int) -> Tensor:
    """Equation 2: ``exp(-mean of the squared distances to the nearest neighbours)``, ``[n, s]``; 0 where not valid.

    Args:
        squared: Squared distances ``[n, s, s]``; infinite to what does not count, and to itself.
        valid: Which tokens count, ``[n, s]``.
        neighbours: How many neighbours there are.
    """
    nearest = squared.topk(min(neighbours, squared.shape[-1]), dim=-1, largest=False).values
    there = nearest.isfinite()
    mean = nearest.masked_fill(~there, 0).sum(dim=-1) / there.sum(dim=-1).clamp(min=1)
    return torch.exp(-mean) * valid


def kept_places(tokens: Tensor, valid: Tensor, keep: int, neighbours: int = 5, form: Form = "peaks") -> Tensor:
    """The places of the tokens with the best scores (equation 3), ``[n, keep]``, in their old order.

    Args:
        tokens: ``[n, s, d]``, s at least ``keep``.
        valid: Which of them count, ``[n, s]``; at least ``keep`` in each row.
        keep: How many are kept.
        neighbours: Neighbours of the density.
        form: The distance of the score: to the nearest token of higher density, or to the nearest token.
    """
    flat = tokens.detach().float()
    lengths = flat.square().sum(dim=-1)
    with torch.autocast(flat.device.type, enabled=False):  # half precision cannot tell near tokens apart
        products = flat @ flat.transpose(1, 2)
    squared = (lengths[:, :, None] + lengths[:, None] - 2 * products).clamp(min=0) / flat.shape[-1]
    size = flat.shape[1]
    itself = torch.eye(size, dtype=torch.bool, device=flat.device)
    others = squared.masked_fill(itself | ~valid[:, None], float("inf"))
    density = densities(others, valid, neighbours)
    distances = squared.sqrt()
    if form == "printed":
        distance = others.min(dim=-1).values.sqrt()
    else:
        # Of equal densities the first counts as the higher one, so that one of two equal tokens stays.
        earlier = torch.ones(size, size, dtype=torch.bool, device=flat.device).tril(-1)
        higher = (density[:, None] > density[:, :, None]) | ((density[:, None] == density[:, :, None]) & earlier)
        above = distances.masked_fill(~(higher & valid[:, None]), float("inf")).min(dim=-1).values
        farthest = distances.masked_fill(~valid[:, None], 0).max(dim=-1).values
        distance = torch.where(above.isfinite(), above, farthest)  # the highest peak
    score = (density * distance.nan_to_num(posinf=0.0)).masked_fill(~valid, -1.0)
    return score.topk(keep, dim=-1).indices.sort(dim=-1).values


def gathered(values: Tensor, places: Tensor) -> Tensor:
    """Rows of ``values [n, s, ...]`` by their places ``[n, k]``."""
    shape = (*places.shape, *values.shape[2:])
    return values.gather(1, places.reshape(*places.shape, *([1] * (values.dim() - 2))).expand(shape))
