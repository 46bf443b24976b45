"""What is written about pictures, for and against a wish."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.conversation.wishes import Wish
from visavis.retrieval import reading
from visavis.retrieval.reading import Written, spoken_for

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


ROWS = {
    "a": {"colour": "red", "category": "dress"},
    "b": {"colour": "red", "category": "skirt"},
    "c": {"colour": "blue", "category": "skirt"},
    "d": {"width": 3},
}


class Rows:
    def payloads(self, ids):
        return {id: ROWS[id] for id in ids if id in ROWS}


def wish(kind: str, text: str = "", **more) -> Wish:
    return Wish("1.1", kind, text, 1, **more)


@pytest.mark.parametrize("attribute", ["colour", "color", "colours"])
def test_a_kept_attribute_is_looked_up(attribute: str):
    told = Written(Rows(), ["b", "c", "d"])
    assert told.votes(wish("keep", "turn 1", picture="a", attribute=attribute)).tolist() == [1, -1, 0]


def test_a_kept_attribute_that_nobody_wrote_down_says_nothing():
    told = Written(Rows(), ["b", "c", "d"])
    assert told.votes(wish("keep", "turn 1", picture="a", attribute="mood")).tolist() == [0, 0, 0]
    assert told.votes(wish("keep", "turn 1", picture="gone", attribute="colour")).tolist() == [0, 0, 0]


def test_only_some_wishes_can_be_written_about():
    told = Written(Rows(), ["b", "c", "d"])
    assert told.votes(wish("want", "red")) is not None
    assert told.votes(wish("like", "#1", picture="a")) is None
    assert not Written(Rows(), ["d"])


@given(st.text(), st.lists(st.text()))
def test_votes_stay_within_bounds(wish: str, words: list[str]):
    votes = spoken_for(wish, words)
    assert votes.shape == (len(words),)
    assert not len(votes) or np.abs(votes).max() <= 1


def test_what_nobody_speaks_of_counts_against_what_is_described():
    votes = spoken_for("a red elephant on a bicycle", WORDS)
    assert votes[0] == pytest.approx(-1 / 3)
    assert votes[2] < votes[0]
    assert votes[3] == 0


def test_some_of_what_was_read_is_not_read_again():
    told = Written(Rows(), ["b", "c", "d"])
    part = told.of(["d", "b"])
    assert part.words == Written(Rows(), ["d", "b"]).words
    kept = wish("keep", "turn 1", picture="a", attribute="colour")
    assert part.votes(kept).tolist() == [0, 1]
    assert told.of(["b", "a"]).words == Written(Rows(), ["b", "a"]).words  # not among them: looked up after all
