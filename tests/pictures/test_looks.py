"""How bright and how colourful pictures are."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from visavis.pictures.looks import Looks, measure

COLOURS = {"white": "#ffffff", "grey": "#808080", "red": "#ff0000", "black": "#000000"}


def test_light_pictures_are_brighter_and_strong_colours_more_saturated():
    light, tint = zip(*(measure(Image.new("RGB", (80, 40), colour)) for colour in COLOURS.values()), strict=True)
    assert light[0] > light[1] > light[2] > light[3]
    assert tint[2] > max(tint[0], tint[1], tint[3]) == 0


def test_what_was_measured_is_kept(tmp_path: Path):
    for name, colour in COLOURS.items():
        Image.new("RGB", (8, 8), colour).save(tmp_path / f"{name}.webp")
    kept = tmp_path / "cache" / "looks.json"
    looks = Looks(lambda id: tmp_path / f"{id}.webp", kept)
    found = looks("brightness", ["black", "white", "lost"])
    assert found.keys() == {"black", "white"}
    assert found["black"] < found["white"]
    (tmp_path / "white.webp").unlink()
    again = Looks(lambda id: tmp_path / f"{id}.webp", kept)
    assert again("brightness", ["white", "grey"])["white"] == found["white"]


def test_a_damaged_file_is_measured_again(tmp_path: Path):
    Image.new("RGB", (8, 8), "red").save(tmp_path / "red.webp")
    (tmp_path / "looks.json").write_text("[1")
    assert Looks(lambda id: tmp_path / f"{id}.webp", tmp_path / "looks.json")("saturation", ["red"])["red"] > 50
