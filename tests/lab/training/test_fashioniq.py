"""Tiny runs of Fashion IQ's trainings one after another: logs, checkpoints, resumption, export, the live reader."""

from __future__ import annotations

import json
import random
import zlib
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from visavis.conversation.history import Round  # noqa: E402
from visavis.encoders.builtin import BuiltinEncoder  # noqa: E402
from visavis.errors import NotFoundError  # noqa: E402
from visavis.lab.datasets.product_attributes import AttributeTable  # noqa: E402
from visavis.lab.evaluation.gallery import Gallery  # noqa: E402
from visavis.lab.networks.captioner import CaptionVocabulary  # noqa: E402
from visavis.lab.networks.fashioniq import (  # noqa: E402
    AttributePredictor,
    DialogRetriever,
    History,
    RetrieverShape,
)
from visavis.lab.simulation.base import DONT_KNOW, Asked  # noqa: E402
from visavis.lab.simulation.captioner import TrainedUser  # noqa: E402
from visavis.lab.training import attributes, captioner, fashioniq, single_turn  # noqa: E402
from visavis.lab.training.dialog_loop import MixedUser, RecordedDialogues  # noqa: E402
from visavis.lab.training.product_vectors import (  # noqa: E402
    ShippedTexts,
    TextFeatures,
    part_of,
    read_product_vectors,
)
from visavis.lab.training.retriever_export import export_fashioniq  # noqa: E402
from visavis.search.learned.fashioniq import FashioniqReader  # noqa: E402
from visavis.search.phrases import joined  # noqa: E402

pytestmark = pytest.mark.train
KINDS = ("Shirts", "Tshirts", "Casual Shoes")
COLOURS = ("Red", "Blue", "Green", "Black")
HEADER = "id,gender,masterCategory,subCategory,articleType,baseColour,season,year,usage,productDisplayName"


@pytest.fixture(scope="module")
def encoder() -> BuiltinEncoder:
    return BuiltinEncoder(threads=1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, encoder: BuiltinEncoder) -> Path:
    """Products whose vectors are those of their titles, six of each part, and a few relative captions."""
    folder = tmp_path_factory.mktemp("fashioniq")
    wanted = {"train": 24, "validation": 6, "held": 6}
    ids = []
    for number in range(10_000):
        if wanted[part_of(str(number))]:
            wanted[part_of(str(number))] -= 1
            ids.append(str(number))
    lines, titles = [HEADER], []
    for number, id in enumerate(ids):
        kind, colour = KINDS[number % 3], COLOURS[number % 4]
        titles.append(f"Own Men {colour} Striped {kind}")
        sub = "Shoes" if "Shoes" in kind else "Topwear"
        lines.append(f"{id},Men,Apparel,{sub},{kind},{colour},Fall,2011,Casual,{titles[-1]}")
    (folder / "styles.csv").write_text("\n".join(lines))
    vectors = encoder.encode_texts(titles)
    (folder / "ids.json").write_text(json.dumps([int(id) for id in ids]))
    np.save(folder / "whole.npy", vectors.astype(np.float16))
    np.save(folder / "regions.npy", np.repeat(vectors[:, None], 4, axis=1).astype(np.float16))
    (folder / "multiturn").mkdir()
    named = {f"B{n}": [["tee"], ["striped"], ["cotton"], [], ["sleeve"], [COLOURS[n % 4].lower()]] for n in range(40)}
    for split in ("train", "val"):
        (folder / "multiturn" / f"asin2attr.all.{split}.new.json").write_text(json.dumps(named))
        for category in ("dress", "shirt", "toptee"):
            rows = [
                {"target": f"B{n}", "candidate": f"B{n + 1}", "captions": [f"is {COLOURS[n % 4].lower()}", "is longer"]}
                for n in range(39)
            ]
            (folder / f"cap.{category}.{split}.json").write_text(json.dumps(rows))
    return folder


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A predictor and a captioner."""
    out = tmp_path_factory.mktemp("runs")
    attributes.run(attributes.AttributeSettings(data, data, out / "attributes", least=2, epochs=3, device="cpu"))
    small = {"layers": 1, "width": 16, "inner": 16, "steps": 2, "batch": 8, "device": "cpu", "scored": 5}
    for kind in ("transformer", "rnn"):
        settings = captioner.CaptionerSettings(
            data, data, out / kind, captions=data, predictor=out / "attributes", kind=kind, epochs=1, **small
        )
        captioner.run(settings)
    return out


def test_the_predictor_goes_on_and_tells_types(data: Path, trained: Path):
    settings = attributes.AttributeSettings(data, data, trained / "attributes", least=2, epochs=4, device="cpu")
    figures = attributes.run(settings)
    rows = [json.loads(line) for line in (trained / "attributes" / "log.jsonl").read_text().splitlines()]
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4]
    assert figures["products"] == 24
    assert figures["held"]["products"] == 6
    assert set(figures["held"]["by type"]) == {"texture", "fabric", "shape", "part", "style"}
    model, table = attributes.load_predictor(trained / "attributes")
    assert "shirts" in table.names
    assert model.attributes == len(table)


def test_the_captioner_writes_captions_of_held_out_pairs_and_is_read_back(trained: Path):
    told = json.loads((trained / "transformer" / "captions.json").read_text())
    assert len(told) == 5
    assert {"said", "greedy", "beam", "category"} <= told[0].keys()
    model, words, names = captioner.load_captioner(trained / "rnn")
    assert len(words) == model.shape.words
    assert "shirts" in names


def test_products_of_fashion_iq_are_apart_by_its_own_splits(tmp_path: Path):
    ids = {"train": [f"B{number}" for number in range(200)], "val": ["C1", "C2"]}
    for split, own in ids.items():
        (tmp_path / f"split.dress.{split}.json").write_text(json.dumps(own))
    every = [*ids["val"], *ids["train"]]
    np.save(tmp_path / "ids.npy", np.array(every))
    np.save(tmp_path / "whole.npy", np.eye(202, 8, dtype=np.float16) + 0.1)
    np.save(tmp_path / "regions.npy", np.ones((202, 2, 8), np.float16))
    parts = read_product_vectors(tmp_path, tmp_path)
    assert parts["held"].ids == ("C1", "C2")
    assert {*parts["train"].ids, *parts["validation"].ids} == set(ids["train"])
    assert parts["held"].groups("subCategory") == {"dress": [0, 1]}


def test_real_pairs_are_seen_where_there_are_pictures_of_both(data: Path, tmp_path: Path):
    """Fashion IQ's own pictures, embedded by those who have them."""
    vectors = np.random.default_rng(0).normal(size=(2, 8)).astype(np.float16)
    np.save(tmp_path / "whole.npy", vectors)
    np.save(tmp_path / "ids.npy", np.array(["B1", "B0"]))
    real = captioner.read_real(data)["held"].first(2)
    words = CaptionVocabulary.of(real.texts())
    rows = captioner.real_rows(real, words, captioner.real_vectors([tmp_path], 8))
    assert rows.pair.seen.tolist() == [1.0, 1.0, 0.0, 0.0], "two captions each of B1 -> B0 and of B2 -> B1"
    unit = vectors.astype(np.float32) / np.linalg.norm(vectors.astype(np.float32), axis=1, keepdims=True)
    assert np.allclose(rows.pair.difference[0].numpy(), unit[0] - unit[1], atol=1e-5), "the reference minus the target"
    assert not rows.pair.difference[2:].any()
    none = captioner.real_rows(real, words, captioner.real_vectors([], 8))
    assert not none.pair.seen.any()


class DrawnTexts(TextFeatures):
    """Vectors drawn by what a text says: the tower takes too long for so many."""

    def whole(self, texts):
        return torch.nn.functional.normalize(torch.stack([self._drawn(text, 256) for text in texts]), dim=-1)

    def tokens(self, texts, most):
        return torch.stack([self._drawn(text, most, 384) for text in texts]), torch.ones(len(texts), most)

    def _drawn(self, text, *size):
        return torch.randn(*size, generator=torch.Generator().manual_seed(zlib.crc32(text.encode())))


@pytest.mark.parametrize(
    "more", [{}, {"kind": "rnn"}, {"attributes": False, "loss": "triplet", "steps": 3, "ahead": 2}]
)
def test_the_retriever_trains_goes_on_and_ships(
    data: Path,
    trained: Path,
    tmp_path: Path,
    encoder: BuiltinEncoder,
    monkeypatch: pytest.MonkeyPatch,
    more: dict[str, object],
):
    monkeypatch.setattr(fashioniq, "open_texts", lambda towers, device: (DrawnTexts(), encoder.fingerprint))
    small = {"layers": 1, "width": 16, "inner": 16, "steps": 1, "batch": 6, "device": "cpu", **more}
    for epochs in (1, 2):
        settings = fashioniq.FashioniqSettings(
            data, data, tmp_path, predictor=trained / "attributes", captioner=trained / "transformer",
            other_captioner=trained / "rnn", epochs=epochs, **small,
        )  # fmt: skip
        figures = fashioniq.run(settings)
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["epoch"] for row in rows] == [1, 2]
    assert set(figures["held"]) == {"catalogue", "captioner", "other captioner"}
    assert figures["held"]["captioner"]["Topwear"]["gallery"] == 4
    assert len(figures["held"]["captioner"]["all"]["P"]) == 3
    if not more:
        reader = FashioniqReader(encoder, tmp_path / "ship")
        query = reader.read((Round(1, "a red shirt"),), no_pictures)
        assert query is not None
        assert np.linalg.norm(query.vector) == pytest.approx(1.0, abs=1e-3)


def test_recorded_dialogues_are_those_that_were_played(data: Path, trained: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fashioniq, "open_texts", lambda towers, device: (DrawnTexts(), ""))
    settings = fashioniq.FashioniqSettings(
        data, data, data, predictor=trained / "attributes", captioner=trained / "transformer"
    )
    grounds, _, _ = fashioniq._grounds(settings, read_product_vectors(data, data), "cpu")
    dialogues = grounds["held"].dialogues
    gallery = dialogues.products.whole

    def queries(history):
        return history.said

    targets, starts = [0, 1, 2], [None, 0, 1]
    played = list(dialogues.play(targets, starts, queries, random.Random(1), gallery, skip_target=True))
    again = dialogues.play(targets, starts, queries, random.Random(1), gallery, skip_target=True)
    recorded = RecordedDialogues.of(again)
    for turn, past in zip(played, recorded.prefixes(slice(1, 3)), strict=True):
        for one, other in zip(turn.history, past, strict=True):
            assert torch.equal(one[1:3], other)


def no_pictures(ids):
    return np.zeros((len(ids), 256), np.float32), np.zeros((len(ids), 1, 256), np.float32)


@pytest.mark.parametrize(("kind", "off"), [("fp32", 1e-4), ("int8-rows", 0.05)])
def test_the_reader_gives_what_torch_gives(tmp_path: Path, encoder: BuiltinEncoder, kind: str, off: float):
    torch.manual_seed(3)
    table = AttributeTable(tuple(f"name {n}" for n in range(12)), ("style",) * 12)
    predictor = AttributePredictor(12).eval()
    model = DialogRetriever(RetrieverShape(attributes=12, layers=2)).eval()
    torch.nn.init.normal_(model.out.weight, std=0.05)
    export_fashioniq(model, predictor, table, encoder.fingerprint, tmp_path, {}, kind)
    reader = FashioniqReader(encoder, tmp_path)
    vectors = np.random.default_rng(0).normal(size=(1, 256)).astype(np.float32)
    vectors /= np.linalg.norm(vectors)
    regions = np.repeat(vectors[:, None], 5, axis=1)
    texts = ("a red shirt", "Unlike the provided image, the one I want has longer sleeves and is darker")
    dialogue = (Round(1, texts[0]), Round(2, texts[1], shown=("a", "b")))
    query = reader.read(dialogue, lambda ids: (vectors, regions) if ids else no_pictures(ids))
    said = ["a red shirt", "has longer sleeves and is darker"]
    tokens = encoder.encode_tokens(said)
    words = torch.zeros(1, 2, 16, 384)
    there = torch.zeros(1, 2, 16)
    for turn, read in enumerate(tokens):
        words[0, turn, : len(read)], there[0, turn, : len(read)] = torch.from_numpy(read), 1.0
    shown = torch.zeros(1, 2, 256)
    shown[0, 1] = torch.from_numpy(vectors[0])
    with torch.no_grad():
        named = predictor(torch.from_numpy(vectors), torch.from_numpy(regions)).topk(8).indices
        numbers = torch.stack([torch.zeros(8, dtype=torch.long), named[0]])[None]
        whole = torch.from_numpy(encoder.encode_texts([joined(said)]))
        wanted = model(History(words, there, shown, numbers, torch.tensor([[0.0, 1.0]]), whole))[0].numpy()
    if kind == "fp32":
        assert sorted(reader.attributes.numbers(vectors, regions)[0]) == sorted(named[0].tolist())
        chosen = reader.attributes.named(vectors, regions)[0]
        assert set(chosen) <= {"style"}
    assert query is not None
    assert np.abs(query.vector - wanted).max() < off
    assert reader.read((), no_pictures) is None


def test_texts_are_read_as_the_encoder_reads_them(encoder: BuiltinEncoder):
    texts = ShippedTexts(encoder, "cpu")
    said = ["a red shirt", "longer", "a red shirt"]
    assert np.allclose(texts.whole(said).numpy(), encoder.encode_texts(said), atol=1e-6)
    tokens, there = texts.tokens(said, 4)
    assert tokens.shape == (3, 4, 384)
    assert there.tolist() == [[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert np.allclose(tokens[1, :3].numpy(), encoder.encode_tokens(["longer"])[0], atol=1e-6)


def test_a_mixed_user_says_a_share_of_the_others_words():
    class Says:
        def __init__(self, word: str) -> None:
            self.word = word

        def say(self, reference, target, draw):
            return [self.word] * len(target)

    said = MixedUser(Says("one"), Says("other"), 0.5).say(range(100), range(100), random.Random(0))
    assert 30 < said.count("other") < 70


def test_the_captioner_is_a_user_of_the_protocols(data: Path, trained: Path):
    ids = [str(id) for id in json.loads((data / "ids.json").read_text())]
    whole, regions = (np.load(data / f"{name}.npy").astype(np.float32) for name in ("whole", "regions"))
    gallery = Gallery(tuple(ids), whole, regions)
    rows = {id: {"articleType": "Shirts", "baseColour": "Red"} for id in ids}
    user = TrainedUser(gallery, rows, trained / "transformer", trained / "attributes", beam=2)
    assert user.compare([ids[0]], ids[1]) == user.compare([ids[0]], ids[1])
    assert user.describe(ids[0]) == user.describe(ids[0])
    named = set(user._of(ids[0]).values())
    assert named <= set(attributes.load_predictor(trained / "attributes")[1].names), "it sees what is predicted alone"
    assert user.answer(Asked("Is it purple?"), ids[0]) == "no"
    assert user.answer(Asked("Is it in colour or black and white?", ("colour", "black and white")), ids[0]) == DONT_KNOW
    told = user.answer(Asked("What else can you tell me about it?"), ids[0])
    assert set(told.split(", ")) <= named
    assert user.answer(Asked("What else can you tell me about it?"), ids[0], [told]) != told
    with pytest.raises(NotFoundError):
        TrainedUser(gallery, rows, data, trained / "attributes")


def test_single_turn_models_train_and_are_measured_by_category(data: Path, trained: Path, tmp_path: Path):
    settings = single_turn.SingleTurnSettings(
        data, data, tmp_path, 1, 4, device="cpu", predictor=trained / "attributes", models=("A", "D"), pairs=8
    )
    figures = single_turn.run(settings)
    assert set(figures["models"]) == {"A", "D"}
    assert figures["models"]["A"]["Topwear"]["R@10"] == 100.0, "there are four of them"
