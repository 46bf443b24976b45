"""Readers of published dialogues, dialogues made of captions, maskings and shortening."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from visavis.conversation.history import Round
from visavis.errors import BadInputError
from visavis.lab.datasets.scene_dialogues import (
    MASKINGS,
    Scene,
    asked_phrasings,
    dialogue_of_scene,
    masked,
    queries_of,
    read_chatir,
    read_published,
    read_scenes,
    read_visdial,
    wish_of_round,
)
from visavis.search.learned.chatir import Dialog, dialog_of, joined, shortened

DIALOG = Dialog("a dog on a beach", (("is it day?", "no"), ("is there a ball?", "yes, red"), ("is it big?", "no")), "7")
SCENE = Scene(
    "7",
    "train",
    ("a brown dog runs on the wet beach", "a dog near the sea"),
    (("what runs on the beach", "dog"),),
    (("The dog is left of the ball.", True), ("The ball is under the dog.", False)),
    ("dog", "sports ball"),
)


def test_visdial_files(tmp_path: Path):
    file = tmp_path / "visdial.json"
    row = {"image_id": 7, "caption": "a dog", "dialog": [{"question": 1, "answer": 0}, {"question": 0}]}
    data = {"questions": ["is it day", "is it big"], "answers": ["yes"], "dialogs": [row]}
    file.write_text(json.dumps({"version": "1.0", "split": "train", "data": data}))
    assert read_visdial(file) == [Dialog("a dog", (("is it big", "yes"),), "7")]
    file.write_text("{}")
    with pytest.raises(BadInputError, match="VisDial"):
        read_visdial(file)


def test_chatir_files(tmp_path: Path):
    file = tmp_path / "chatir.json"
    file.write_text(json.dumps([{"img": "unlabeled2017/000000000007.jpg", "dialog": ["a dog", "is it big? no"]}]))
    assert read_chatir(file) == [Dialog("a dog", (("is it big?", "no"),), "7")]


def test_a_folder_of_published_dialogues(tmp_path: Path):
    rows = [{"img": "unlabeled2017/000000000007.jpg", "dialog": ["a dog", "is it big? no"]}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    row = {"image_id": 8, "caption": "a cat", "dialog": [{"question": 0, "answer": 0}]}
    (tmp_path / "b.json").write_text(json.dumps({"data": {"questions": ["q"], "answers": ["yes"], "dialogs": [row]}}))
    assert [dialog.image for dialog in read_published(tmp_path)] == ["7", "8"]
    assert read_published(tmp_path / "a.json")[0].caption == "a dog"


def test_how_it_is_asked_what_is_there():
    said = ("is there a dog?", "Are there any cars in the photo?", "is there a hat on the dog?", "what is it?")
    dialogs = [Dialog("x", tuple((question, "yes") for question in said))]
    assert asked_phrasings(dialogs, ("dog", "car")) == ("is there a {}?", "are there any {s} in the photo?")
    made = dialogue_of_scene(SCENE, ("dog", "cat"), random.Random(1), 10, ("any {s}?",))
    assert {"any dogs?", "any sports balls?", "any cats?"} <= {question for question, _ in made.rounds}


def test_what_a_round_says():
    assert wish_of_round("", "near the sea") == "near the sea"
    assert wish_of_round("is there a dog?", "yes, there is") == "dog"
    assert wish_of_round("is there a dog?", "no") == ""
    assert wish_of_round("what runs on the beach?", "dog") == "dog runs on the beach"
    assert wish_of_round("is it true that the dog is wet?", "yes") == "the dog is wet"


def test_scenes_are_read_with_what_else_is_known(tmp_path: Path):
    rows = [{"image_id": 7, "split": "train", "captions": ["a dog"]}]
    (tmp_path / "captions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read_scenes(tmp_path) == [Scene("7", "train", ("a dog",))]
    more = {"image_id": 7, "split": "train", "qa": [["what is it", "dog"]], "objects": ["dog"]}
    (tmp_path / "more.jsonl").write_text(json.dumps(more))
    other = {"image_id": 8, "split": "train", "machine_captions": ["a cat"]}
    held = {"image_id": 9, "split": "val", "machine_captions": ["a cow"]}
    (tmp_path / "more.jsonl").write_text("\n".join(map(json.dumps, (more, other, held))))
    first, second = read_scenes(tmp_path)
    assert first.qa == (("what is it", "dog"),)
    assert (second.id, second.sentences) == ("8", ("a cat",))


def test_region_descriptions_are_what_is_said_in_a_conversation(tmp_path: Path):
    told = [{"region_id": n, "image_id": 7, "x": n, "y": 0, "width": 9, "height": 9, "phrase": f"Ball {n}."} for n in range(9)]  # fmt: skip  # noqa: E501
    rows = [
        {"id": 7, "regions": [*told, {"phrase": "ball  1"}, {"phrase": "the sea"}]},
        {"id": 8, "regions": [*told, {"phrase": "ball 1"}]},
    ]
    (tmp_path / "region_descriptions.json").write_text(json.dumps(rows))
    (scene,) = read_scenes(tmp_path)
    assert scene.id == "7", "the other one has nine different descriptions only"
    assert queries_of(scene) == [*(f"ball {n}" for n in range(9)), "the sea"]
    made = dialogue_of_scene(scene, (), random.Random(1), 3)
    assert {made.caption, *(answer for _, answer in made.rounds)} <= set(scene.regions)
    (tmp_path / "region_descriptions.json").write_text('[{"id": 7}]')
    with pytest.raises(BadInputError, match="region descriptions"):
        read_scenes(tmp_path)


def test_queries_are_phrases_answers_and_true_statements():
    said = queries_of(SCENE)
    assert "wet beach" in said
    assert "dog runs on the beach" in said
    assert "the dog is left of the ball" in said
    assert not any("under" in text for text in said)
    assert len(said) == len(set(said))


def test_a_dialogue_says_what_is_true():
    made = dialogue_of_scene(SCENE, ("dog", "sports ball", "car", "bus"), random.Random(3), rounds=20)
    assert made.caption in SCENE.captions
    for question, answer in made.rounds:
        for name in ("car", "bus"):
            if name in question:
                assert answer.startswith("no")
        if "sports ball" in question:
            assert answer.startswith("ye")
    assert dialogue_of_scene(SCENE, (), random.Random(3), 2).rounds != made.rounds[:1]


def test_maskings_hide_their_own_component():
    everything = {masking: masked(DIALOG, masking, random.Random(0), 1.0) for masking in MASKINGS}
    assert everything["none"] == DIALOG
    assert everything["caption"].caption == ""
    assert all(question == "" and answer for question, answer in everything["question"].rounds)
    assert all(answer == "" and question for question, answer in everything["answer"].rounds)
    assert everything["round"].rounds == ()
    assert set(joined(everything["token"]).replace("[SEP]", "").replace("?", "").split()) == {"[MASK]"}
    assert masked(DIALOG, "caption", random.Random(0), 0.0) == DIALOG
    alone = Dialog("a dog")
    assert masked(alone, "caption", random.Random(0), 1.0) == alone, "a dialogue without rounds keeps its caption"


def test_the_text_that_is_read():
    assert joined(DIALOG.first(1)) == "a dog on a beach [SEP] is it day? no"
    assert joined(Dialog("", (("is it big", "no"),))) == "is it big? no"


def test_too_long_a_dialogue_loses_denials_first_and_whole_rounds():
    def count(text: str) -> int:
        return len(text.split())

    left, dropped = shortened(DIALOG, count, count(joined(DIALOG)) - 1)
    assert (dropped, left.rounds) == (1, DIALOG.rounds[1:])
    left, dropped = shortened(DIALOG, count, 12)
    assert (dropped, left.rounds) == (2, DIALOG.rounds[1:2])
    left, dropped = shortened(DIALOG, count, 1)
    assert (dropped, left) == (3, Dialog("a dog on a beach", (), "7"))


def test_rounds_of_a_conversation_as_a_dialogue():
    rounds = (Round(1, "a dog"), Round(2, "on a beach"), Round(3, "", "is there a ball?", "yes"))
    assert dialog_of(rounds) == Dialog("a dog", (("", "on a beach"), ("is there a ball?", "yes")))
