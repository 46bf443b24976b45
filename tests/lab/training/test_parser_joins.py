"""Two messages in one mean what both mean."""

from __future__ import annotations

import random

from visavis.lab.datasets.talk import Row
from visavis.lab.training.parser_contexts import Joins


def row(message, *commands, **context):
    return Row.from_json({"message": message, "commands": [*commands], "context": context})


WISH = row("in the snow", "refine in the snow", turns=1, shown=12)
REFUSAL = row("no people", "avoid people", turns=1, shown=12)
EDIT = row("sharper", "adjust_attr sharpness 20", turns=1, picture=True)


def joins(*rows):
    return Joins(rows, random.Random(0))


def test_wishes_are_joined_to_wishes_in_their_order():
    both = joins(WISH, REFUSAL).joined(row("friendlier faces", "refine friendlier faces", turns=2, shown=12))
    assert both.message.startswith("friendlier faces")
    assert str(both.commands[0]) == "refine friendlier faces"
    assert len(both.commands) == 2
    assert both.context.turns == 2


def test_a_search_is_followed_by_what_it_shall_not_show():
    both = joins(WISH, REFUSAL).joined(row("pickup truck", "search pickup truck"))
    assert both.message == "pickup truck, no people"
    assert [*map(str, both.commands)] == ["search pickup truck", "avoid people"]


def test_edits_are_joined_to_edits_of_a_picture():
    both = joins(WISH, EDIT).joined(row("flip it", "flip horizontal", turns=1, picture=True))
    assert [*map(str, both.commands)] == ["flip horizontal", "adjust_attr sharpness 20"]


def test_what_leans_on_the_conversation_stays_alone():
    for alone in (
        row("undo", "undo", turns=1),
        row("which ones?", "chat nonsense", turns=1),
        row("faces", "answer faces", turns=1, question={"text": "What?", "options": {}}),
    ):
        assert joins(WISH, REFUSAL, EDIT).joined(alone) == alone
