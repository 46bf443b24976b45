"""What tells pictures that show something from those that do not: looks, the collection, and what is written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.collections.searching.mentions import Mentions, stems, written
from visavis.collections.searching.ordinary import parting


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two striped dresses", {"two", "striped", "dress"}),
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


def test_two_groups_part_between_them():
    random = np.random.default_rng(1)
    values = np.concatenate([random.normal(-1.5, 0.3, 300), random.normal(1.0, 0.3, 100)]).astype(np.float32)
    assert -0.9 < parting(values) < 0.5


def test_one_group_has_its_upper_part_cut_off():
    values = np.random.default_rng(2).normal(0.0, 1.0, 400).astype(np.float32)
    assert 0.3 < parting(values) < 0.7


@given(st.lists(st.floats(-5, 5, width=32), min_size=40, max_size=60))
def test_a_parting_is_never_above_what_is_usual(numbers: list[float]):
    values = np.array(numbers, np.float32)
    assert parting(values) <= values.mean() + 0.5 * values.std() + 1e-3
