"""Messages that are made up about earlier turns and crops can be written in the grammar, and mean what they say."""

from __future__ import annotations

from itertools import islice

from visavis.lab.training.parser_turns import TurnTalk
from visavis.language.codec import encode_commands
from visavis.language.commands import Crop, Rollback
from visavis.language.decoding import Grammar

ROWS = [*islice(TurnTalk(1).rows(), 300)]


def test_what_is_meant_can_be_written():
    for row in ROWS:
        assert Grammar(row.context, row.message).accepts(encode_commands(row.commands, row.message)), row


def test_the_turn_that_is_gone_back_to_is_an_earlier_one_that_shows_what_was_named():
    back = [row for row in ROWS if isinstance(row.commands[0], Rollback)]
    assert len(back) > 100
    for row in back:
        command = row.commands[0]
        assert isinstance(command, Rollback)
        assert command.turn < row.context.turns


def test_what_is_cropped_away_is_not_kept():
    crops = [row for row in ROWS if isinstance(row.commands[0], Crop)]
    kept = [row for row in crops if "everything but" not in str(row.commands[0])]
    assert 0 < len(kept) < len(crops)
    assert all("crop the" in row.message for row in kept if " out" in row.message and "everything" not in row.message)
