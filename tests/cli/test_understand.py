"""``visavis understand`` and ``visavis bench caise`` as a person, or a script, meets them."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def understand(visavis):
    return lambda *args, **more: json.loads(visavis("understand", *args, "--json", **more).stdout)


@pytest.mark.parametrize(
    ("message", "start"),
    [
        ("find me a kid's umbrella", "search "),
        ("rotate it clockwise by 90", "rotate 270"),
        ("increase the brightness by 40 percent", "adjust_attr brightness 40"),
        ("please remove the background", "image_cutout"),
        ("go back to turn 2", "rollback 2"),
        ("no people please", "avoid "),
        ("change the colour of the image to pink", "adjust_color pink "),
    ],
)
def test_a_message_becomes_a_command(understand, message, start):
    (line,) = understand(message)["commands"]
    assert line.startswith(start)


def test_small_talk_gets_a_reply_and_unclear_turns_a_question(understand):
    assert understand("thanks!")["reply"]
    asked = understand("rotate it by 90")
    assert asked["commands"] == []
    assert asked["clarify"]["options"] == {"clockwise": "rotate 270", "anticlockwise": "rotate 90"}


def test_history_decides(understand, tmp_path):
    history = tmp_path / "history.jsonl"
    history.write_text(json.dumps({"commands": ["search dress", "select #1", "adjust_attr contrast 20"], "shown": 9}))
    assert understand("a bit more", "--history", history)["commands"] == ["adjust_attr contrast 10"]


def test_words_for_people(visavis):
    said = visavis("understand", "rotate it by 90").stdout
    assert "Clockwise or anticlockwise?" in said
    assert "rotate 270" in said


def test_a_missing_history_is_a_sentence(visavis, tmp_path):
    result = visavis("understand", "hi", "--history", tmp_path / "none.jsonl", ok=False)
    assert result.code == 3
    assert "Traceback" not in result.stderr
    assert "none.jsonl" in result.stderr


def test_a_missing_data_folder_is_a_sentence(visavis, tmp_path):
    result = visavis("bench", "caise", "--data", tmp_path, ok=False)
    assert result.code == 3
    assert "Traceback" not in result.stderr


def test_bench_prints_scores(visavis, tmp_path):
    record = {
        "api": "image_cutout",
        "history_img": ["md_1_image_1"],
        "history_utte": ["search cup", "image_load: 1", "user_text: please remove the background"],
        "uid": "md_1_1",
    }
    (tmp_path / "md_valid.json").write_text(json.dumps([record]))
    (tmp_path / "image_concept.json").write_text(json.dumps([["red cup"]]))
    (tmp_path / "image_h5_id2idx.json").write_text(json.dumps({"md_1_image_1": 0}))
    said = json.loads(visavis("bench", "caise", "--data", tmp_path, "--json").stdout)
    assert said["parsers"]["network"]["accuracy"] == 1
    assert "image_cutout" in visavis("bench", "caise", "--data", tmp_path).stdout


def test_talk_is_scored(visavis, tmp_path):
    rows = [
        {"context": {}, "message": "rotate 270", "commands": ["rotate 270"]},
        {"context": {}, "message": "undo", "commands": ["redo"]},
    ]
    data = tmp_path / "rows.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)))
    score = json.loads(visavis("bench", "talk", "--data", data, "--json").stdout)
    assert (score["n"], score["same"], score["wrong_unasked"], score["asked"]) == (2, 0.5, 0.5, 0)
    assert "redo" in visavis("bench", "talk", "--data", data, "--errors", "1").stdout
    gier = tmp_path / "gier.jsonl"
    gier.write_text(json.dumps({"operators": {"rotate": "global"}, "expert": ["rotate 90"]}))
    assert json.loads(visavis("bench", "talk", "--gier", gier, "--json").stdout)["right"] == 1
    assert visavis("bench", "talk", ok=False).code
