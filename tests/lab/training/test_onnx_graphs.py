from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from visavis.errors import BadInputError  # noqa: E402
from visavis.lab.training.cutout_teachers import OnnxGraph  # noqa: E402

pytestmark = pytest.mark.train


class Small(nn.Module):
    """The steps that the teachers are made of."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Conv2d(3, 6, 3, 2, 1)
        self.two = nn.Conv2d(6, 6, 3, 1, 2, dilation=2, groups=6)
        self.norm, self.each = nn.BatchNorm2d(3), nn.InstanceNorm2d(3, affine=True)
        self.three = nn.Conv2d(12, 1, 1)

    def forward(self, x):
        y = F.relu6(self.one(x))
        z = F.max_pool2d(F.relu(self.two(y)), 2, 2, ceil_mode=True)
        z = F.interpolate(z, size=y.shape[2:], mode="bilinear", align_corners=False)
        z = torch.cat([self.norm(z[:, :3]), self.each(z[:, 3:])], 1)
        weight = F.adaptive_avg_pool2d(z, 1)
        return torch.sigmoid(self.three(torch.cat([y + z, z * weight], 1)))


def test_a_graph_gives_what_the_network_gives(tmp_path):
    torch.manual_seed(1)
    model, path = Small().eval(), tmp_path / "small.onnx"
    axes = {"picture": {0: "n", 2: "h", 3: "w"}, "mask": {0: "n", 2: "h", 3: "w"}}
    torch.onnx.export(
        model,
        (torch.rand(1, 3, 20, 24),),
        str(path),
        input_names=["picture"],
        output_names=["mask"],
        dynamic_axes=axes,
        opset_version=11,
        dynamo=False,
    )
    graph, pictures = OnnxGraph(path), torch.rand(4, 3, 20, 24)
    with torch.no_grad():
        expected = model(pictures)
    assert graph(pictures).shape == expected.shape
    assert float((graph(pictures) - expected).abs().max()) < 1e-5


def test_an_unknown_step_is_named(tmp_path):
    node = onnx.helper.make_node("Tanh", ["x"], ["y"])
    value = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1]) for name in "xy"]
    weight = onnx.numpy_helper.from_array(np.zeros(1, np.float32), "w")
    graph = onnx.helper.make_graph([node], "g", value[:1], value[1:], [weight])
    path = tmp_path / "other.onnx"
    onnx.save(onnx.helper.make_model(graph), str(path))
    with pytest.raises(BadInputError, match="Tanh"):
        OnnxGraph(path)
