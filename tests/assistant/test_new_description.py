"""A whole description while something else is wanted: when it starts anew."""

from __future__ import annotations

import pytest

from visavis.assistant.new_description import as_new_search
from visavis.conversation.brief import NOTHING, Brief
from visavis.conversation.fold import Situation, fold
from visavis.language.base import Understanding
from visavis.language.commands import Clarify, Search, parse_command

SUBMARINE = fold(NOTHING, Search("submarine"), Situation(1))
NOW = Situation(2)


def matches(brief: Brief) -> int:
    """Nothing is both: each wish alone has pictures."""
    return 0 if len(brief.of("want", "relative")) > 1 else 5


def read(message: str, command: str, brief: Brief = SUBMARINE) -> str:
    understood = Understanding((parse_command(command),), 0.9)
    return str(as_new_search(understood, message, brief, NOW, matches).commands[0])


def test_another_picture_is_searched_for():
    assert read("a kitchen with bananas", "refine kitchen with bananas") == "search kitchen with bananas"


@pytest.mark.parametrize(
    ("message", "command"),
    [
        ("with bananas and a kitchen", "refine bananas and a kitchen"),
        ("a hat", "refine hat"),
        ("a yellow submarine", "refine yellow submarine"),
        ("a bit more yellow", "refine yellow"),
        ("a darker blue one", "refine darker blue one"),
        ("a kitchen with bananas", "refine kitchen"),
        ("a kitchen with bananas", "avoid kitchen with bananas"),
    ],
)
def test_additions_stay_additions(message: str, command: str):
    assert read(message, command) == command


def test_what_fits_both_stays_an_addition():
    understood = Understanding((parse_command("refine red life boat"),), 0.9)
    assert as_new_search(understood, "a red life boat", SUBMARINE, NOW, lambda _: 3) is understood
    unknown = as_new_search(understood, "a red life boat", SUBMARINE, NOW, lambda _: None)
    assert unknown is understood, "a large collection is not counted"


def test_nothing_was_wanted_before():
    understood = Understanding((parse_command("search kitchen with bananas"),), 0.9)
    assert as_new_search(understood, "a kitchen with bananas", NOTHING, NOW, matches) is understood


def test_a_doubt_about_starting_anew_is_not_asked_about():
    options = (("look for “blue coat”", "search blue coat"), ("these, but “blue coat”", "refine blue coat"))
    understood = Understanding((), 0.4, Clarify("Which of these?", options))
    done = as_new_search(understood, "a blue coat", SUBMARINE, NOW, lambda _: None)
    assert done.commands == (Search("blue coat"),)
    assert done.clarify is None
