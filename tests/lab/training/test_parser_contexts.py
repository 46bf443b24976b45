"""Rows in the contexts of real shops and conversations keep their meaning."""

from __future__ import annotations

import random

from visavis.lab.datasets.talk import Row
from visavis.lab.training.parser_contexts import RealContexts

SHOP = {
    "colour": ["red", "navy"],
    "pattern": ["plain", "striped"],
    "sleeves": ["long", "short"],
    "brand": ["Nike", "Puma"],
    "fit": ["slim", "loose"],
    "price": {"min": 5, "max": 900},
}
PLACED = {"turns": 2, "shown": 12, "columns": 4, "topic": "dress"}


def row(message, *commands, **context):
    return Row.from_json({"message": message, "commands": [*commands], "context": context})


def contexts():
    lender = row("a hat", "refine velvet collar", turns=1, topic="coat", attributes=SHOP)
    return RealContexts([lender], random.Random(0))


def test_a_shop_leaves_out_what_a_message_mentions():
    bare = row("in navy, and loose", "refine navy", "refine loose", **PLACED)
    given = contexts().within_a_shop(bare)
    assert set(given.context.attributes) == {"pattern", "sleeves", "brand", "price"}
    assert given.commands == bare.commands


def test_a_first_search_keeps_its_colour_in_a_shop():
    assert "colour" in contexts().within_a_shop(row("a navy coat", "search navy coat")).context.attributes


def test_numbers_that_may_be_prices_leave_out_prices():
    wish = contexts().within_a_shop(row("cheaper looking ones", "refine cheaper looking", **PLACED))
    edit = contexts().within_a_shop(row("contrast up 20", "adjust_attr contrast 20", turns=1, picture=True))
    assert "price" not in wish.context.attributes
    assert "price" in edit.context.attributes


def test_filters_stay_where_they_were_written():
    filtered = row("under 50", "filter price < 50", **PLACED)
    assert contexts().within_a_shop(filtered) == filtered


def test_a_question_waits_only_where_the_message_does_not_answer_it():
    asked = contexts().with_a_question(row("without lace", "avoid lace", attributes=SHOP, **PLACED))
    assert asked.context.question is not None
    reply = row("no thanks", "chat refusal", **PLACED)
    assert contexts().with_a_question(reply) == reply
    for _ in range(20):
        pointing = contexts().with_a_question(row("the second one", "select #2", attributes=SHOP, **PLACED))
        assert pointing.context.question
        assert not pointing.context.question.options


def test_a_topic_grows_by_wishes_that_are_not_named():
    grown = contexts().with_more_wishes(row("longer", "refine longer", **PLACED))
    assert grown.context.topic == "dress, velvet collar"
    named = contexts().with_more_wishes(row("a bigger collar", "refine bigger collar", **PLACED))
    assert named.context.topic == "dress"
    forgets = row("drop the lace", "forget lace", **PLACED)
    assert contexts().with_more_wishes(forgets) == forgets


def test_a_picture_in_hand_was_found_by_a_search():
    found = contexts().with_results(row("brighter", "adjust_attr brightness 20", picture=True)).context
    assert (found.shown, found.topic) == (12, "coat")
    assert found.turns >= 2


def test_a_first_search_keeps_its_looks_in_a_shop():
    given = contexts().within_a_shop(row("a striped coat with long sleeves", "search striped coat with long sleeves"))
    assert {"pattern", "sleeves"} <= set(given.context.attributes)


def test_a_colour_alone_is_a_filter_in_a_shop_that_has_it():
    shops = contexts()
    given = [shops.within_a_shop(row("in navy please", "refine navy", **PLACED)) for _ in range(20)]
    lines = {str(one.commands[0]) for one in given}
    assert lines == {"refine navy", "filter colour = navy"}
    assert all(("colour" in one.context.attributes) == (str(one.commands[0]) != "refine navy") for one in given)
    liked = row("like the second but navy", "like #2", "refine navy", **PLACED)
    assert all(shops.within_a_shop(liked).commands == liked.commands for _ in range(20))
