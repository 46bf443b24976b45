"""A home made by an earlier version opens and works: its collection, its conversation, its edited picture.

``data/home-27dd94a.tar.xz`` was made by the commit 27dd94a: three plain pictures of 24 x 24 pixels with a table of
captions, prices and colours, indexed with the test encoder; a conversation "talk" with a question, its answer, a
filter, a picture taken in hand, two edits, undo, redo and a changed wish. ``tar --sparse`` keeps the holes of the
store's files. The home lay in ``/old-home``; the catalogue names files by that path.
"""

from __future__ import annotations

import sqlite3
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_encoder import TinyEncoder

from visavis.api import Collection, open_collection
from visavis.assistant import Assistant

_HOME = Path(__file__).parent / "data" / "home-27dd94a.tar.xz"


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Collection]:
    with tarfile.open(_HOME) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "old-home"
    _move(folder / "home" / "collections" / "old" / "catalogue.sqlite", "/old-home", str(folder))
    with open_collection("old", folder / "home", encoder=TinyEncoder()) as collection:
        yield collection


def _move(catalogue: Path, before: str, after: str) -> None:
    """Name the files by the place where they are now."""
    with sqlite3.connect(catalogue) as database:
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for _, column, kind, *_ in database.execute(f"PRAGMA table_info('{table}')").fetchall():
                if "CHAR" in kind or "TEXT" in kind or "JSON" in kind:
                    database.execute(f"UPDATE '{table}' SET {column} = replace({column}, ?, ?)", (before, after))
    database.close()


def test_the_collection_is_searched(old: Collection):
    found = old.search("red", k=3).results
    assert found[0].picture.caption == "all red"


def test_the_edited_picture_is_there(old: Collection):
    hand = Assistant(old).memory.load("talk").turn(5).hand
    assert hand is not None
    assert hand.edits == ("rotate 90", "adjust_attr brightness 20")
    assert old.open_image(hand.picture).size == (24, 24)
    assert old.picture(hand.picture).origin is not None


def test_the_conversation_goes_on(old: Collection):
    assistant = Assistant(old)
    talk = assistant.memory.load("talk")
    assert [turn.message for turn in talk.turns][:3] == ["something red", "no", "only those under 25 price"]
    asked = talk.turn(1).question
    assert asked is not None
    assert (asked.key, asked.leaves, talk.turn(2).answered) == ("stuff:green", (1, 2), asked)
    turn = assistant.reply(talk, "undo")
    assert turn.brief == talk.turn(10).brief
    edited = assistant.reply(talk, "take the first one and rotate it 90 degrees to the left")
    assert edited.hand is not None
    assert edited.hand.edits == ("rotate 90",)


def test_a_replay_shows_the_same_pictures(old: Collection):
    assistant = Assistant(old)
    talk = assistant.memory.load("talk")
    again = assistant.replay(talk)
    shown = [[result.id for result in turn.results] for turn in talk.turns]
    assert [[result.id for result in turn.results] for turn in again.turns] == shown
    assert len(shown) == 11
