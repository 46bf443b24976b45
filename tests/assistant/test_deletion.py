"""Forgetting a conversation, with or without the pictures that were made in it."""

from __future__ import annotations

from pathlib import Path

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.conversation.conversation import Conversation
from visavis.language.commands import parse_command


def talk(assistant: Assistant, name: str, *messages: str) -> Conversation:
    conversation = assistant.start(name)
    for message in messages:
        assistant.reply(conversation, message)
    return conversation


def edited(collection: Collection) -> set[str]:
    return {picture.id for picture in collection if picture.origin is not None}


def found(collection: Collection, **wanted: object) -> set[str]:
    """What a search finds, near-duplicates that it folds together one by one."""
    results = collection.search(k=100, all_copies=True, **wanted).results
    return {result.picture.id for result in results}


def test_edited_pictures_stay_unless_they_are_to_go(own_colours: Collection):
    assistant = Assistant(own_colours)
    said = talk(assistant, "one", "red", "rotate 270")
    assert assistant.forget(said) == []
    assert len(edited(own_colours)) == 1
    assert not assistant.memory.list()


def test_every_step_goes_with_rows_vectors_files_and_thumbnails(own_colours: Collection):
    assistant = Assistant(own_colours)
    before = len(own_colours), own_colours.store.count()
    said = talk(assistant, "one", "red", "rotate 270", "adjust_attr brightness 20", "repeat next 2")
    made = own_colours.catalogue.pictures(list(edited(own_colours)))
    assert len(made) == 4, "two steps, and one picture for each of the next two"
    files = [Path(picture.path) for picture in made.values()]
    small = [own_colours.thumbnail(id) for id in made]
    assert all(path.is_file() for path in (*files, *small))
    removed = assistant.forget(said, edits=True)
    assert set(removed) == set(made)
    assert (len(own_colours), own_colours.store.count()) == before
    assert not any(path.exists() for path in (*files, *small))
    assert own_colours.verify().sound


def test_what_another_conversation_uses_stays(own_colours: Collection):
    assistant = Assistant(own_colours)
    first = talk(assistant, "one", "red", "rotate 270", "adjust_attr brightness 20")
    shared = first.turns[1].hand.picture
    branch = assistant.memory.branch(first, 2, "two")
    removed = assistant.forget(first, edits=True)
    assert removed == [first.last.hand.picture]
    assert edited(own_colours) == {shared}
    assert branch.last.hand.picture == shared
    assistant.reply(branch, "adjust_attr brightness -20")
    assert branch.last.hand.edits[-1] == "adjust_attr brightness -20", "the other conversation goes on"


def test_a_picture_that_only_a_wish_points_at_goes_too(own_colours: Collection):
    assistant = Assistant(own_colours)
    said = talk(assistant, "one", "red", "rotate 270", "like this", "in blue")
    liked = said.last.brief.of("like")[0].picture
    assert liked in edited(own_colours)
    other = assistant.memory.branch(said, 4, "two")
    assert assistant.forget(said, edits=True) == []
    assert assistant.forget(other, edits=True) == [liked]


def test_originals_and_pictures_indexed_elsewhere_are_never_removed(own_colours: Collection, tmp_path: Path):
    assistant = Assistant(own_colours)
    said = talk(assistant, "one", "red", "rotate 270")
    made = own_colours.picture(said.last.hand.picture)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "copy.png").write_bytes(Path(made.path).read_bytes())
    own_colours.index(tmp_path / "mine")
    before = len(own_colours)
    assert assistant.forget(said, edits=True) == []
    assert len(own_colours) == before


def test_edited_pictures_are_found_by_likeness_and_words_only_when_asked_for(own_colours: Collection):
    assistant = Assistant(own_colours)
    said = talk(assistant, "one", "blue")
    assistant.do(said, [parse_command("adjust_color red 0.5")], "paint it redder")
    made = said.last.hand.picture
    assert own_colours.store.vectors([made]), "it is searchable before the reply is there"
    purple = next(picture.id for picture in own_colours if Path(picture.path).stem == "purple")
    for wanted in ({"text": "red"}, {"like": (purple,)}):
        assert made not in found(own_colours, **wanted)
        assert made in found(own_colours, **wanted, with_edits=True)
