"""Which attributes are asked about, and in which order they are worth it."""

from __future__ import annotations

import pytest

from visavis.questions.attributes import interest, is_worth_asking


@pytest.mark.parametrize(
    "name", ["background", "id", "product_id", "articleNumber", "sku", "image_url", "camera", "taken"]
)
def test_nobody_is_asked_for_what_only_machines_know(name: str):
    assert not is_worth_asking(name)


@pytest.mark.parametrize("name", ["colour", "baseColour", "price", "brand", "country", "usage", "something"])
def test_people_are_asked_for_what_they_care_about(name: str):
    assert is_worth_asking(name)


def test_a_buyer_cares_for_the_kind_before_the_pattern():
    names = ["pattern", "background", "price", "colour", "something", "articleType"]
    assert sorted(names, key=interest) == ["articleType", "price", "colour", "pattern", "something", "background"]
