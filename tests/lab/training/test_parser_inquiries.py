"""Questions, orders and changes of mind that are made up can be written in the grammar, and mean what they should."""

from __future__ import annotations

from itertools import islice

from visavis.lab.datasets.talk import Row
from visavis.lab.training.parser_inquiries import InquiryTalk
from visavis.language.codec import encode_commands
from visavis.language.commands import Ask, Chat, Count, Recolor, Search, Select, Sort, parse_command
from visavis.language.context import Context
from visavis.language.decoding import Grammar

_SHOP = {"brand": ["Nike", "Puma"], "colour": ["red"], "cut": ["slim"], "price": {"min": 5, "max": 90}}
_ASKED = {"text": "Which colour?", "options": {"red": None, "blue": None}}
GIVEN = [
    Row(
        "only Nike",
        Context.from_json({"turns": 1, "shown": 12, "attributes": _SHOP, "question": _ASKED}),
        (parse_command("filter brand = Nike"),),
    ),
]
ROWS = [*islice(InquiryTalk(1, GIVEN).rows(), 700)]


def test_what_is_meant_can_be_written():
    for row in ROWS:
        assert Grammar(row.context, row.message).accepts(encode_commands(row.commands, row.message)), row


def test_a_picture_in_hand_does_not_make_every_question_one_about_it():
    in_hand = [row for row in ROWS if row.context.picture]
    assert {Ask, Count, Search} <= {type(row.commands[0]) for row in in_hand}
    for row in in_hand:
        if "do i have" in row.message or "do you sell" in row.message:
            assert isinstance(row.commands[0], Count | Search), row


def test_orders_name_what_the_collection_tells_or_what_was_meant():
    orders = [row for row in ROWS if isinstance(row.commands[0], Sort)]
    assert {str(row.commands[0]) for row in orders if not row.context.attributes} >= {
        "sort taken desc",
        "sort price asc",
    }
    assert any(row.commands[0].field not in row.context.attributes for row in orders if row.context.attributes)


def test_thanks_are_no_answer_and_a_thing_is_painted_with_nothing_in_hand():
    thanks = [row for row in ROWS if row.commands == (Chat("thanks"),)]
    assert any(row.context.question for row in thanks)
    painted = [row for row in ROWS if isinstance(row.commands[-1], Recolor) and not row.context.picture]
    assert {type(row.commands[0]) for row in painted} == {Recolor, Select}
