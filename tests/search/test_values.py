"""Wishes in the words of a catalogue's attributes, or in those that people say for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from talking import colour_shop
from tiny_encoder import COLOURS, TinyEncoder

from visavis.api import Collection
from visavis.search.values import ValueSearch

_KINDS = ("Sports Shoes,Sports", "Casual Shoes,Casual", "Dresses,Casual", "Jackets,Formal")


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Iterator[Collection]:
    """Twelve plain pictures, of which nobody can see what they are for."""
    with colour_shop(tmp_path, home, "articleType,usage", lambda at, _: _KINDS[at % len(_KINDS)]) as shop:
        yield shop


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("running shoes", {"Sports Shoes"}),
        ("shoes", {"Sports Shoes", "Casual Shoes"}),
        ("nice shoes for the gym", {"Sports Shoes"}),
        ("casual clothes", {"Dresses"}),
        ("office wear", {"Jackets"}),
    ],
)
def test_what_a_catalogue_says_of_a_picture_makes_it_match(shop: Collection, text: str, kinds: set[str]):
    found = shop.search(text, k=12)
    assert {one.picture.attributes["articleType"] for one in found.results if one.match} == kinds
    assert found.matches == 3 * len(kinds)
    assert found.confidence == 1.0


def test_a_word_that_is_no_value_leaves_it_to_looks(shop: Collection):
    values = ValueSearch(shop.store, lambda: ("articleType", "usage"))
    assert values.condition(["running", "shoe"]) is not None
    assert values.condition(["purple", "shoe"]) is None
    assert values.condition(["nice"]) is None
    vector = TinyEncoder().encode_texts(["shoes"])[0]
    assert values.find(["shoe", "dress"], "shoes without a dress", lambda: vector, 10) == frozenset()


def test_values_that_were_changed_are_read_again(shop: Collection, tmp_path: Path):
    assert shop.search("running shoes", k=12).matches == 3
    table = tmp_path / "shop.csv"
    table.write_text(
        table.read_text(encoding="utf-8").replace("Jackets,Formal", "Sports Shoes,Sports"), encoding="utf-8"
    )
    shop.index(table)
    assert shop.search("running shoes", k=12).matches == 6


@pytest.fixture
def bags(home: Path, tmp_path: Path) -> Iterator[Collection]:
    """Bags and T-shirts that are all called black but look as they are drawn; one row in two says another colour."""

    def cells(at: int, _: str) -> str:
        return f"{('Tshirts', 'Shirts', 'Bags')[at % 3]},{'Red' if at % 2 else 'Blue'}"

    with colour_shop(tmp_path, home, "articleType,colour", cells) as shop:
        yield shop


@pytest.mark.parametrize(
    ("text", "kind", "colour"), [("red bags", "Bags", "Red"), ("blue t-shirts", "Tshirts", "Blue")]
)
def test_where_a_catalogue_tells_all_that_is_wished_looks_have_no_say(bags: Collection, text, kind, colour):
    """The encoder sees red and blue; the catalogue, which has a colour and a type for every picture, decides."""
    found = bags.search(text, k=len(COLOURS))
    matching = [one.picture.attributes for one in found.results if one.match]
    assert matching == [{"articleType": kind, "colour": colour}] * found.matches
    assert found.matches == sum(
        at % 3 == ("Tshirts", "Shirts", "Bags").index(kind) and ("Red" if at % 2 else "Blue") == colour
        for at in range(len(COLOURS))
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("red bags for a job at the harbour", "red bags"),
        ("red bags that would go with blue shirts", "red bags"),
        ("shirts to match", "shirts"),
        ("t-shirts I can wear to a picnic", "t-shirts"),
    ],
)
def test_what_a_thing_is_wanted_for_leaves_none_out(bags: Collection, text: str, same: str):
    found, plain = bags.search(text, k=len(COLOURS)), bags.search(same, k=len(COLOURS))
    assert found.matches == plain.matches
    assert {one.picture.id for one in found.results if one.match} == {
        one.picture.id for one in plain.results if one.match
    }


def test_a_purpose_that_stands_for_a_value_puts_such_things_first(shop: Collection):
    found = shop.search("shoes for a workout at the harbour", k=12)
    kinds = [one.picture.attributes["articleType"] for one in found.results if one.match]
    assert kinds == ["Sports Shoes"] * 3 + ["Casual Shoes"] * 3


def test_a_catalogue_knows_the_kind_and_looks_tell_the_rest(shop: Collection):
    for colour, kind in zip(COLOURS, _KINDS * 3, strict=True):
        found = shop.search(f"{colour} shoes", k=12)
        shoes = "Shoes" in kind
        assert {one.picture.attributes["articleType"] for one in found.results if one.match} == (
            {kind.split(",")[0]} if shoes else set()
        ), "a dress of that colour is no shoe"


def test_an_attribute_that_few_pictures_have_does_not_decide(bags: Collection):
    values = ValueSearch(bags.store, lambda: ("articleType", "colour"))
    assert values.decides(["red", "bag"])
    assert not values.decides(["red", "handle"])
    assert not ValueSearch(bags.store, lambda: ("articleType",)).decides(["red"])
