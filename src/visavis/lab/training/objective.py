"""The losses of the encoder: captions against pictures, noun chunks against patches, and a slow teacher."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def soft_cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy against a distribution in each row."""
    return -(target * F.log_softmax(logits, dim=-1)).sum(dim=-1).mean()


def contrast(logits: Tensor, positive: Tensor, teacher: Tensor | None = None, trust: float = 0.0) -> Tensor:
    """Both directions of InfoNCE with several positives a row.

    Args:
        logits: ``[pictures, texts]``, scaled.
        positive: The same shape; True where the text belongs to the picture.
        teacher: Logits of a slow copy of the model, to soften the targets with, or None.
        trust: How much of the target comes from the teacher.
    """
    loss = torch.zeros((), device=logits.device)
    for direction in (False, True):
        student = logits.T if direction else logits
        target = (positive.T if direction else positive).float()
        target = target / target.sum(dim=-1, keepdim=True).clamp(min=1)
        if teacher is not None:
            soft = (teacher.T if direction else teacher).softmax(dim=-1)
            target = (1 - trust) * target + trust * soft
        loss = loss + soft_cross_entropy(student, target)
    return loss / 2


def contrast_with_negatives(logits: Tensor, positive: Tensor, own: Tensor, valid: Tensor) -> Tensor:
    """Picture to text where each picture has one more wrong text of its own.

    Args:
        logits: ``[n, texts]``.
        positive: The same shape.
        own: ``[n]``: the picture's logit with its own hard negative.
        valid: ``[n]``: whether it has one.
    """
    own = own.masked_fill(~valid, torch.finfo(own.dtype).min)
    every = torch.cat([logits, own[:, None]], dim=1)
    target = F.pad(positive.float(), (0, 1))
    return soft_cross_entropy(every, target / target.sum(dim=-1, keepdim=True).clamp(min=1))


def best_patches(patches: Tensor, phrases: Tensor, sharpness: float = 15.0) -> Tensor:
    """How well each phrase fits the best places of each picture: ``[pictures, phrases]``.

    A soft maximum, so that more than one patch learns.
    """
    similar = torch.einsum("npd,md->nmp", patches, phrases)
    return (similar * (sharpness * similar).softmax(dim=-1)).sum(dim=-1)
