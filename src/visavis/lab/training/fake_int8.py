"""Training with the rounding of int8: what is exported then loses less.

Products are rounded as the shipped image tower rounds them: weights by output channel, inputs by the range that one
picture spans. The rounding is invisible to gradients.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F


class RoundedLinear(nn.Linear):
    """A product whose weights and inputs are rounded to bytes."""

    def forward(self, values: Tensor) -> Tensor:
        """The product of what was rounded."""
        return F.linear(rounded_inputs(values), rounded_weights(self.weight), self.bias)


def rounded_inputs(values: Tensor) -> Tensor:
    """Each picture's values on the 256 steps between its least and its greatest, of which zero is one."""
    full = values.detach().float()
    inner = tuple(range(1, full.ndim))
    low = full.amin(dim=inner, keepdim=True).clamp(max=0)
    step = ((full.amax(dim=inner, keepdim=True).clamp(min=0) - low) / 255).clamp(min=1e-12)
    zero = (-low / step).round()
    steps = ((full / step).round() + zero).clamp(0, 255) - zero
    return values + (steps * step - full).to(values.dtype)


def rounded_weights(weights: Tensor) -> Tensor:
    """Each output's weights on 255 steps around zero."""
    full = weights.detach()
    step = (full.abs().amax(dim=1, keepdim=True) / 127).clamp(min=1e-12)
    return weights + ((full / step).round() * step - full)


def round_as_int8(module: nn.Module) -> None:
    """Let every product in a module round, in place; its weights keep their names."""
    for part in module.modules():
        if type(part) is nn.Linear:
            part.__class__ = RoundedLinear


def in_full(module: nn.Module) -> None:
    """Undo ``round_as_int8``."""
    for part in module.modules():
        if type(part) is RoundedLinear:
            part.__class__ = nn.Linear
