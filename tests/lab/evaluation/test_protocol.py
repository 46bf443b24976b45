"""The control that changes as much as the answers, without information."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from visavis.lab.evaluation.protocol import Reordering

SCORES = {f"p{i}": 1.0 - i / 100 for i in range(100)}


def test_nothing_moves_where_nothing_moved():
    control = Reordering(SCORES, "seed")
    control.move(SCORES)
    assert [control.rank_of(f"p{i}", 999) for i in range(100)] == list(range(1, 101))
    assert control.rank_of("elsewhere", 999) == 999


@given(st.integers(0, 1000))
def test_it_moves_exactly_as_much(seed):
    rng = np.random.default_rng(seed)
    after = {id: score + float(rng.normal()) for id, score in SCORES.items()}
    control = Reordering(SCORES, str(seed))
    control.move(after)
    real = sorted(after[id] - SCORES[id] for id in SCORES)
    assert np.allclose(sorted(control._shaken - np.array(list(SCORES.values()))), real)


def test_it_knows_nothing_of_the_target():
    found = 0
    for seed in range(300):
        after = {**SCORES, "p50": 5.0}  # the answer brought the target to the top
        control = Reordering(SCORES, str(seed))
        control.move(after)
        found += control.rank_of("p50", 999) == 1
    assert found < 20  # one in a hundred by chance
    again = Reordering(SCORES, "7"), Reordering(SCORES, "7")
    for control in again:
        control.move({id: -score for id, score in SCORES.items()})
    assert again[0].rank_of("p3", 0) == again[1].rank_of("p3", 0)
