"""A message that can be read in several ways: what is offered, and how one of them is chosen."""

from __future__ import annotations

import pytest

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.assistant.readings import chosen_reading, readings_of
from visavis.assistant.reply_json import reply_json
from visavis.language.base import NO_CONTEXT, Parser, Understanding
from visavis.language.commands import Clarify, parse_command
from visavis.language.context import Context
from visavis.types import Question

OFFERED = Clarify(
    "I am not sure what you mean. Which of these?",
    (("take #2 and mirror it", "select #2 ; flip horizontal"), ("more like #2", "like #2")),
)


class DoubtfulParser(Parser):
    """Does not understand "two"; everything else is a command."""

    name = "doubtful"

    def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
        if message == "two":
            return Understanding((), 0.4, OFFERED)
        return Understanding((parse_command(message),), 1.0)


@pytest.fixture
def assistant(own_colours: Collection) -> Assistant:
    return Assistant(own_colours, DoubtfulParser())


def test_readings_are_listed_with_their_commands(assistant: Assistant):
    said = assistant.start()
    assistant.reply(said, "search red")
    turn = assistant.reply(said, "two")
    assert reply_json(turn, assistant.collection)["readings"] == [
        {"label": "take #2 and mirror it", "commands": ["select #2", "flip horizontal"]},
        {"label": "more like #2", "commands": ["like #2"]},
    ]
    assert turn.reply == OFFERED.question
    assert turn.brief == said.turns[0].brief, "what is in doubt is not searched for"


def test_a_number_chooses_a_reading(assistant: Assistant):
    said = assistant.start()
    assistant.reply(said, "search red")
    assistant.reply(said, "two")
    turn = assistant.reply(said, "1")
    assert [str(command) for command in turn.commands] == ["select #2", "flip horizontal"]
    assert turn.answered is not None
    assert turn.hand is not None
    assert turn.hand.source == said.turns[0].results[1].id


def test_anything_else_is_no_answer(assistant: Assistant):
    said = assistant.start()
    assistant.reply(said, "search red")
    assistant.reply(said, "two")
    turn = assistant.reply(said, "avoid blue")
    assert turn.answered is None
    assert [wish.label for wish in turn.brief.active] == ["red", "no blue"]
    assert readings_of(turn.question) == ()


def test_a_question_of_the_person_leaves_the_readings_waiting(assistant: Assistant):
    said = assistant.start()
    assistant.reply(said, "search red")
    assistant.reply(said, "two")
    turn = assistant.reply(said, "why #2")
    assert "because it fits" in turn.reply
    assert len(readings_of(turn.question)) == 2
    assert [str(command) for command in assistant.reply(said, "2").commands] == ["like #2"]


@pytest.mark.parametrize(
    "question",
    [
        None,
        Question("What do you mean?"),
        Question("Shall I drop “price < 5”?", (("yes", "forget price"), ("no", None))),
        Question("Is there a dog?", (("yes", "refine dog"), ("no", "avoid dog")), "yes/no", "dog"),
    ],
)
def test_other_questions_offer_no_readings(question: Question | None):
    assert readings_of(question) == ()
    assert chosen_reading(question, "1") == ()


@pytest.mark.parametrize("message", ["0", "3", "one", "#1", "1 2", "²", ""])
def test_only_a_number_that_is_offered_chooses(message: str):
    assert chosen_reading(Question(OFFERED.question, OFFERED.options), message) == ()
