"""A written command is parsed strictly: its errors are reported, not guessed around."""

from __future__ import annotations

import pytest

from visavis.editing.instructions import edits_from_words
from visavis.errors import BadInputError


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("crop 10 10 5 5", "is empty"),
        ("crop -5 0 10 10", "no box"),
        ("crop 0:1", "impossible"),
        ("rotate 400", "out of range"),
        ("rotate -20", "out of range"),
        ("rotate nan", "not a number"),
        ("straighten 60", "out of range"),
        ("resize 0x0", "cannot be made"),
        ("resize 99999x99999", "cannot be made"),
        ("blur 101", "out of range"),
        ("vignette -1", "out of range"),
        ("border 5000 red", "out of range"),
        ("adjust_attr brightness 101", "out of range"),
        ("adjust_attr brightness inf", "not a number"),
        ("adjust_attr gloss 3", "cannot be adjusted"),
        ("adjust_color red 2", "out of range"),
        ("adjust_color blurple 0.5", "no colour"),
        ('caption "" top', "empty"),
        ('caption "x" left', "no place for a text"),
        ("image_cutout on", "empty"),
    ],
)
def test_a_bad_command_says_what_is_wrong_with_it(text: str, reason: str):
    with pytest.raises(BadInputError, match=reason) as caught:
        edits_from_words(text)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("rotate 30", ["rotate 30"]),
        ("rotate 90 clockwise", ["rotate 270"]),
        ("rotate 90 clockwise and raise contrast by 20", ["rotate 270", "adjust_attr contrast 20"]),
        ("crop 16:9", ["crop 16:9"]),
        ("crop to the elephant", ["crop on elephant"]),
        ('caption "SALE" at the top', ['caption "SALE" top']),
        ("sepia", ["sepia 50"]),
        ("blur the background", ["blur 50 on background"]),
    ],
)
def test_commands_and_sentences_are_both_understood(text: str, commands: list[str]):
    assert [str(command) for command in edits_from_words(text).active] == commands


def test_a_colour_that_is_not_known_is_guessed_once():
    with pytest.raises(BadInputError) as caught:
        edits_from_words("adjust_color blurple 0.5")
    guesses = caught.value.remedy.removeprefix("Did you mean ").rstrip("?").split(" or ")
    assert len(set(guesses)) == len(guesses)
