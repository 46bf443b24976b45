"""``visavis index`` as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drawing import draw
from typer.testing import CliRunner

from visavis.cli.main import app


def test_json_tells_what_was_done_and_how_long_each_stage_took(visavis, pictures: Path):
    told = json.loads(visavis("index", pictures, "-c", "photos", "--json").stdout)
    assert (told["collection"], told["pictures"], told["added"], told["failed"]) == ("photos", 12, 12, 0)
    assert set(told["stages"]) == {"read", "decode", "encode", "store"}
    assert told["seconds"] > 0
    assert told["rate"] > 0


def test_text_is_for_people_and_failures_are_named(visavis, pictures: Path):
    (pictures / "bad.jpg").write_bytes(b"no picture")
    ended = visavis("index", pictures, "-c", "photos")
    assert ended.stdout == ""
    assert "12 added, 1 failed" in ended.stderr
    assert "bad.jpg" in ended.stderr


def test_a_catalogue_file_with_mapped_columns(visavis, pictures: Path):
    (pictures / "shop.csv").write_text("file,cost,title\nred.png,4.5,The red one\nblue.png,90,The blue one\n")
    visavis("index", pictures / "shop.csv", "-c", "shop", "--map", "cost=price")
    found = json.loads(
        visavis("search", "a colour", "-c", "shop", "--filter", "price < 50", "--nearest", "--json").stdout
    )
    assert [(hit["caption"], hit["attributes"]["price"]) for hit in found["results"]] == [("The red one", 4.5)]


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["nowhere", "-c", "photos"], 3, "There is no file or folder"),
        (["~nobody-of-this-name/x", "-c", "photos"], 2, "Nobody here has the home folder"),
        (["{pictures}", "-c", "../up"], 2, "cannot name a collection"),
        (["{pictures}/t.csv", "-c", "photos", "--map", "nonsense"], 2, "COLUMN=ATTRIBUTE"),
        (["{pictures}", "-c", "photos", "--store", "nonsense"], 2, "no place for vectors"),
        (["{pictures}", "-c", "photos", "--catalogue", "mysql://x/y"], 2, "mysql"),
    ],
)
def test_mistakes_are_told_with_an_exit_code(visavis, pictures: Path, arguments: list[str], code: int, why: str):
    (pictures / "t.csv").write_text("file\nred.png\n")
    ended = visavis("index", *(argument.format(pictures=pictures) for argument in arguments), ok=False)
    assert ended.code == code
    assert why in ended.stderr


def test_a_mistyped_folder_creates_no_collection(visavis):
    visavis("index", "nowhere", "-c", "photos", ok=False)
    assert json.loads(visavis("collections", "--json").stdout) == {"collections": []}


def test_ignored_files_and_a_second_run(visavis, pictures: Path):
    draw(pictures / "Screenshots" / "x.png", (1, 2, 3))
    first = json.loads(visavis("index", pictures, "-c", "photos", "--ignore", "Screenshots/", "--json").stdout)
    assert first["files"] == 12
    second = json.loads(visavis("index", pictures, "-c", "photos", "--json").stdout)
    assert (second["unchanged"], second["added"]) == (12, 1)


def test_help_has_examples():
    for command in ("index", "search", "collections", "collection info", "collection verify", "collection copy"):
        result = CliRunner().invoke(app, [*command.split(), "--help"])
        assert result.exit_code == 0
        assert "Examples" in result.stdout, command


def test_variables_are_for_new_collections(visavis, pictures: Path, monkeypatch: pytest.MonkeyPatch):
    visavis("index", pictures, "-c", "photos")
    monkeypatch.setenv("VISAVIS_CATALOGUE", "mysql://x/y")
    monkeypatch.setenv("VISAVIS_STORE", "nonsense")
    visavis("index", pictures, "-c", "photos")  # keeps what it was made with
    assert visavis("index", pictures, "-c", "photos", "--store", "qdrant://elsewhere", ok=False).code == 2
    assert visavis("index", pictures, "-c", "new", ok=False).code == 2
