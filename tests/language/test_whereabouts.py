"""Messages about places and times, with the parser that ships."""

from __future__ import annotations

import pytest

from visavis.language import whereabouts
from visavis.language.base import default_parser
from visavis.language.context import Context, NumberRange

ATTRIBUTES = {
    "camera": ("Canon EOS", "iPhone 12"),
    "folder": ("holiday", "work"),
    "taken": (),
    "year": NumberRange(2010, 2024),
    "latitude": NumberRange(36.0, 70.0),
    "place": ("Lisbon", "Porto", "Rome", "Nice", "Tromsø"),
    "country": ("Portugal", "Spain", "Italy", "Norway", "France", "United States"),
}


def understood(message: str, attributes=None, **more) -> str:
    context = Context(attributes=ATTRIBUTES if attributes is None else attributes, **more)
    return "; ".join(whereabouts.understand(default_parser(), message, context).lines())


@pytest.mark.parametrize(
    ("message", "commands"),
    [
        ("in Portugal", "filter country = Portugal"),
        ("Portugal", "filter country = Portugal"),
        ("photos in Portugal", "filter country = Portugal"),
        ("pictures from lisbon", "filter place = Lisbon"),
        ("in lisbon or porto", "filter place = Lisbon | Porto"),
        ("photos taken in Tromso", "filter place = Tromsø"),
        ("beach in Portugal", "search beach; filter country = Portugal"),
        ("a church in Rome", "search church; filter place = Rome"),
        ("people in the USA", "search people; filter country = United States"),
        ("not in Spain", "filter country != Spain"),
        ("photos in Nice", "filter place = Nice"),
        ("photos from Italy last summer", 'filter taken = "last summer"; filter country = Italy'),
    ],
)
def test_places_of_the_collection_are_filters(message, commands):
    assert understood(message) == commands


@pytest.mark.parametrize("message", ["beach in nice colours", "a church in Berlin"])
def test_other_words_are_no_places(message):
    assert "place" not in understood(message)
    assert "country" not in understood(message)


@pytest.mark.parametrize(
    ("message", "commands"),
    [
        ("last summer", 'filter taken = "last summer"'),
        ("from July 2019", 'filter taken = "July 2019"'),
        ("between 2015 and 2018", 'filter taken = "between 2015 and 2018"'),
        ("from 2015 to 2018", 'filter taken = "from 2015 to 2018"'),
        ("since 2021", 'filter taken = "since 2021"'),
        ("before March 2020", 'filter taken = "before March 2020"'),
        ("newer than 2016", "filter taken > 2016"),
        ("pictures from yesterday", 'filter taken = "yesterday"'),
        ("newest first", "sort taken desc"),
        ("oldest first", "sort taken asc"),
        ("only photos from last summer, newest first", 'filter taken = "last summer"; sort taken desc'),
        ("a dog on the beach last summer", 'search dog on the beach; filter taken = "last summer"'),
        ("kids in the garden from last year", 'search kids in the garden; filter taken = "last year"'),
        ("kids in the garden last year", 'search kids in the garden; filter taken = "last year"'),
    ],
)
def test_times_are_those_of_the_pictures(message, commands):
    assert understood(message) == commands


def test_what_a_picture_may_show_is_no_time():
    assert understood("summer") == "search summer"


def test_a_collection_without_places_and_times_is_as_before():
    shop = {"colour": ("red", "blue"), "year": NumberRange(2011, 2018)}
    assert understood("only red ones", shop, turns=1, shown=12, topic="shirt") == "filter colour = red"
