"""What was passed over on the way to a turn."""

from __future__ import annotations

from dataclasses import replace

from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.conversation.history import Said, dialogue_of, passed_over, rounds_of
from visavis.conversation.turns import Turn
from visavis.language.commands import parse_command
from visavis.types import Question, Result, Wish

DOG = Wish("1.1", "want", "a dog", 1)
BEACH = Wish("2.1", "want", "on a beach", 2)
CHEAP = Wish("2.2", "filter", "price < 50", 2, attribute="price")
BALL = Wish("3.1", "want", "a ball", 3, answer=True)
LIKE = Wish("4.1", "like", "#2 of turn 3", 4, picture="p2")


def talk(*commands: str) -> Conversation:
    """A conversation in which every turn shows the same two pictures."""
    shown = (Result("a", 1.0), Result("b", 0.5))
    turns = [
        Turn(n, "", (parse_command(line),), results=shown, grew_from=n - 1, stands_at=n, state=str(n))
        for n, line in enumerate(commands, 1)
    ]
    return Conversation("0" * 32, "", turns=turns)


def test_a_condition_is_no_judgement_on_the_pictures_that_stay():
    said = talk("search dress", "refine red")
    filtered = talk("search dress", "filter price < 50", "filter colour = red", "sort price asc")
    once = passed_over(said, said.turns[0], said.last.brief)
    assert once == {"a": 1, "b": 1}
    assert passed_over(filtered, filtered.last, filtered.last.brief) == once


def conversation() -> Conversation:
    made = Conversation("0" * 32, "talk")
    asked = Question("Is there a ball?", form="yes/no", key="ball")
    one = Turn(1, "a dog please", (parse_command("search a dog"),), results=(Result("p1", 1.0),), stands_at=1)
    two = Turn(2, "on a beach, under 50", results=(Result("p2", 1.0),), grew_from=1, stands_at=2, question=asked)
    three = Turn(3, "yes", grew_from=2, stands_at=3, answered=asked)
    for turn, wishes in ((one, (DOG,)), (two, (DOG, BEACH, CHEAP)), (three, (DOG, BEACH, CHEAP, BALL))):
        made.append(replace(turn, brief=Brief(wishes)))
    return made


def test_rounds_have_what_was_said_asked_and_shown():
    first, second, third = dialogue_of(conversation(), conversation().last.brief.wishes)
    assert (first.text, first.message, first.commands) == ("a dog", "a dog please", ("search a dog",))
    assert (second.text, second.shown) == ("on a beach", ("p1",)), "a condition is no description"
    assert (third.text, third.question, third.answer) == ("", "Is there a ball?", "yes")


def test_a_wish_that_is_off_takes_its_round_with_it():
    wishes = [DOG, replace(BEACH, active=False), CHEAP, BALL]
    assert [one.turn for one in dialogue_of(conversation(), wishes)] == [1, 3]


def test_a_rollback_leaves_the_rounds_of_then():
    talk = conversation()
    assert [one.text for one in dialogue_of(talk, talk.turn(1).brief.wishes)] == ["a dog"]


def test_the_turn_in_the_making_is_read_too():
    talk = conversation()
    now = Said(4, "like the second", (), None, ("p1", "p2"))
    last = dialogue_of(talk, [*talk.last.brief.wishes, LIKE], now)[-1]
    assert (last.text, last.pointed, last.shown, last.message) == ("", ("p2",), ("p1", "p2"), "like the second")


def test_wishes_of_one_turn_are_sentences_of_one_round():
    rounds = rounds_of([DOG, replace(BEACH, turn=1), CHEAP])
    assert [one.text for one in rounds] == ["a dog. on a beach."]
