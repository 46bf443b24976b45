"""Tiny runs of both retrievers' trainings: log, checkpoint, resumption, export; ONNX gives what torch gives."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tokenizers import Tokenizer  # noqa: E402

from visavis.conversation.history import Round  # noqa: E402
from visavis.encoders.base import TOKENIZER  # noqa: E402
from visavis.encoders.builtin import BuiltinEncoder  # noqa: E402
from visavis.lab.datasets.scene_dialogues import Scene  # noqa: E402
from visavis.lab.networks.chatir import DialogHead, HeadShape  # noqa: E402
from visavis.lab.networks.drilldown import Drilldown, DrilldownShape  # noqa: E402
from visavis.lab.training import chatir, drilldown  # noqa: E402
from visavis.lab.training.dialogue_feed import DialogueFeed, DialogueMaker  # noqa: E402
from visavis.lab.training.retriever_export import export_chatir, export_drilldown, exported_weights  # noqa: E402
from visavis.lab.training.scene_parts import DrilldownSettings, SceneConversations  # noqa: E402
from visavis.search.learned.chatir import (  # noqa: E402
    MOST_TOKENS,
    ChatirReader,
    Dialog,
    joined,
)
from visavis.search.learned.drilldown import DrilldownReader  # noqa: E402

pytestmark = pytest.mark.train
THINGS = "dog cat horse bus train boat tree house ball kite".split()
COLOURS = "red blue green white black".split()


@pytest.fixture(scope="module")
def encoder() -> BuiltinEncoder:
    return BuiltinEncoder(threads=1)


@pytest.fixture
def data(tmp_path: Path, encoder: BuiltinEncoder) -> Path:
    """Twenty pictures of the split train and ten of val; their vectors are those of what they show."""
    rows, told = [], []
    for number in range(30):
        thing, colour = THINGS[number % 10], COLOURS[number % 5]
        texts = [f"a {colour} {thing} in the park", f"the {thing} near a small {THINGS[(number + 3) % 10]}"]
        rows.append({"image_id": number, "split": "val" if number >= 20 else "train", "captions": texts})
        told.append(texts[0])
    (tmp_path / "captions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    vectors = encoder.encode_texts(told)
    np.save(tmp_path / "ids.npy", np.array([str(row["image_id"]) for row in rows]))
    np.save(tmp_path / "whole.npy", vectors.astype(np.float16))
    np.save(tmp_path / "regions.npy", np.repeat(vectors[:, None], 4, axis=1).astype(np.float16))
    return tmp_path


def test_drilldown_trains_goes_on_and_ships(data: Path, tmp_path: Path, encoder: BuiltinEncoder):
    settings = {"states": 2, "dimension": 16, "turns": 4, "batch": 8, "device": "cpu"}
    first = DrilldownSettings(data, data, tmp_path / "run", epochs=1, **settings)
    drilldown.run(first, encoder)
    again = DrilldownSettings(data, data, tmp_path / "run", epochs=2, **settings)
    figures = drilldown.run(again, encoder)
    rows = [json.loads(line) for line in (tmp_path / "run" / "pretrain" / "log.jsonl").read_text().splitlines()]
    assert [row["epoch"] for row in rows] == [1, 2], "the second run went on after the first"
    assert len(figures["joint"]["test"]["R@1"]) == 4
    assert figures["pictures"] == 20
    reader = DrilldownReader(encoder, tmp_path / "run" / "ship")
    regions = np.load(data / "regions.npy").astype(np.float32)
    assert reader.scores(reader.state(("a red dog",)), regions).shape == (30,)


def test_bfloat16_trains_nearly_the_same(data: Path, tmp_path: Path, encoder: BuiltinEncoder):
    small = {"states": 2, "dimension": 16, "turns": 4, "batch": 8, "device": "cpu", "epochs": 1}
    losses = []
    for name, half in (("full", False), ("half", True)):
        drilldown.run(DrilldownSettings(data, data, tmp_path / name, half=half, **small), encoder)
        logs = [(tmp_path / name / stage / "log.jsonl").read_text() for stage in drilldown.STAGES]
        losses.append([json.loads(log)["triplet"] for log in logs])
    assert losses[0] != losses[1], "it was not computed in bfloat16"
    assert losses[0] == pytest.approx(losses[1], abs=0.02)


def test_words_and_the_printed_form_train_too(data: Path, tmp_path: Path, encoder: BuiltinEncoder):
    settings = {"states": 1, "dimension": 8, "turns": 3, "batch": 8, "device": "cpu", "epochs": 1}
    rows = {
        "words": {"words": True},
        "r-re": {"words": True, "joined": True},
        "printed": {"form": "printed"},
        "hre": {"pooled": True},
        "whole": {"whole": True, "nine": True, "sentences": True},
    }
    for name, more in rows.items():
        run = DrilldownSettings(data, data, tmp_path / name, **settings, **more)
        assert drilldown.run(run, encoder)["pretrain"]["test"]["R@10"][0] >= 0


@pytest.mark.parametrize("more", [{}, {"captions_only": True}, {"rank": 2, "among": 5}, {"part": "all", "workers": 1}])
def test_chatir_trains_and_ships(data: Path, tmp_path: Path, encoder: BuiltinEncoder, more: dict[str, object]):
    run = chatir.ChatirSettings(
        data, data, tmp_path / "run", inner=12, rounds=2, epochs=1, batch=10, device="cpu", **more
    )
    figures = chatir.run(run, encoder)
    assert figures["validated"] + figures["tested"] == 10
    assert len(figures["after"]["30"]["Hits@10"]) == 3, "after the caption and after each of two rounds"
    if more.get("part") != "all":
        vector = ChatirReader(encoder, tmp_path / "run" / "ship").vector(Dialog("a red dog"))
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-4)


def test_chatir_goes_on_where_it_was(data: Path, tmp_path: Path, encoder: BuiltinEncoder):
    small = {"inner": 12, "rounds": 1, "batch": 10, "device": "cpu"}
    chatir.run(chatir.ChatirSettings(data, data, tmp_path / "run", epochs=1, **small), encoder)
    kept = torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=False)
    figures = chatir.run(chatir.ChatirSettings(data, data, tmp_path / "run", epochs=2, **small), encoder)
    assert [row["epoch"] for row in figures["history"]] == [1, 2]
    after = torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=False)
    assert (kept["epoch"], after["epoch"]) == (1, 2)
    again = DialogHead(HeadShape(inner=12))
    again.load_state_dict(torch.load(tmp_path / "run" / "best.pt", weights_only=True))
    shipped = ChatirReader(encoder, tmp_path / "run" / "ship").vector(Dialog("a red dog"))
    whole, tokens = encoder.encode_long(joined(Dialog("a red dog")), MOST_TOKENS)
    with torch.no_grad():
        given = torch.from_numpy(tokens)[None], torch.ones(1, len(tokens)), torch.from_numpy(whole)[None]
        assert np.allclose(again.eval()(*given)[0].numpy(), shipped, atol=1e-4), "the best checkpoint is what ships"


@pytest.mark.parametrize("joined", [False, True])
def test_ranks_do_not_depend_on_how_many_are_made_at_once(monkeypatch: pytest.MonkeyPatch, joined: bool):
    """A network over the words of ten queries did not fit into a GPU's memory for all targets at once."""
    torch.manual_seed(0)
    settings = DrilldownSettings(Path(), Path(), Path(), states=1, dimension=8, turns=3, words=True)
    model = Drilldown(DrilldownShape(1, 8, 8, words=20, embedding=5, joined=joined)).eval()
    regions = torch.nn.functional.normalize(torch.randn(7, 4, 8), dim=-1)
    said = SceneConversations(regions[:, 0], regions, torch.arange(21).view(7, 3), torch.full((7,), 3))
    words = torch.randint(1, 20, (21, 4))
    once = [drilldown.target_ranks(model, said, words, settings, fixed=True)]
    once += [] if joined else [drilldown.fused_ranks(model, said, words, settings)]
    most: list[int] = []
    rollout = drilldown.rollout
    monkeypatch.setattr(drilldown, "rollout", lambda m, few, slots: (most.append(len(few)), rollout(m, few, slots))[1])
    monkeypatch.setattr(drilldown, "_AT_ONCE", 2)
    again = [drilldown.target_ranks(model, said, words, settings, fixed=True)]
    again += [] if joined else [drilldown.fused_ranks(model, said, words, settings)]
    assert all(np.array_equal(one, other) for one, other in zip(once, again, strict=True))
    assert max(most) == 2


def test_rows_share_their_material(data: Path, tmp_path: Path, encoder: BuiltinEncoder):
    small = {"turns": 3, "batch": 8, "device": "cpu", "epochs": 1}
    settings = DrilldownSettings(data, data, tmp_path / "a", **small)
    told = drilldown.run_rows(settings, encoder, names=("rhre-640", "drilldown-3x128"))
    assert {name: row["pictures"] for name, row in told.items()} == {"rhre-640": 5, "drilldown-3x128": 5}
    assert len(told["rhre-640"]["rank fusion"]["R@1"]) == 3
    assert json.loads((tmp_path / "a" / "rows.json").read_text()).keys() == told.keys()
    asked = chatir.ChatirSettings(data, data, tmp_path / "b", inner=12, rounds=1, epochs=1, batch=10, device="cpu")
    found = chatir.run_rows(asked, encoder, names=("masking-token",))
    assert found["masking-token"]["pictures"] == 5


def test_dialogues_are_the_same_from_another_process(encoder: BuiltinEncoder):
    scenes = [Scene(str(number), "train", ("a red dog", "a dog runs"), objects=("dog",)) for number in range(5)]
    maker = DialogueMaker(scenes, ("cat", "dog"), encoder.description.file(TOKENIZER), masking="answer")
    here, there = DialogueFeed(maker, "cpu"), DialogueFeed(maker, "cpu", workers=1)
    try:
        for number in (0, 1):
            one, two = here(number), there(number)
            assert torch.equal(one.flat, two.flat)
            assert torch.equal(one.lengths, two.lengths)
    finally:
        there.close()
    ids, mask = one.batch(torch.tensor([3, 1]))
    assert mask.sum(dim=1).tolist() == one.lengths[[3, 1]].tolist()
    assert (ids * (1 - mask) == 0).all()
    assert ids[0, 0] == ids[1, 0] == encoder_start(encoder)


def encoder_start(encoder: BuiltinEncoder) -> int:
    """The number of the mark that every text begins with."""
    return int(Tokenizer.from_file(str(encoder.description.file(TOKENIZER))).encode("a").ids[0])


def test_drilldown_is_the_same_in_onnx(tmp_path: Path, encoder: BuiltinEncoder):
    torch.manual_seed(3)
    model = Drilldown(DrilldownShape(2, 16, 256, 256)).eval()
    export_drilldown(model, encoder.fingerprint, tmp_path, {})
    reader = DrilldownReader(encoder, tmp_path)
    texts = ("a red dog", "a ball", "the sea", "a boat")
    regions = np.random.default_rng(0).normal(size=(5, 36, 256)).astype(np.float32)
    states, filled = model.empty(1)
    with torch.no_grad():
        for text in texts:
            query = model.queries(torch.from_numpy(encoder.encode_texts([text])))
            states, filled = model.step(states, filled, query, model.choose(states, filled, query))
        wanted = model.similarity(states, filled, model.pictures(torch.from_numpy(regions)))[0].numpy()
    state = reader.state(texts)
    assert np.allclose(state[0], states[0].numpy(), atol=1e-4)
    assert np.allclose(reader.scores(state, regions), wanted, atol=1e-4)
    assert reader.updates == 4
    reader.state((*texts, "a kite"))
    assert reader.updates == 5, "a turn costs one update"


def test_drilldown_goes_on_from_what_was_exported(data: Path, tmp_path: Path, encoder: BuiltinEncoder):
    small = {"states": 2, "dimension": 16, "turns": 4, "batch": 8, "device": "cpu", "epochs": 1}
    drilldown.run(DrilldownSettings(data, data, tmp_path / "first", **small), encoder)
    trained = torch.load(tmp_path / "first" / "joint" / "best.pt", weights_only=True)
    again = exported_weights(Drilldown(DrilldownShape(2, 16, 256, 256)), tmp_path / "first" / "ship")
    assert again.keys() == trained.keys()
    assert all(torch.allclose(again[name], trained[name]) for name in trained)
    settings = DrilldownSettings(data, data, tmp_path / "second", start=tmp_path / "first" / "ship", **small)
    figures = drilldown.run(settings, encoder)
    assert "pretrain" not in figures
    assert len(figures["joint"]["test"]["R@1"]) == 4


def test_the_whole_picture_is_a_region_at_run_time_too(tmp_path: Path, encoder: BuiltinEncoder):
    torch.manual_seed(3)
    model = Drilldown(DrilldownShape(2, 16, 256, 256, whole=True)).eval()
    export_drilldown(model, encoder.fingerprint, tmp_path, {})
    rng = np.random.default_rng(0)
    whole, regions = rng.normal(size=(5, 256)).astype(np.float32), rng.normal(size=(5, 36, 256)).astype(np.float32)
    reader = DrilldownReader(encoder, tmp_path)
    query = reader.read((Round(1, "a red dog"),), lambda ids: (whole[: len(ids)], regions[: len(ids)]))
    state = tuple(torch.from_numpy(part)[None] for part in reader.state(("a red dog",)))
    with torch.no_grad():
        seen = torch.from_numpy(np.concatenate([whole[:, None], regions], axis=1))
        wanted = model.similarity(*state, model.pictures(seen))[0].numpy()
    assert np.allclose(query.scores(whole, regions, ()), wanted, atol=1e-4)


@pytest.mark.parametrize("rank", [0, 8])
def test_chatir_is_the_same_in_onnx(tmp_path: Path, encoder: BuiltinEncoder, rank: int):
    torch.manual_seed(3)
    head = DialogHead(HeadShape(inner=12, heads=2, rank=rank)).eval()
    torch.nn.init.normal_(head.widen.weight, std=0.1)
    if rank:
        torch.nn.init.normal_(head.residual.weight, std=0.1)
    export_chatir(head, encoder.fingerprint, tmp_path, {})
    dialog = Dialog("a red dog", (("is there a ball?", "yes"), ("", "on a beach")))
    whole, tokens = encoder.encode_long(joined(dialog), MOST_TOKENS)
    with torch.no_grad():
        given = torch.from_numpy(tokens)[None], torch.ones(1, len(tokens)), torch.from_numpy(whole)[None]
        wanted = head(*given)[0].numpy()
    assert np.allclose(ChatirReader(encoder, tmp_path).vector(dialog), wanted, atol=1e-4)
