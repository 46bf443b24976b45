"""Days from file names and names of places, in new collections and in those made before."""

from __future__ import annotations

import pytest
from drawing import draw
from PIL import Image
from PIL.ExifTags import GPS, IFD, Base
from tiny_encoder import COLOURS, TinyEncoder

from visavis.api import open_collection
from visavis.collections import descriptions, upgrade
from visavis.collections.indexing import stages
from visavis.pictures import derived

LISBON = {
    GPS.GPSLatitudeRef: "N",
    GPS.GPSLatitude: (38.0, 42.0, 42.0),
    GPS.GPSLongitudeRef: "W",
    GPS.GPSLongitude: (9.0, 7.0, 48.0),
}


def draw_tagged(path, colour, gps=None, taken=None):
    exif = Image.Exif()
    if taken:
        exif.get_ifd(IFD.Exif)[Base.DateTimeOriginal] = taken
    exif.get_ifd(IFD.GPSInfo).update(gps or {})
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (40, 30), COLOURS[colour]).save(path, exif=exif)
    return path


@pytest.fixture
def photos(tmp_path):
    folder = tmp_path / "photos"
    draw_tagged(folder / "IMG_20190704_153012.jpg", "red")
    draw_tagged(folder / "IMG_20200101_000000.jpg", "green", LISBON, "2018:05:06 07:08:09")
    draw(folder / "plain.png", "blue")
    return folder


def opened(tmp_path):
    return open_collection("photos", tmp_path / "home", create=True, encoder=TinyEncoder())


def by_name(collection):
    return {picture.path.rsplit("/", 1)[-1]: dict(picture.attributes) for picture in collection}


def test_a_name_tells_the_day_where_the_camera_does_not(tmp_path, photos):
    with opened(tmp_path) as collection:
        collection.index(photos)
        found = by_name(collection)
        assert found["IMG_20190704_153012.jpg"]["taken"] == "2019-07-04T15:30:12"
        assert found["IMG_20190704_153012.jpg"]["year"] == 2019
        assert found["IMG_20200101_000000.jpg"]["taken"] == "2018-05-06T07:08:09"
        assert "taken" not in found["plain.png"]


def test_coordinates_have_names(tmp_path, photos):
    pytest.importorskip("reverse_geocode")
    with opened(tmp_path) as collection:
        collection.index(photos)
        found = by_name(collection)["IMG_20200101_000000.jpg"]
        assert found["country"] == "Portugal"
        assert "Lisbon" in found["place"]
        hits = collection.search("green", filter='place = "Lisbon" and country = "Portugal"').results
        assert [hit.picture.path.rsplit("/", 1)[-1] for hit in hits] == ["IMG_20200101_000000.jpg"]


@pytest.mark.parametrize("way", ["index", "upgrade"])
def test_a_collection_made_before_gains_them(tmp_path, photos, monkeypatch, way):
    pytest.importorskip("reverse_geocode")
    with monkeypatch.context() as before:
        for module in (descriptions, stages):
            before.setattr(module, "with_derived", lambda details, _: details)
        before.setattr(derived, "_VERSION", 0)
        with opened(tmp_path) as collection:
            collection.index(photos)
            assert "place" not in by_name(collection)["IMG_20200101_000000.jpg"]
    with opened(tmp_path) as collection:
        assert collection.upgrade().derived == 2 if way == "upgrade" else collection.index(photos).files == 3
        found = by_name(collection)
        assert found["IMG_20200101_000000.jpg"]["country"] == "Portugal"
        assert found["IMG_20190704_153012.jpg"]["year"] == 2019
        assert collection.verify().sound
        assert len(collection.search("red", filter="year = 2019").results) == 1
        assert collection.upgrade().derived == 0


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        ('taken = "July 2019"', {"IMG_20190704_153012.jpg"}),
        ("taken = 2018", {"IMG_20200101_000000.jpg"}),
        ("taken >= 2018", {"IMG_20190704_153012.jpg", "IMG_20200101_000000.jpg"}),
        ("taken > 2018", {"IMG_20190704_153012.jpg"}),
        ('not taken = "2018"', {"IMG_20190704_153012.jpg", "plain.png"}),
        ('taken = "2018-05-06T07:08:09"', {"IMG_20200101_000000.jpg"}),
    ],
)
def test_a_single_search_filters_by_time_in_words(tmp_path, photos, filter, found):
    with opened(tmp_path) as collection:
        collection.index(photos)
        hits = collection.search("red", filter=filter).results
        assert {hit.picture.path.rsplit("/", 1)[-1] for hit in hits} == found


def draw_grey(path):
    """A photo in shades of grey: light on the left, dark on the right."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.linear_gradient("L").rotate(90).resize((60, 40)).save(path)
    return path


@pytest.mark.parametrize("way", ["new", "index", "upgrade"])
def test_black_and_white_pictures_are_known_by_their_pixels(tmp_path, photos, monkeypatch, way):
    draw_grey(photos / "old.png")
    with monkeypatch.context() as before, opened(tmp_path) as collection:
        if way != "new":
            for module in (stages, upgrade):
                before.setattr(module, "tones_of", lambda _: {})
            before.setattr(derived, "_VERSION", 1)
        collection.index(photos)
        assert ("tones" in by_name(collection)["old.png"]) == (way == "new")
    with opened(tmp_path) as collection:
        assert collection.upgrade().derived == 1 if way == "upgrade" else collection.index(photos).files == 4
        found = {
            name for name, attributes in by_name(collection).items() if attributes.get("tones") == "black and white"
        }
        assert found == {"old.png"}
        assert collection.verify().sound
        shown = collection.search("grey", avoid=["black and white"]).results
        assert {hit.picture.path.rsplit("/", 1)[-1] for hit in shown}.isdisjoint(found)
        wanted = collection.search("black and white photos")
        assert [hit.picture.path.rsplit("/", 1)[-1] for hit in wanted.results if hit.match] == ["old.png"]
