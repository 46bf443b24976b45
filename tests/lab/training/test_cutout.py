from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")

from cutout_support import sources  # noqa: E402

from visavis.lab.training.cutout import EncodedSample, export, train  # noqa: E402
from visavis.lab.training.cutout_samples import (  # noqa: E402  # noqa: E402
    Sources,
    compressed,
    draw_hints,
    draw_samples,
    read_sources,
)

pytestmark = pytest.mark.train


def test_samples_are_pictures_with_masks():
    samples = draw_samples(sources(), 10, 96)
    assert samples.pictures.shape == (10, 3, 96, 96)
    assert samples.masks.shape == samples.weights.shape == samples.chosen.shape == (10, 1, 96, 96)
    for values in (samples.pictures, samples.masks, samples.chosen):
        assert 0 <= float(values.min()) <= float(values.max()) <= 1
    assert bool((samples.chosen <= samples.masks + 1e-4).all()), "a chosen thing is part of everything in front"


def test_hints_are_given_only_where_known():
    masks = torch.zeros(4, 1, 96, 96)
    masks[..., 30:60, 30:60] = 1
    hints = draw_hints(masks, torch.tensor([True, False, True, False]))
    assert float(hints[1].abs().max()) == float(hints[3].abs().max()) == 0
    assert float(hints[0, 0, 45, 45]) > float(hints[0, 0, 5, 5])


def test_a_little_training_learns_and_exports(tmp_path):
    torch.manual_seed(0)
    samples = draw_samples(sources(), 48, 96)
    pool = torch.nn.functional.adaptive_avg_pool2d
    patches = torch.nn.functional.pad(pool(samples.pictures, 12).permute(0, 2, 3, 1), (0, 13)) / 4
    data = EncodedSample(patches, *(pool(x, 12) for x in (samples.masks, samples.weights, samples.chosen)))
    model = train([data], 150)
    nothing = torch.zeros(48, 1, 12, 12)
    with torch.no_grad():
        found = model(data.patches, nothing).sigmoid()
    guess = torch.full_like(found, float(data.masks.mean()))
    assert (found - data.masks).abs().mean() < 0.6 * (guess - data.masks).abs().mean()
    export(model, tmp_path, "tiny")
    assert json.loads((tmp_path / "cutout.json").read_text()) == {"encoder": "tiny"}
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(str(tmp_path / "cutout.onnx"))
    feeds = {"patches": patches[:1].numpy(), "hint": np.zeros((1, 1, 12, 12), np.float32)}
    with torch.no_grad():
        expected = model(patches[:1], nothing[:1])
    assert np.abs(session.run(None, feeds)[0] - expected.numpy()).max() < 1e-3


def test_sources_are_read_from_folders(tmp_path):
    for name in ("masked/images", "masked/masks", "things", "grounds"):
        (tmp_path / name).mkdir(parents=True)
    Image.new("RGB", (50, 40), "red").save(tmp_path / "masked/images/a.jpg")
    Image.new("L", (50, 40), 255).save(tmp_path / "masked/masks/a.png")
    Image.new("RGBA", (30, 60), "blue").save(tmp_path / "things/b.png")
    Image.new("RGB", (30, 60), "green").save(tmp_path / "grounds/c.jpg")
    read = read_sources([tmp_path / "masked"] * 2, tmp_path / "things", tmp_path / "grounds", drawn=2, side=64)
    assert [part.shape for part in read.masked] == [(1, 4, 64, 64)] * 2
    assert [part.shape for part in read.things] == [(1, 4, 64, 64), (2, 4, 64, 64)]
    assert read.grounds.shape == (1, 3, 64, 64)
    assert int(read.things[1][:, 3].amax((1, 2)).min()) == 255, "each drawn garment covers something"


def test_every_set_is_drawn_from_alike():
    """The sets differ in colour only: half of what is drawn comes from the small one."""
    shown = sources()
    blue = torch.zeros_like(shown.masked[0][:1])
    blue[:, 2] = 255
    samples = draw_samples(Sources((shown.masked[0], blue), shown.things, shown.grounds), 40, 64)
    photographs = samples.pictures[:24]
    assert int((photographs[:, 2].mean((1, 2)) > photographs[:, 0].mean((1, 2)) + 0.3).sum()) in range(9, 13)


def test_compression_loses_little_of_flat_and_more_of_fine_pictures():
    flat, fine = torch.full((1, 3, 32, 32), 0.4), torch.rand(1, 3, 32, 32)
    step = torch.full((1, 1, 1, 1), 0.05)
    lost = [float((compressed(x, step) - x).abs().mean()) for x in (flat, fine)]
    assert lost[0] < 0.005 < 0.03 < lost[1]
    assert torch.allclose(compressed(fine, step * 1e-4), fine, atol=1e-3)
