from __future__ import annotations

import numpy as np
from axis_world import World
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.search.vectors import PictureVectors, product


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 700), st.sampled_from([1, 24, 256]), st.sampled_from([0, 1, 2, 6, 32, 33, 70, 800]))
def test_the_same_as_a_plain_product(number, dimension, vectors):
    random = np.random.default_rng(number)
    rows = random.normal(size=(number, dimension)).astype(np.float32)
    several = random.normal(size=(vectors, dimension)).astype(np.float32)
    assert np.allclose(product(rows, several), rows @ several.T, atol=1e-4)
    if vectors:
        assert np.allclose(product(rows, several[0]), rows @ several[0], atol=1e-4)


def test_picture_vectors_are_read_once_and_may_be_gone():
    world = World()
    ids = [world.add("red dress"), world.add("blue shirt")]
    vectors = PictureVectors(world.store, world.encoder.dimension)
    whole, regions = vectors.both([*ids, "f" * 32])
    assert whole.shape == (3, world.encoder.dimension)
    assert regions.shape == (3, 9, world.encoder.dimension)
    assert not whole[2].any()
    world.store.points.clear()
    again, _ = vectors.both(ids)
    assert np.array_equal(again, whole[:2])
    assert vectors.both([])[0].shape == (0, world.encoder.dimension)
