"""The scorer of the corpus of talk."""

from __future__ import annotations

import json

import pytest

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.datasets.talk import Row, read_rows
from visavis.lab.evaluation.metrics import reliability_plot
from visavis.lab.evaluation.talk import TalkScore, read_requests, score_requests, score_talk
from visavis.language.base import Parser, Understanding
from visavis.language.commands import Clarify, parse_command
from visavis.language.english import overlap, same_command


class Scripted(Parser):
    """Says what it is told to say."""

    name = "scripted"

    def __init__(self, answers):
        self._answers = answers

    def understand(self, message, context=None):
        lines = self._answers[message]
        if lines is None:
            return Understanding((), 0.2, Clarify("Which?"))
        return Understanding(tuple(map(parse_command, lines)), 0.9)


def row(message, commands=None, **more):
    return Row.from_json({"message": message, "context": {}, **({"commands": commands} if commands else {}), **more})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("search red dresses with lace", "search the red dress, lace", True),
        ("search red dress", "search blue dress", False),
        ("adjust_color red 0.30", "adjust_color red 0.3", True),
        ("blur 50 on Background", "blur 50 on background", True),
        ("blur 50", "blur 25", False),
        ("keep colour of #3", "keep colours of #3", True),
        ("keep colour of #3", "keep colour of #4", False),
        ("count", "count cats", False),
        ('filter brand = "Nike"', "filter brand = nike", True),
        ("remove the bin on the left", "remove bin on left", True),
        ("refine red", "avoid red", False),
    ],
)
def test_same(one, other, same):
    assert same_command(parse_command(one), parse_command(other)) is same


def test_words_are_compared_without_little_ones():
    assert overlap("a cat on the sofa", "cat sofa") == 1
    assert overlap("it", "the") < 1


def test_shares_add_up():
    rows = [
        row("a", ["undo"]),
        row("b", ["search red dress"]),
        row("c", ["undo"], also=[["rollback 1"]]),
        row("d", clarify="Which way?"),
        row("e", clarify="Which way?"),
        row("f", ["redo"]),
    ]
    answers = {"a": ["undo"], "b": ["search blue hat"], "c": ["rollback 1"], "d": None, "e": ["undo"], "f": None}
    score = score_talk(Scripted(answers), rows).to_json()
    assert score["n"] == 6
    assert score["same"] == pytest.approx(3 / 6, abs=1e-3)
    assert score["verbs"] == pytest.approx(4 / 6, abs=1e-3)
    assert score["asked"] == pytest.approx(2 / 6, abs=1e-3)
    assert score["wrong_unasked"] == pytest.approx(2 / 6, abs=1e-3)
    asked_wrongly = score["asked"] - 1 / 6
    assert score["same"] + asked_wrongly + score["wrong_unasked"] == pytest.approx(1, abs=1e-3)
    assert score["by_command"]["clarify"] == {"n": 2, "same": 0.5}
    assert score["by_command"]["undo"] == {"n": 2, "same": 1.0}


def test_an_empty_file_scores_nothing():
    assert TalkScore().to_json()["same"] == 0


def test_requests(tmp_path):
    path = tmp_path / "gier.jsonl"
    records = [
        {"operators": {"inpaint_obj": "local"}, "expert": ["remove the man", "x"]},
        {"operators": {"brightness": "global", "hue": "global"}, "expert": ["brighten"]},
        {"operators": {"a": 1, "b": 1, "c": 1, "d": 1}, "expert": ["too many"]},
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    requests = read_requests(path)
    assert [text for text, _ in requests] == ["remove the man", "brighten"]
    answers = {"remove the man": ["image_cutout"], "brighten": ["adjust_attr brightness 20"]}
    score = score_requests(Scripted(answers), requests)
    assert (score["n"], score["right"]) == (2, 0.5)
    assert score["by_operator"]["inpaint_obj"] == {"n": 1, "right": 0.0}


def test_bad_rows_are_named(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(
        '{"message": "a", "context": {}, "commands": ["undo"]}\n{"message": "b", "commands": ["fly away"]}\n'
    )
    with pytest.raises(BadInputError, match=r"rows\.jsonl:2"):
        list(read_rows(path))
    with pytest.raises(NotFoundError):
        list(read_rows(tmp_path / "none.jsonl"))
    with pytest.raises(BadInputError):
        Row.from_json({"message": "a", "commands": ["undo"], "clarify": "?"})


def test_how_sure_it_is_is_compared_with_what_is_right(tmp_path):
    rows = [row("a", ["search red"]), row("b", ["search blue"])]
    score = score_talk(Scripted({"a": ["search red"], "b": ["search green"]}), rows)
    assert score.reliability() == [(0.9, 0.5, 2)]
    assert score.to_json()["calibration_error"] == pytest.approx(0.4)
    reliability_plot({"two": score.reliability()}, tmp_path / "plot.svg")
    assert "two" in (tmp_path / "plot.svg").read_text(encoding="utf-8")
