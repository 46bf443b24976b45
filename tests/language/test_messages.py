"""The table of messages, each in its situation, with the commands that a person would expect."""

from __future__ import annotations

import pytest
from language_support import MESSAGES, SITUATIONS, is_right

from visavis.language.combined import CombinedParser
from visavis.language.commands import KINDS, parse_command
from visavis.language.rules import RuleParser

#: Kinds that the table need not hold: a question back is counted by its own key.
NOT_COMMANDS = {"clarify"}


def test_the_table_is_large_and_covers_every_kind():
    verbs = {line.split()[0] for row in MESSAGES for line in row.get("commands", ())}
    assert len(MESSAGES) >= 400
    assert verbs >= {kind.verb for kind in KINDS} - NOT_COMMANDS
    assert sum("clarify" in row for row in MESSAGES) >= 5
    for row in MESSAGES:
        for line in row.get("commands", ()):
            assert str(parse_command(line)) == line


@pytest.mark.parametrize("parser", [RuleParser(), CombinedParser()], ids=lambda parser: parser.name)
def test_messages_are_understood(parser):
    wrong = []
    for row in MESSAGES:
        understanding = parser.understand(row["message"], SITUATIONS[row["situation"]])
        if not is_right(row, understanding):
            wrong.append((row["situation"], row["message"], row.get("commands"), understanding.lines()))
    # All but one were right when this was written; a change may cost a few, not more.
    assert len(wrong) <= 0.005 * len(MESSAGES), wrong


ACCEPTED = [
    ("find me a kid's umbrella", "search"),
    ("rotate it clockwise by 90", "rotate 270"),
    ("increase the brightness by 40 percent", "adjust_attr brightness 40"),
    ("please remove the background", "image_cutout"),
    ("go back to turn 2", "rollback 2"),
    ("no people please", "avoid"),
    ("change the colour of the image to pink", "adjust_color pink"),
]


@pytest.mark.parametrize(("message", "start"), ACCEPTED)
def test_without_any_context(message, start):
    (line,) = CombinedParser().understand(message).lines()
    assert line.startswith(start)


def test_several_commands_keep_their_order():
    said = "find a red car, rotate it 90 degrees clockwise, then brighten it by 10 and save it as car.png"
    assert RuleParser().understand(said).lines() == [
        "search red car",
        "rotate 270",
        "adjust_attr brightness 10",
        'export "car.png"',
    ]


def test_an_answer_to_a_question_back_is_the_command_that_was_offered():
    asked = RuleParser().understand("rotate it by 30")
    assert asked.clarify is not None
    assert dict(asked.clarify.options) == {"clockwise": "rotate 330", "anticlockwise": "rotate 30"}


def test_small_talk_is_answered_and_searches_nothing():
    for message in ("thanks!", "hello", "asdkjh qwlkej", ":-)", "wow, that's great"):
        understanding = RuleParser().understand(message)
        assert understanding.reply
        assert all(line.startswith("chat ") for line in understanding.lines())
