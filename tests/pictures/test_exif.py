"""Valid EXIF tags become attributes; invalid ones are ignored."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from PIL.ExifTags import GPS, IFD, Base

from visavis.pictures import open_picture
from visavis.pictures.exif import exif_attributes


def tags(main=None, exif=None, gps=None) -> Image.Exif:
    made = Image.Exif()
    made.update(main or {})
    made.get_ifd(IFD.Exif).update(exif or {})
    made.get_ifd(IFD.GPSInfo).update(gps or {})
    return made


ROME = {
    GPS.GPSLatitudeRef: "N",
    GPS.GPSLatitude: (41.0, 53.0, 24.12),
    GPS.GPSLongitudeRef: "E",
    GPS.GPSLongitude: (12.0, 29.0, 32.0),
}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF", "HEIF"])
def test_date_place_and_camera_through_a_file(kind, scene, encode) -> None:
    exif = tags(
        {Base.Make: "Canon", Base.Model: "Canon EOS 5D", Base.DateTime: "2020:01:01 00:00:00"},
        {Base.DateTimeOriginal: "2019:07:14 18:03:59", Base.OffsetTimeOriginal: "+02:00"},
        ROME,
    )
    found = open_picture(encode(scene, kind, exif=exif.tobytes())).attributes
    assert found == {
        "taken": "2019-07-14T18:03:59+02:00",
        "year": 2019,
        "latitude": pytest.approx(41.8900333, abs=1e-5),
        "longitude": pytest.approx(12.4922222, abs=1e-5),
        "camera": "Canon EOS 5D",
    }


def test_southern_and_western_places_are_negative() -> None:
    south = {**ROME, GPS.GPSLatitudeRef: "S", GPS.GPSLongitudeRef: "W"}
    found = exif_attributes(tags(gps=south))
    assert found["latitude"] < 0
    assert found["longitude"] < 0


@pytest.mark.parametrize(
    "gps",
    [
        {**ROME, GPS.GPSLatitude: (95.0, 0.0, 0.0)},
        {**ROME, GPS.GPSLatitude: (float("nan"), 0.0, 0.0)},
        {**ROME, GPS.GPSLatitude: "41"},
        {**ROME, GPS.GPSLatitude: ()},
        {GPS.GPSLatitude: (0.0, 0.0, 0.0), GPS.GPSLongitude: (0.0, 0.0, 0.0)},
        {GPS.GPSLatitude: (41.0, 0.0, 0.0)},
    ],
)
def test_places_that_are_none(gps) -> None:
    assert "latitude" not in exif_attributes(tags(gps=gps))


@pytest.mark.parametrize("date", ["0000:00:00 00:00:00", "    :  :     :  :  ", "", "yesterday", "2020:02:30 10:00:00"])
def test_dates_that_are_none_fall_back_to_the_next(date) -> None:
    assert "taken" not in exif_attributes(tags(exif={Base.DateTimeOriginal: date}))
    found = exif_attributes(tags({Base.DateTime: "2001:02:03 04:05:06"}, {Base.DateTimeOriginal: date}))
    assert found == {"taken": "2001-02-03T04:05:06", "year": 2001}


def test_make_is_not_said_twice_and_zeros_are_cut() -> None:
    assert exif_attributes(tags({Base.Make: "NIKON\0\0", Base.Model: "D90 "}))["camera"] == "NIKON D90"
    assert exif_attributes(tags({Base.Make: "Apple"}))["camera"] == "Apple"
    assert exif_attributes(tags()) == {}


@settings(max_examples=200)
@given(
    st.dictionaries(
        st.sampled_from([Base.Make, Base.Model, Base.DateTime, Base.DateTimeOriginal, Base.OffsetTimeOriginal]),
        st.one_of(st.text(), st.binary(), st.integers(), st.tuples(st.integers()), st.none()),
    )
)
def test_no_tag_breaks_it(values) -> None:
    assert all(isinstance(name, str) for name in exif_attributes(tags(values, values)))
