"""Wishes that are made up in shops follow the guide, and can be written in the grammar."""

from __future__ import annotations

from itertools import islice

from visavis.lab.training.parser_shops import ShopTalk
from visavis.language.codec import encode_commands
from visavis.language.commands import Filter, Forget, Refine, Search
from visavis.language.context import NumberRange
from visavis.language.decoding import Grammar

ROWS = [*islice(ShopTalk(seed=1).rows(), 300)]
#: Collections to borrow from whose numbers are called as looks are in others.
NUMBERS = [{"length": NumberRange(10.0, 90.0), "size": NumberRange(1.0, 9.0), "style": NumberRange(1.0, 5.0)}]


def test_what_is_meant_can_be_written():
    for row in ROWS:
        assert Grammar(row.context, row.message).accepts(encode_commands(row.commands, row.message)), row


def test_values_are_spelled_as_the_shop_spells_them():
    for row in ROWS:
        for command in row.commands:
            if isinstance(command, Filter):
                values = row.context.attributes[command.field]
                assert isinstance(values, NumberRange) or set(command.values) <= set(values)


def test_numbers_of_another_shop_are_no_values_to_name():
    for row in islice(ShopTalk(2, NUMBERS).rows(), 400):
        assert row.commands


def test_a_material_and_several_values_are_filters():
    commands = [row.commands for row in ROWS]
    assert any(
        isinstance(one[0], Search) and isinstance(one[-1], Filter) and one[-1].field == "material" for one in commands
    )
    assert any(len({one.field for one in each if isinstance(one, Filter)}) > 1 for each in commands)


def test_a_search_keeps_its_words_and_a_comparison_is_a_wish():
    kinds = {type(row.commands[0]) for row in ROWS}
    assert kinds == {Search, Refine, Filter}
    for row in ROWS:
        first = row.commands[0]
        if isinstance(first, Search):
            assert first.text in row.message
        if isinstance(row.commands[-1], Forget):
            assert row.commands[-1].text in row.context.topic


def test_the_same_seed_says_the_same():
    assert [row.message for row in islice(ShopTalk(seed=1).rows(), 20)] == [row.message for row in ROWS[:20]]
