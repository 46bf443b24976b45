from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from cutout_support import sources  # noqa: E402

from visavis.lab.networks.cutout import OutlineNet  # noqa: E402
from visavis.lab.training.cutout_outline import OutlineSettings, export, structure_loss, train  # noqa: E402

pytestmark = pytest.mark.train


def test_the_right_mask_costs_least():
    mask = torch.zeros(2, 1, 64, 64)
    mask[..., 16:48, 16:48] = 1
    everywhere = torch.ones_like(mask)
    right = structure_loss((mask * 2 - 1) * 9, mask, everywhere)
    wrong = structure_loss((1 - mask * 2) * 9, mask, everywhere)
    assert float(right) < 0.02 < float(wrong)


def test_training_outputs_coarser_masks_too():
    net = OutlineNet().train()
    sizes = [y.shape[-1] for y in net(torch.rand(2, 3, 64, 64), torch.zeros(2, 1, 64, 64))]
    assert sizes == [64, 32, 8, 4, 2]


def test_a_little_training_learns_and_exports(tmp_path):
    model = train(sources(), OutlineSettings(seconds=12, batch=8, sizes=((1.0, 64),), rate=4e-3))
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(str(export(model, tmp_path, 64)))
    rng = np.random.default_rng(2)
    picture = (rng.integers(0, 120, (1, 3, 96, 128)) / 255).astype(np.float32)
    picture[:, 0, 30:66, 40:88] = 1
    hint = np.zeros((1, 1, 96, 128), np.float32)
    found = session.run(None, {"picture": picture, "hint": hint})[0]
    with torch.no_grad():
        expected = model(torch.from_numpy(picture), torch.from_numpy(hint)).numpy()
    assert found.shape == (1, 1, 96, 128), "any size whose sides are multiples of 32"
    assert np.abs(found - expected).max() < 0.15, "half precision"
    assert found[0, 0, 40:56, 50:78].mean() > found[0, 0, :16].mean()
