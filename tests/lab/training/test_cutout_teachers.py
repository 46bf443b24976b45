from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from visavis.errors import BadInputError  # noqa: E402
from visavis.lab.training.cutout_outline import overlap  # noqa: E402
from visavis.lab.training.cutout_teachers import OnnxGraph, agreed, sharpened  # noqa: E402

pytestmark = pytest.mark.train


def square(low: int, high: int, inside: float = 1.0) -> torch.Tensor:
    mask = torch.zeros(1, 60, 60)
    mask[:, low:high, low:high] = inside
    return mask


@pytest.mark.parametrize(
    ("salient", "people", "person", "good"),
    [
        (square(10, 40), square(10, 41), True, True),
        (square(10, 40), square(30, 60), True, False),  # of a person, both must say the same
        (square(10, 40), square(30, 60), False, True),
        (square(10, 40, 0.6), square(10, 40), False, False),  # not sure
        (square(10, 14), square(10, 14), False, False),  # too little
        (square(0, 60), square(0, 60), False, False),  # everything
    ],
)
def test_what_is_worth_learning_from(salient, people, person, good):
    _, sure = agreed(salient, people, torch.tensor([person]))
    assert sure.tolist() == [good]


def test_teachers_that_agree_are_averaged():
    masks, _ = agreed(square(10, 40), square(10, 41), torch.tensor([False]))
    assert float(masks[0, 20, 20]) == 1
    assert float(masks[0, 40, 20]) == 0.5
    assert sharpened(masks)[0, 40, 20] == 128, "in doubt: not counted"
    alone, _ = agreed(square(10, 40), square(40, 60), torch.tensor([False]))
    assert torch.equal(alone, square(10, 40))


def test_overlap_of_a_network_that_knows_the_mask():
    class Knows(torch.nn.Module):
        """Everything red is the thing; with a hint, what it points at."""

        def __init__(self) -> None:
            super().__init__()
            self.unused = torch.nn.Parameter(torch.zeros(1))

        def forward(self, picture, hint):
            return torch.where(hint.abs().amax((1, 2, 3), keepdim=True) > 0, hint, picture[:, :1] - 0.5)

    masked = torch.zeros(3, 4, 64, 64, dtype=torch.uint8)
    masked[:, [0, 3], 16:48, 16:48] = 255
    assert overlap(Knows(), masked, side=64) == pytest.approx(1)
    hinted = overlap(Knows(), masked, hinted=True, side=64)
    assert 0.3 < hinted < 0.99
    assert hinted == overlap(Knows(), masked, hinted=True, side=64), "the same hints each time"


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
