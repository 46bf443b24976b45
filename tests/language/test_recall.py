"""Earlier turns that a message describes."""

from __future__ import annotations

import pytest

from visavis.language.context import Context
from visavis.language.parser import NetworkParser
from visavis.language.pieces import MARK
from visavis.language.prompt import encode_prompt
from visavis.language.recall import described_turn

COATS = ("coats", "coats, red", "coats, red, long", "coats, blue, long")
PETS = ("dogs", "dogs, beach", "cats")


@pytest.mark.parametrize(
    ("message", "topics", "turn"),
    [
        ("go back to the red ones", COATS, 3),
        ("back to when it was all coats", COATS, 1),
        ("I liked the dogs better", PETS, 2),
        ("the ones before the beach again", PETS, 1),
        ("show me the ones before you made it red", COATS, 1),
        ("red ones", COATS, None),
        ("go back to the green ones", COATS, None),
        ("go back to the cats", PETS, None),
        ("go back to the dogs", PETS[:1], None),
        ("back to that", ("", "dogs"), None),
    ],
)
def test_the_turn_whose_wishes_are_named(message, topics, turn):
    assert described_turn(message, topics) == turn


def test_turns_are_counted_from_the_first_though_only_the_last_are_known():
    context = Context(turns=12, shown=12, topic="cats", topics=PETS)
    ids = encode_prompt("back to the dogs", context).ids
    assert ids[ids.index(MARK["place"]) + 1] == MARK["@"]
    assert encode_prompt("back to the dogs", Context(turns=12, shown=12, topic="cats")).ids != ids


def test_a_message_goes_back_to_the_turn_it_describes():
    context = Context(turns=3, shown=12, columns=4, topic="dress, blue", topics=("dress", "dress, red", "dress, blue"))
    assert NetworkParser().understand("go back to the red ones", context).lines() == ["rollback 2"]
