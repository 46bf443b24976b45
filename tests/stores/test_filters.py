"""The semantics of filters, in plain Python; the engines are compared with it elsewhere."""

from __future__ import annotations

import pytest

from visavis.errors import BadInputError
from visavis.stores.filters import All, Any, AnyOf, Equals, HasId, Not, Range, Text, leaves, matches, words_of


@pytest.mark.parametrize(
    ("filter", "payload", "expected"),
    [
        (Equals("a", 50), {"a": 50.0}, True),
        (Equals("a", 1), {"a": True}, False),
        (Equals("a", True), {"a": 1}, False),
        (Equals("a", "1"), {"a": 1}, False),
        (Equals("a", "red"), {"a": ["blue", "red"]}, True),
        (Equals("a", "red"), {"a": None}, False),
        (Not(Equals("a", "red")), {}, True),
        (AnyOf("a", ()), {"a": 1}, False),
        (AnyOf("a", ("x", 2)), {"a": 2.0}, True),
        (Range("a", above=1, at_most=2), {"a": 2}, True),
        (Range("a", above=2), {"a": 2}, False),
        (Range("a"), {"a": "2"}, False),
        (Range("a"), {"a": True}, False),
        (Text("a", "DRESS summer"), {"a": "Summer-dress!"}, True),
        (Text("a", "blue dress"), {"a": ["a dress", "blue"]}, True),
        (Text("a", "sum"), {"a": "summer"}, False),
        (Text("a", " ?! "), {"a": "anything"}, False),
        (All(()), {}, True),
        (Any(()), {}, False),
        (HasId(("x",)), {}, False),
    ],
)
def test_meaning(filter, payload, expected):
    assert matches(filter, payload) is expected


def test_has_id():
    assert matches(HasId(("x", "y")), {}, "y")


def test_words_keep_letters_of_every_script():
    assert words_of("Straße, ÉTÉ_2024: हिन्दी—東京") == ["straße", "été", "2024", "हिन्दी", "東京"]
    assert words_of("") == []


def test_leaves_are_found_and_depth_is_limited():
    inner = Equals("a", 1)
    assert list(leaves(Not(All((inner, Any((HasId(()),))))))) == [inner, HasId(())]
    deep = inner
    for _ in range(2000):
        deep = Not(deep)
    with pytest.raises(BadInputError, match="deep"):
        list(leaves(deep))
