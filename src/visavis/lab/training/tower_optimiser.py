"""The optimiser of the two towers: learning rates by tower and by depth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


@dataclass(frozen=True, kw_only=True)
class TowerRates:
    """How the towers learn.

    Attributes:
        warmup: Steps until the learning rates are reached.
        seed: Draws everything.
        image_rate: The learning rate of the image tower's last layer.
        text_rate: The learning rate of the text tower.
        head_rate: The learning rate of everything else.
        layer_decay: What of its rate each earlier layer of the image tower learns at.
        weight_decay: The weight decay of matrices.
        drop_path: The share of the image tower's branches that are dropped.
        dropout: The share of the text tower's states that are dropped.
        average: The decay of the slow copy, a moving average of the weights.
        trust: How much the slow copy has to say about which texts fit a picture.
    """

    warmup: int = 200
    seed: int = 7
    image_rate: float
    text_rate: float
    head_rate: float
    layer_decay: float = 0.92
    weight_decay: float = 0.05
    drop_path: float = 0.1
    dropout: float = 0.1
    average: float = 0.9995
    trust: float = 0.3


def tower_optimiser(
    model: nn.Module, layers: int, rates: TowerRates, own: Mapping[str, float] | None = None
) -> torch.optim.AdamW:
    """An optimiser whose groups have the rates of their depth: the first layers hold what the start weights know.

    Args:
        model: The towers, as ``image`` and ``text``, and what else learns.
        layers: Layers of the image tower.
        rates: The learning rates.
        own: Learning rates of single parameters, by name.
    """
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        rate = (own or {}).get(name, rates.head_rate)
        if name.startswith("image.") and "head" not in name:
            layer = int(name.split(".")[2]) if ".blocks." in name else layers if ".norm." in name else -1
            rate = rates.image_rate * rates.layer_decay ** (layers - layer)
        elif name.startswith("text.") and "head" not in name:
            rate = rates.text_rate
        decay = rates.weight_decay if parameter.ndim > 1 and "position" not in name else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    described: list[dict[str, Any]] = [
        {"params": some, "lr": rate, "base": rate, "weight_decay": decay} for (rate, decay), some in groups.items()
    ]
    on_gpu = next(model.parameters()).is_cuda
    return torch.optim.AdamW(described, betas=(0.9, 0.98), eps=1e-6, fused=on_gpu)
