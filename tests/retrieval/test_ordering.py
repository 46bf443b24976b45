from __future__ import annotations

import numpy as np
from axis_world import Wish, World, id_of
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_store import MemoryStore

from visavis.retrieval.base import Request
from visavis.retrieval.composed import ComposedRetriever
from visavis.retrieval.ordering import first_values, in_order
from visavis.retrieval.pictures import PictureVectors
from visavis.stores.base import Hit, Point
from visavis.stores.filters import Range

values = st.lists(st.one_of(st.integers(-500, 5000), st.floats(-1e3, 1e5, width=32)), min_size=1, max_size=80)
ONE = np.eye(4, dtype=np.float32)[0]


def shelf(prices) -> MemoryStore:
    store = MemoryStore()
    store.upsert([Point(id_of(str(at)), ONE, None, {"price": price}) for at, price in enumerate(prices)])
    return store


@settings(max_examples=80, deadline=None)
@given(values, st.booleans(), st.integers(1, 5))
def test_the_first_of_an_order_are_those_of_everything(prices, descending, wanted):
    store = shelf(prices)
    order = ("price", descending)
    near = first_values(order, None, wanted, 2 * wanted, store)
    passing = [id for id, point in store.points.items() if near is None or _passes(store, id, near)]
    found = in_order([Hit(id, 0.0) for id in passing], order, store)[:wanted]
    told = [store.points[hit.id].payload["price"] for hit in found]
    assert told == sorted(prices, reverse=descending)[: len(told)]
    assert len(told) == min(wanted, len(prices))


def _passes(store: MemoryStore, id: str, condition) -> bool:
    from memory_store import passes

    return passes(store.points[id], condition)


def test_words_have_no_first_values():
    store = MemoryStore()
    store.upsert([Point(id_of(str(at)), ONE, None, {"name": f"n{at}"}) for at in range(30)])
    assert first_values(("name", False), None, 3, 10, store) is None


def test_a_condition_holds_as_well():
    store = shelf(range(1000))
    near = first_values(("price", False), Range("price", at_least=500), 5, 20, store)
    assert near is not None
    passing = sorted(p.payload["price"] for id, p in store.points.items() if _passes(store, id, near))
    assert passing[:5] == [500, 501, 502, 503, 504]


def test_the_sample_follows_the_collection():
    """A retriever that was made when there were few pictures must not judge by them for ever."""
    world = World()
    for number in range(30):
        world.add("red dress", price=number)
    retriever = ComposedRetriever(world.encoder, world.store)
    before = retriever.plan(Request([Wish("want", "blue shoes")])).parts[0].scale
    for number in range(300):
        world.add("blue shoes people", price=number)
    after = retriever.plan(Request([Wish("want", "blue shoes")])).parts[0].scale
    assert after.middle > before.middle + 0.2


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
