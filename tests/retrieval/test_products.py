from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.retrieval.products import product


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 700), st.sampled_from([1, 24, 256]), st.integers(0, 6))
def test_the_same_as_a_plain_product(number, dimension, vectors):
    random = np.random.default_rng(number)
    rows = random.normal(size=(number, dimension)).astype(np.float32)
    several = random.normal(size=(vectors, dimension)).astype(np.float32)
    assert np.allclose(product(rows, several), rows @ several.T, atol=1e-4)
    if vectors:
        assert np.allclose(product(rows, several[0]), rows @ several[0], atol=1e-4)
