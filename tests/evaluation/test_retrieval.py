"""Ranks of targets, and recall from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.errors import BadInputError
from visavis.evaluation.retrieval import median_rank, recall_at, recalls, target_ranks


def test_by_hand():
    gallery = np.eye(4, dtype=np.float32)
    queries = np.array([[0.9, 0.1, 0, -1], [0.5, 0.4, 0.3, 0.2]], np.float32)
    np.testing.assert_array_equal(target_ranks(queries, gallery, [0, 3]), [0, 3])
    np.testing.assert_array_equal(target_ranks(queries, gallery, [3, 1]), [3, 1])


def test_an_encoder_that_sees_no_difference_is_no_better_than_chance():
    same = np.ones((100, 8), np.float32)
    ranks = target_ranks(same, same, range(100))
    assert recall_at(ranks, 10) == 0
    assert median_rank(ranks) == 50.5


def test_recalls_and_median():
    ranks = np.array([0, 0, 3, 7, 40], float)
    assert recalls(ranks) == {"R@1": 40.0, "R@5": 60.0, "R@10": 80.0}
    assert median_rank(ranks) == 4
    assert recalls(np.array([])) == {"R@1": 0.0, "R@5": 0.0, "R@10": 0.0}


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 30), st.integers(0, 2**31))
def test_agrees_with_sorting(size: int, count: int, seed: int):
    random = np.random.default_rng(seed)
    gallery = random.normal(size=(size, 5)).astype(np.float32)
    queries = random.normal(size=(count, 5)).astype(np.float32)
    targets = random.integers(0, size, count)
    order = np.argsort(-(queries @ gallery.T), axis=1)
    expected = [list(row).index(target) for row, target in zip(order, targets, strict=True)]
    np.testing.assert_array_equal(target_ranks(queries, gallery, targets), expected)


def test_many_queries_are_cut_into_parts():
    random = np.random.default_rng(0)
    gallery = random.normal(size=(3000, 4)).astype(np.float32)
    gallery /= np.linalg.norm(gallery, axis=1, keepdims=True)
    assert target_ranks(gallery, gallery, range(3000)).max() < 1


@pytest.mark.parametrize("targets", [[0], [0, 1, 2], [0, 5], [-1, 0]])
def test_wrong_targets(targets: list[int]):
    with pytest.raises(BadInputError):
        target_ranks(np.ones((2, 3), np.float32), np.ones((5, 3), np.float32), targets)
