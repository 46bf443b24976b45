"""What is written about pictures, for and against a wish."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.search.captions import Mentions, WrittenWords, spoken_for, stems, things_of, written
from visavis.types import Wish

WORDS = ["red dress, long sleeves", "red dress, short sleeves", "blue shirt, long sleeves", ""]


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
    def __init__(self, rows=ROWS):
        self.rows = rows

    def payloads(self, ids):
        return {id: self.rows[id] for id in ids if id in self.rows}


def test_the_colour_of_the_background_is_not_the_colour_of_the_thing():
    rows = {
        "a": {"colour": "blue", "category": "shoes", "background": "grey"},
        "b": {"colour": "red", "category": "shoes", "background": "light blue"},
        "c": {"colour": "blue", "category": "shirt", "background": "grey"},
    }
    told = WrittenWords(Rows(rows), list(rows))
    assert told.spoken_for("blue shoes").tolist() == [1, 0, 0]
    assert told.spoken_for("shoes on a blue background")[1] > told.spoken_for("blue shoes")[1]


def wish(kind: str, text: str = "", **more) -> Wish:
    return Wish("1.1", kind, text, 1, **more)


@pytest.mark.parametrize("attribute", ["colour", "color", "colours"])
def test_a_kept_attribute_is_looked_up(attribute: str):
    told = WrittenWords(Rows(), ["b", "c", "d"])
    assert told.votes(wish("keep", "turn 1", picture="a", attribute=attribute)).tolist() == [1, -1, 0]


def test_a_kept_attribute_that_nobody_wrote_down_says_nothing():
    told = WrittenWords(Rows(), ["b", "c", "d"])
    assert told.votes(wish("keep", "turn 1", picture="a", attribute="mood")).tolist() == [0, 0, 0]
    assert told.votes(wish("keep", "turn 1", picture="gone", attribute="colour")).tolist() == [0, 0, 0]


def test_only_some_wishes_can_be_written_about():
    told = WrittenWords(Rows(), ["b", "c", "d"])
    assert told.votes(wish("want", "red")) is not None
    assert told.votes(wish("like", "#1", picture="a")) is None
    assert not WrittenWords(Rows(), ["d"])


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
    told = WrittenWords(Rows(), ["b", "c", "d"])
    part = told.of(["d", "b"])
    assert part.words == WrittenWords(Rows(), ["d", "b"]).words
    kept = wish("keep", "turn 1", picture="a", attribute="colour")
    assert part.votes(kept).tolist() == [0, 1]
    assert told.of(["b", "a"]).words == WrittenWords(Rows(), ["b", "a"]).words  # not among them: looked up after all


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two striped dresses", {"two", "stripe", "dress"}),
        ("a dotted, hooded coat in a parked car", {"dot", "hood", "coat", "parked", "car"}),
        ("a dress without a belt", {"dress"}),
        ("no logo, buttons", {"button"}),
        ("boxes; cherries; glass; bus", {"box", "cherry", "glass", "bus"}),
        ("", set()),
    ],
)
def test_stems(text: str, expected: set[str]):
    assert stems(text) == expected


@given(st.text())
def test_any_text_has_stems(text: str):
    assert all(stem == stem.lower() for stem in stems(text))


def test_everything_written_about_a_picture_counts():
    told = written(["A dress"], {"details": ["belt", "lace"], "price": 3.5, "colour": "red"})
    assert {"dress", "belt", "lace", "red"} <= stems(told)


def test_silence_counts_only_where_others_speak():
    words = ["a dress with a belt", "belts and braces", "a plain dress", ""]
    assert Mentions(["belt"]).read(words)[:, 0].tolist() == [1, 1, -1, 0]
    assert Mentions(["a zip"]).read(words)[:, 0].tolist() == [0, 0, 0, 0]


def test_a_kind_of_things_is_spoken_of_by_each_of_them():
    words = ["a dog in the snow", "two cats", "a red car"]
    assert Mentions(["animals"]).read(words)[:, 0].tolist() == [1, 1, -1]


def test_all_words_of_a_thing_must_be_there():
    assert Mentions(["red car"]).read(["a red car", "cars that are red", "a blue car"])[:, 0].tolist() == [1, 1, -1]


def test_no_words_at_all():
    assert Mentions(["belt"]).read([]).shape == (0, 1)


@pytest.mark.parametrize(("kind", "member"), [("meat", "a hot dog"), ("any fruit", "a banana")])
def test_what_is_a_kind_of_food_is_avoided_with_it(kind: str, member: str):
    assert member in things_of(kind)
    assert Mentions((kind,)).read([f"{member} on a plate", "an empty plate"])[0, 0] == 1
