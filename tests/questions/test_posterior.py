import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.errors import BadInputError
from visavis.questions.posterior import candidate_set, conformal_mass, entropy, mass_up_to, posterior

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


def test_conformal_sets_cover_as_often_as_promised():
    rng = np.random.default_rng(0)

    def draw():  # probabilities that are surer than they should be
        true = rng.dirichlet(np.ones(30))
        return posterior(3 * np.log(true)), rng.choice(30, p=true)

    threshold = conformal_mass([mass_up_to(*draw()) for _ in range(800)], 0.9)
    covered = sum(target in candidate_set(p, threshold) for p, target in (draw() for _ in range(800)))
    assert 0.86 <= covered / 800 <= 0.97


@pytest.mark.parametrize("bad", [[float("nan")], [float("inf")], [[1.0]]])
def test_scores_that_are_no_numbers_are_refused(bad):
    with pytest.raises(BadInputError):
        posterior(bad)
