"""Places on the screen and turns by arithmetic; earlier turns that a message describes."""

from __future__ import annotations

import pytest

from visavis.language.context import Context
from visavis.language.english import hidden_numbers
from visavis.language.parser import NetworkParser
from visavis.language.pieces import MARK
from visavis.language.prompt import encode_prompt
from visavis.language.references import Grid, described_turn, places, turns_ago


@pytest.mark.parametrize(
    ("message", "shown", "columns", "numbers"),
    [
        ("second row, third from the left", 12, 4, [7]),
        ("third from the right in the second row", 12, 4, [6]),
        ("row 3 column 1", 12, 4, [9]),
        ("top right, more of that sort", 12, 4, [4]),
        ("the one in the bottom left corner", 12, 4, [9]),
        ("last in the second row", 20, 5, [10]),
        ("the last but one", 12, 4, [11]),
        ("second-to-last!", 12, 4, [11]),
        ("the one before the last", 12, 4, [11]),
        ("the very last one", 9, 3, [9]),
        ("2nd row 2nd pic, 4th row 5th pic", 20, 5, [7, 20]),
        ("row three on the right", 8, 2, [6]),
        ("whats going on in the picture at the end of row one", 12, 4, [4]),
        ("the second row are fakes", 12, 4, [5, 6, 7, 8]),
        ("the one smack in the middle", 9, 3, [5]),
        ("the middle one", 3, 3, [2]),
        ("the one on the left", 3, 3, [1]),
        ("bottom row, last one", 10, 4, [10]),
        ("ninth row", 12, 4, []),
        ("undo that last step", 12, 4, []),
        ("photos of last summer", 12, 4, []),
        ("a red dress", 12, 4, []),
        ("top left", 0, 4, []),
        ("top left", 12, 0, []),
    ],
)
def test_places(message, shown, columns, numbers):
    assert places(message, shown, columns) == numbers


def test_the_last_row_may_be_short():
    grid = Grid(10, 4)
    assert (grid.rows, grid.number(-1, -1), grid.number(3, 3), grid.number(4, 1)) == (3, 10, None, None)


def test_turns_ago():
    assert turns_ago("what you showed two turns ago", 5) == 3
    assert turns_ago("three steps back please", 3) is None
    assert turns_ago("two dogs", 5) is None


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("under two hundred and fifty", [250]),
        ("1,500 or less", [1500]),
        ("12k", [12000]),
        ("around 50", [40, 60]),
        ("a dozen", [12]),
        ("thirty-five percent", [35]),
        ("the one with two dogs", []),
        ("50 please", []),
        ("a bit more contrast, like 20%", []),
        ("like 20 dollars", [16, 24]),
    ],
)
def test_hidden_numbers(message, numbers):
    assert hidden_numbers(message) == numbers


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


@pytest.mark.parametrize("message", ["cut the train out of the first one", "cut out the train in the first picture"])
def test_the_first_one_is_a_picture_and_no_turn(message):
    topics = ("old trains with steam", "old trains with steam, in the snow", "old trains with steam")
    context = Context(turns=3, shown=20, topic=topics[-1], topics=topics)
    assert described_turn(message, topics) is None
    assert [str(command) for command in NetworkParser().understand(message, context).commands] == [
        "select #1",
        "image_cutout on train",
    ]
