"""A further training of the shipped towers: its losses, its checkpoint, its pieces."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from visavis.encoders import builtin  # noqa: E402
from visavis.lab.networks.towers import read_shipped  # noqa: E402
from visavis.lab.training import scene_texts  # noqa: E402
from visavis.lab.training.further import FurtherTraining  # noqa: E402
from visavis.lab.training.further_losses import FurtherPlan, best_regions  # noqa: E402
from visavis.lab.training.quantise import rounded_inputs  # noqa: E402

pytestmark = [pytest.mark.train, pytest.mark.slow]

WEIGHTS = Path(builtin.__file__).parent / "weights"
SCENES = [("coco:1", ["a red dog", "a dog on grass", "a red dog on the left"]), ("coco:2", ["a blue cat", "a cat"])]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to train in: two scenes, a picture without texts, a product and a class."""
    folder = tmp_path_factory.mktemp("further")
    (folder / "tokenizer.json").write_bytes((WEIGHTS / "tokenizer.json").read_bytes())
    torch.save(read_shipped(WEIGHTS), folder / "start.pt")
    objects = {"coco:1": [1], "coco:2": [0], "coco:3": [0, 1]}
    said = {**dict(SCENES), "product:7": ["Red Shirt"]}
    texts = {"said": said, "held": {}, "wrong": {"coco:2": ["a dog"]}, "classes": ["cat", "dog"], "objects": objects}
    scene_texts.write(folder / "texts.json.gz", texts)
    groups = [("coco:1", []), ("coco:2", []), ("coco:3", []), ("product:7", []), ("class:chair", ["chair"])]
    rows = [json.dumps({"group": key, "split": "train", "texts": some}) for key, some in groups]
    (folder / "packs").mkdir()
    pixels = np.random.default_rng(1).integers(0, 255, (len(rows), 3, 168, 168)).astype(np.uint8)
    np.save(folder / "packs" / "some.npy", pixels)
    (folder / "packs" / "some.jsonl").write_text("\n".join(rows))
    return folder


def start(work: Path) -> FurtherTraining:
    training = FurtherTraining(work, FurtherPlan().smaller(0.001), "cpu", room=8)
    training.library.look()
    return training


def test_a_step_has_every_loss_and_goes_on_from_its_checkpoint(work: Path):
    training = start(work)
    layer = training.model.text.layers[0]
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    losses = training.train_step()
    assert set(losses) == {"captions", "negatives", "presence", "regions", "chunks", "plain", "shop", "named"}
    assert all(torch.isfinite(loss) for loss in losses.values()), losses
    assert any(
        not torch.equal(value, before[name]) for name, value in training.model.text.layers[0].state_dict().items()
    )
    training.save()
    again = start(work)
    assert again.resume()
    assert again.step == 1
    for name, value in again.slow.state_dict().items():
        assert torch.equal(value, training.slow.state_dict()[name]), name
    assert not list(work.glob(".*.part"))


def test_the_towers_do_not_learn_from_yes_and_no_at_first(work: Path):
    training = start(work)
    losses = training._losses(holding=True)
    (gradient,) = torch.autograd.grad(losses["presence"], training.model.image.position, allow_unused=True)
    assert gradient is None
    losses = training._losses(holding=False)
    (gradient,) = torch.autograd.grad(losses["presence"], training.model.image.position, allow_unused=True)
    assert gradient is not None
    assert gradient.abs().sum() > 0


def test_the_three_best_regions_count():
    regions = torch.tensor([[[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]]])
    assert best_regions(regions, torch.tensor([[1.0, 0.0]])).item() == pytest.approx(0.8)


def test_the_broad_plan_hears_the_earlier_encoder(work: Path):
    packed = read_shipped(WEIGHTS)
    packed["text"] = {name: value for name, value in packed["text"].items() if not name.startswith("words.")}
    torch.save(packed | {"scale": {"scale": torch.tensor(30.0)}}, work / "elder.pt")
    training = FurtherTraining(work, FurtherPlan.broad().smaller(0.001), "cpu", room=8)
    training._arrivals()
    (work / "elder.pt").unlink()
    assert training._elder is not None
    logits = training._elder.logits(training.library.named, training.library.names)
    assert logits.shape == (1, len(training.library.names))
    assert logits.abs().max() > 0
    losses = training.train_step()
    assert all(torch.isfinite(loss) for loss in losses.values()), losses


def test_rounded_products_are_those_of_the_export_within_a_step():
    values = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(4), requires_grad=True)
    rounded = rounded_inputs(values)
    assert (rounded - values).abs().max() <= (values.amax() - values.amin()) / 255
    rounded.sum().backward()
    assert values.grad is not None
    assert torch.equal(values.grad, torch.ones_like(values))
