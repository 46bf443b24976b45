"""Contexts from plain values, and from a written conversation."""

from __future__ import annotations

import json

import pytest

from visavis.errors import BadInputError, NotFoundError
from visavis.language.context import Context, NumberRange, context_of_turns, read_history
from visavis.types import Concept


def test_a_context_from_plain_values():
    context = Context.from_json(
        {
            "turns": 3,
            "picture": True,
            "question": {"text": "Which?", "options": {"red": None}},
            "attributes": {"price": {"min": 1, "max": 9}, "brand": ["Nike"]},
            "edits": ["rotate 90"],
            "concepts": [{"noun": "cup", "attributes": ["red"], "box": [0, 0, 1, 1]}],
        }
    )
    assert context.attributes["price"] == NumberRange(1, 9)
    assert context.attributes["brand"] == ("Nike",)
    assert context.concepts == (Concept("cup", ("red",), "", (0, 0, 1, 1)),)
    assert context.question is not None
    assert [str(edit) for edit in context.edits] == ["rotate 90"]


@pytest.mark.parametrize(
    "value",
    [
        {"turn": 1},
        {"attributes": {"price": {"min": 1}}},
        {"concepts": [{}]},
        {"edits": ["frobnicate"]},
        {"question": {}},
    ],
)
def test_bad_contexts_are_refused(value):
    with pytest.raises(BadInputError):
        Context.from_json(value)


TURNS = [
    {"message": "a dress", "commands": ["search dress"], "results": [1, 2, 3], "columns": 3},
    {"message": "the second", "commands": ["select #2"], "shown": 12, "columns": 4},
    {"message": "brighter", "commands": ["adjust_attr brightness 20"], "question": "Better?"},
]


def test_a_context_from_turns():
    context = context_of_turns(TURNS)
    assert (context.turns, context.shown, context.columns) == (3, 12, 4)
    assert context.picture
    assert context.topic == "dress"
    assert [str(edit) for edit in context.edits] == ["adjust_attr brightness 20"]
    assert not context_of_turns([*TURNS, {"commands": ["search shoes"]}]).picture
    assert not context_of_turns([*TURNS, {"commands": ["undo"]}]).edits


def test_a_history_file(tmp_path):
    path = tmp_path / "history.jsonl"
    path.write_text("\n".join(map(json.dumps, TURNS)) + "\n\n")
    assert context_of_turns(read_history(path)).turns == 3
    with pytest.raises(NotFoundError):
        read_history(tmp_path / "none.jsonl")
    path.write_text('{"message": 1}\n[1]\n')
    with pytest.raises(BadInputError, match="line 2"):
        read_history(path)
    path.write_text("{oops")
    with pytest.raises(BadInputError, match="line 1"):
        read_history(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match="UTF-8"):
        read_history(path)
    with pytest.raises(BadInputError):
        context_of_turns([{"commands": "undo"}])
    with pytest.raises(BadInputError):
        context_of_turns([{"commands": ["frobnicate"]}])


def test_a_history_tells_wishes_and_filters_as_a_conversation_does():
    turns = [{"commands": ["search boots", "filter colour = Brown"]}, {"commands": ["refine lace up"]}]
    assert context_of_turns(turns).topic == "boots, Brown, lace up"
