"""Fashion IQ's attribute predictor: the vectors of a picture in, one logit an attribute out (appendix A).

The paper fine-tunes the last layer of an EfficientNet; here a small head reads our encoder's vectors, which stay.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class AttributePredictor(nn.Module):
    """Reads the whole picture, and the mean and the maximum of its regions."""

    def __init__(self, attributes: int, dimension: int = 256, inner: int = 256, dropout: float = 0.2) -> None:
        super().__init__()
        self.attributes, self.dimension, self.inner = attributes, dimension, inner
        self.fc1 = nn.Linear(3 * dimension, inner)
        self.fc2 = nn.Linear(inner, attributes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, whole: Tensor, regions: Tensor) -> Tensor:
        """Whole vectors ``[n, d]`` and regions ``[n, r, d]`` to logits ``[n, a]``."""
        read = torch.cat([whole, regions.mean(dim=1), regions.amax(dim=1)], dim=-1)[:, None]
        scale = float(self.dimension) ** 0.5  # numbers of unit vectors are small
        return self.fc2(self.dropout(F.gelu(self.fc1(read * scale))))[:, 0]


def top_attributes(logits: Tensor, number: int) -> Tensor:
    """The likeliest attributes, ``[n, number]``."""
    return logits.topk(min(number, logits.shape[1]), dim=1).indices


def average_precisions(scores: Tensor, labels: Tensor) -> Tensor:
    """Average precision of each attribute over pictures ``[n, a]``; NaN where no picture has it."""
    order = scores.argsort(dim=0, descending=True)
    right = labels.float().gather(0, order)
    places = torch.arange(1, len(scores) + 1, device=scores.device, dtype=torch.float32)[:, None]
    precision = right.cumsum(dim=0) / places
    number = right.sum(dim=0)
    found = (precision * right).sum(dim=0) / number.clamp(min=1)
    return torch.where(number > 0, found, torch.full_like(found, float("nan")))
