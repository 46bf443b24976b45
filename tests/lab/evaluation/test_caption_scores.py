"""Scores of captions: a perfect caption, an empty one, and what is needed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from visavis.errors import BadInputError, NotFoundError
from visavis.lab.evaluation.caption_scores import caption_scores, read_captions

LONG, DARK = "is red and has long sleeves", "is darker and has a green logo"
ROWS = [
    {"category": "dress", "said": [LONG, "is a red dress with sleeves"], "greedy": "is blue", "beam": LONG},
    {"category": "shirt", "said": [DARK], "greedy": "is longer", "beam": DARK},
]


def test_a_file_of_captions(tmp_path: Path):
    (tmp_path / "captions.json").write_text(json.dumps(ROWS))
    assert read_captions(tmp_path / "captions.json") == ROWS
    (tmp_path / "captions.json").write_text('[{"target": 1}]')
    with pytest.raises(BadInputError):
        read_captions(tmp_path / "captions.json")
    with pytest.raises(NotFoundError):
        read_captions(tmp_path / "nothing.json")


def test_the_same_words_score_everything():
    pytest.importorskip("pycocoevalcap")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    found = caption_scores(ROWS)
    assert found["beam"]["all"]["BLEU-4"] == 100.0
    assert found["beam"]["dress"]["ROUGE-L"] == 100.0
    assert found["greedy"]["all"]["BLEU-4"] < 1
    assert found["greedy"]["all"]["distinct"] == 100.0


def test_what_is_needed_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "pycocoevalcap.bleu.bleu", None)
    with pytest.raises(NotFoundError, match="pycocoevalcap"):
        caption_scores(ROWS)
