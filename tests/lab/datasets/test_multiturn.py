"""Sessions in FashionMT's layout: reading, writing, and what the generator promises."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from visavis.errors import BadInputError
from visavis.lab.datasets.base import ProtocolPicture
from visavis.lab.datasets.multiturn import Request, Session, marked, quality, read_sessions, write_sessions
from visavis.lab.datasets.product_attributes import Product, products_of
from visavis.lab.simulation.modifications import SessionMaker

PUBLISHED = {
    "ref": "a.jpg", "tar1": "b.jpg", "tar2": "c.jpg", "tar3": "d.jpg",
    "mod1": "1. is red 2. is longer", "mod2": "is a boot",
    "mod3": "I would rather choose the SECOND, and 1. is black",
    "cap0": "a", "cap1": "b", "cap2": "c", "cap3": "d",
}  # fmt: skip


def catalogue() -> list[Product]:
    colours, patterns, brands = ("red", "blue", "white"), ("printed", "striped"), ("puma", "nike", "fila")
    return [
        Product(
            f"{category}{number}", category, f"{brands[number % 3]} {colours[number // 3 % 3]} {category}",
            {"colour": colours[number // 3 % 3], "pattern": patterns[number % 2], "brand": brands[number % 3]},
        )
        for category in ("Shirts", "Shoes")
        for number in range(24)
    ]  # fmt: skip


def test_the_published_layout_is_read(tmp_path: Path):
    path = tmp_path / "fashionmt.json"
    combined = {**PUBLISHED, "mod3": "1. is black 4. keep the FIRST's lace design and keep the SECOND's logo feature"}
    path.write_text(json.dumps([PUBLISHED, combined]))
    back, both = read_sessions(path)
    assert back.target == "d.jpg"
    assert back.requests[2].kind == "rollback"
    assert back.references(3) == (1,), "going back replaces the reference"
    assert back.references(2) == (1,)
    assert both.requests[2] == Request(combined["mod3"], "combination", (0, 1))
    assert both.references(3) == (2, 0, 1), "combining puts earlier pictures beside it"
    assert marked("is red") == ("base", ())


def test_dialogues_of_mt_fashioniq_are_sessions(tmp_path: Path):
    reference = [["http://x/b.jpg", [" is red", "has sleeves"], "B"], ["http://x/c.jpg", ["longer"], "C"]]
    (tmp_path / "all.val.json").write_text(json.dumps([{"target": ["http://x/a.jpg", "A"], "reference": reference}]))
    (session,) = read_sessions(tmp_path / "all.val.json")
    assert session.pictures == ("B", "C", "A")
    assert [request.text for request in session.requests] == ["is red and has sleeves", "longer"]
    assert [session.references(turn) for turn in (1, 2)] == [(0,), (1,)]
    (tmp_path / "all.val.json").write_text(json.dumps([{"target": ["http://x/a.jpg"], "reference": reference}]))
    with pytest.raises(BadInputError, match="session 1"):
        read_sessions(tmp_path / "all.val.json")


def test_what_is_written_is_read_again(tmp_path: Path):
    made = [
        Session(("", "1", "2"), (Request("red shirts"), Request("the red one", "rollback", (1,))), ("", "one", "two")),
        *SessionMaker(catalogue(), 3).sessions(20, (2, 5)),
    ]
    write_sessions(tmp_path / "s.json", made)
    assert read_sessions(tmp_path / "s.json") == made


@pytest.mark.parametrize("text", ["{}", "[{}]", "nothing", '[{"ref": "a", "tar1": "b"}]'])
def test_a_damaged_file_is_named(tmp_path: Path, text: str):
    path = tmp_path / "s.json"
    path.write_text(text)
    with pytest.raises(BadInputError, match=r"s\.json"):
        read_sessions(path)


def test_sessions_go_back_and_combine_for_real():
    products = {product.id: product for product in catalogue()}
    made = list(SessionMaker(list(products.values()), 1).sessions(300, range(2, 7)))
    assert {len(one.requests) for one in made} == {2, 3, 4, 5, 6}
    assert all(len({products[id].category for id in one.pictures}) == 1 for one in made)
    assert all(len(set(one.pictures)) == len(one.pictures) for one in made)
    kinds = Counter(request.kind for one in made for request in one.requests[1:])
    shares = {kind: number / sum(kinds.values()) for kind, number in kinds.items()}
    assert 0.2 < shares["rollback"] < 0.4
    assert 0.2 < shares["combination"] < 0.4
    figures = quality(made, products)
    assert figures["of them true"] == 100
    assert figures["accuracy"] > 97
    assert figures["consistency"] == 100
    assert list(SessionMaker(list(products.values()), 1).sessions(5, range(2, 7))) == made[:5]


def test_a_session_may_begin_with_a_description():
    made = list(SessionMaker(catalogue(), 0, openings=1.0).sessions(30, (3,)))
    assert all(one.pictures[0] == "" and len(one.requests) == 3 for one in made)
    assert all(place > 0 for one in made for request in one.requests for place in request.back)


def test_too_few_products_are_said():
    with pytest.raises(BadInputError, match="No category"):
        list(SessionMaker(catalogue()[:4], 0).sessions(1, (3,)))


def test_aspects_come_from_columns_and_titles():
    row = {
        "articleType": "Shirts", "baseColour": "Navy Blue", "gender": "Men", "usage": "Casual",
        "productDisplayName": "United Colors of Benetton Men Check Navy Blue Slim Cotton Shirt",
    }  # fmt: skip
    (product,) = products_of([ProtocolPicture("1", Path("1.jpg"), (), row, "val")])
    assert product.aspects == {
        "colour": "navy blue", "style": "casual", "wearer": "men", "pattern": "checked", "material": "cotton",
        "cut": "slim", "brand": "united colors of benetton",
    }  # fmt: skip
    assert product.split == "val"
