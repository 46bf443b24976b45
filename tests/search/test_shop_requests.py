"""Requests of a shop's customers that went wrong once, on drawn garments and on photos of watches."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from axis_world import id_of, wish
from memory_store import MemoryStore
from PIL import Image

from visavis.demo import describe, draw
from visavis.encoders.registry import load_encoder
from visavis.search.request import SearchRequest
from visavis.search.retriever import ComposedRetriever
from visavis.stores.base import StoredPoint

SIZE = (224, 224)
SAMPLE = Path(__file__).parents[3] / "shared/data/products/sample"


@cache
def item_of(seed: int):
    return describe(1, seed)


def some(number: int, fits: Callable[[dict], bool]) -> list:
    return list(islice((item for item in map(item_of, range(4000)) if fits(dict(item.attributes))), number))


def two_tone(attributes: dict) -> bool:
    return {attributes.get("colour"), attributes.get("second_colour")} == {"black", "white"}


@pytest.fixture(scope="module")
def shop():
    groups = {
        "plain red dress": some(
            3, lambda a: a["category"] == "dress" and a["colour"] == "red" and a["pattern"] == "plain"
        ),
        "striped dress": some(4, lambda a: a["category"] == "dress" and a["pattern"] == "striped"),
        "blue hat": some(3, lambda a: a["category"] == "hat" and a["colour"] == "blue"),
        "black and white dress": some(3, lambda a: a["category"] == "dress" and two_tone(a)),
        "black dress": some(
            3, lambda a: a["category"] == "dress" and a["colour"] == "black" and a["pattern"] == "plain"
        ),
        "white dress": some(
            3, lambda a: a["category"] == "dress" and a["colour"] == "white" and a["pattern"] == "plain"
        ),
        "shirt": some(12, lambda a: a["category"] == "shirt"),
        "bag": some(12, lambda a: a["category"] == "bag"),
    }
    items = {id_of(item.id): (name, item) for name, group in groups.items() for item in group}
    encoder, store = load_encoder("builtin"), MemoryStore()
    encoded = encoder.encode_pictures([draw(item, SIZE) for _, item in items.values()])
    for (id, (_, item)), whole, regions in zip(items.items(), encoded.whole, encoded.regions, strict=True):
        payload = {"caption": item.caption, **item.attributes, "price": item.price}
        store.upsert([StoredPoint(id, whole, regions, payload)])
    return ComposedRetriever(encoder, store), items


def asked(shop, *wishes, k=40):
    retriever, items = shop
    found = retriever.retrieve(SearchRequest(wishes, k=k))
    return found, [items[id][0] for id in found.ids]


def test_the_groups_are_there(shop):
    _, items = shop
    assert len({name for name, _ in items.values()}) == 8


def test_a_blue_hat_cheapest_first_begins_with_a_blue_hat(shop):
    found, names = asked(shop, wish("want", "blue hat"), wish("sort", "ascending", attribute="price"))
    assert names[0] == "blue hat"
    prices = [shop[1][result.id][1].price for result in found.results if result.match]
    assert prices == sorted(prices)


def test_without_stripes_the_plain_red_dress_stays(shop):
    _, names = asked(shop, wish("want", "red dress"), wish("avoid", "stripes"))
    assert names[0] == "plain red dress"
    assert names.count("plain red dress") == 3
    assert "striped dress" not in names


def test_not_black_and_white_is_one_thing(shop):
    _, names = asked(shop, wish("want", "dress"), wish("avoid", "black and white"))
    assert "black and white dress" not in names
    assert "black dress" in names
    assert "white dress" in names


@pytest.mark.skipif(not SAMPLE.is_dir(), reason="the sample of products is not here")
def test_a_leather_strap_instead_of_metal_leaves_the_watches():
    import csv

    with (SAMPLE / "styles.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    watches = [row for row in rows if row["articleType"] == "Watches"]
    others = [row for row in rows if row["articleType"] != "Watches"][:60]
    encoder, store = load_encoder("builtin"), MemoryStore()
    images = [Image.open(SAMPLE / f"{row['id']}.jpg").convert("RGB") for row in (*watches, *others)]
    encoded = encoder.encode_pictures(images)
    for row, whole, regions in zip((*watches, *others), encoded.whole, encoded.regions, strict=True):
        store.upsert([StoredPoint(id_of(row["id"]), whole, regions, {"title": row["productDisplayName"]})])
    wishes = wish("want", "watch"), wish("want", "leather strap", 2), wish("avoid", "metal", 2)
    ids = ComposedRetriever(encoder, store).retrieve(SearchRequest(wishes, k=5)).ids
    assert len(ids) == 5
    assert set(ids) <= {id_of(row["id"]) for row in watches}
