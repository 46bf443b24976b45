"""Steps back and forth through states that nothing ever erases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_turns import keep

from visavis.collections.catalogue import Catalogue
from visavis.conversation import conversation as module
from visavis.conversation.conversation import EARLIER, LATEST, Conversation, TurnLog
from visavis.conversation.memory import Memory
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError, NotFoundError
from visavis.types import Question

TURNS = LATEST + EARLIER + 30


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
    turns = [Turn.from_json(one) for one in value["turns"]]
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


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    catalogue = Catalogue(tmp_path_factory.mktemp("log") / "catalogue.sqlite", "unused")
    yield Memory(catalogue)
    catalogue.close()


def said(number: int) -> Turn:
    return Turn(number, f"message {number}", stands_at=number, grew_from=number - 1)


@pytest.fixture(scope="module")
def long(memory: Memory) -> Conversation:
    return keep(memory, [said(number) for number in range(1, TURNS + 1)])


def test_a_long_conversation_keeps_a_bounded_number_of_turns(memory: Memory, long: Conversation):
    for talk in (long, memory.load(long.id)):
        assert len(talk) == TURNS
        assert talk.turns.in_memory <= LATEST
        assert [turn.number for turn in talk.turns] == list(range(1, TURNS + 1))
        assert talk.turns.in_memory <= LATEST, "what was gone through is not kept"
        assert [talk.turn(number).number for number in range(1, TURNS + 1)] == list(range(1, TURNS + 1))
        assert talk.turns.in_memory <= LATEST + EARLIER


def test_a_conversation_that_grows_keeps_a_bounded_number_of_turns(memory: Memory):
    talk = memory.start()
    for number in range(1, LATEST + 3):
        memory.save(talk, said(number))
    assert talk.turns.in_memory == LATEST
    assert talk.turn(1) == said(1)
    assert talk.title == "message 1"


@pytest.mark.parametrize(
    "part", [slice(None), slice(-5, None), slice(2, 7), slice(0, 60), slice(100, 20, -7), slice(3, 1), slice(1, 90, 4)]
)
def test_parts_are_those_of_a_list(long: Conversation, part: slice):
    assert long.turns[part] == [said(number) for number in range(1, TURNS + 1)][part]


def test_places_are_those_of_a_list(long: Conversation):
    assert (long.turns[0], long.turns[-1], long.turns[-TURNS]) == (said(1), said(TURNS), said(1))
    for place in (TURNS, -TURNS - 1):
        with pytest.raises(IndexError):
            long.turns[place]


def test_steps_back_reach_turns_that_are_not_in_memory(memory: Memory, long: Conversation):
    assert memory.load(long.id).undone(TURNS - 2).message == "message 2"


def test_a_turn_is_read_once_while_it_is_kept(monkeypatch: pytest.MonkeyPatch):
    read: list[int] = []
    monkeypatch.setattr(module, "LATEST", 2)

    def reading(first: int, last: int) -> list[Turn]:
        read.append(first)
        return [said(number) for number in range(first, last + 1)]

    log = TurnLog(reading)
    for number in range(1, 6):
        log.append(said(number))
    assert [log[0], log[0], log[4]] == [said(1), said(1), said(5)]
    assert read == [1]


def test_a_conversation_that_was_deleted_elsewhere_says_so(memory: Memory):
    talk = keep(memory, [said(number) for number in range(1, LATEST + 2)])
    memory.delete(talk)
    with pytest.raises(NotFoundError, match="deleted elsewhere"):
        talk.turn(1)


def test_questions_are_remembered_with_their_answers(memory: Memory):
    question = Question("Which colour?", (("red", "answer red"), ("blue", "answer blue")), key="colour")
    turns = [Turn(1, "a dress", question=question), Turn(2, "red", answered=question, question=question), Turn(3, "hm")]
    for talk in (keep(memory, turns), memory.load(keep(memory, turns).id)):
        assert [(one.turn, one.answer) for one in talk.asked] == [(1, "red"), (2, "")]
