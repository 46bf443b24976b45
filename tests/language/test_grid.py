"""Places on the screen by arithmetic."""

from __future__ import annotations

import pytest

from visavis.language.english import hidden_numbers
from visavis.language.grid import Grid, places, turns_ago


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
