"""What people say around an edit: captions without quotation marks, steps, the others, a search with the result."""

from __future__ import annotations

import pytest

from visavis.language.commands import parse_command
from visavis.language.context import Context
from visavis.language.rules.parser import RuleParser

EDITED = Context(turns=3, shown=10, picture=True, topic="dress", edits=(parse_command("rotate 270"),))


@pytest.mark.parametrize(
    ("message", "commands"),
    [
        ("put a caption saying SALE at the top", ['caption "SALE" top']),
        ("write SALE on it", ['caption "SALE" bottom']),
        ("add a title that says New Arrivals at the top", ['caption "New Arrivals" top']),
        ("put the words Big Sale in the middle", ['caption "Big Sale" center']),
        ('add the text "50% off" at the bottom', ['caption "50% off" bottom']),
        ("caption it hello there", ['caption "hello there" bottom']),
        ("find a picture with a caption saying hello", ["search caption saying hello"]),
        ("undo twice", ["undo 2"]),
        ("redo twice", ["redo 2"]),
        ("undo the last three edits", ["undo 3"]),
        ("undo", ["undo"]),
        ("do the same to the next three", ["repeat next 3"]),
        ("do the same for the others", ["repeat next 9"]),
        ("apply this to the rest", ["repeat next 9"]),
        ("do the same to #2 and #5", ["repeat #2 #5"]),
        ("find me others like this crop", ["like this"]),
        ("more like this", ["like this"]),
        ("now search for something like the cut out", ["like this"]),
        ("find similar ones to the edited picture", ["like this"]),
        ("same but with this colour", ["keep colour of this"]),
        ("show me the same but in this color", ["keep colour of this"]),
        ("find dresses in this colour", ["keep colour of this", "search dresses"]),
        ("make it darker", ["adjust_attr brightness -20"]),
        ("a bit more", ["rotate 350"]),
        ("make it 50% smaller", ["resize 50%"]),
        ("a crop top", ["refine crop top"]),
    ],
)
def test_understood(message: str, commands: list[str]):
    understood = RuleParser().understand(message, EDITED)
    assert [str(command) for command in understood.commands] == commands
