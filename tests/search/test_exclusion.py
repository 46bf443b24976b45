"""What tells pictures that show something from those that do not: looks, the collection, and what is written."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from visavis.search.exclusion import descriptions_of, parting


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


def test_collective_words_stand_for_their_members():
    assert "a photo of a dog" in descriptions_of("animals")
    assert descriptions_of("  a red kite ") == ("a photo of a red kite",)
