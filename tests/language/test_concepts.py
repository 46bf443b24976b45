"""Talk of things in the picture is resolved against what it shows."""

from __future__ import annotations

import pytest
from language_support import SITUATIONS

from visavis.language.concepts import colour_of, nouns_in, same_thing, singular
from visavis.language.context import Concept
from visavis.language.places import leans_on_picture, thing_at
from visavis.language.rules import RuleParser

SCENE = SITUATIONS["scene"].concepts


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("the girl's jacket", "jacket"),
        ("cap of the bottle", "cap"),
        ("wine kept in the glass", "wine"),
        ("shirt the man is wearing", "shirt"),
        ("left side towel", "towel"),
    ],
)
def test_the_head_of_a_phrase(phrase, head):
    assert nouns_in(phrase)[0] == head


def test_nouns_of_one_kind():
    assert same_thing("sofa", "sofas") == 1
    assert 0 < same_thing("sofa", "couch") < 1
    assert same_thing("sofa", "cat") == 0


@pytest.mark.parametrize(
    ("phrase", "colour"),
    [
        ("the girl's jacket", "yellow"),
        ("the couch", "brown"),
        ("lamp", "red"),
        ("dark green thing", "green"),
        ("a ripe tomato", "red"),
        ("the bicycle", None),
    ],
)
def test_the_colour_of_what_is_seen(phrase, colour):
    assert colour_of(phrase, SCENE) == colour


def test_what_was_searched_for_has_the_colour_it_was_searched_with():
    assert colour_of("the boots", (), told="purple boots") == "purple"


def test_most_of_the_things_decide():
    flowers = (Concept("flower", ("red",)), Concept("flower", ("pink",)), Concept("flower", ("pink",)))
    assert colour_of("the flowers", flowers) == "pink"


@pytest.mark.parametrize(
    ("phrase", "thing"),
    [
        ("the thing on the table", "vase"),
        ("the object next to the sofa", "lamp"),
        ("object to the left of the table", "sofa"),
        ("the thing the girl is wearing", "jacket"),
        ("the yellow object", "jacket"),
    ],
)
def test_the_thing_at_a_place(phrase, thing):
    assert thing_at(phrase, SCENE) == thing


def test_without_places_what_things_are_used_as_decides():
    seen = (Concept("cup", ("white",)), Concept("wall", ("white",)), Concept("chair", ("red",)), Concept("hat"))
    assert thing_at("the object the man is holding in his hand", seen) == "cup"
    assert thing_at("the thing on which she is sitting", seen) == "chair"
    assert thing_at("the thing he wears on his head", seen) == "hat"
    assert thing_at("the object over there", seen) is None
    assert thing_at("the object over there", seen, guess=True) is not None


def test_an_unseen_colour_is_asked_back():
    asked = RuleParser().understand("make the image the same colour as the bicycle", SITUATIONS["scene"])
    assert asked.clarify is not None
    assert "bicycle" in asked.clarify.question


@pytest.mark.parametrize(
    ("message", "leans"),
    [
        ("a towel in the colour of the girl's jacket", True),
        ("find the thing on the table", True),
        ("shoes matching her dress", True),
        ("what is he holding?", True),
        ("the same shade as the sofa", True),
        ("the same but in blue", False),
        ("like #4 but with the longer sleeves", False),
        ("a red dress", False),
        ("go back to turn 2", False),
    ],
)
def test_the_picture_is_looked_at_only_when_it_is_talked_about(message, leans):
    assert leans_on_picture(message) is leans


@pytest.mark.parametrize(
    ("plural", "noun"),
    [("waves", "wave"), ("leaves", "leaf"), ("shoes", "shoe"), ("gloves", "glove"), ("tomatoes", "tomato")],
)
def test_plurals(plural, noun):
    assert singular(plural) == noun
