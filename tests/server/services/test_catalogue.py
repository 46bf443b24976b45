"""What is suggested to say about a collection, and which collections are a shop's."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from visavis.language.context import NumberRange
from visavis.server.services.catalogue import _caption_ideas, _shop_ideas
from visavis.server.services.wall import is_shop


def ideas(caption: str, title: str) -> list[str]:
    """What is suggested for a collection of one picture."""
    picture = SimpleNamespace(caption=caption, title=title, origin=None)
    opened = SimpleNamespace(catalogue=SimpleNamespace(scroll=lambda *_, **__: iter([[picture]])))
    return list(_caption_ideas(opened))  # type: ignore[arg-type]  # of which it needs no more


def test_a_caption_becomes_a_message_and_a_product_keeps_its_name():
    assert ideas("A dog on a beach.", "") == ["a dog on a beach"]
    assert ideas("", "W Women Solid Kurta") == ["W Women Solid Kurta"]
    assert ideas("Jealous 21 Tops", "Jealous 21 Tops") == ["Jealous 21 Tops"]


def test_a_shop_suggests_kinds_and_not_the_names_of_its_products():
    class Shelves:
        """A store of three kinds; there is no white watch."""

        def count(self, wanted) -> int:
            kind, other = (one.value for one in wanted.conditions)
            return 0 if (kind, other) == ("Watches", "White") else 3

        def facets(self, field, where, most):
            return [(12.5, 1), (27.0, 1), (90.0, 1)]

    attributes = {
        "articleType": ("Tshirts", "Shirts", "Sandals", "Watches", "Kurtas"),
        "title": ("Fila Men White Socks",),
        "gender": ("Women", "Men"),
        "price": NumberRange(2.0, 300.0),
        "baseColour": ("Black", "White"),
    }
    found = list(_shop_ideas(Shelves(), attributes))  # type: ignore[arg-type]  # it needs no more of a store
    assert found == ["black tshirts", "shirts under 30", "sandals for women", "black watches", "kurtas under 30"]


@pytest.mark.parametrize(
    ("fields", "shop"),
    [
        (["price"], True),
        (["title", "articleType", "taken"], True),
        (["title", "sub_category"], True),
        (["title", "taken", "camera", "country"], False),
        (["category", "taken"], False),
        ([], False),
    ],
)
def test_a_shop_is_known_by_its_attributes(fields: list[str], shop: bool):
    assert is_shop(fields) is shop
