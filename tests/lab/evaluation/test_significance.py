import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.errors import BadInputError
from visavis.lab.evaluation.metrics import compare


def test_permutation_against_every_flip_by_hand():
    # three queries, all better by one: of the eight ways to flip, two are as extreme as what was seen
    result = compare([1, 1, 1], [0, 0, 0], samples=20_000)
    assert result.difference == 1.0
    assert result.p == pytest.approx(2 / 8, abs=0.02)
    assert not result.significant


def test_a_clear_difference_is_significant_and_its_interval_holds_it():
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    result = compare(base + 0.3 + rng.normal(size=400) * 0.5, base)
    assert result.significant
    assert result.low < 0.3 < result.high
    spread = (result.high - result.low) / (2 * 1.96)
    assert spread == pytest.approx(0.5 / np.sqrt(400), rel=0.15)


def test_false_alarms_are_as_rare_as_promised():
    rng = np.random.default_rng(1)
    alarms = sum(compare(*rng.normal(size=(2, 60)), samples=400, seed=i).p < 0.05 for i in range(300))
    assert alarms <= 30


@settings(max_examples=30)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20))
def test_the_same_values_never_differ(values):
    result = compare(values, values, samples=50)
    assert (result.difference, result.low, result.high, result.p) == (0, 0, 0, 1)
    assert not result.significant


def test_same_seed_same_numbers():
    assert compare([1, 2, 3.5], [0, 3, 1], seed=4) == compare([1, 2, 3.5], [0, 3, 1], seed=4)


def test_different_queries_are_refused():
    with pytest.raises(BadInputError, match="2 values"):
        compare([1, 2], [1, 2, 3])
