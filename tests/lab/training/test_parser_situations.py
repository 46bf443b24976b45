"""Messages that are made up for situations can be written in the grammar, and mean what the situation says."""

from __future__ import annotations

from itertools import islice

from visavis.lab.datasets.talk import Row
from visavis.lab.training.parser_situations import SituationTalk
from visavis.language.codec import encode_commands
from visavis.language.commands import AdjustAttr, Avoid, Crop, Remove, Search, Values, parse_command
from visavis.language.context import Context
from visavis.language.decoding import Grammar

GIVEN = [
    Row(
        "cut out the train in the first picture",
        Context(turns=1, shown=12, columns=4, topic="stations"),
        (parse_command("select #1"), parse_command("image_cutout on train")),
    ),
    Row(
        "only Nike",
        Context.from_json(
            {"turns": 1, "shown": 12, "attributes": {"brand": ["Nike", "Puma"], "colour": ["red"], "cut": ["slim"]}}
        ),
        (parse_command("filter brand = Nike"),),
    ),
]
ROWS = [*islice(SituationTalk(1, GIVEN, ["dog runs on the beach"]).rows(), 600)]


def test_what_is_meant_can_be_written():
    for row in ROWS:
        assert Grammar(row.context, row.message).accepts(encode_commands(row.commands, row.message)), row


def test_all_situations_come_up():
    kinds = {type(row.commands[0]) for row in ROWS}
    assert {Search, Avoid, Remove, Crop, AdjustAttr, Values} <= kinds
    assert any(row.context.question for row in ROWS)
    assert any(isinstance(row.commands[0], Search) and row.context.picture for row in ROWS)


def test_who_corrects_a_description_means_the_second_one_and_a_number_takes_a_picture():
    talk = SituationTalk(2, GIVEN)
    for _ in range(40):
        corrected, taken, freed = talk.corrected(), talk.taken(), talk.freed()
        assert corrected.message.rstrip(".").endswith(str(corrected.commands[0]).removeprefix("search "))
        assert str(taken.commands[0]).startswith("select #")
        assert str(freed.commands[0]) in ("forget brand", "forget colour", "forget cut")


def test_a_number_that_is_said_is_the_amount():
    for row in ROWS:
        if isinstance(command := row.commands[0], AdjustAttr):
            assert f"{abs(command.amount):g}" in row.message


def test_the_part_that_is_cut_off_is_not_kept():
    for row in ROWS:
        if isinstance(command := row.commands[0], Crop):
            kept = command.target is not None and command.target in row.message
            assert kept != any(verb in row.message for verb in ("off", "away", " out", "lose", "drop", "rid", "remove"))
