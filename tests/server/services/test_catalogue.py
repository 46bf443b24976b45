"""What is suggested to say about a collection, and which collections are a shop's."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from visavis.server.services.catalogue import _caption_ideas
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
