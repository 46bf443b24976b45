"""What is written about pictures, for and against a wish."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.retrieval import reading
from visavis.retrieval.reading import spoken_for

WORDS = ["red dress, long sleeves", "red dress, short sleeves", "blue shirt, long sleeves", ""]


def test_the_examples_hold():
    assert doctest.testmod(reading).failed == 0


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        ("red dress", [1, 1, -1, 0]),
        ("with long sleeves", [1, -1, 1, 0]),
        ("a photo", [0, 0, 0, 0]),
        ("a giraffe", [0, 0, 0, 0]),  # nobody speaks of it: silence says nothing
        ("", [0, 0, 0, 0]),
    ],
)
def test_who_is_spoken_for(wish: str, expected: list[float]):
    assert spoken_for(wish, WORDS).tolist() == expected


def test_part_of_a_wish_counts_in_part():
    votes = spoken_for("red dress with long sleeves", WORDS)
    assert votes[0] == 1
    assert -1 < votes[1] < 1


@given(st.text(), st.lists(st.text()))
def test_votes_stay_within_bounds(wish: str, words: list[str]):
    votes = spoken_for(wish, words)
    assert votes.shape == (len(words),)
    assert not len(votes) or np.abs(votes).max() <= 1
