"""``visavis bench encoder`` as a person, or a script, meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_encoder import COLOURS, TinyEncoder


@pytest.fixture
def captioned(pictures: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("visavis.encoders.registry.load_encoder", lambda name: TinyEncoder())
    lines = [json.dumps({"file": f"{name}.png", "captions": [name]}) for name in COLOURS]
    (pictures / "captions.jsonl").write_text("\n".join(lines))
    return pictures


def test_json(visavis, captioned: Path, home: Path):
    scores = json.loads(visavis("bench", "encoder", "--data", captioned, "--json").stdout)
    assert scores["task"] == "text to image"
    assert scores["gallery"] == scores["queries"] == len(COLOURS)
    assert scores["R@1"] == 100
    assert list((home / "cache" / "vectors").glob("*.npy"))


def test_table_has_the_gallery_beside_the_scores(visavis, captioned: Path):
    shown = visavis("bench", "encoder", "--data", captioned, "--limit", 5, "--no-cache").stdout
    assert "gallery" in shown
    assert "R@10" in shown
    assert "100.0" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        ([], 2, "No data was named"),
        (["--data", "nowhere"], 3, "no folder nowhere"),
        (["--data", "DATA", "--min-captions", "6"], 2, "more than --max-captions"),
        (["--data", "DATA", "--split", "val"], 3, "no pictures of the split"),
    ],
)
def test_mistakes_are_told(visavis, captioned: Path, arguments: list[str], code: int, why: str):
    given = [str(captioned) if argument == "DATA" else argument for argument in arguments]
    ended = visavis("bench", "encoder", *given, ok=False)
    assert ended.code == code
    assert why in ended.stderr


def test_unknown_encoder(visavis, pictures: Path):
    (pictures / "captions.jsonl").write_text('{"file": "red.png", "captions": ["red"]}')
    ended = visavis("bench", "encoder", "--data", pictures, "--encoder", "clip", ok=False)
    assert ended.code == 3
    assert "no encoder 'clip'" in ended.stderr


def test_help_has_examples(visavis):
    shown = visavis("bench", "encoder", "--help").stdout
    assert "Examples" in shown
    assert "--split val" in shown
