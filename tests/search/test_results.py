from __future__ import annotations

import numpy as np
from axis_world import World, id_of, wish
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_store import MemoryStore

from visavis.search.request import SearchRequest
from visavis.search.results import first_values, fold, in_order
from visavis.search.retriever import ComposedRetriever
from visavis.stores.base import Hit, StoredPoint
from visavis.stores.filters import Range

values = st.lists(st.one_of(st.integers(-500, 5000), st.floats(-1e3, 1e5, width=32)), min_size=1, max_size=80)
ONE = np.eye(4, dtype=np.float32)[0]


def shelf(prices) -> MemoryStore:
    store = MemoryStore()
    store.upsert([StoredPoint(id_of(str(at)), ONE, None, {"price": price}) for at, price in enumerate(prices)])
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
    store.upsert([StoredPoint(id_of(str(at)), ONE, None, {"name": f"n{at}"}) for at in range(30)])
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
    before = retriever.plan(SearchRequest([wish("want", "blue shoes")])).parts[0].scale
    for number in range(300):
        world.add("blue shoes people", price=number)
    after = retriever.plan(SearchRequest([wish("want", "blue shoes")])).parts[0].scale
    assert after.middle > before.middle + 0.2


unit_vectors = st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=1, max_size=12).map(
    lambda rows: [np.array(row, np.float32) / max(np.linalg.norm(row), 1e-3) for row in rows]
)


@given(unit_vectors, st.floats(0.1, 0.99))
def test_folding_keeps_every_hit_once_and_nothing_alike(vectors, closeness):
    hits = [Hit(f"{number:032x}", -number) for number in range(len(vectors))]
    by_id = {hit.id: vector for hit, vector in zip(hits, vectors, strict=True)}
    folded = fold(hits, np.stack(vectors), closeness)
    assert sorted(id for hit, ids in folded for id in (hit.id, *ids)) == sorted(hit.id for hit in hits)
    kept = [by_id[hit.id] for hit, _ in folded]
    for one in range(len(kept)):
        for other in range(one):
            assert float(kept[one] @ kept[other]) <= closeness + 1e-5
    assert folded[0][0] == hits[0], "the best is always kept"
