"""What a filled hole is compared by: colours at several sizes, their edges, and what the outline network sees."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from visavis.lab.networks.cutout import OutlineNet

OUTLINE = Path(__file__).parents[2] / "editing" / "cutout" / "weights" / "outline.onnx"
#: How much colours count at the full size and at 1/2, 1/4 and 1/8 of it; and outside the hole.
_SIZES, _OUTSIDE = (1.0, 1.0, 1.5, 2.0), 0.15
#: How many stages of the outline network are compared.
_STAGES = 4


def colour_loss(made: Tensor, true: Tensor, hole: Tensor) -> Tensor:
    """Differences of colours and of edges in the hole, at four sizes."""
    total = made.new_zeros(())
    for share in _SIZES:
        weight = hole + _OUTSIDE * (1 - hole)
        apart = ((made - true).abs() * weight).sum() / (3 * weight.sum())
        across = ((_across(made) - _across(true)).abs() * weight[..., 1:]).sum() / (3 * weight.sum())
        down = ((_down(made) - _down(true)).abs() * weight[..., 1:, :]).sum() / (3 * weight.sum())
        total = total + share * (apart + across + down)
        made, true, hole = (F.avg_pool2d(x, 2) for x in (made, true, hole))
    return total


class Likeness(nn.Module):
    """Differences of what the outline network of the cutter sees, which knows where things end."""

    def __init__(self, path: Path = OUTLINE) -> None:
        super().__init__()
        network = read_outline(path)
        self.stem, self.stages = network.stem, network.stages[:_STAGES]
        self.requires_grad_(False)

    def forward(self, made: Tensor, true: Tensor) -> Tensor:
        """The mean difference of features, each stage in units of what is usual there."""
        with torch.no_grad():
            expected = self._seen(true)
        total = made.new_zeros(())
        for found, right in zip(self._seen(made), expected, strict=True):
            usual = right.float().std((0, 2, 3), keepdim=True) + 0.05
            total = total + ((found - right).abs() / usual).mean()
        return total

    def _seen(self, picture: Tensor) -> list[Tensor]:
        hint = picture.new_zeros(len(picture), 1, *picture.shape[-2:])
        y, features = F.relu(self.stem(torch.cat([picture * 4 - 2, hint], 1))), []
        for stage in self.stages:
            y = stage(y)
            features.append(y)
        return features


def read_outline(path: Path) -> OutlineNet:
    """The outline network as it ships: its convolutions in the order in which they run, normalisation folded in."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    values |= {
        node.output[0]: values[node.input[0]]
        for node in graph.node
        if node.op_type == "Cast" and node.input[0] in values
    }
    stored = [tuple(values[name] for name in node.input[1:]) for node in graph.node if node.op_type == "Conv"]
    network, ran = OutlineNet().eval(), list[nn.Conv2d]()
    for layer in network.modules():
        if isinstance(layer, nn.Sequential) and len(layer) > 1 and isinstance(layer[1], nn.BatchNorm2d):
            layer[0].bias = nn.Parameter(torch.zeros(layer[0].out_channels))
            layer[1] = nn.Identity()
    hooks = [
        layer.register_forward_hook(lambda layer, *_: ran.append(layer))
        for layer in network.modules()
        if isinstance(layer, nn.Conv2d)
    ]
    with torch.no_grad():
        network(torch.zeros(1, 3, 64, 64), torch.zeros(1, 1, 64, 64))
        for layer, (weight, bias) in zip(ran, stored, strict=True):
            layer.weight.copy_(torch.from_numpy(weight.astype("float32")))
            layer.bias.copy_(torch.from_numpy(bias.astype("float32")))
    for hook in hooks:
        hook.remove()
    return network


def _across(x: Tensor) -> Tensor:
    return x[..., 1:] - x[..., :-1]


def _down(x: Tensor) -> Tensor:
    return x[..., 1:, :] - x[..., :-1, :]
