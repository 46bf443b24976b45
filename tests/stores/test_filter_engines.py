"""Every engine filters as the plain Python of ``matches`` does, with and without indexes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from store_openers import OPENERS, dispose
from store_support import KINDS, filters, point_id, some_points

from visavis.errors import BadInputError
from visavis.stores.base import Query, Store
from visavis.stores.filters import All, AnyOf, Equals, Filter, HasId, Not, Range, Text, field_key, matches
from visavis.stores.filters import Any as AnyOne

POINTS = some_points(80)


STATES = [f"{kind}-{state}" for kind in OPENERS for state in ("plain", "indexed")] + ["edge-optimised"]


@pytest.fixture(scope="module", params=STATES)
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    kind, state = request.param.split("-")
    with pytest.MonkeyPatch.context() as patch:
        if state == "optimised":  # the engine has other indexes for what it has optimised: do so with few points
            patch.setattr("visavis.stores.edge_translation.PLAIN_UP_TO_POINTS", 16)
        store = OPENERS[kind](Path(tmp_path_factory.mktemp("filled")) / "store")
    if state != "plain":
        for field, index in KINDS.items():
            store.index_field(field, index)
    store.upsert(POINTS)
    if state == "optimised":
        store.optimize()
        assert store.info().indexed > 0
    yield store
    dispose(store)


@given(filter=filters())
@settings(max_examples=150, deadline=None)
@example(filter=Equals("sold", True))
@example(filter=Equals("mixed", True))
@example(filter=Equals("mixed", "\x01+"))
@example(filter=Text("mixed", "true"))
@example(filter=AnyOf("mixed", (1, "true", False)))
@example(filter=Range("a.b", at_most=2.5))
@example(filter=Not(AnyOne(())))
@example(filter=Range("price", above=float("-inf"), below=float("inf")))
@example(filter=Range("price", at_least=float("inf")))
@example(filter=HasId(("no id at all", point_id(3))))
@example(filter=All((Text("title", "blue"), Equals("odd [name]", "x"))))
def test_an_engine_filters_as_plain_python(filled: Store, filter: Filter):
    expected = sorted(point.id for point in POINTS if matches(filter, point.payload, point.id))
    found = filled.query(Query(POINTS[0].whole[None], filter=filter, limit=len(POINTS), exact=True))
    assert sorted(hit.id for hit in found) == expected
    assert filled.count(filter) == len(expected)


@pytest.mark.parametrize("bad", [Range("price", above=float("nan")), Equals('say "no"', 1), Equals("", 1)])
def test_what_cannot_be_asked_is_refused_in_words(filled: Store, bad: Filter):
    with pytest.raises(BadInputError):
        filled.count(bad)


def test_a_filter_nested_beyond_reason_is_refused(filled: Store):
    deep: Filter = Equals("price", 1)
    for _ in range(5000):
        deep = Not(deep)
    with pytest.raises(BadInputError, match="deep"):
        filled.count(deep)


def test_names_with_dots_and_brackets_stay_one_name():
    assert field_key("price") == "price"
    assert field_key("a.b") == '"a.b"'
    assert field_key("x[0]") == '"x[0]"'
