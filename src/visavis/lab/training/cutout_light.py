"""Photometric augmentation: colours, blur, noise, compression."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional as F


def jittered(pictures: Tensor, amount: float) -> Tensor:
    """Jitter colour, contrast and brightness."""
    count = len(pictures)
    grey = pictures.mean(1, keepdim=True)
    pictures = grey + (pictures - grey) * between(count, 1 - 1.3 * amount, 1 + 1.3 * amount)
    mean = pictures.mean((2, 3), keepdim=True)
    pictures = mean + (pictures - mean) * between(count, 1 - amount, 1 + amount)
    cast = 1 + (torch.rand(count, 3, 1, 1) - 0.5) * 0.25
    return (pictures * between(count, 1 - amount, 1 + amount) * cast).clamp(0, 1)


def side_lit(pictures: Tensor, amount: float) -> Tensor:
    """Add a gradient of brightness."""
    corners = 1 + (torch.rand(len(pictures), 1, 2, 2) - 0.5) * 2 * amount
    return pictures * F.interpolate(corners, size=pictures.shape[-2:], mode="bilinear", align_corners=True)


def camera_effects(pictures: Tensor) -> Tensor:
    """Make some grey, some blurred, some compressed, and add a little noise to all."""
    count = len(pictures)
    pictures = torch.where(chance(count, 0.05), pictures.mean(1, keepdim=True), pictures)
    pictures = torch.where(chance(count, 0.25), blurred(pictures, 0.5), pictures)
    pictures = pictures + torch.randn_like(pictures) * between(count, 0, 0.025)
    pictures = torch.where(chance(count, 0.3), compressed(pictures, between(count, 0.01, 0.06)), pictures)
    return pictures.clamp(0, 1)


def blurred(pictures: Tensor, factor: float) -> Tensor:
    """Blur by reducing and enlarging by a factor."""
    small = F.interpolate(pictures, scale_factor=factor, mode="bilinear", antialias=True)
    return F.interpolate(small, size=pictures.shape[-2:], mode="bilinear", align_corners=False)


def compressed(pictures: Tensor, coarse: Tensor) -> Tensor:
    """Simulate JPEG: quantise the DCT of each block of 8 x 8, higher frequencies more coarsely.

    Args:
        pictures: ``[n, c, h, w]``, sides multiples of 8.
        coarse: The quantisation step of the lowest frequency, ``[n, 1, 1, 1]``.
    """
    count, channels, height, width = pictures.shape
    order = torch.arange(8, dtype=pictures.dtype, device=pictures.device)
    waves = torch.cos((order[None] + 0.5) * order[:, None] * math.pi / 8) / 2
    waves = torch.cat([waves[:1] / math.sqrt(2), waves[1:]])
    blocks = pictures.reshape(count, channels, height // 8, 8, width // 8, 8).transpose(3, 4)
    heights = waves @ blocks @ waves.T
    step = coarse[..., None, None] * (1 + order[None] + order[:, None])
    kept = waves.T @ ((heights / step).round() * step) @ waves
    return kept.transpose(3, 4).reshape(pictures.shape)


def between(count: int, low: float, high: float) -> Tensor:
    """Return a random number for each picture."""
    return torch.rand(count, 1, 1, 1) * (high - low) + low


def chance(count: int, share: float) -> Tensor:
    """Return True for a random share of the pictures."""
    return torch.rand(count, 1, 1, 1) < share
