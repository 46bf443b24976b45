"""A word for another kind of things begins a new search; one for the same kind, or for a part, does not."""

from __future__ import annotations

import pytest

from visavis.language.context import Context
from visavis.language.rules import RuleParser

SHOP = Context(
    turns=3, shown=12, columns=4, topic="a summer dress, in blue",
    attributes={"category": ("Dresses", "Bags", "Shirts"), "colour": ("Red", "Blue")},
)  # fmt: skip


@pytest.mark.parametrize(
    ("message", "command"),
    [
        ("bags", "search bags"),
        ("red shirts", "search red shirts"),
        ("dresses", "refine dresses"),
        ("red", "refine red"),
        ("with a bag", "refine with a bag"),
        ("worn with a matching bag over the shoulder", "refine worn with a matching bag over the shoulder"),
    ],
)
def test_another_kind_is_another_search(message: str, command: str):
    assert RuleParser().understand(message, SHOP).lines() == [command]
