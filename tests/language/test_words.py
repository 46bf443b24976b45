"""Spelling, usual expressions, numbers, and the lists of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.language.adjectives import COMPARATIVES, opposite_of
from visavis.language.lexicon import colours, natural_colours, roles, things, trade_words, word_ranks
from visavis.language.rules.amounts import amount_in, numbers_in, to_ordinal
from visavis.language.spelling import correct, correct_word
from visavis.language.tidy import LONGEST_MESSAGE, tidy, usual


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("umberlla", "umbrella"),
        ("gutiar", "guitar"),
        ("contarst", "contrast"),
        ("backgroud", "background"),
        ("roate", "rotate"),
        ("calender", "calendar"),
        ("colof", "color"),
    ],
)
def test_typing_errors_are_put_right(typed, meant):
    assert correct_word(typed) == meant


@pytest.mark.parametrize(
    "word",
    ["goggles", "giraffe", "sandal", "raincoat", "kurta", "scrunchie", "trouser", "parlour", "zxqv", "t-shirt", "nike"],
)
def test_words_that_mean_something_stay(word):
    assert correct(word) == word


def test_words_of_the_collection_are_never_typing_errors():
    assert correct("umberlla", {"umberlla"}) == "umberlla"


@given(st.sampled_from(sorted(word_ranks())))
def test_known_words_are_never_changed(word):
    assert correct_word(word) == word


@pytest.mark.parametrize(
    ("said", "form"),
    [
        ("Rotate it anti-clock wise by 20%", "rotate it anticlockwise by 20 percent"),
        ("pls find a pic", "please find a picture"),
        ("I don’t want the back ground", "i don't want the background"),
        ("counter clockwise", "anticlockwise"),
        ("a sky blue sky", "a skyblue sky"),
    ],
)
def test_expressions_get_their_usual_form(said, form):
    assert usual(tidy(said)) == form


@given(st.text(max_size=300))
def test_tidy_is_one_short_line(text):
    line = tidy(text)
    assert len(line) <= LONGEST_MESSAGE
    assert len(line.splitlines()) <= 1
    assert tidy(line) == line


def test_numbers_in_digits_and_words():
    assert numbers_in("by twenty five degrees, then 12.5 and -3") == [25, 12.5, -3]
    assert numbers_in("a hundred percent") == [100]
    assert to_ordinal("third") == 3
    assert to_ordinal("22nd") == 22
    assert to_ordinal("last", 7) == 7
    assert amount_in("a bit", 10, 20, 40) == 10
    assert amount_in("a lot", 10, 20, 40) == 40
    assert amount_in("by 33", 10, 20, 40) == 33
    assert amount_in("", 10, 20, 40) == 20


def test_lists_hang_together():
    plain = {"red", "orange", "green", "blue", "skyblue", "purple", "brown", "yellow", "pink", "black", "white", "grey"}
    assert set(colours().values()) == plain
    assert set(natural_colours().values()) <= plain
    assert {"umbrella", "teddy bear", "t-shirt"} <= things()
    assert "anticlockwise" in trade_words()
    assert "cup" in roles()["held"]
    assert COMPARATIVES["longer"] == "long"
    assert COMPARATIVES["bigger"] == "big"
    assert opposite_of("long") == "short"
