"""A small folder of data sets in their published layouts."""

import json

import pytest
from PIL import Image

COLOURS = ["red", "green", "blue", "yellow", "black", "white"]


@pytest.fixture(scope="session")
def datasets(tmp_path_factory):
    root = tmp_path_factory.mktemp("datasets")
    _coco(root / "coco")
    _products(root / "products")
    _classes(root / "shapes")
    _unlabelled(root / "unlabelled")
    return root


def _paint(path, colour):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (48, 48), colour).save(path)


def _coco(folder):
    rows = []
    for number in range(24):
        colour = COLOURS[number % 6]
        _paint(folder / "train2017" / f"{number:012d}.jpg", colour)
        captions = [f"a {colour} wall {word}" for word in ("one", "two", "three", "four", "outside")]
        rows.append({"image_id": number, "split": "val" if number >= 18 else "train", "captions": captions})
    (folder / "captions.jsonl").write_text("\n".join(json.dumps(row) for row in rows))


def _products(folder):
    lines = ["id,gender,masterCategory,subCategory,articleType,baseColour,season,year,usage,productDisplayName"]
    for number in range(100, 140):
        colour = COLOURS[number % 6].title()
        _paint(folder / "images" / f"{number}.jpg", colour)
        lines.append(f"{number},Men,Apparel,Topwear,Shirts,{colour},Fall,2011,Casual,Brand {number} {colour} Shirt")
    (folder / "styles.csv").write_text("\n".join(lines))


def _classes(folder):
    for colour in COLOURS:
        for number in range(3):
            _paint(folder / f"{colour}_square" / f"{number}.png", colour)


def _unlabelled(folder):
    for number in range(6):
        _paint(folder / f"{number}.jpg", COLOURS[number])
