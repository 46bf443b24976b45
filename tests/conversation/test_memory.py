"""Conversations in SQL: saved, listed, named, resumed, branched, exported, deleted, and never half written."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conversation_strategies import turns
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from visavis.collections import database
from visavis.collections.catalogue import Catalogue
from visavis.conversation.conversation import export_conversation
from visavis.conversation.memory import Memory
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError, BusyError, NotFoundError, StorageError


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty catalogue, migrated once; each test has a copy."""
    file = tmp_path_factory.mktemp("empty") / "catalogue.sqlite"
    Catalogue(file, "unused").close()
    return file


@pytest.fixture
def catalogue(empty: Path, tmp_path: Path) -> Iterator[Catalogue]:
    shutil.copy(empty, tmp_path / "catalogue.sqlite")
    opened = Catalogue(tmp_path / "catalogue.sqlite", "unused")
    yield opened
    opened.close()


@pytest.fixture
def memory(catalogue: Catalogue) -> Memory:
    return Memory(catalogue)


def said(memory: Memory, *messages: str, name: str | None = None):
    talk = memory.start(name)
    for number, message in enumerate(messages, 1):
        memory.save(talk, Turn(number, message, stands_at=number, grew_from=number - 1))
    return talk


def test_a_conversation_without_a_word_leaves_no_trace(memory: Memory):
    memory.start("silence")
    assert memory.list() == []


def test_turns_come_back_as_they_were(memory: Memory):
    talk = said(memory, "a train", "in the snow", name="trains")
    again = memory.load("trains")
    assert (again.id, again.name, list(again.turns)) == (talk.id, "trains", list(talk.turns))
    assert memory.load(talk.id[:6]).id == talk.id


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(turn=turns(), data=st.data())
def test_any_turn_comes_back(memory: Memory, turn: Turn, data: st.DataObject):
    talk = memory.start()
    memory.save(talk, replace(turn, number=1))
    assert memory.load(talk.id).last == replace(turn, number=1)


def test_the_latest_is_listed_first(memory: Memory):
    first, second = said(memory, "a train"), said(memory, "a dog", "a cat")
    assert [(s.id, s.turns, s.title) for s in memory.list()] == [(second.id, 2, "a dog"), (first.id, 1, "a train")]
    memory.save(first, Turn(2, "again"))
    assert memory.list()[0].id == first.id


def test_a_name_may_begin_as_the_id_of_another_conversation_does(memory: Memory):
    other = said(memory, "a train")
    named = memory.start(other.id[0])
    memory.save(named, Turn(1, "a dog"))
    assert memory.load(other.id[0]).id == named.id
    memory.rename(named, other.id[:2])
    assert named.name == other.id[:2]


def test_names_are_unique_and_can_be_changed(memory: Memory):
    talk, other = said(memory, "a train", name="mine"), said(memory, "a dog")
    with pytest.raises(BadInputError, match="already"):
        memory.start("mine")
    with pytest.raises(BadInputError, match="already"):
        memory.rename(other, "mine")
    memory.rename(talk, "trains")
    memory.rename(other, "mine")
    assert {memory.load("trains").id, memory.load("mine").id} == {talk.id, other.id}


@pytest.mark.parametrize("name", ["", "   ", "a" * 201, "bell\x07", "'; DROP TABLE turns; --"])
def test_strange_names_are_refused_or_kept_as_they_are(memory: Memory, name: str):
    if "DROP" in name:
        assert memory.load(said(memory, "x", name=name).name).name == name
    else:
        with pytest.raises(BadInputError, match="cannot be a name"):
            memory.start(name)


def test_what_is_not_there_is_said(memory: Memory):
    said(memory, "a train", name="trains")
    with pytest.raises(NotFoundError, match="trains"):
        memory.load("boats")


def test_deleting_takes_the_turns_along(memory: Memory, catalogue: Catalogue):
    from sqlalchemy import func, select

    from visavis.conversation.memory import TurnRow

    talk = said(memory, "a train", "a boat")
    memory.delete(talk)
    assert memory.list() == []
    with catalogue.transaction() as session:
        assert session.scalar(select(func.count()).select_from(TurnRow)) == 0


def test_a_branch_has_its_first_turns_in_common(memory: Memory):
    talk = said(memory, "a train", "in the snow", "at night")
    branch = memory.branch(talk, 2, "day")
    memory.save(branch, Turn(3, "by day"))
    assert [turn.message for turn in memory.load("day").turns] == ["a train", "in the snow", "by day"]
    assert [turn.message for turn in memory.load(talk.id).turns] == ["a train", "in the snow", "at night"]
    assert (memory.load("day").branch_of, memory.load("day").branch_at) == (talk.id, 2)
    for nowhere in (0, 4):
        with pytest.raises(BadInputError):
            memory.branch(talk, nowhere)


def test_a_branch_is_copied_by_the_database(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    """A long conversation was read into memory whole."""
    talk = memory.load(said(memory, *(f"message {number}" for number in range(120))).id)
    most = []
    read = Memory._bodies_after

    def watched(self: Memory, *args: object, **more: object) -> object:
        found = read(self, *args, **more)
        most.append(len(found))
        return found

    monkeypatch.setattr(Memory, "_bodies_after", watched)
    branch = memory.branch(talk, 110)
    assert max(most) <= 20
    assert (len(branch), branch.branch_at, branch.turn(110)) == (110, 110, talk.turn(110))
    assert memory.load(branch.id) == branch


def test_two_who_continue_one_conversation_cannot_both_write_a_turn(memory: Memory):
    talk = said(memory, "a train")
    other = memory.load(talk.id)
    memory.save(talk, Turn(2, "mine"))
    with pytest.raises(BusyError, match="continued elsewhere"):
        memory.save(other, Turn(2, "yours"))
    assert [turn.message for turn in memory.load(talk.id).turns] == ["a train", "mine"]
    assert len(other) == 1, "a turn that was not saved must not be in the conversation"


def test_an_export_keeps_everything(memory: Memory):
    talk = said(memory, "a train", "in the snow")
    value = json.loads(json.dumps(export_conversation(talk, "photos")))
    assert [Turn.from_json(one) for one in value["turns"]] == list(talk.turns)


def test_a_turn_that_cannot_be_saved_is_not_in_the_conversation(memory: Memory, tmp_path: Path):
    talk = said(memory, "a train")
    with sqlite3.connect(tmp_path / "catalogue.sqlite") as database:
        database.execute("ALTER TABLE turns RENAME TO lost")
    with pytest.raises(StorageError):
        memory.save(talk, Turn(2, "in the snow"))
    assert len(talk) == 1


def test_an_older_catalogue_gets_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A collection that was made before there were conversations is migrated when it is opened."""
    with monkeypatch.context() as before:
        before.setattr(database, "HEAD", "0001")
        Catalogue(tmp_path / "c.sqlite", "").close()
    with sqlite3.connect(tmp_path / "c.sqlite") as opened:
        assert not opened.execute("SELECT name FROM sqlite_master WHERE name = 'turns'").fetchall()
    reopened = Catalogue(tmp_path / "c.sqlite", "")
    assert len(said(Memory(reopened), "a train")) == 1
    reopened.close()


def test_a_flipped_bit_in_the_text_of_a_turn_is_found(tmp_path: Path):
    """It was a turn like any other: nothing told that the message was not what was said."""
    from memory_store import MemoryStore
    from sqlalchemy import text
    from tiny_encoder import TinyEncoder

    from visavis.api import open_collection

    odd = 'a "boat" \u00fc {"check": 1}'
    with open_collection("photos", tmp_path, MemoryStore(), encoder=TinyEncoder(), create=True) as collection:
        memory = Memory(collection.catalogue)
        talk = said(memory, "a train", odd, "a house")
        assert memory.load(talk.id).turn(2).message == odd
        assert collection.verify().sound
        with collection.catalogue.transaction(writes=True) as session:
            session.execute(text("UPDATE turns SET body = replace(body, 'a house', 'a iouse') WHERE number = 3"))
        (fault,) = collection.verify().faults.values()
        assert fault.examples == [f"conversation {talk.id}, turn 3"]
        assert memory.load(talk.id).turn(3).message == "a iouse", "the rest of the conversation is still there"
