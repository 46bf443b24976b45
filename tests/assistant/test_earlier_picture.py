"""A picture that was shown earlier, gone back to by a description."""

from __future__ import annotations

from typing import ClassVar

import pytest

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.assistant.earlier import SaidMessage, as_earlier_picture, as_named_turn, described_picture, named_turn
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Turn
from visavis.language.base import NO_CONTEXT, Parser, Understanding
from visavis.language.commands import parse_command
from visavis.language.context import Context
from visavis.types import Result


@pytest.mark.parametrize(
    ("message", "text", "rest"),
    [
        ("I would rather have the white lace one", "white lace", ""),
        ("I'd rather take the white lace one, but longer", "white lace", "longer"),
        ("Compared to this one I still prefer the white lace one and cheaper", "white lace", "cheaper"),
        ("go back to the one with the flowers", "with the flowers", ""),
        ("I liked the red one with stripes better, in blue", "red with stripes", "in blue"),
    ],
)
def test_descriptions(message: str, text: str, rest: str):
    assert described_picture(message) == (text, rest)


@pytest.mark.parametrize(
    "message",
    ["I prefer the second one", "the red one", "I would rather have a red one", "I prefer the sea", "I like the one",
     "go back to the last one", "I'd rather have the one of turn 2"],
)  # fmt: skip
def test_other_messages(message: str):
    assert described_picture(message) is None


@pytest.mark.parametrize(
    ("message", "number", "text", "rest"),
    [
        ("Compared to this one I prefer the one from turn 2, and it should be blue", 2, "", "it should be blue"),
        ("Compared to this one I prefer the white lace of the first", 1, "white lace", ""),
        ("I would rather choose the one of turn 3, but cheaper", 3, "", "cheaper"),
        ("Compared to the most recent one, I still prefer the FIRST. Building on that, is casual", 1, "", "is casual"),
        ("I like the SECOND better, and in blue", 2, "", "in blue"),
        ("I would rather have the black one of the SECOND, but longer", 2, "black", "longer"),
        ("I prefer the third turn", 3, "", ""),
    ],
)  # fmt: skip
def test_turns_that_are_named(message: str, number: int, text: str, rest: str):
    found = named_turn(message)
    assert found is not None
    assert (found.number, found.text, found.rest) == (number, text, rest)


@pytest.mark.parametrize(
    "message",
    ["I prefer the second one", "I like the first", "I'd rather have the third, in blue", "I prefer the sea",
     "the one of turn 2", "I like the dog in the second", "compared to this one I prefer the white lace one",
     "I liked the red ones"],
)  # fmt: skip
def test_messages_that_name_no_turn(message: str):
    assert named_turn(message) is None


def test_a_named_turn_is_gone_back_to_with_the_picture_that_is_described():
    def step(message: str, fits: dict[str, float]) -> list[str]:
        return [str(command) for command in as_named_turn(said(message, fits)).commands]

    assert step("Compared to this one I prefer the one of turn 2, and longer", {}) == ["rollback 2", "refine longer"]
    message = "Compared to this one I prefer the white lace of the first"
    assert step(message, {"a": 0.2, "b": 0.8}) == ["rollback 1", "select #2"]
    assert step(f"{message}, but longer", {"a": 0.2, "b": 0.8}) == ["rollback 1", "like #2", "refine longer"]
    assert step(message, {"a": 0.2, "b": 0.3}) == ["rollback 1"]
    assert step("Compared to this one I prefer the one of turn 9", {}) == ["refine white lace"], "there is no such turn"


def talk() -> Conversation:
    made = Conversation("0" * 32, "talk")
    for number, ids in enumerate(("ab", "cd", "ef"), start=1):
        made.append(Turn(number, "", results=tuple(Result(id, 1.0) for id in ids), stands_at=number))
    return made


def said(message: str, fits: dict[str, float]) -> SaidMessage:
    """A message after these turns, which the parser took for a wish."""

    def refined(text: str) -> Understanding:
        return Understanding((parse_command(f"refine {text}"),), 0.9)

    return SaidMessage(refined("white lace"), message, talk(), lambda *_: fits, refined)


def read(message: str, fits: dict[str, float]) -> list[str]:
    return [str(command) for command in as_earlier_picture(said(message, fits)).commands]


def test_the_best_of_the_pictures_that_were_shown_is_meant():
    fits = {"a": 0.6, "d": 0.9, "e": 0.1}
    assert read("I would rather have the white lace one", fits) == ["rollback 2", "select #2"]
    again = read("I would rather have the white lace one, but longer", fits)
    assert again == ["rollback 2", "like #2", "refine longer"]


def test_a_picture_that_is_shown_now_or_none_at_all_is_a_wish():
    message = "I would rather have the white lace one"
    assert read(message, {"a": 0.6, "f": 0.5}) == ["refine white lace"]
    assert read(message, {"a": 0.4}) == ["refine white lace"]
    assert read("more lace", {"a": 0.9}) == ["refine white lace"]


def test_the_live_conversation_goes_back(own_colours: Collection):
    assistant = Assistant(own_colours)
    talk = assistant.start()
    first = assistant.do(talk, [parse_command("search red"), parse_command("fewer 2")])
    assistant.do(talk, [parse_command("search blue"), parse_command("fewer 2")])
    assert {one.id for one in talk.last.results}.isdisjoint(one.id for one in first.results)
    turn = assistant.reply(talk, "I would rather have the red one")
    assert turn.restores == 1
    assert turn.results == first.results
    assert turn.hand is not None
    assert turn.hand.picture in {one.id for one in first.results}


def test_what_is_added_to_a_step_back_is_not_said_of_the_picture_in_hand(own_colours: Collection):
    class Reads(Parser):
        name = "reads"
        contexts: ClassVar[list[Context]] = []

        def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
            self.contexts.append(context)
            return Understanding((parse_command(f"refine {message}"),), 0.9)

    assistant = Assistant(own_colours, Reads())
    talk = assistant.start()
    assistant.do(talk, [parse_command("search red")])
    assistant.do(talk, [parse_command("select #1")])
    turn = assistant.reply(talk, "Compared to this one I prefer the one of turn 1, and it should be blue")
    assert [str(command) for command in turn.commands] == ["rollback 1", "refine it should be blue"]
    assert [context.picture for context in Reads.contexts] == [True, False]
