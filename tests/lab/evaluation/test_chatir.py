"""The protocol on a gallery with known answers, and its command."""

import json

import ir_measures
import numpy as np
import pytest
from tiny_encoder import COLOURS, TinyEncoder
from typer.testing import CliRunner

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.protocol import is_development
from visavis.lab.evaluation import metrics
from visavis.lab.evaluation.chatir import Setting, choose_targets, run_chatir
from visavis.lab.evaluation.gallery import Gallery, load_gallery
from visavis.lab.evaluation.protocol import Belief, PlayedConversation, Protocol, Weights
from visavis.lab.evaluation.questioners import PoolQuestioner
from visavis.lab.evaluation.report import play_all
from visavis.lab.simulation.captions import CaptionUser
from visavis.search.bank import ConceptBank
from visavis.types import Kind, Proposition, Question

IDS = [str(i) for i in range(1, 61)]
NAMES = list(COLOURS)


@pytest.fixture
def gallery():
    """Each picture has two colours; the whole is their mean, the regions are one each."""
    encoder = TinyEncoder()
    rng = np.random.default_rng(0)
    pairs = [rng.choice(len(NAMES), 2, replace=False) for _ in IDS]
    regions = np.stack([encoder.encode_texts([NAMES[a], NAMES[b]]) for a, b in pairs])
    whole = regions.mean(axis=1)
    whole /= np.linalg.norm(whole, axis=1, keepdims=True)
    captions = {
        id: (f"something {NAMES[a]}", f"it is {NAMES[b]} as well I think", "a thing", f"{NAMES[a]} and {NAMES[b]}")
        for id, (a, b) in zip(IDS, pairs, strict=True)
    }
    return Gallery(tuple(IDS), whole, regions), captions


@pytest.fixture
def belief(gallery, tmp_path):
    return Belief(gallery[0], ConceptBank(TinyEncoder(), home=tmp_path))


def test_a_yes_raises_those_that_show_it_and_a_no_lowers_them(belief):
    question = Question("Is it red?", (), "yes/no", "k", propositions=(Proposition("red", "red", Kind.COLOUR),))
    reds = (np.asarray(belief.gallery.regions) @ TinyEncoder().encode_texts(["red"])[0]).max(axis=1) > 0.9
    yes, no = belief.answer_evidence(question, "yes"), belief.answer_evidence(question, "no")
    assert yes[reds].min() > yes[~reds].max()
    assert no[reds].max() < no[~reds].min()
    assert not belief.answer_evidence(question, "I don't know").any()


def test_a_no_says_less_than_a_yes(belief):
    question = Question("Is it red?", (), "yes/no", "k", propositions=(Proposition("red", "red", Kind.COLOUR),))
    yes, no = belief.answer_evidence(question, "yes"), belief.answer_evidence(question, "no")
    assert yes.max() - yes.min() > no.max() - no.min() > 0  # people deny what they did not notice
    unheard = Belief(belief.gallery, belief.bank, Weights(denial=0.0))
    assert not unheard.answer_evidence(question, "no").any()


def test_attributes_count_as_the_catalogue_has_them(gallery, tmp_path):
    rows = {id: {"price": float(i), "colour": "red" if i % 2 else "blue"} for i, id in enumerate(IDS)}
    belief = Belief(gallery[0].with_attributes(rows), ConceptBank(TinyEncoder(), home=tmp_path))
    options = (("under 30", None), ("30 or more", None))
    bands = tuple(Proposition(v, attribute="price", value=v) for v in ("< 30", ">= 30"))
    scores = belief.answer_evidence(Question("Which price?", options, "choice", "p", propositions=bands), "under 30")
    assert scores[:30].min() > scores[30:].max()
    colours = tuple(Proposition(v, attribute="colour", value=v) for v in ("red", "blue"))
    scores = belief.answer_evidence(
        Question("?", (("red", None), ("blue", None)), "choice", "c", propositions=colours), "blue"
    )
    assert scores[::2].min() > scores[1::2].max()


def test_open_answers_bring_the_target_up(gallery, belief):
    protocol = Protocol(belief, CaptionUser(gallery[1]), rounds=2)
    played = [protocol.play(id, PoolQuestioner(["What else is there?", "What more can you say?"])) for id in IDS[:20]]
    ranks = metrics.pad_ranks([talk.ranks for talk in played], 2)
    assert metrics.mean_rank(ranks)[-1] < metrics.mean_rank(ranks)[0]
    assert all(len(talk.ranks) == len(talk.top) == 3 for talk in played)
    alone = protocol.play(IDS[0], None)
    assert alone.ranks == played[0].ranks[:1]


def test_playing_is_deterministic(gallery, belief):
    protocol = Protocol(belief, CaptionUser(gallery[1]), rounds=3)
    assert protocol.play("5", PoolQuestioner()) == protocol.play("5", PoolQuestioner())


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    played = []

    def play(target):
        if target == "c" and len(played) == 2:
            raise KeyboardInterrupt
        played.append(target)
        return PlayedConversation(target, (3, 1), "x", (("q", "open", "a"),), ((("p", 1.0),),))

    file, setting = tmp_path / "run.jsonl", {"rounds": 1}
    with pytest.raises(KeyboardInterrupt):
        play_all(file, ["a", "b", "c"], play, setting)
    with file.open("a") as stream:
        stream.write('{"target": "c", "ran')  # the machine died in the middle of a line
    played.append("resumed")
    talks = play_all(file, ["a", "b", "c"], play, setting)
    assert played == ["a", "b", "resumed", "c"]
    assert [talk.target for talk in talks] == ["a", "b", "c"]
    assert play_all(file, ["a", "b", "c"], play, setting) == talks
    assert len(played) == 4
    play_all(file, ["a"], play, {"rounds": 2})
    assert len(played) == 5  # another setting is played anew


def test_targets_are_held_out_and_were_not_used_for_choosing_weights(gallery):
    pictures, captions = gallery
    splits = {id: "train" if int(id) % 2 else "val" for id in IDS}
    targets = choose_targets(pictures, captions, splits)
    assert targets
    assert all(int(target) % 2 == 0 and not is_development(target) for target in targets)
    with pytest.raises(NotFoundError):
        choose_targets(pictures, {}, splits)


def test_galleries_hold_the_targets_and_grow(gallery):
    pictures, _ = gallery
    small, large = pictures.of_size(20, ["3", "9"]), pictures.of_size(40, ["3", "9"])
    assert {"3", "9"} <= set(small.ids) <= set(large.ids)
    assert (len(small), len(large), len(pictures.of_size(1000, []))) == (20, 40, 60)
    with pytest.raises(BadInputError):
        pictures.of_size(1, ["3", "9"])


@pytest.mark.parametrize("ranker", ["shipped", "belief"])
def test_everything_is_written(gallery, tmp_path, ranker):
    pictures, captions = gallery
    targets = choose_targets(pictures, captions, {})
    setting = Setting(("pool", "none"), rounds=2, limit=6, ranker=ranker)
    user = CaptionUser(captions)
    result = run_chatir(pictures, targets, user, TinyEncoder(), setting, tmp_path / "out", home=tmp_path)
    assert result["setting"]["ranker"] == ranker
    figures = result["questioners"]
    assert figures["pool"]["gallery"] == 60
    assert figures["none"]["questions"] == 0
    assert figures["pool"]["questions"] == 2
    assert figures["none"]["hits@10"][0] == figures["none"]["hits@10"][2] == figures["pool"]["hits@10"][0]
    assert json.loads((tmp_path / "out/chatir.json").read_text())["targets"] == 6
    assert "60 pictures" in (tmp_path / "out/report.html").read_text()
    run = ir_measures.read_trec_run(str(tmp_path / "out/pool.trec"))
    qrels = ir_measures.read_trec_qrels(str(tmp_path / "out/qrels.trec"))
    found = ir_measures.calc_aggregate([ir_measures.R @ 10], qrels, run)[ir_measures.R @ 10]
    assert found == pytest.approx(figures["pool"]["recall@10"][-1])


@pytest.mark.parametrize("ranker", ["shipped", "belief"])
def test_a_transcript_of_other_dialogues_ends_the_run(gallery, tmp_path, ranker, monkeypatch):
    monkeypatch.delenv("VISAVIS_LLM_URL", raising=False)
    pictures, captions = gallery
    transcript = tmp_path / "said.jsonl"
    transcript.write_text('{"key": "another", "reply": "Is it red?"}\n')
    setting = Setting(("llm",), rounds=2, limit=2, ranker=ranker)
    targets = choose_targets(pictures, captions, {})
    with pytest.raises(NotFoundError, match="does not have this dialogue"):
        run_chatir(
            pictures, targets, CaptionUser(captions), TinyEncoder(), setting, tmp_path / "out", home=tmp_path,
            transcript=transcript,
        )  # fmt: skip


def test_there_is_no_other_ranker():
    with pytest.raises(BadInputError, match="oracle"):
        Setting(("none",), ranker="oracle")


def test_a_file_that_holds_no_vectors_is_named(tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    one_array = (tmp_path / "one.npy").read_bytes()
    for content in (b"", b"nonsense", b"PK\x03\x04 half an archive", one_array):
        (tmp_path / "bad.npz").write_bytes(content)
        with pytest.raises(BadInputError, match=r"bad\.npz"):
            load_gallery(tmp_path / "bad.npz")
    with pytest.raises(NotFoundError):
        load_gallery(tmp_path / "none.npz")


def test_the_command_says_what_is_missing(tmp_path):
    from visavis.cli.main import _register_all, app

    if not app.registered_groups:
        _register_all()
    (tmp_path / "captions.jsonl").write_text('{"image_id": 1, "split": "val", "captions": ["a"]}\n')
    result = CliRunner().invoke(app, ["bench", "chatir", "--data", str(tmp_path)])
    assert isinstance(result.exception, NotFoundError)
    assert "None of the 1 pictures" in str(result.exception)
