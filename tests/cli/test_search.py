"""``visavis search`` as a person, or a script, meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drawing import draw


@pytest.fixture
def photos(visavis, pictures: Path):
    visavis("index", pictures, "-c", "photos")

    def search(*args: object, **more: object):
        return json.loads(visavis("search", *args, "-c", "photos", "--json", **more).stdout)

    return search


def names(found: dict) -> list[str]:
    return [Path(hit["path"]).stem for hit in found["results"]]


def test_json_has_the_promised_shape(photos):
    found = photos("something red", "-k", 2)
    assert {"id", "path", "score", "caption", "attributes"} <= set(found["results"][0])
    assert isinstance(found["seconds"], float)
    assert names(found)[0] == "red"
    assert len(found["results"]) <= 2


def test_what_matches_is_sorted(visavis, photos):
    def order(way):
        told = visavis("search", "red", "-c", "photos", "--sort", f"brightness {way}", "--json").stdout
        return [result["id"] for result in json.loads(told)["results"]]

    assert order("asc") == order("desc")[::-1]
    refused = visavis("search", "red", "-c", "photos", "--sort", "weight asc", ok=False)
    assert "Sort by brightness, saturation." in refused.stderr


def test_by_picture_and_by_both(photos, tmp_path: Path):
    other = draw(tmp_path / "other.png", (215, 25, 25))
    assert names(photos("--like", other, "-k", 1)) == ["red"]
    red = photos("red", "-k", 1)["results"][0]["id"]
    assert "red" not in names(photos("--like", red, "-k", 5)), "the picture itself is no answer"
    assert names(photos("blue", "--like", red, "-k", 1)) == ["blue"] or names(
        photos("blue", "--like", red, "-k", 1)
    ) == ["purple"]


def test_text_output_goes_to_standard_output(visavis, photos):
    ended = visavis("search", "red", "-c", "photos", "-k", 1)
    assert "red.png" in ended.stdout
    assert "1 found" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        ([], 2, "nothing to search for"),
        (["red", "--like", "ffffffff"], 3, "no picture 'ffffffff'"),
        (["red", "--filter", "price <"], 2, "price"),
    ],
)
def test_mistakes_are_told(visavis, photos, arguments: list[str], code: int, why: str):
    ended = visavis("search", *arguments, "-c", "photos", ok=False)
    assert ended.code == code
    assert why in ended.stderr


def test_an_unknown_collection_names_the_known_ones(visavis, photos):
    ended = visavis("search", "red", "-c", "fotos", ok=False)
    assert ended.code == 3
    assert "photos" in ended.stderr


def test_a_condition_on_what_no_picture_has_is_told(visavis, pictures: Path):
    (pictures / "shop.csv").write_text("path,price\nred.png,10\nblue.png,20\n")
    visavis("index", pictures / "shop.csv", "-c", "shop")
    ended = visavis("search", "red", "-c", "shop", "--filter", "pric < 50")
    assert "did you mean 'price'?" in ended.stderr
    assert "--nearest" not in ended.stderr, "no nearer picture can help"
    message = json.loads(visavis("search", "red", "-c", "shop", "--filter", "size = 'XXL'", "--json").stdout)["message"]
    assert message == "No picture in this collection has an attribute 'size'; there are: price."


def test_the_values_that_are_sorted_or_chosen_by_are_shown(visavis, pictures: Path, tmp_path: Path):
    rows = "".join(f"{name}.png,{price},shop\n" for name, price in (("red", 12.5), ("orange", 9), ("pink", 30)))
    (pictures / "list.csv").write_text(f"path,price,seller\n{rows}")
    visavis("index", pictures / "list.csv", "-c", "shop")
    told = visavis("search", "red", "-c", "shop", "--sort", "price asc").stdout
    assert "price 12.5" in told
    both = visavis("search", "red", "-c", "shop", "--like", pictures / "pink.png", "--filter", "price > 9", "-k", 9)
    assert "price 12.5" in both.stdout
    assert "seller" not in both.stdout
