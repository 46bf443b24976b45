from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")

from visavis.lab.networks.fill import FillNet  # noqa: E402
from visavis.lab.training.fill import FillSettings, FillTrainer, export, measure, run  # noqa: E402
from visavis.lab.training.fill_losses import OUTLINE, colour_loss, read_outline  # noqa: E402
from visavis.lab.training.fill_samples import SHARES, draw_holes, draw_parts  # noqa: E402
from visavis.lab.training.packs import Sample, write_pack  # noqa: E402

pytestmark = pytest.mark.train


def striped(count, side=48):
    rng = np.random.default_rng(3)
    pictures = np.empty((count, 3, side, side), np.uint8)
    for picture in pictures:
        picture[:] = rng.integers(0, 256, (3, 1, 1))
        picture[:, side // 3 :] = rng.integers(0, 256, (3, 1, 1))
    return torch.from_numpy(pictures)


def test_holes_have_the_shares_of_things():
    holes = draw_holes(40, 64, torch.device("cpu"))
    shares = holes.mean((1, 2, 3))
    assert holes.shape == (40, 1, 64, 64)
    assert set(holes.unique().tolist()) == {0.0, 1.0}
    assert float(shares.min()) > SHARES[0] - 0.01
    assert float(shares.max()) < SHARES[1] + 0.01


def test_parts_are_pieces_of_photographs():
    parts = draw_parts(striped(4), 6, 32)
    assert parts.shape == (6, 3, 32, 32)
    assert 0 <= float(parts.min()) <= float(parts.max()) <= 1


def test_the_outline_network_is_read_as_it_ships():
    onnxruntime = pytest.importorskip("onnxruntime")
    picture, hint = torch.rand(1, 3, 64, 96), torch.zeros(1, 1, 64, 96)
    expected = onnxruntime.InferenceSession(str(OUTLINE)).run(None, {"picture": picture.numpy(), "hint": hint.numpy()})[
        0
    ]
    with torch.no_grad():
        found = read_outline(OUTLINE)(picture, hint)
    assert np.abs(found.numpy() - expected).max() < 1e-3


def test_what_was_there_costs_least():
    true, hole = torch.rand(2, 3, 32, 32), draw_holes(2, 32, torch.device("cpu"))
    assert float(colour_loss(true, true, hole)) == 0
    assert float(colour_loss(1 - true, true, hole)) > 1


def test_what_lies_in_the_hole_is_not_looked_at():
    network, hole = FillNet().eval(), draw_holes(1, 32, torch.device("cpu"))
    picture = torch.rand(1, 3, 32, 32)
    with torch.no_grad():
        assert torch.equal(network(picture, hole), network(picture * (1 - hole), hole))


def test_a_little_training_learns_and_goes_on(tmp_path):
    photos, checkpoint = striped(16), tmp_path / "fill.pt"
    before = measure(FillNet(), photos, 48)
    settings = FillSettings(seconds=8, batch=4, side=48)
    trainer = FillTrainer(photos, settings, checkpoint)
    after = measure(trainer.run(), photos, 48)
    assert after["psnr_plan"] > before["psnr_plan"]
    again = FillTrainer(photos, settings, checkpoint)
    assert (again.step, again.spent) == (trainer.step, trainer.spent)
    assert torch.equal(again.run().last.weight, trainer.mean.module.last.weight), "its time was over"


def test_the_export_fills_pictures_of_any_size(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    network = FillNet().eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.05)
    session = onnxruntime.InferenceSession(str(export(network, tmp_path / "fill.onnx", 32)))
    picture, hole = torch.rand(1, 3, 48, 80), draw_holes(1, 80, torch.device("cpu"))[:, :, :48]
    found = session.run(None, {"picture": picture.numpy(), "hole": hole.numpy()})[0]
    with torch.no_grad():
        expected = network(picture, hole).numpy()
    assert found.shape == (1, 3, 48, 80)
    assert np.abs(found - expected).max() < 0.03, "weights in 8 bits"
    assert (tmp_path / "fill.onnx").stat().st_size < 3_400_000


def test_a_run_reads_a_pack_and_writes_network_and_figures(tmp_path):
    for number, picture in enumerate(striped(6).numpy()):
        Image.fromarray(picture.transpose(1, 2, 0)).save(tmp_path / f"{number}.png")
    samples = [Sample(tmp_path / f"{n}.png", (), "val" if n > 3 else "train") for n in range(6)]
    write_pack(tmp_path / "pack", samples, size=48)
    figures = run(tmp_path / "pack", tmp_path / "out", FillSettings(seconds=1, batch=2, side=48), device="cpu")
    assert set(figures) == {"steps", "seconds", "psnr", "psnr_plan"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"fill.onnx", "fill.json", "fill.pt"}
