"""The gain against brute force: the entropy before, less the mean entropy after, answer by answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.errors import BadInputError
from visavis.questions.base import candidate_set, entropy, information_gain, posterior, yes_no_gains


@st.composite
def cases(draw):
    n, a = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    return rng.dirichlet(np.ones(n)), rng.dirichlet(np.full(a, 0.5), size=n)


def brute_force(probabilities, likelihood):
    total = 0.0
    for answer in range(likelihood.shape[1]):
        chance = sum(p * row[answer] for p, row in zip(probabilities, likelihood, strict=True))
        if chance > 0:
            after = [p * row[answer] / chance for p, row in zip(probabilities, likelihood, strict=True)]
            total += chance * entropy(after)
    return entropy(probabilities) - total


@given(cases())
def test_gain_is_the_expected_fall_of_entropy(case):
    assert information_gain(*case) == pytest.approx(brute_force(*case), abs=1e-9)


@given(cases())
def test_gain_is_never_negative_nor_more_than_is_missing(case):
    assert -1e-9 <= information_gain(*case) <= entropy(case[0]) + 1e-9


def test_a_clean_split_of_four_brings_one_bit():
    assert information_gain(np.full(4, 0.25), np.array([[1, 0], [1, 0], [0, 1], [0, 1]])) == pytest.approx(1.0)


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 1000))
def test_many_yes_no_questions_at_once_as_one_by_one(n, q, seed):
    rng = np.random.default_rng(seed)
    probabilities, yes = rng.dirichlet(np.ones(n)), rng.random((n, q))
    one_by_one = [information_gain(probabilities, np.column_stack([yes[:, i], 1 - yes[:, i]])) for i in range(q)]
    assert yes_no_gains(probabilities, yes) == pytest.approx(one_by_one, abs=1e-9)


scores = st.lists(st.floats(-50, 50), min_size=1, max_size=20)


@given(scores, st.floats(0.1, 10))
def test_posterior_is_monotone_and_sums_to_one(values, temperature):
    probabilities = posterior(values, temperature)
    assert probabilities.sum() == pytest.approx(1)
    order = np.argsort(values, kind="stable")
    assert (np.diff(probabilities[order]) >= -1e-15).all()


def test_posterior_by_hand():
    assert posterior([0, np.log(3)]).tolist() == pytest.approx([0.25, 0.75])


def test_entropy_by_hand():
    assert entropy([0.5, 0.25, 0.25]) == pytest.approx(1.5)
    assert entropy([1.0, 0.0]) == 0


@given(scores, st.floats(0.05, 1.0))
def test_candidate_set_is_the_smallest_that_holds_the_mass(values, mass):
    probabilities = posterior(values)
    chosen = candidate_set(probabilities, mass)
    assert probabilities[chosen].sum() >= mass - 1e-9
    assert probabilities[chosen[:-1]].sum() < mass + 1e-9


@pytest.mark.parametrize("bad", [[float("nan")], [float("inf")], [[1.0]]])
def test_scores_that_are_no_numbers_are_refused(bad):
    with pytest.raises(BadInputError):
        posterior(bad)
