"""Earlier results, gone back to by what was wished for then, or by what they showed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.assistant.earlier import SaidMessage, as_counted, as_earlier_turn, as_one_back, described_pictures
from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Turn
from visavis.language.base import Understanding
from visavis.language.commands import parse_command
from visavis.types import Result, Wish


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("go back to the red ones", "red"),
        ("I liked the ones with the dog better", "the dog"),
        ("let's return to the trains in the snow, please", "trains in the snow"),
        ("go back to all the dogs you showed", "dogs"),
        ("I preferred the photos with a beach before", "a beach"),
    ],
)
def test_descriptions(message: str, text: str):
    described = described_pictures(message)
    assert described is not None
    assert (described.text, described.absent) == (text, False)


@pytest.mark.parametrize(
    "message",
    ["go back to the first results", "I preferred the ones before", "go back to turn 2", "back to the last search",
     "I like the red ones", "undo the crop", "go back to the one before", "back to what I had before"],
)  # fmt: skip
def test_other_messages(message: str):
    assert described_pictures(message) is None


def talk() -> Conversation:
    """Red dresses, then those with sleeves, then blue ones, then blue ones without a belt."""
    wishes = [
        Wish(f"{at}.1", "want", text, at) for at, text in enumerate(("red dress", "long sleeves", "blue"), start=1)
    ]
    wishes.append(Wish("4.1", "avoid", "belt", 4))
    made = Conversation("0" * 32, "talk")
    for number, (ids, at) in enumerate((("ab", (0,)), ("cd", (0, 1)), ("ef", (1, 2)), ("gh", (1, 2, 3))), start=1):
        brief = Brief(tuple(wishes[place] for place in at))
        found = tuple(Result(id, 1.0) for id in ids)
        made.append(Turn(number, "", results=found, stands_at=number, brief=brief, grew_from=number - 1))
    hat = Brief((Wish("5.1", "want", "hat", 5),))
    made.append(Turn(5, "", results=(Result("i", 1.0),), stands_at=5, brief=hat, grew_from=4))
    return made


def read(message: str, fits: dict[str, float] | None = None, command: str = "undo") -> list[str]:
    understood = Understanding((parse_command(command),), 0.9)

    def rest(text: str) -> Understanding:
        return Understanding((parse_command(f"refine {text}"),), 0.9)

    found = as_earlier_turn(SaidMessage(understood, message, talk(), lambda *_: fits or {}, rest))
    if found.clarify is not None:
        return [label for label, _ in found.clarify.options]
    return [str(command) for command in found.commands]


def test_the_latest_turn_whose_wishes_are_described_is_gone_back_to():
    assert read("go back to the red ones") == ["rollback 2"]
    assert read("go back to the first red ones") == ["rollback 1"]
    assert read("I liked the blue ones better, but longer") == ["rollback 4", "refine longer"]
    assert read("I liked the ones without a belt better") == ["rollback 4"]
    assert read("go back to the red and long sleeves ones") == ["rollback 2"], "all of it describes the turn"


def test_the_turn_whose_pictures_are_described_is_gone_back_to():
    assert read("I liked the ones with the dog better", {"a": 0.9, "b": 0.8, "i": 0.1}) == ["rollback 1"]


def test_a_turn_that_found_something_is_meant_rather_than_a_later_one_that_did_not():
    made = Conversation("0" * 32, "talk")
    for number, (text, found) in enumerate((("bathroom", 3), ("bathroom", 0), ("train", 5)), start=1):
        brief = Brief((Wish(f"{number}.1", "want", text, number),))
        shown = (Result(str(number), 1.0),)
        made.append(Turn(number, "", results=shown, stands_at=number, brief=brief, matches=found))
    undo = Understanding((parse_command("undo"),), 0.9)
    found_turn = as_earlier_turn(SaidMessage(undo, "go back to the bathrooms", made, lambda *_: {}, lambda _: undo))
    assert [str(command) for command in found_turn.commands] == ["rollback 1"]


def test_what_is_lacking_is_said_of_what_was_talked_of_last():
    made = talk()
    hats = Brief((*made.last.brief.wishes, Wish("6.1", "want", "with people", 6)))
    made.append(Turn(6, "", results=(Result("j", 1.0),), stands_at=6, brief=hats))
    undo = Understanding((parse_command("undo"),), 0.9)
    found = as_earlier_turn(
        SaidMessage(undo, "I liked the ones without a belt better", made, lambda *_: {}, lambda _: undo)
    )
    assert [str(command) for command in found.commands] == ["undo"]


def test_a_description_that_fits_no_turn_is_asked_about():
    assert read("go back to the green ones") == ["these, but “green”", "take back the last step"]
    assert read("I liked the green ones better", command="refine green") == ["refine green"]


def test_a_step_back_without_a_description_is_none_of_this():
    assert read("I preferred the ones before") == ["undo"]


@pytest.mark.parametrize(
    ("counted", "message", "command", "meant"),
    [
        ("black", "show me just those", "more", "refine black"),
        ("price < 30", "show those", "refine just those", "filter price < 30"),
        ("red hats; price < 30", "show me those, cheapest first", "sort price asc",
         "refine red hats ; filter price < 30 ; sort price asc"),
        ("black", "let me see those", "rollback 6", "refine black"),
        ("black", "back to those with the long sleeves", "rollback 2", "rollback 2"),
        ("black", "more of those", "more", "more"),
        ("black", "those with a belt", "refine belt", "refine belt"),
        ("black", "the next page", "more", "more"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("matches", [4, 0])
def test_those_are_what_was_counted(counted: str, message: str, command: str, meant: str, matches: int):
    made = talk()
    commands, brief = (parse_command(f"count {counted}"),), made.last.brief
    made.append(Turn(6, "", commands, stands_at=5, brief=brief, matches=matches))
    understood = Understanding((parse_command(command),), 0.9)

    def rest(text: str) -> Understanding:
        return Understanding((parse_command(f"refine {text}"),), 0.9)

    found = as_counted(SaidMessage(understood, message, made, lambda *_: {}, rest))
    anew = matches == 0 and found is not understood
    assert " ; ".join(map(str, found.commands)) == (meant.replace("refine", "search") if anew else meant)


def test_the_live_conversation_goes_back(own_colours: Collection):
    assistant = Assistant(own_colours)
    said = assistant.start()
    first = assistant.do(said, [parse_command("search red")])
    assistant.do(said, [parse_command("search blue")])
    assistant.do(said, [parse_command("refine green")])
    turn = assistant.reply(said, "go back to the red ones")
    assert turn.restores == 1
    assert turn.results == first.results


@pytest.mark.parametrize("steps", ["undo", "rollback"])
def test_what_only_answered_is_passed_over_on_the_way_back(steps: str):
    conversation = talk()
    conversation.append(replace(conversation.last, number=6, commands=(parse_command("count hats"),)))
    conversation.append(replace(conversation.last, number=7, commands=(parse_command("count caps"),)))
    assert one_back(conversation, steps) == "rollback 4"
    conversation.append(replace(conversation.turn(4), number=8, stands_at=8, restores=4, grew_from=5))
    conversation.append(replace(conversation.last, number=9, commands=(parse_command("count caps"),)))
    assert one_back(conversation, steps) == "rollback 3", "said again it goes on back"


def one_back(conversation: Conversation, steps: str) -> str:
    line = "undo" if steps == "undo" else f"rollback {len(conversation) - 1}"
    understood = Understanding((parse_command(line),), 0.9)
    said = SaidMessage(understood, "go back to the ones before", conversation, lambda *_: {}, lambda _: understood)
    return " ; ".join(map(str, as_one_back(said).commands))


def test_that_nothing_was_shown_before_is_said():
    conversation = Conversation("0" * 32, "talk")
    conversation.append(Turn(1, "", results=(Result("a", 1.0),), stands_at=1))
    conversation.append(replace(conversation.last, number=2, commands=(parse_command("count"),)))
    understood = Understanding((parse_command("rollback 1"),), 0.9)
    found = as_one_back(SaidMessage(understood, "the ones before", conversation, lambda *_: {}, lambda _: understood))
    assert (found.commands, found.reply) == ((), "There is nothing before these pictures.")
