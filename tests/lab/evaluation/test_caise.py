"""The CAISE files are read as published and scored by the paper's rule."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.evaluation.caise import (
    CaiseRecord,
    Score,
    Utterance,
    caise_command,
    context_of,
    earlier_lines,
    read_records,
    run,
    same_command,
    type_of,
    written_form,
)
from visavis.language.commands import Chat, Rotate


@pytest.mark.parametrize(
    ("predicted", "truth", "right"),
    [
        ("search juice glass", "search Glass juice", True),
        ("search glass", "search juice glass", False),
        ("search glass glass", "search glass", False),
        ("adjust_color blue 0.3", "adjust_color blue .9", True),
        ("adjust_color red 0.3", "adjust_color blue 0.3", False),
        ("adjust_attr contrast 20", "adjust_attr contrast +20", True),
        ("adjust_attr contrast 20", "adjust_attr contrast -20", False),
        ("adjust_attr contrast 20", "adjust_attr brightness 20", False),
        ("rotate 270", "rotate 270", True),
        ("rotate 90", "rotate 270", False),
        ("image_cutout", "image_cutout", True),
        ("", "image_cutout", False),
    ],
)
def test_the_papers_rule(predicted, truth, right):
    assert same_command(predicted, truth) is right


@given(st.lists(st.sampled_from(["red", "towel", "Blue", "cup"]), min_size=1, max_size=5), st.randoms())
def test_words_of_a_search_match_in_any_order(words, chance):
    shuffled = list(words)
    chance.shuffle(shuffled)
    assert same_command(f"search {' '.join(shuffled)}", f"search {' '.join(words)}")
    assert not same_command(f"search {' '.join(words)} extra", f"search {' '.join(words)}")


def test_scores_count_by_type():
    score = Score()
    score.add("rotate 90", "rotate 90")
    score.add("search cat", "rotate 90")
    score.add("search cat", "search cat")
    assert score.accuracy == pytest.approx(2 / 3)
    assert score.by_type() == {"search": 1.0, "rotate": 0.5}
    assert score.confusion["rotate", "search"] == 1
    assert type_of("adjust_attr contrast 5") == "adjust_attr contrast"


@pytest.fixture
def folder(tmp_path):
    record = {
        "api": "rotate 270",
        "history_img": [" md_1_image_1"],
        "history_utte": [
            "assistant_text: How may I help you?",
            "user_text: find me a cup",
            "search Cup",
            "image_load: 1",
            "user_text: Nice",
            "user_text: Now rotate it by 90 clock wise.",
            "assistant_text: Sure",
        ],
        "uid": "md_1_1",
    }
    (tmp_path / "md_valid.json").write_text(json.dumps([record]))
    (tmp_path / "image_concept.json").write_text(json.dumps([["red cup", "wooden table"]]))
    (tmp_path / "image_h5_id2idx.json").write_text(json.dumps({"md_1_image_1": 0}))
    return tmp_path


def test_a_record_is_what_was_said_since_the_last_command(folder):
    (record,) = read_records(folder, "valid")
    assert record.message == "Nice. Now rotate it by 90 clock wise"
    assert record.commands == ("search Cup",)
    assert record.earlier == (Utterance("assistant", "How may I help you?"), Utterance("user", "find me a cup"))
    context = context_of(record)
    assert context.picture
    assert context.topic == "cup"
    assert [(c.noun, c.attributes) for c in context.concepts] == [("cup", ("red",)), ("table", ("wooden",))]
    assert earlier_lines(record) == ["search cup", "assistant Sure"]
    assert run([record], lambda _: ("rotate 270", 1.0)).score.accuracy == 1


def test_a_dialogue_is_right_when_all_its_commands_are():
    def asked(uid, command):
        return CaiseRecord(uid, command, (Utterance("user", "go"),), (), (), ())

    records = [asked("md_0_1", "rotate 90"), asked("md_0_2", "rotate 90"), asked("md_1_1", "rotate 90")]
    answers = iter(["rotate 90", "rotate 270", "rotate 90"])
    outcome = run(records, lambda _: (next(answers), 1.0)).to_json()
    assert (outcome["right"], outcome["dialogues"]) == (2, 0.5)


def test_bad_files_are_named(folder):
    with pytest.raises(NotFoundError, match="md_train"):
        read_records(folder, "train")
    (folder / "md_valid.json").write_text("{oops")
    with pytest.raises(BadInputError, match="md_valid"):
        read_records(folder, "valid")
    (folder / "md_valid.json").write_text('[{"uid": "x"}]')
    with pytest.raises(BadInputError, match="history_utte"):
        read_records(folder, "valid")


def test_commands_are_written_in_one_form():
    assert written_form("adjust_attr contrast +20") == "adjust_attr contrast 20"
    assert written_form("adjust_color Red .15") == "adjust_color red 0.3"
    assert written_form("search Kid's  Umbrella") == "search kids umbrella"
    assert caise_command((Rotate(degrees=270), Chat("thanks"))) == "rotate 270"
    assert caise_command((Chat("thanks"),)) == ""
