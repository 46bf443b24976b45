"""Of a long conversation only the latest turns are in memory; the others are read again, and are the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from visavis.collections.catalogue import Catalogue
from visavis.conversation import turn_log
from visavis.conversation.conversation import Conversation
from visavis.conversation.memory import Memory
from visavis.conversation.turn_log import EARLIER, LATEST, TurnLog
from visavis.conversation.turns import Turn
from visavis.errors import NotFoundError
from visavis.types import Question

TURNS = LATEST + EARLIER + 30


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    catalogue = Catalogue(tmp_path_factory.mktemp("log") / "catalogue.sqlite", "unused")
    yield Memory(catalogue)
    catalogue.close()


def said(number: int) -> Turn:
    return Turn(number, f"message {number}", stands_at=number, grew_from=number - 1)


@pytest.fixture(scope="module")
def long(memory: Memory) -> Conversation:
    return memory.take_in([said(number) for number in range(1, TURNS + 1)])


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
    monkeypatch.setattr(turn_log, "LATEST", 2)

    def reading(first: int, last: int) -> list[Turn]:
        read.append(first)
        return [said(number) for number in range(first, last + 1)]

    log = TurnLog(reading)
    for number in range(1, 6):
        log.append(said(number))
    assert [log[0], log[0], log[4]] == [said(1), said(1), said(5)]
    assert read == [1]


def test_a_conversation_that_was_deleted_elsewhere_says_so(memory: Memory):
    talk = memory.take_in([said(number) for number in range(1, LATEST + 2)])
    memory.delete(talk)
    with pytest.raises(NotFoundError, match="deleted elsewhere"):
        talk.turn(1)


def test_questions_are_remembered_with_their_answers(memory: Memory):
    question = Question("Which colour?", (("red", "answer red"), ("blue", "answer blue")), key="colour")
    turns = [Turn(1, "a dress", question=question), Turn(2, "red", answered=question, question=question), Turn(3, "hm")]
    for talk in (memory.take_in(turns), memory.load(memory.take_in(turns).id)):
        assert [(one.turn, one.answer) for one in talk.asked] == [(1, "red"), (2, "")]
