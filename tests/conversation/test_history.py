"""What was passed over on the way to a turn."""

from __future__ import annotations

from visavis.conversation.conversation import Conversation
from visavis.conversation.history import passed_over
from visavis.conversation.turns import Turn
from visavis.language.commands import parse_command
from visavis.types import Result


def talk(*commands: str) -> Conversation:
    """A conversation in which every turn shows the same two pictures."""
    shown = (Result("a", 1.0), Result("b", 0.5))
    turns = [
        Turn(n, "", (parse_command(line),), results=shown, grew_from=n - 1, stands_at=n, state=str(n))
        for n, line in enumerate(commands, 1)
    ]
    return Conversation("0" * 32, "", turns=turns)


def test_a_condition_is_no_judgement_on_the_pictures_that_stay():
    said = talk("search dress", "refine red")
    filtered = talk("search dress", "filter price < 50", "filter colour = red", "sort price asc")
    once = passed_over(said, said.turns[0], said.last.brief)
    assert once == {"a": 1, "b": 1}
    assert passed_over(filtered, filtered.last, filtered.last.brief) == once
