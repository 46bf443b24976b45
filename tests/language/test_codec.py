"""Commands as pieces and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from language_support import LINES

from visavis.language.codec import decode_commands, encode_commands, plain_spelling
from visavis.language.commands import Rotate, parse_command
from visavis.language.pieces import MARK, MARKS, VERBS, piece_ids


@pytest.mark.parametrize("line", LINES)
def test_round_trip(line):
    command = parse_command(line)
    assert decode_commands(encode_commands([command])) == (command,)


def test_every_verb_that_can_be_written_is_covered():
    assert {line.split()[0] for line in LINES} | {
        "clarify",
        "fewer",
        "redo",
        "sepia",
        "vignette",
        "invert",
        "enhance",
    } == set(VERBS)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=4))
def test_several_commands_are_cut_at_their_verbs(lines):
    commands = tuple(map(parse_command, lines))
    assert decode_commands(encode_commands(commands)) == commands


def test_a_clockwise_turn_is_written_with_the_angle_that_was_said():
    assert encode_commands([Rotate(degrees=325)], "35 degrees clockwise") == [
        VERBS["rotate"],
        MARK["clockwise"],
        *piece_ids("35"),
    ]
    assert MARK["clockwise"] not in encode_commands([Rotate(degrees=325)], "anticlockwise by 325")


def test_marks_are_no_words():
    assert all(mark < MARKS for mark in (*VERBS.values(), *MARK.values()))
    assert len({*VERBS.values(), *MARK.values()}) == len(VERBS) + len(MARK)


def test_signs_stand_where_they_stand_in_print():
    assert plain_spelling(piece_ids("dad's half-timbered house, 1/2 price!")) == "dad's half-timbered house, 1/2 price!"
