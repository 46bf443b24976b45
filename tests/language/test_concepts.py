"""Talk of things in the picture."""

from __future__ import annotations

import pytest

from visavis.language.context import leans_on_picture, nouns_in, singular


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
