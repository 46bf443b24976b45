"""Scores of an encoder: retrieval, zero-shot classes, and cached vectors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from drawing import draw
from tiny_encoder import COLOURS, TinyEncoder

from visavis.errors import BadInputError, StorageError
from visavis.lab.datasets import open_dataset
from visavis.lab.evaluation.encoder_scores import QueryCaptions, accuracies, class_sentences, score_encoder
from visavis.lab.evaluation.vectors import Embedder


class CountingEncoder(TinyEncoder):
    def __init__(self) -> None:
        self.images = self.texts = 0

    def encode_pictures(self, images):
        self.images += len(images)
        return super().encode_pictures(images)

    def encode_texts(self, texts):
        self.texts += len(texts)
        return super().encode_texts(texts)


@pytest.fixture
def captioned(tmp_path: Path) -> Path:
    folder = tmp_path / "captioned"
    lines = []
    for name in COLOURS:
        draw(folder / f"{name}.png", name)
        lines.append(json.dumps({"file": f"{name}.png", "captions": [name, f"a {name} thing"]}))
    (folder / "captions.jsonl").write_text("\n".join(lines))
    return folder


def test_retrieval(captioned: Path):
    scores = score_encoder(TinyEncoder(), open_dataset(captioned))
    assert (scores["gallery"], scores["queries"]) == (len(COLOURS), 2 * len(COLOURS))
    assert scores["R@1"] == 100
    assert scores["median_rank"] == 1
    assert scores["encoder"] == "tiny-test"


def test_wrong_captions_score_badly(captioned: Path):
    names = list(COLOURS)
    turned = [{"file": f"{a}.png", "captions": [b]} for a, b in zip(names, names[1:] + names[:1], strict=True)]
    (captioned / "captions.jsonl").write_text("\n".join(map(json.dumps, turned)))
    assert score_encoder(TinyEncoder(), open_dataset(captioned))["R@1"] < 20


def test_pictures_with_few_captions_stay_in_the_gallery(captioned: Path):
    with (captioned / "captions.jsonl").open("a") as file:
        draw(captioned / "extra.png", (1, 2, 3))
        file.write('\n{"file": "extra.png", "captions": ["one only"]}')
    scores = score_encoder(TinyEncoder(), open_dataset(captioned), questions=QueryCaptions(least=2, most=2))
    assert (scores["gallery"], scores["queries"]) == (len(COLOURS) + 1, 2 * len(COLOURS))
    scores = score_encoder(TinyEncoder(), open_dataset(captioned), questions=QueryCaptions(most=1))
    assert scores["queries"] == len(COLOURS) + 1


def test_unreadable_pictures_are_left_out_and_counted(captioned: Path):
    (captioned / "red.png").write_bytes(b"no picture")
    scores = score_encoder(TinyEncoder(), open_dataset(captioned))
    assert (scores["gallery"], scores["unreadable"], scores["R@1"]) == (len(COLOURS) - 1, 1, 100)
    for path in captioned.glob("*.png"):
        path.write_bytes(b"")
    with pytest.raises(BadInputError, match="can be read"):
        score_encoder(TinyEncoder(), open_dataset(captioned))


def test_zero_shot(tmp_path: Path):
    for name in ("red", "blue", "green"):
        for number in range(2):
            draw(tmp_path / name / f"{number}.png", name)
    scores = score_encoder(TinyEncoder(), open_dataset(tmp_path))
    assert (scores["task"], scores["gallery"], scores["classes"], scores["accuracy"]) == ("zero-shot", 6, 3, 100)
    draw(tmp_path / "red" / "2.png", "blue")
    assert score_encoder(TinyEncoder(), open_dataset(tmp_path))["accuracy"] == pytest.approx(600 / 7, abs=0.01)


def test_accuracies_by_hand():
    classes = np.eye(3, dtype=np.float32)
    images = np.array([[1, 0, 0], [0, 1, 0], [0.2, 0.9, 0.1], [0, 0, 1]], np.float32)
    scores = accuracies(images, classes, [0, 0, 0, 2])
    assert scores == {"accuracy": 50.0, "top5": 100.0, "mean_class_accuracy": 66.67}


def test_articles():
    assert "a photo of an apple" in class_sentences("apple")
    assert "a photo of a pear" in class_sentences("pear")


def test_vectors_are_kept_and_found_again(captioned: Path, tmp_path: Path):
    cache, data = tmp_path / "cache", open_dataset(captioned)
    first, second = CountingEncoder(), CountingEncoder()
    before = score_encoder(first, data, cache=cache)
    after = score_encoder(second, data, cache=cache)
    assert (second.images, second.texts) == (0, 0)
    assert {k: v for k, v in before.items() if k != "seconds"} == {k: v for k, v in after.items() if k != "seconds"}


def test_a_changed_file_or_encoder_is_encoded_anew(captioned: Path, tmp_path: Path):
    cache, paths = tmp_path / "cache", sorted(captioned.glob("*.png"))
    Embedder(CountingEncoder(), cache).pictures(paths)
    draw(paths[0], "pink", size=(50, 50))
    changed = CountingEncoder()
    Embedder(changed, cache).pictures(paths)
    assert changed.images == len(paths)
    other = CountingEncoder()
    other.name = "tiny-2"
    Embedder(other, cache).pictures(paths)
    assert other.images == len(paths)


def test_a_run_that_was_stopped_goes_on(captioned: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("visavis.lab.evaluation.vectors._PART", 4)
    paths, cache = sorted(captioned.glob("*.png")), tmp_path / "cache"

    class Stopping(CountingEncoder):
        def encode_pictures(self, images):
            if self.images >= 8:
                raise KeyboardInterrupt
            return super().encode_pictures(images)

    with pytest.raises(KeyboardInterrupt):
        Embedder(Stopping(), cache).pictures(paths)
    rest, done = CountingEncoder(), []
    vectors = Embedder(rest, cache).pictures(paths, done.append)
    assert rest.images == len(paths) - 8
    assert sum(done) == len(paths)
    np.testing.assert_allclose(vectors, Embedder(TinyEncoder()).pictures(paths), atol=1e-6)


def test_a_damaged_cache_is_made_anew(captioned: Path, tmp_path: Path):
    cache, paths = tmp_path / "cache", sorted(captioned.glob("*.png"))
    Embedder(TinyEncoder(), cache).pictures(paths)
    (kept,) = cache.glob("*.npy")
    kept.write_bytes(kept.read_bytes()[:50])
    again = CountingEncoder()
    Embedder(again, cache).pictures(paths)
    assert again.images == len(paths)
    assert not list(cache.glob("*.part"))


def test_a_full_disk_is_told(captioned: Path, tmp_path: Path, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(StorageError, match="--no-cache"):
        Embedder(TinyEncoder(), tmp_path / "cache").pictures(sorted(captioned.glob("*.png")))
    assert not list((tmp_path / "cache").iterdir())
