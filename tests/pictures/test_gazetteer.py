from __future__ import annotations

import pytest

pytest.importorskip("reverse_geocode")
from visavis.pictures.gazetteer import gazetteer


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
