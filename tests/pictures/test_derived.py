from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageOps

from visavis.pictures.derived import date_in_name, gazetteer, is_black_and_white


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("IMG_20190704_153012.jpg", "2019-07-04T15:30:12"),
        ("PXL_20210102_030405678.jpg", "2021-01-02T03:04:05"),
        ("20190704_153012.jpg", "2019-07-04T15:30:12"),
        ("20190704153012.jpg", "2019-07-04T15:30:12"),
        ("Screenshot_20190704-153012_Maps.png", "2019-07-04T15:30:12"),
        ("IMG-20190704-WA0003.jpg", "2019-07-04"),
        ("WhatsApp Image 2019-07-04 at 15.30.12.jpeg", "2019-07-04T15:30:12"),
        ("signal-2019-07-04-153012.jpg", "2019-07-04T15:30:12"),
        ("2019-07-04 15.30.12.png", "2019-07-04T15:30:12"),
        ("2019-07-04 Porto.jpg", "2019-07-04"),
        ("2019_07_04_party.jpg", "2019-07-04"),
        ("/photos/2001/IMG_20190704.jpg", "2019-07-04"),
        ("FB_IMG_1562254212345.jpg", "2019-07-04"),
    ],
)
def test_the_day_is_read_from_the_name(name, taken):
    assert date_in_name(name) == taken


@pytest.mark.parametrize(
    "name",
    [
        "20190704.jpg",
        "article-20190704.jpg",
        "DSC_0001.jpg",
        "2019-13-04.jpg",
        "2019-02-30.jpg",
        "123201907041.jpg",
        "2099-01-01.jpg",
        "sunset.jpg",
        "",
    ],
)
def test_other_numbers_are_no_days(name):
    assert date_in_name(name) is None


pytest.importorskip("reverse_geocode")


@pytest.mark.parametrize(
    ("latitude", "longitude", "name", "country"),
    [
        (38.7118, -9.1300, "Lisbon", "Portugal"),
        (40.6782, -73.9442, "New York City", "United States"),
        (40.7357, -74.1724, "Newark", "United States"),
        (69.6496, 18.9560, "Tromsø", "Norway"),
        (-25.3444, 131.0369, "Northern Territory", "Australia"),
    ],
)
def test_a_place_has_the_names_of_its_town_and_country(latitude, longitude, name, country):
    found = gazetteer().place(latitude, longitude)
    assert name in found.names
    assert found.country == country


def test_a_city_ends_where_its_region_does():
    assert "New York City" not in gazetteer().place(40.7357, -74.1724).names


def test_the_date_line_is_no_border():
    assert gazetteer().place(-16.8, 179.999) == gazetteer().place(-16.8, -179.999)


def test_nothing_is_named_out_at_sea():
    assert gazetteer().place(0.5, -30.0) is None


SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "coco" / "sample"


def noise(seed: int = 1) -> Image.Image:
    """A picture of many colours."""
    pixels = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), np.uint8)
    return Image.fromarray(pixels).resize((320, 240), Image.Resampling.BILINEAR)


def test_shades_of_one_tint_are_black_and_white():
    assert not is_black_and_white(noise())
    assert is_black_and_white(ImageOps.grayscale(noise()))
    old_print = ImageOps.colorize(ImageOps.grayscale(noise()), (20, 14, 10), (235, 222, 205), mid=(120, 108, 96))
    assert is_black_and_white(old_print)


@pytest.mark.parametrize("colour", ["red", "grey", "white", "black"])
def test_a_plain_area_is_not(colour: str):
    assert not is_black_and_white(Image.new("RGB", (60, 40), colour))


def test_a_black_thing_on_white_is_a_picture_in_colour():
    product = Image.new("RGB", (120, 160), "white")
    ImageDraw.Draw(product).ellipse((30, 40, 90, 120), fill=(20, 20, 20))
    assert not is_black_and_white(product)


@pytest.mark.skipif(not SAMPLE.is_dir(), reason="needs shared/data")
def test_photos():
    found = {name for name in ("000000545363", "000000060856", "000000214671", "000000192905")
             if is_black_and_white(Image.open(SAMPLE / f"{name}.jpg"))}  # fmt: skip
    assert found == {"000000545363", "000000060856"}, "a black and white cat or zebra is no black and white photo"
