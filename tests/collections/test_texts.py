"""Text in pictures: read once, searched by its words, told as a reason."""

from __future__ import annotations

import importlib.util

import pytest
from drawing import draw
from PIL import Image, ImageDraw, ImageFont
from tiny_encoder import TinyEncoder

from visavis.api import open_collection
from visavis.collections import upgrade as derived
from visavis.collections.indexing.indexer import Options
from visavis.errors import MissingExtraError
from visavis.pictures import derived as written_text


def draw_sign(path, *lines):
    image = Image.new("RGB", (900, 600), "white")
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((60, 80 + 140 * number), line, fill="black", font=ImageFont.load_default(size=64))
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


@pytest.fixture
def signs(tmp_path):
    draw_sign(tmp_path / "signs" / "a.png", "Bakery Miller", "Open 7:00")
    draw(tmp_path / "signs" / "b.png", "red")
    return tmp_path / "signs"


def opened(tmp_path):
    return open_collection("signs", tmp_path / "home", create=True, encoder=TinyEncoder())


def text_of(collection):
    return {picture.path.rsplit("/", 1)[-1]: picture.attributes.get("text") for picture in collection}


@pytest.fixture
def reader(monkeypatch):
    """A reader that knows the sign, and which pictures it was shown."""
    shown = []

    def read(image):
        shown.append(image.size)
        return "Bakery Miller\nOpen 7:00" if image.width > 100 else ""

    monkeypatch.setattr(derived, "read_text", read)
    monkeypatch.setattr(derived, "check_installed", lambda: None)
    monkeypatch.setattr("visavis.collections.collection.check_installed", lambda: None)
    return shown


def test_text_is_read_once_and_only_when_asked_for(tmp_path, signs, reader):
    with opened(tmp_path) as collection:
        assert collection.index(signs).texts is None
        assert text_of(collection) == {"a.png": None, "b.png": None}
        report = collection.index(signs, options=Options(texts=True))
        assert (report.texts, report.as_json()["texts"]) == (1, 1)
        assert text_of(collection) == {"a.png": "Bakery Miller\nOpen 7:00", "b.png": None}
        assert collection.verify().sound
        assert len(reader) == 2
        assert collection.index(signs, options=Options(texts=True)).texts == 0
        assert len(reader) == 2
        assert collection.index(signs).texts is None
        assert text_of(collection)["a.png"]


def test_its_words_find_the_picture_and_are_told(tmp_path, signs, reader):
    with opened(tmp_path) as collection:
        collection.index(signs, options=Options(texts=True))
        best = collection.search("miller").results[0]
        assert best.picture.path.endswith("a.png")
        assert "written in it: “Bakery Miller”" in [reason.text for reason in best.because]


def test_without_the_extra_it_says_how_to_get_it(tmp_path, signs, monkeypatch):
    monkeypatch.setattr(written_text, "find_spec", lambda _: None)
    with opened(tmp_path) as collection, pytest.raises(MissingExtraError, match=r"visavis\[ocr\]"):
        collection.index(signs, options=Options(texts=True))


@pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="needs the extra ocr")
def test_the_shipped_models_read_a_sign(signs):
    with Image.open(signs / "a.png") as image:
        found = written_text.read_text(image)
    assert found.splitlines() == ["Bakery Miller", "Open 7:00"]
    with Image.open(signs / "b.png") as image:
        assert written_text.read_text(image) == ""


def test_single_signs_and_doubtful_lines_are_left_out(monkeypatch):
    class Found:
        txts = ("Open", "-", "x", "Bakery")
        scores = (0.9, 0.99, 0.99, 0.4)

    monkeypatch.setattr(written_text, "_reader", lambda: lambda _: Found)
    assert written_text.read_text(Image.new("RGB", (40, 30))) == "Open"
