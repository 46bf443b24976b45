"""The gain against brute force: the entropy before, less the mean entropy after, answer by answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.questions.gain import after_answer, information_gain, yes_no_gains
from visavis.questions.posterior import entropy


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


def test_an_answer_moves_belief_to_those_it_fits():
    after = after_answer(np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.3, 0.7]]), 0)
    assert after.tolist() == pytest.approx([0.75, 0.25])
