from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from visavis.encoders.builtin import WEIGHTS, BuiltinEncoder  # noqa: E402
from visavis.encoders.inputs import read_word_table, to_pixels  # noqa: E402
from visavis.lab.networks.towers import (  # noqa: E402
    ImageTower,
    TextTower,
    TorchTextEncoder,
    fill,
    read_shipped,
    read_towers,
    write_towers,
)

pytestmark = pytest.mark.train

TEXTS = ["two dogs playing with a red frisbee on the beach", "bag", "Nike Men's Blue T-shirt, size 38"]


@pytest.fixture(scope="module")
def towers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    image, text, start = ImageTower(), TextTower(), read_shipped(WEIGHTS)
    fill(image, start["image"])
    fill(text, start["text"])
    path = tmp_path_factory.mktemp("towers") / "towers.pt"
    write_towers(path, image, text)
    return path


def test_vectors_agree_with_the_shipped_tower(towers: Path) -> None:
    expected = BuiltinEncoder().encode_texts(TEXTS)
    for source in (towers, WEIGHTS):
        vectors = TorchTextEncoder(source, WEIGHTS / "tokenizer.json", "cpu").encode(TEXTS, batch=2)
        assert vectors.dtype == torch.float16
        assert (vectors.float().numpy() * expected).sum(axis=1).min() > 0.99


def test_tokens_agree_with_the_shipped_tower(towers: Path) -> None:
    tokens, mask = TorchTextEncoder(towers, WEIGHTS / "tokenizer.json", "cpu").tokens(TEXTS, batch=2)
    read = BuiltinEncoder().encode_tokens(TEXTS)
    for row, there, expected in zip(tokens.float().numpy(), mask.numpy(), read, strict=True):
        assert there.sum() == len(expected)
        assert not row[len(expected) :].any()
        likeness = (row[: len(expected)] * expected).sum(axis=1)
        likeness /= np.linalg.norm(row[: len(expected)], axis=1) * np.linalg.norm(expected, axis=1)
        assert likeness.min() > 0.97


def test_the_image_tower_comes_back_from_the_file(towers: Path) -> None:
    first, second = ImageTower().eval(), ImageTower().eval()
    fill(first, read_shipped(WEIGHTS)["image"])
    fill(second, read_towers(towers)["image"])
    pixels = torch.rand(2, 3, 168, 168, generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        assert (first(pixels)[0] * second(pixels)[0]).sum(dim=1).min() > 0.999


def test_the_shipped_towers_come_back_as_torch_weights() -> None:
    from PIL import Image

    start, encoder = read_shipped(WEIGHTS), BuiltinEncoder()
    image, text = ImageTower().eval(), TextTower().eval()
    fill(image, start["image"])
    fill(text, start["text"])
    noise = np.random.default_rng(1).integers(0, 255, (6, 6, 3), dtype=np.uint8)
    pictures = [Image.fromarray(noise).resize((300, 200)), Image.linear_gradient("L").convert("RGB")]
    texts = ["a cat", "two dogs playing with a red frisbee on the beach"]
    with torch.no_grad():
        whole = image(torch.from_numpy(np.concatenate([to_pixels(p, 168) for p in pictures])))[0].numpy()
        read = [text(ids, torch.ones_like(ids))[0].numpy() for ids in map(torch.from_numpy, _ids(encoder, texts))]
    assert (whole * encoder.encode_images(pictures)).sum(axis=1).min() > 0.995
    assert (np.stack(read) * encoder.encode_texts(texts)).sum(axis=1).min() > 0.995


def test_the_word_table_is_the_same_in_its_own_file(tmp_path: Path) -> None:
    from visavis.lab.training.export import word_table

    packed = read_shipped(WEIGHTS)["text"]
    np.save(tmp_path / "words.npy", word_table(packed))
    table = read_word_table(tmp_path / "words.npy")
    expected = packed["words.weight.bytes"].numpy() * packed["words.weight.scale"].numpy()[:, None]
    ids = np.array([[101, 2003, 30521]])
    assert len(table) == 30522
    np.testing.assert_array_equal(table.vectors(ids), expected[ids])


def _ids(encoder: BuiltinEncoder, texts: list[str]) -> list[np.ndarray]:
    return encoder._text_reader.read(texts)
