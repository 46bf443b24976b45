"""What the fill network learns from: parts of photographs, and holes of the shapes that things have."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional as F

#: A hole has this share of what is seen, and is made of so many round pieces that touch each other.
SHARES, PIECES = (0.03, 0.25), 5
#: How much of a photograph is seen.
_SEEN = (0.6, 1.0)


def draw_parts(photos: Tensor, count: int, side: int) -> Tensor:
    """Draw parts of photographs at random, half of them mirrored, as ``[count, 3, side, side]`` in 0..1.

    Args:
        photos: ``[n, 3, h, w]`` bytes.
        count: How many.
        side: The side of each.
    """
    device = photos.device
    chosen = photos[torch.randint(len(photos), (count,), device=device)].float() / 255
    seen = torch.empty(count, device=device).uniform_(*_SEEN)
    mirrored = torch.where(torch.rand(count, device=device) < 0.5, -1.0, 1.0)
    move = (torch.rand(count, 2, device=device) * 2 - 1) * (1 - seen)[:, None]
    place = torch.zeros(count, 2, 3, device=device)
    place[:, 0, 0], place[:, 1, 1], place[:, :, 2] = seen * mirrored, seen, move
    grid = F.affine_grid(place, [count, 3, side, side], align_corners=False)
    parts = F.grid_sample(chosen, grid, mode="bilinear", padding_mode="reflection", align_corners=False)
    light = torch.empty(count, 1, 1, 1, device=device).uniform_(0.85, 1.15)
    return (parts * light).clamp(0, 1)


def draw_holes(count: int, side: int, device: torch.device) -> Tensor:
    """Draw holes: pieces along a walk, longer or rounder, with uneven rims; ``[count, 1, side, side]`` of 0 and 1."""
    axis = (torch.arange(side, device=device) + 0.5) / side
    place = torch.rand(count, 2, device=device)
    turn = torch.rand(count, device=device) * 2 * math.pi
    stretch = torch.empty(count, device=device).uniform_(0.45, 1.0)
    field = torch.full((count, side, side), -9.0, device=device)
    for _ in range(PIECES):
        across, down = axis[None, None, :] - place[:, 0, None, None], axis[None, :, None] - place[:, 1, None, None]
        cosine, sine = turn.cos()[:, None, None], turn.sin()[:, None, None]
        along, beside = across * cosine + down * sine, down * cosine - across * sine
        wide = torch.empty(count, 1, 1, device=device).uniform_(0.06, 0.16)
        field = torch.maximum(field, wide - (along**2 + (beside / stretch[:, None, None]) ** 2).sqrt())
        turn = turn + torch.empty(count, device=device).uniform_(-0.9, 0.9)
        step = 0.13 * torch.stack([turn.cos(), turn.sin()], 1) * torch.rand(count, 1, device=device)
        place = (place + step).clamp(0, 1)
    uneven = sum(
        torch.empty(1, device=device).uniform_(0, 0.2 / cells)
        * F.interpolate(torch.randn(count, 1, cells, cells, device=device), size=(side, side), mode="bicubic")[:, 0]
        for cells in (5, 11, 23)
    )
    field = field + uneven
    shares = torch.empty(count, device=device).uniform_(*SHARES)
    ordered = field.flatten(1).sort(1, descending=True).values
    limit = ordered.gather(1, (shares * side * side).long()[:, None])
    return (field > limit[:, :, None]).float()[:, None]
