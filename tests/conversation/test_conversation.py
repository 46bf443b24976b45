"""Steps back and forth through states that nothing ever erases."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.conversation.conversation import Conversation, read_turns
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError
from visavis.types import Question


def say(talk: Conversation, message: str) -> None:
    """An ordinary turn: a new state that grew from the present one."""
    talk.append(Turn(len(talk) + 1, message, grew_from=talk.last.stands_at, stands_at=len(talk) + 1))


def step(talk: Conversation, state: Turn) -> None:
    talk.append(replace(state, number=len(talk) + 1))


def standing(talk: Conversation) -> str:
    return talk.turn(talk.last.stands_at).message


def test_undo_and_redo_walk_the_states():
    talk = Conversation("1" * 32, "test")
    for message in ("a", "b", "c"):
        say(talk, message)
    step(talk, talk.undone())
    assert standing(talk) == "b"
    step(talk, talk.undone())
    assert standing(talk) == "a"
    step(talk, talk.redone(2))
    assert standing(talk) == "c"
    step(talk, talk.undone(3))
    assert talk.last.stands_at == 0
    with pytest.raises(BadInputError, match="nothing to undo"):
        talk.undone()


def test_something_new_after_an_undo_cannot_be_redone():
    talk = Conversation("1" * 32, "test")
    for message in ("a", "b"):
        say(talk, message)
    step(talk, talk.undone())
    say(talk, "c")
    with pytest.raises(BadInputError, match="nothing to redo"):
        talk.redone()
    step(talk, talk.undone())
    assert standing(talk) == "a", "what was undone is not on the way back"


@given(st.lists(st.sampled_from(["say", "undo", "redo"]), max_size=40))
def test_undo_then_redo_is_nothing(actions: list[str]):
    """Against a plain model: a list of states with a place in it."""
    talk, states, place = Conversation("1" * 32, "test"), [0], 0
    for action in actions:
        if action == "say":
            say(talk, "x")
            states, place = [*states[: place + 1], len(talk)], place + 1
        elif action == "undo" and place > 0:
            step(talk, talk.undone())
            place -= 1
        elif action == "redo" and place < len(states) - 1:
            step(talk, talk.redone())
            place += 1
        assert talk.last.stands_at == states[place]
    assert [turn.number for turn in talk.turns] == list(range(1, len(talk) + 1))


def test_turns_that_are_not_there_are_named():
    talk = Conversation("1" * 32, "test")
    with pytest.raises(BadInputError, match="Nothing was said"):
        talk.turn(1)
    say(talk, "a")
    with pytest.raises(BadInputError, match="turns 1 to 1"):
        talk.turn(2)
    with pytest.raises(BadInputError, match="cannot follow"):
        talk.append(Turn(7, "x"))


def test_an_export_of_an_earlier_version_is_read():
    """The file was written by the commit 27dd94a: ``export_conversation`` of the talk in tests/assistant/data."""
    value = json.loads((Path(__file__).parent / "data" / "export-27dd94a.json").read_text())
    turns = read_turns(value)
    assert [turn.number for turn in turns] == list(range(1, 12))
    written = json.loads(json.dumps([turn.as_json() for turn in turns]))
    for turn in written:  # what later versions add
        assert (turn.pop("matches"), turn.pop("about")) == (None, False)
        for result in turn["results"]:
            assert (result.pop("probability"), result.pop("match")) == (1.0, True)
    assert written == value["turns"]
    assert turns[0].question == Question(
        "Is there anything green in it?",
        (("yes", "refine green"), ("no", "avoid green")),
        "yes/no",
        "stuff:green",
        (1, 2),
    )
    assert turns[4].reply == "Done: turned 90° to the left; brighter by 20 %."
