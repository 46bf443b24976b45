"""One script of operations, run on every kind of store: ids and scores must be those of plain numpy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from store_openers import OPENERS, dispose
from store_support import DIMENSION, KINDS, point_id, some_points, unit

from visavis.errors import BadInputError
from visavis.stores.base import Hit, Query, Store, StoredPoint
from visavis.stores.filters import Equals, Filter, Not, Range, Text, matches

POINTS = some_points(120, seed=1)
RANDOM = np.random.default_rng(2)
QUERIES = unit(RANDOM, 4, DIMENSION)


def cosine_scores(points: list[StoredPoint], query: Query) -> dict[str, float]:
    """The two stages of a query, straight from its docstring."""
    weights = np.ones(len(query.vectors)) if query.weights is None else np.asarray(query.weights)
    passing = [point for point in points if query.filter is None or matches(query.filter, point.payload, point.id)]
    directions = query.vectors / np.linalg.norm(query.vectors, axis=1, keepdims=True)
    first = {point.id: float(weights @ (directions @ point.whole)) for point in passing}
    if query.regions is None:
        return first
    best = sorted(first, key=lambda id: (-first[id], id))[: max(query.prefetch, query.limit)]
    mixed = {}
    for point in passing:
        if point.id in best:
            regions = point.whole[None] if point.regions is None else point.regions
            second = float((query.regions @ regions.T).max(axis=1).mean())
            mixed[point.id] = (1 - query.region_weight) * first[point.id] + query.region_weight * second
    return mixed


def assert_same(found: list[Hit], scores: dict[str, float], limit: int) -> None:
    expected = sorted(scores, key=lambda id: (-scores[id], id))[:limit]
    assert len(found) == len(expected)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    for hit, id in zip(found, expected, strict=True):
        assert hit.score == pytest.approx(scores[id], abs=1e-5)
        assert hit.score == pytest.approx(scores[hit.id], abs=1e-5)  # rounding may swap what is nearly equal


def fill(store: Store) -> Store:
    for field, kind in KINDS.items():
        store.index_field(field, kind)
    store.upsert(POINTS)
    return store


@pytest.fixture
def changing(store: Store) -> Store:
    """A filled store that the test may change."""
    return fill(store)


@pytest.fixture(scope="module", params=list(OPENERS))
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A filled store that tests only read."""
    store = OPENERS[request.param](tmp_path_factory.mktemp("filled") / "store")
    yield fill(store)
    dispose(store)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("query", "name"),
    [
        (Query(QUERIES[:1], limit=10), "one"),
        (Query(QUERIES[:1], limit=500), "more than there are"),
        (Query(QUERIES[:3], weights=[1.0, 0.5, -0.7], limit=15), "several with weights"),
        (Query(QUERIES[:2] * 3.0, weights=[0.2, 5.0], limit=15), "neither vectors nor weights of length one"),
        (Query(QUERIES[:1], filter=Range("price", at_least=50), limit=15), "filtered"),
        (Query(QUERIES[:1], filter=Not(Text("title", "summer")), limit=15), "words"),
        (Query(QUERIES[:1], filter=Equals("price", 123), limit=15), "nothing passes"),
        (Query(QUERIES[:1], regions=QUERIES[1:3], limit=10, prefetch=40), "regions"),
        (Query(QUERIES[:2], weights=[2, -1], regions=QUERIES[1:4], region_weight=0.8, limit=10, prefetch=30), "both"),
        (Query(QUERIES[:1], regions=QUERIES[1:2], region_weight=1.0, limit=30, prefetch=5), "limit beyond prefetch"),
        (Query(QUERIES[:1], regions=QUERIES[1:2], filter=Equals("colour", "red"), limit=9), "regions, filtered"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_queries(filled: Store, query: Query, name: str, exact: bool):
    query = replace(query, exact=exact)
    assert_same(filled.query(query), cosine_scores(POINTS, query), query.limit)


def test_weights_that_cancel_out_find_the_first_ids(filled: Store):
    ids = sorted(point.id for point in POINTS)
    nothing = Query(np.stack([QUERIES[0], QUERIES[0]]), weights=[1, -1], limit=7)
    assert filled.query(nothing) == [Hit(id, 0.0) for id in ids[:7]]
    regions = replace(nothing, regions=QUERIES[1:2], prefetch=20)
    assert len(filled.query(regions)) == 7


def test_equal_scores_come_in_the_order_of_ids(store: Store):
    twins = [StoredPoint(point_id(number), QUERIES[0]) for number in range(1, 60)]
    store.upsert([*twins, StoredPoint(point_id(99), -QUERIES[0])])
    found = store.query(Query(QUERIES[:1], limit=20))
    assert [hit.id for hit in found] == sorted(point.id for point in twins)[:20]


def plain(payload: Any) -> dict[str, Any]:
    return {name: value for name, value in payload.items() if value is not None}


def test_reading_back(filled: Store):
    ids = [POINTS[3].id, POINTS[0].id, point_id(4000)]
    assert filled.payloads(ids) == {point.id: plain(point.payload) for point in (POINTS[0], POINTS[3])}
    whole = filled.vectors(ids)
    assert set(whole) == set(ids[:2])
    np.testing.assert_allclose(whole[POINTS[3].id], POINTS[3].whole, atol=1e-6)
    regions = filled.vectors(ids, "regions")
    assert set(regions) == {POINTS[3].id}  # the first point has none
    np.testing.assert_allclose(regions[POINTS[3].id], POINTS[3].regions, atol=1e-6)
    assert filled.vectors([]) == {}


def test_scrolling_gives_everything_in_order(filled: Store):
    batches = list(filled.scroll(batch=50))
    assert [len(batch) for batch in batches] == [50, 50, 20]
    expected = sorted(POINTS, key=lambda point: point.id)
    for found, point in zip((point for batch in batches for point in batch), expected, strict=True):
        assert found.id == point.id
        assert found.payload == plain(point.payload)
        np.testing.assert_allclose(found.whole, point.whole, atol=1e-6)
        assert (found.regions is None) == (point.regions is None)
    assert list(filled.ids()) == [point.id for point in expected]


def test_writing_twice_is_writing_once(changing: Store):
    changing.upsert(POINTS[:10])
    assert changing.count() == len(POINTS)
    changing.upsert([replace(POINTS[0], payload={"colour": "new"}), replace(POINTS[0], payload={"colour": "newest"})])
    assert changing.payloads([POINTS[0].id]) == {POINTS[0].id: {"colour": "newest"}}
    changing.upsert([replace(POINTS[3], regions=None)])
    assert changing.vectors([POINTS[3].id], "regions") == {}


def test_what_was_read_before_a_change_is_read_anew(changing: Store):
    ids = [point.id for point in POINTS[:4]]
    read = changing.payloads(ids)
    read[ids[3]]["colour"] = "changed by the reader"
    assert changing.payloads(ids)[ids[3]] == plain(POINTS[3].payload)
    changing.set_payload(ids[3], {"colour": "green"})
    changing.upsert([replace(POINTS[2], payload={"colour": "new"})])
    changing.delete([ids[0]])
    found = changing.payloads(ids)
    assert found == {ids[1]: plain(POINTS[1].payload), ids[2]: {"colour": "new"}, ids[3]: {"colour": "green"}}


def test_changing_and_removing(changing: Store):
    changing.set_payload(POINTS[3].id, {"colour": "green", "none": None})
    assert changing.payloads([POINTS[3].id]) == {POINTS[3].id: {"colour": "green"}}
    np.testing.assert_allclose(changing.vectors([POINTS[3].id])[POINTS[3].id], POINTS[3].whole, atol=1e-6)
    changing.set_payload(point_id(4000), {"colour": "green"})
    changing.delete([POINTS[0].id, point_id(4000)])
    changing.delete([])
    assert changing.count() == len(POINTS) - 1
    assert changing.count(Equals("colour", "green")) == 1
    assert POINTS[0].id not in {hit.id for hit in changing.query(Query(POINTS[0].whole[None], limit=200))}


def counted(field: str, filter: Filter | None = None) -> list[tuple[str, int]]:
    texts: dict[str, int] = {}
    for point in POINTS:
        value = point.payload.get(field)
        if value is None or (filter and not matches(filter, point.payload)):
            continue
        for text in {
            str(one).lower() if isinstance(one, bool) else f"{one}"
            for one in (value if isinstance(value, list) else [value])
        }:
            texts[text] = texts.get(text, 0) + 1
    return sorted(texts.items(), key=lambda facet: (-facet[1], facet[0]))


def test_facets(filled: Store):
    assert filled.facets("colour") == counted("colour")
    assert filled.facets("colour", limit=2) == counted("colour")[:2]
    assert filled.facets("tags", Equals("sold", True)) == counted("tags", Equals("sold", True))
    assert filled.facets("sold") == counted("sold")
    assert filled.facets("a.b") == counted("a.b")
    assert filled.facets("nowhere") == []
    prices = dict(filled.facets("price"))  # has a float index: counted by walking
    assert prices["50"] == sum(point.payload.get("price") == 50 for point in POINTS)


def test_an_index_of_integers_makes_room_for_fractions(store: Store):
    store.index_field("stock", "integer")
    store.upsert([StoredPoint(point_id(1), QUERIES[0], payload={"stock": 2})])
    assert store.fields() == {"stock": "integer"}
    store.upsert([StoredPoint(point_id(2), QUERIES[1], payload={"stock": 2.5})])
    assert store.fields() == {"stock": "float"}
    assert store.count(Range("stock", above=2.2)) == 1
    store.index_field("stock", "integer")
    assert store.fields() == {"stock": "float"}
    store.upsert([StoredPoint(point_id(3), QUERIES[1], payload={"late": 1.5})])
    store.index_field("late", "integer")
    assert store.count(Equals("late", 1.5)) == 1


def test_the_kind_of_an_index_can_change(changing: Store):
    changing.index_field("title", "keyword")
    assert changing.fields()["title"] == "keyword"
    assert changing.count(Text("title", "summer")) == sum(matches(Text("title", "summer"), p.payload) for p in POINTS)


def test_what_a_store_says_of_itself(filled: Store):
    filled.optimize()
    filled.flush()
    info = filled.info()
    assert (info.dimension, info.count) == (DIMENSION, len(POINTS))
    assert info.where


@pytest.mark.parametrize(
    ("point", "says"),
    [
        (StoredPoint("xyz", QUERIES[0]), "no picture id"),
        (StoredPoint("A" * 32, QUERIES[0]), "no picture id"),
        (StoredPoint(point_id(1), QUERIES[0][:5]), "vectors of 16 numbers"),
        (StoredPoint(point_id(1), np.zeros(DIMENSION, np.float32)), "no direction"),
        (StoredPoint(point_id(1), np.full(DIMENSION, np.nan, np.float32)), "no direction"),
        (StoredPoint(point_id(1), QUERIES[0], QUERIES[:, :3]), "vectors of 16 numbers"),
        (StoredPoint(point_id(1), QUERIES[0], payload={"a": {"b": 1}}), "cannot be stored"),
        (StoredPoint(point_id(1), QUERIES[0], payload={"a": float("nan")}), "cannot be stored"),
        (StoredPoint(point_id(1), QUERIES[0], payload={"a": 2**70}), "cannot be stored"),
        (StoredPoint(point_id(1), QUERIES[0], payload={"a": "\ud800"}), "cannot be stored"),
        (StoredPoint(point_id(1), QUERIES[0], payload={"": 1}), "name"),
    ],
)
def test_points_that_cannot_be_stored_are_refused_whole(filled: Store, point: StoredPoint, says: str):
    with pytest.raises(BadInputError, match=says):
        filled.upsert([StoredPoint(point_id(5000), QUERIES[0]), point])
    assert filled.count() == len(POINTS)


@pytest.mark.parametrize(
    "query",
    [
        Query(np.zeros((0, DIMENSION), np.float32)),
        Query(QUERIES[0]),
        Query(QUERIES[:, :5]),
        Query(QUERIES[:2], weights=[1.0]),
        Query(QUERIES[:1], weights=[float("nan")]),
        Query(QUERIES[:1], limit=0),
        Query(QUERIES[:1], regions=QUERIES[:, :5]),
        Query(QUERIES[:1], regions=QUERIES[:1], region_weight=1.5),
    ],
)
def test_queries_that_cannot_be_asked_are_refused(filled: Store, query: Query):
    with pytest.raises(BadInputError):
        filled.query(query)
