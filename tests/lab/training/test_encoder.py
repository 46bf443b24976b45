"""A whole training run, very small: it learns, stops, goes on, and exports what the run-time can load."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (make test-train)")

from visavis.encoders.builtin import BuiltinEncoder  # noqa: E402
from visavis.lab.networks.towers import ImageTower, ImageTowerShape  # noqa: E402
from visavis.lab.training import run  # noqa: E402
from visavis.lab.training.encoder import best_patches, contrast  # noqa: E402
from visavis.lab.training.export import export_towers  # noqa: E402
from visavis.lab.training.run import offers  # noqa: E402

pytestmark = pytest.mark.train


def _settings(datasets, out, steps):
    return run.Settings(datasets, out, steps=steps, batch=12, drawn=6, device="cpu", tiny=True)


@pytest.fixture(scope="module")
def trained(datasets, tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    packed = {}
    trainer = run.prepare(_settings(datasets, out, 60), packed.__setitem__)
    trainer.run(out, every=30)
    return out, trainer, packed


def test_offers_sort_the_sets_by_how_they_are_learned(datasets):
    found = {offer.pack: offer.samples for offer in offers(datasets)}
    assert {name: len(samples) for name, samples in found.items()} == {
        "scenes": 24,
        "products": 40,
        "labels": 18,
        "unlabelled": 6,
    }
    assert {sample.split for sample in found["scenes"]} == {"train", "val"}
    held = [sample for sample in found["products"] if sample.split == "val"]
    assert all(len(sample.texts) == 1 for sample in held)


def test_every_source_is_packed_and_learned_from(trained):
    out, _, packed = trained
    assert set(packed) == {"scenes", "products", "labels", "unlabelled", "drawn"}
    row = json.loads((out / "log.jsonl").read_text().splitlines()[-1])
    assert {"scenes", "scenes/negatives", "scenes/regions", "products", "labels", "drawn", "unlabelled"} <= set(row)


def test_a_run_goes_on_from_its_checkpoint(trained, datasets):
    out, trainer, _ = trained
    again = run.prepare(_settings(datasets, out, 60), lambda *_: pytest.fail("packed twice"))
    assert again.step == 60
    for mine, theirs in zip(trainer.slow.parameters(), again.slow.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_learning_lowers_the_loss(trained):
    _, trainer, _ = trained
    batches = [feed.next() for feed in trainer.feeds]
    fresh = run.build(trainer.recipe)
    with torch.no_grad():
        trained_loss = float(trainer._losses(batches)["scenes"])
        trainer._image, trainer._text = fresh.image, fresh.text
        untrained_loss = float(trainer._losses(batches)["scenes"])
        trainer._image, trainer._text = trainer.model.image, trainer.model.text
    assert trained_loss < untrained_loss


def test_the_exported_encoder_says_what_the_model_says(trained, datasets):
    out, trainer, _ = trained
    scores = run.finish(trainer, _settings(datasets, out, 60))
    assert scores["scenes"]["gallery"] == 6
    encoder = BuiltinEncoder(out / "ship")
    assert encoder.dimension == 32
    text = encoder.encode_texts(["a red wall"])
    ids = torch.tensor([run._tokenizer().encode("a red wall").ids])
    with torch.no_grad():
        expected = trainer.slow.eval().text(ids, torch.ones_like(ids)).numpy()
    assert float((text * expected).sum()) > 0.98  # int8 against fp32


def test_folding_the_scales_changes_nothing(tmp_path):
    import onnxruntime

    torch.manual_seed(0)
    model = run.build(
        run.Recipe(sources=(), image={"width": 48, "heads": 2, "layers": 2, "image_size": 56}, text={"layers": 1})
    )
    for block in model.image.blocks:
        torch.nn.init.uniform_(block.scale1)
        torch.nn.init.uniform_(block.scale2)
    image, _ = export_towers(model, tmp_path)
    pixels = np.random.default_rng(0).standard_normal((3, 3, 56, 56)).astype(np.float32)
    whole, patches = onnxruntime.InferenceSession(image).run(["whole", "patches"], {"pixels": pixels})
    with torch.no_grad():
        expected = model.image.eval()(torch.from_numpy(pixels))
    assert np.allclose(whole, expected[0].numpy(), atol=1e-4)
    assert np.allclose(patches, expected[1].numpy(), atol=1e-4)


def test_towers_give_unit_vectors():
    tower = ImageTower(ImageTowerShape(image_size=28, width=24, heads=2, layers=1, dimension=8))
    whole, patches = tower(torch.randn(2, 3, 28, 28))
    assert whole.shape == (2, 8)
    assert patches.shape == (2, 4, 8)
    assert torch.allclose(whole.norm(dim=-1), torch.ones(2), atol=1e-5)
    assert torch.allclose(patches.norm(dim=-1), torch.ones(2, 4), atol=1e-5)


def test_the_contrast_is_least_where_the_positives_score_highest():
    positive = torch.eye(3, dtype=torch.bool)
    right, wrong = 10 * torch.eye(3), 10 * torch.eye(3).roll(1, 0)
    assert contrast(right, positive) < 0.01 < contrast(wrong, positive)


def test_the_best_patch_decides():
    patches = torch.nn.functional.normalize(torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]), dim=-1)
    assert best_patches(patches, torch.tensor([[1.0, 0.0]]), sharpness=100)[0, 0] == pytest.approx(1.0, abs=1e-3)


def test_a_missing_gpu_is_said(datasets, tmp_path):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    from visavis.errors import BadInputError

    with pytest.raises(BadInputError, match="no GPU"):
        run.Settings(datasets, tmp_path, device="cuda").chosen_device()
