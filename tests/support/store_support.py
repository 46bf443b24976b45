"""Helpers for tests of stores: unit vectors, points, filters of every kind, ways to open each store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from visavis.stores.base import StoredPoint
from visavis.stores.filters import All, AnyOf, Equals, Filter, HasId, Not, Range, Text
from visavis.stores.filters import Any as AnyOne

DIMENSION = 16
FIELDS = ("price", "colour", "tags", "title", "sold", "mixed", "a.b", "odd [name]")
KINDS = {
    "price": "float",
    "colour": "keyword",
    "tags": "keyword",
    "title": "text",
    "sold": "bool",
    "mixed": "keyword",
    "a.b": "integer",
    "odd [name]": "keyword",
}


def point_id(number: int) -> str:
    """Ids that are spread like content hashes."""
    return f"{number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}"


def unit(generator: np.random.Generator, *shape: int) -> Any:
    vectors = generator.normal(size=shape).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def some_payloads(number: int, seed: int = 0) -> list[dict[str, Any]]:
    """Payloads in which fields are missing, None, lists, or of another kind than in the next picture."""
    random = np.random.default_rng(seed)
    words = ["summer", "dress", "Blue-Sky", "straße", "über", "été", "7", "hat"]

    def one(choices: Sequence[Any]) -> Any:
        return choices[int(random.integers(len(choices)))]

    payloads = []
    for _ in range(number):
        payload = {
            "price": one([None, 0, 1, 50, 50.0, 49.5, 50.5, -3, 1e6]),
            "colour": one([None, "red", "blue", "dark red", "Red", "true", "50", ""]),
            "tags": [one(["a", "b", "c", "summer"]) for _ in range(int(random.integers(4)))],
            "title": one([None, " ".join(one(words) for _ in range(4)), [one(words), one(words)]]),
            "sold": one([None, True, False]),
            "mixed": one([None, True, False, 1, 0, 1.0, "1", "true", 2.5, "red", "\x01+"]),
            "a.b": one([None, 1, 2, 3]),
            "odd [name]": one([None, "x", "y"]),
        }
        payloads.append({name: value for name, value in payload.items() if random.random() < 0.85})
    return payloads


def some_points(number: int, *, dimension: int = DIMENSION, regions: int = 3, seed: int = 0) -> list[StoredPoint]:
    """Points with payloads; every fifth has no regions."""
    random = np.random.default_rng(seed)
    return [
        StoredPoint(
            point_id(index + 1),
            unit(random, dimension),
            unit(random, regions, dimension) if index % 5 else None,
            payload,
        )
        for index, payload in enumerate(some_payloads(number, seed))
    ]


_values = st.one_of(
    st.sampled_from(["red", "blue", "dark red", "a", "b", "summer", "true", "50", "1", "x", "", "\x01+"]),
    st.sampled_from([0, 1, 2, 50, -3, 10**6]),
    st.sampled_from([0.0, 1.0, 49.5, 50.5, 2.5]),
    st.booleans(),
    st.text(max_size=8),
)
_bounds = st.none() | st.sampled_from([-3, 0, 0.5, 1, 2, 49.5, 50, 50.5, 10**6]) | st.floats(-1e9, 1e9)
_fields = st.sampled_from(FIELDS)
_leaves = st.one_of(
    st.builds(Equals, _fields, _values),
    st.builds(AnyOf, _fields, st.lists(_values, max_size=4).map(tuple)),
    st.builds(Range, _fields, _bounds, _bounds, _bounds, _bounds),
    st.builds(
        Text, _fields, st.sampled_from(["summer", "SUMMER dress", "sky", "blue sky", "STRASSE", "Über", "", "!?"])
    ),
    st.builds(HasId, st.lists(st.integers(1, 80).map(point_id), max_size=3).map(tuple)),
)


def filters(leaves: st.SearchStrategy[Filter] = _leaves) -> st.SearchStrategy[Filter]:
    """Filters of every kind, nested."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(All, st.lists(inner, max_size=3).map(tuple)),
            st.builds(AnyOne, st.lists(inner, max_size=3).map(tuple)),
        ),
        max_leaves=6,
    )
