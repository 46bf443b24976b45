import numpy as np
import pytest
from PIL import Image

from visavis.demo.sheet import SheetRow, contact_sheet
from visavis.errors import BadInputError


def plain(colour, size=(60, 80)):
    return Image.new("RGB", size, colour)


def test_a_sheet_shows_every_picture_in_its_place():
    rows = [
        SheetRow("red dress", [plain("red"), plain("blue")], ["one", "two"]),
        SheetRow("green hat", [plain("green")], ["three"]),
    ]
    sheet = contact_sheet(rows, thumbnail=(60, 80))
    pixels = np.asarray(sheet)
    assert sheet.mode == "RGB"
    for colour in ((255, 0, 0), (0, 0, 255), (0, 128, 0)):
        found = (pixels == colour).all(axis=-1)
        assert 60 * 80 * 0.9 < found.sum() <= 60 * 80
    red, blue, green = (
        np.argwhere((pixels == c).all(axis=-1)).mean(axis=0) for c in ((255, 0, 0), (0, 0, 255), (0, 128, 0))
    )
    assert red[1] < blue[1]
    assert green[0] > red[0]


def test_headings_and_captions_are_written():
    with_words = contact_sheet([SheetRow("a heading", [plain("red")], ["a caption"])], thumbnail=(60, 80))
    without = contact_sheet([SheetRow("", [plain("red")])], thumbnail=(60, 80))
    assert with_words.height > without.height + 40
    assert (np.asarray(with_words.convert("L")) < 60).sum() > 20


def test_long_words_stay_on_the_sheet():
    endless = "word " * 200
    sheet = contact_sheet([SheetRow(endless, [plain("red")], [endless + "x" * 300])], thumbnail=(60, 80), title="T")
    assert sheet.width == 60 + 2 * 28
    margin = np.asarray(sheet.convert("L"))[:, -20:]
    assert margin.min() > 200


def test_pictures_of_any_shape_and_mode_fit():
    pictures = [plain("red", (500, 20)), plain("red", (3, 900)), Image.new("RGBA", (40, 40), (0, 0, 0, 0))]
    assert contact_sheet([SheetRow("x", pictures)], thumbnail=(60, 80)).width == 3 * 60 + 2 * 16 + 2 * 28


@pytest.mark.parametrize("rows", [[], [SheetRow("nothing", [])]])
def test_a_sheet_without_pictures_is_refused(rows):
    with pytest.raises(BadInputError, match="at least one picture"):
        contact_sheet(rows)


def test_captions_must_match_the_pictures():
    with pytest.raises(BadInputError, match="'x' has 1 pictures but 2 captions"):
        contact_sheet([SheetRow("x", [plain("red")], ["a", "b"])])
