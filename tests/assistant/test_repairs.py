"""Recolouring and removing in a conversation: doubt is asked about, what was done is told, undone and replayed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from dialogues import carry_out
from PIL import Image

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.assistant.edits import still_true
from visavis.editing import pipeline
from visavis.editing.export import Manifest
from visavis.editing.finding.locate import Located
from visavis.language.commands import Edit, parse_command
from visavis.pictures.picture import Details


@dataclass
class Found:
    """What looking for a thing gives: its middle, as surely as is said."""

    confidence: float

    def locate(self, image: Image.Image, phrase: str, *_tools: object) -> Located:
        mask = Image.new("L", image.size, 0)
        width, height = image.size
        mask.paste(255, (width // 3, height // 3, width // 2, height // 2))
        return Located(phrase, mask, self.confidence)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Found:
    looked = Found(0.95)
    monkeypatch.setattr(pipeline, "locate", looked.locate)
    return looked


def edit(line: str) -> Edit:
    command = parse_command(line)
    assert isinstance(command, Edit)
    return command


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("recolor blue on spot", "Done: spot made blue."),
        ("remove spot", "Done: spot taken out, filled from what is around it."),
    ],
)
def test_what_was_done_is_told_undone_and_replayed(own_colours: Collection, found: Found, line: str, told: str):
    assistant = Assistant(own_colours)
    said = carry_out(assistant, "search red", "select #2", line)
    assert said.last.reply == told
    assert said.last.hand is not None
    assert said.last.hand.edits == (line,)
    made = np.asarray(own_colours.open_image(said.last.hand.picture))
    assert (made != np.asarray(own_colours.open_image(said.last.hand.source))).any() or line.startswith("remove")
    again = assistant.replay(said)
    assert again.last.hand == said.last.hand
    assistant.do(said, [parse_command("undo")])
    assert said.last.hand is not None
    assert said.last.hand.edits == ()


@pytest.mark.parametrize("line", ["recolor blue on spot", "remove spot"])
def test_a_doubtful_thing_is_asked_about_with_its_mask(own_colours: Collection, found: Found, line: str):
    found.confidence = 0.5  # enough to brighten it, not enough to take it out
    assistant = Assistant(own_colours)
    said = carry_out(assistant, "search red", "select #2", line)
    assert said.last.question is not None
    assert said.last.pending == (line,)
    assert said.last.reply.startswith("Not done yet: spot ")
    assert said.last.reply != said.last.question.text
    assert assistant.doubt(said.last) is not None
    assistant.do(said, [parse_command("answer purple")], "purple")
    assert said.last.pending == (line,), "that was no answer to this question"
    assistant.do(said, [parse_command("describe this")], "what is it?")
    assert said.last.pending == (line,), "and this asks something itself"
    assistant.do(said, [parse_command("answer yes")], "yes")
    assert said.last.hand is not None
    assert said.last.hand.edits == (line,)


def test_something_else_than_an_answer_is_done(own_colours: Collection, found: Found):
    found.confidence = 0.5
    assistant = Assistant(own_colours)
    said = carry_out(assistant, "search red", "select #2", "remove spot", "flip horizontal")
    assert said.last.hand is not None
    assert said.last.hand.edits == ("flip horizontal",)
    assert said.last.pending == ()


def test_undo_takes_back_the_edit_that_waits_and_no_other(own_colours: Collection, found: Found):
    found.confidence = 0.5
    assistant = Assistant(own_colours)
    said = carry_out(assistant, "search red", "select #2", "flip horizontal", "remove spot")
    assert said.last.pending == ("remove spot",)
    assistant.do(said, [parse_command("undo")], "undo that")
    assert said.last.pending == ()
    assert said.last.hand is not None
    assert said.last.hand.edits == ("flip horizontal",)


def test_the_picture_is_exported_at_full_size(own_colours: Collection, found: Found, tmp_path: Path):
    assistant = Assistant(own_colours, folder=tmp_path)
    said = carry_out(assistant, "search red", "remove spot", 'export "out.png"')
    with Image.open(tmp_path / "out.png") as saved:
        assert saved.size == own_colours.open_image(said.turns[0].results[0].id).size


def test_what_was_said_of_a_picture_holds_only_as_far_as_it_is_still_true():
    details = Details(("a red car and a dog", "a street"), {"colour": "red", "price": 5})
    assert still_true(details, [edit("remove dog")]).captions == ("a street",)
    assert still_true(details, [edit("recolor blue on car")]).attributes == {"colour": "blue", "price": 5}
    assert still_true(details, [edit("recolor blue on background")]) == details
    shop = Details((), {"Color": "Red"})
    assert still_true(shop, [edit("recolor blue on car")]).attributes == {"Color": "Blue"}  # as the shop spells it


def test_a_manifest_keeps_them():
    commands = ("recolor blue on dress", "remove bin on the left")
    kept = Manifest("a.jpg", "", commands, (4, 3), "")
    assert Manifest.from_json(kept.to_json()).recipe.active == tuple(map(edit, commands))
