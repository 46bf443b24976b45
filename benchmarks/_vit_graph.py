"""Vision transformers of a given shape with random weights, as ONNX: speed does not depend on the weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


@dataclass(frozen=True)
class Shape:
    """The sizes of a vision transformer."""

    size: int
    patch: int
    width: int
    layers: int
    heads: int
    dimension: int
    quick_gelu: bool = False


#: The image tower of CLIP ViT-B/32 as OpenAI published it.
CLIP_B32 = Shape(size=224, patch=32, width=768, layers=12, heads=12, dimension=512, quick_gelu=True)


def write_vit(shape: Shape, path: Path) -> None:
    """Write the model: ``pixels [n, 3, s, s]`` in, ``whole [n, d]`` out."""
    onnx.save(_Graph(shape).build(), path)


class _Graph:
    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.random = np.random.default_rng(0)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def build(self) -> Any:
        shape = self.shape
        x = self._tokens()
        for _ in range(shape.layers):
            x = self._op("Add", x, self._linear(self._attend(self._norm(x)), shape.width, shape.width))
            hidden = self._gelu(self._linear(self._norm(x), shape.width, 4 * shape.width))
            x = self._op("Add", x, self._linear(hidden, 4 * shape.width, shape.width))
        first = self._op("Gather", self._norm(x), self._constant(np.int64(0)), axis=1)
        head = self._op("MatMul", first, self._weights(shape.width, shape.dimension))
        self.nodes.append(helper.make_node("LpNormalization", [head], ["whole"], axis=-1, p=2))
        pixels = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 3, shape.size, shape.size])
        whole = helper.make_tensor_value_info("whole", TensorProto.FLOAT, ["n", shape.dimension])
        graph = helper.make_graph(self.nodes, "vit", [pixels], [whole], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)

    def _tokens(self) -> str:
        shape = self.shape
        count = (shape.size // shape.patch) ** 2
        kernel = self._weights(shape.width, 3, shape.patch, shape.patch)
        x = self._op("Conv", "pixels", kernel, strides=[shape.patch] * 2, kernel_shape=[shape.patch] * 2)
        x = self._op("Reshape", x, self._constant(np.array([0, shape.width, count])))
        x = self._op("Transpose", x, perm=[0, 2, 1])
        batch = self._op("Shape", "pixels", start=0, end=1)
        target = self._op("Concat", batch, self._constant(np.array([1, shape.width])), axis=0)
        x = self._op("Concat", self._op("Expand", self._weights(1, 1, shape.width), target), x, axis=1)
        return self._op("Add", x, self._weights(1, count + 1, shape.width))

    def _attend(self, x: str) -> str:
        shape = self.shape
        side = shape.width // shape.heads
        split = self._constant(np.array([0, 0, shape.heads, side]))
        mixed = self._linear(x, shape.width, 3 * shape.width)
        query, key, value = (self._op("Reshape", part, split) for part in self._split(mixed))
        query = self._op("Transpose", query, perm=[0, 2, 1, 3])
        scores = self._op("MatMul", query, self._op("Transpose", key, perm=[0, 2, 3, 1]))
        scores = self._op("Softmax", self._op("Mul", scores, self._constant(np.float32(1 / math.sqrt(side)))), axis=-1)
        out = self._op("MatMul", scores, self._op("Transpose", value, perm=[0, 2, 1, 3]))
        out = self._op("Transpose", out, perm=[0, 2, 1, 3])
        return self._op("Reshape", out, self._constant(np.array([0, 0, shape.width])))

    def _gelu(self, x: str) -> str:
        if not self.shape.quick_gelu:
            return self._op("Gelu", x)
        return self._op("Mul", x, self._op("Sigmoid", self._op("Mul", x, self._constant(np.float32(1.702)))))

    def _norm(self, x: str) -> str:
        scale = self._constant(np.ones(self.shape.width, np.float32))
        return self._op("LayerNormalization", x, scale, self._weights(self.shape.width), axis=-1, epsilon=1e-6)

    def _linear(self, x: str, inputs: int, outputs: int) -> str:
        return self._op("Add", self._op("MatMul", x, self._weights(inputs, outputs)), self._weights(outputs))

    def _split(self, x: str) -> list[str]:
        names = [f"{x}_{part}" for part in range(3)]
        self.nodes.append(helper.make_node("Split", [x], names, axis=-1, num_outputs=3))
        return names

    def _op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def _weights(self, *dimensions: int) -> str:
        values = self.random.normal(0, 0.02, dimensions)
        return self._constant(values.astype(np.float32))

    def _constant(self, value: Any) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name
