"""Run an ONNX graph of convolutions with PyTorch: many pictures at once, on a GPU, without a runtime for one.

Only what the teachers of the cutter use is known here; anything else is an error that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from visavis.errors import BadInputError

_Attributes = dict[str, Any]


class OnnxGraph:
    """An ONNX file whose first output can be computed for a batch of pictures."""

    def __init__(self, path: Path, device: str = "cpu") -> None:
        import onnx
        from onnx import numpy_helper

        model = onnx.load(str(path))
        self.device = device
        self._weights = {t.name: self._tensor(numpy_helper.to_array(t)) for t in model.graph.initializer}
        self._input = next(i.name for i in model.graph.input if i.name not in self._weights)
        self._output = model.graph.output[0].name
        self._steps = []
        for node in model.graph.node:
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            if node.op_type == "Constant":
                self._weights[node.output[0]] = self._tensor(numpy_helper.to_array(attributes["value"]))
            elif node.op_type in _KNOWN:
                self._steps.append((_KNOWN[node.op_type], list(node.input), node.output[0], attributes))
            else:
                raise BadInputError(f"{path.name} has a step {node.op_type}, which is not known.", "Use another model.")
        uses = {name: number for number, step in enumerate(self._steps) for name in step[1]}
        self._done_after: dict[int, list[str]] = {}
        for name, number in uses.items():
            if name not in self._weights:
                self._done_after.setdefault(number, []).append(name)

    def _tensor(self, values: Any) -> Tensor:
        tensor = torch.from_numpy(values.copy())
        return tensor.to(self.device) if tensor.is_floating_point() else tensor

    @torch.no_grad()
    def __call__(self, pictures: Tensor) -> Tensor:
        """The first output."""
        values: dict[str, Tensor] = {**self._weights, self._input: pictures}
        for number, (compute, inputs, output, attributes) in enumerate(self._steps):
            values[output] = compute([values[name] if name else None for name in inputs], attributes)
            for name in self._done_after.get(number, ()):  # a batch would not fit with everything kept
                values.pop(name, None)
        return values[self._output]


def _conv(x: Sequence[Any], a: _Attributes) -> Tensor:
    return F.conv2d(x[0], x[1], x[2], a["strides"], a["pads"][:2], a["dilations"], a["group"])


def _slice(x: Sequence[Any], _: _Attributes) -> Tensor:
    axes = x[3].tolist() if len(x) > 3 else range(len(x[1]))
    result: Tensor = x[0]
    for start, end, axis in zip(x[1].tolist(), x[2].tolist(), axes, strict=True):
        size = result.shape[axis]
        result = result.narrow(axis, start, min(end, size) - start if end >= 0 else size + end - start)
    return result


def _resize(x: Sequence[Any], _: _Attributes) -> Tensor:
    if len(x) > 3:
        return F.interpolate(x[0], size=x[3].tolist()[2:], mode="bilinear", align_corners=False)
    return F.interpolate(x[0], scale_factor=x[2].tolist()[2:], mode="bilinear", align_corners=False)


def _unsqueeze(x: Sequence[Any], a: _Attributes) -> Tensor:
    result: Tensor = x[0]
    for axis in a["axes"]:
        result = result.unsqueeze(axis)
    return result


def _gather(x: Sequence[Any], a: _Attributes) -> Tensor:
    return torch.index_select(x[0], a.get("axis", 0), x[1].reshape(-1)).reshape(x[1].shape)


_KNOWN: dict[str, Callable[[Sequence[Any], _Attributes], Tensor]] = {
    "Add": lambda x, _: x[0] + x[1],
    "BatchNormalization": lambda x, a: F.batch_norm(x[0], x[3], x[4], x[1], x[2], eps=a["epsilon"]),
    "Cast": lambda x, _: x[0],
    "Clip": lambda x, _: x[0].clamp(float(x[1]), float(x[2])),
    "Concat": lambda x, a: torch.cat(list(x), a["axis"]),
    "Conv": _conv,
    "Expand": lambda x, _: x[0].expand(x[1].tolist()),
    "Gather": _gather,
    "GlobalAveragePool": lambda x, _: x[0].mean((2, 3), keepdim=True),
    "Identity": lambda x, _: x[0],
    "InstanceNormalization": lambda x, a: F.instance_norm(x[0], weight=x[1], bias=x[2], eps=a["epsilon"]),
    "MatMul": lambda x, _: x[0] @ x[1],
    "MaxPool": lambda x, a: F.max_pool2d(x[0], a["kernel_shape"], a["strides"], ceil_mode=bool(a["ceil_mode"])),
    "Mul": lambda x, _: x[0] * x[1],
    "Relu": lambda x, _: F.relu(x[0]),
    "Reshape": lambda x, _: x[0].reshape(x[1].tolist()),
    "Resize": _resize,
    "Shape": lambda x, _: torch.tensor(x[0].shape),
    "Sigmoid": lambda x, _: x[0].sigmoid(),
    "Slice": _slice,
    "Unsqueeze": _unsqueeze,
}
