"""A conversation that chose a retriever: the choice is saved, and rollback, switched-off wishes and filters hold."""

from __future__ import annotations

import pytest
from fake_reader import LAST_ROUND, LastRoundReader

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError
from visavis.language.commands import parse_command
from visavis.search.learned.registry import RETRIEVERS, RetrieverEntry

NAME = LAST_ROUND.name


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> list[LastRoundReader]:
    """The readers that were made."""
    made: list[LastRoundReader] = []

    def make(encoder, folder):
        made.append(LastRoundReader(encoder))
        return made[-1]

    monkeypatch.setitem(RETRIEVERS, NAME, RetrieverEntry(NAME, "For tests.", make))
    return made


def texts(reader: LastRoundReader) -> list[str]:
    """What the reader read last."""
    return [one.text for one in reader.read_dialogues[-1]]


def say(assistant: Assistant, talk, command: str, retriever: str | None = None) -> Turn:
    return assistant.do(talk, [parse_command(command)], command, retriever=retriever)


def test_the_choice_holds_and_is_saved(own_colours: Collection, readers):
    assistant = Assistant(own_colours)
    talk = assistant.start("chosen")
    first = say(assistant, talk, "search something red", NAME)
    second = say(assistant, talk, "refine with blue")
    assert (first.retriever, second.retriever) == (NAME, NAME)
    assert texts(readers[0]) == ["something red", "with blue"]
    assert Turn.from_json(second.as_json()).retriever == NAME
    assert [turn.retriever for turn in assistant.memory.load("chosen").turns] == [NAME, NAME]


def test_without_a_choice_nothing_is_read(own_colours: Collection, readers):
    assistant = Assistant(own_colours)
    assert say(assistant, assistant.start(), "search red").retriever == "composed"
    assert not readers
    assert "retriever" not in Turn(1, "red").as_json(), "older versions read such turns"


def test_a_wrong_name_changes_nothing(own_colours: Collection, readers):
    assistant = Assistant(own_colours)
    talk = assistant.start()
    with pytest.raises(BadInputError, match="no retriever"):
        assistant.reply(talk, "red", retriever="nothing")
    assert len(talk) == 0


def test_rollback_switched_off_wishes_and_filters(own_colours: Collection, readers):
    assistant = Assistant(own_colours)
    talk = assistant.start()
    say(assistant, talk, "search something red", NAME)
    say(assistant, talk, "refine with blue")
    say(assistant, talk, "filter price < 90")
    pictures = own_colours.catalogue.pictures([result.id for result in talk.last.results])
    assert pictures
    assert all(picture.attributes["price"] < 90 for picture in pictures.values())
    assistant.revise(talk, "off 2.1")
    assert texts(readers[0]) == ["something red"]
    say(assistant, talk, "rollback 1")
    say(assistant, talk, "refine with green")
    assert texts(readers[0]) == ["something red", "with green"]


def test_a_branch_goes_on_with_its_own_dialogue(own_colours: Collection, readers):
    assistant = Assistant(own_colours)
    talk = assistant.start()
    say(assistant, talk, "search something red", NAME)
    say(assistant, talk, "refine with blue")
    branch = assistant.memory.branch(talk, 1)
    turn = say(assistant, branch, "refine with white")
    assert turn.retriever == NAME
    assert texts(readers[0]) == ["something red", "with white"]


def test_the_choice_can_change_and_be_taken_back(own_colours: Collection, readers):
    assistant = Assistant(own_colours)
    talk = assistant.start()
    before = say(assistant, talk, "search red")
    changed = assistant.revise(talk, f"retriever {NAME}")
    assert changed.retriever == NAME
    undone = say(assistant, talk, "undo")
    assert (undone.retriever, undone.results) == ("composed", before.results)


def test_a_replay_ranks_by_the_same_retriever(own_colours: Collection, readers):
    assistant = Assistant(own_colours)
    talk = assistant.start()
    say(assistant, talk, "search something red", NAME)
    assistant.revise(talk, "retriever composed")
    say(assistant, talk, "refine with blue", NAME)
    again = assistant.replay(talk)
    assert [turn.retriever for turn in again.turns] == [turn.retriever for turn in talk.turns]
    assert [turn.results for turn in again.turns] == [turn.results for turn in talk.turns]
