"""``visavis collections`` and ``visavis collection ...``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def photos(visavis, pictures: Path) -> str:
    (pictures / "words.csv").write_text("file,caption,price\nred.png,the reddest,3.5\n")
    (pictures / "bad.jpg").write_bytes(b"no picture")
    visavis("index", pictures, "-c", "photos")
    return "photos"


def test_listing(visavis, photos: str):
    (row,) = json.loads(visavis("collections", "--json").stdout)["collections"]
    assert (row["name"], row["pictures"], row["failed"], row["encoder"]) == ("photos", 12, 1, "tiny-test")
    assert "photos" in visavis("collections").stdout


def test_a_damaged_collection_does_not_hide_the_others(visavis, photos: str, home: Path):
    (home / "collections" / "broken").mkdir()
    (home / "collections" / "broken" / "settings.json").write_text("{")
    rows = json.loads(visavis("collections", "--json").stdout)["collections"]
    assert ["error" in row for row in rows] == [True, False]


def test_info(visavis, photos: str):
    told = json.loads(visavis("collection", "info", photos, "--failures", "--json").stdout)
    assert told["pictures"] == 12
    assert told["attributes"] == {"price": 1}
    assert told["store"]["count"] == 12
    assert "bad.jpg" in told["failures"][0]["reason"]
    assert "bad.jpg" in visavis("collection", "info", photos, "--failures").stdout


def test_verify_ends_with_one_until_it_is_repaired(visavis, photos: str, pictures: Path):
    assert "sound" in visavis("collection", "verify", photos).stdout
    (pictures / "red.png").unlink()
    ended = visavis("collection", "verify", photos, ok=False)
    assert ended.code == 1
    assert "the file is gone: 1" in ended.stdout
    visavis("collection", "verify", photos, "--repair")
    assert json.loads(visavis("collection", "verify", photos, "--json").stdout)["sound"]


def test_what_is_exported_can_be_indexed(visavis, photos: str, tmp_path: Path):
    exported = tmp_path / "photos.jsonl"
    visavis("collection", "export", photos, "-o", exported, "--vectors")
    rows = [json.loads(line) for line in exported.read_text().splitlines()]
    assert len(rows) == 12
    assert len(rows[0]["_vector"]) == 216
    told = json.loads(visavis("index", exported, "-c", "again", "--json").stdout)
    assert told["pictures"] == 12
    again = [json.loads(line) for line in visavis("collection", "export", "again").stdout.splitlines()]
    assert [{**row, "_vector": 0} for row in again] == [{**row, "_vector": 0} for row in rows]


def test_removing_must_be_confirmed_and_leaves_the_files(visavis, photos: str, pictures: Path):
    assert visavis("collection", "remove", photos, ok=False).code == 2
    told = json.loads(visavis("collection", "remove", photos, "--yes", "--json").stdout)
    assert told == {"removed": photos, "pictures": 12, "edited": 0}
    assert json.loads(visavis("collections", "--json").stdout) == {"collections": []}
    assert len(list(pictures.glob("*.png"))) == 12


def test_copying_to_where_it_is_is_refused(visavis, photos: str):
    assert visavis("collection", "copy", photos, "--to", "local", ok=False).code == 2
    assert visavis("collection", "copy", photos, "--to", "nonsense", ok=False).code == 2


def test_predicted_attributes_become_those_of_the_collection(visavis, photos: str, monkeypatch, home: Path):
    def written(collection, output: Path) -> int:
        paths = [picture.paths[0] for picture in collection if not picture.attributes]
        output.write_text("file,texture\n" + "".join(f"{path},plain\n" for path in paths))
        return len(paths)

    monkeypatch.setattr("visavis.search.learned.fashioniq.write_table", written)
    assert "--index" in visavis("collection", "attributes", photos, ok=False).stderr
    assert "11 pictures" in visavis("collection", "attributes", photos, "--index").stderr
    told = json.loads(visavis("collection", "info", photos, "--json").stdout)
    assert told["attributes"] == {"price": 1, "texture": 11}
    assert (home / "collections" / photos / "predicted.csv").stat().st_mode & 0o077 == 0


def test_a_retriever_that_keeps_nothing_prepares_nothing(visavis, photos: str):
    told = json.loads(visavis("collection", "prepare", photos, "--retriever", "composed", "--json").stdout)
    assert (told["pictures"], told["bytes"]) == (0, 0)
    assert "no retriever 'x'" in visavis("collection", "prepare", photos, "--retriever", "x", ok=False).stderr
