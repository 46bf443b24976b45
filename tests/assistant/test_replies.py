"""Notes and edits in words."""

from __future__ import annotations

import pytest

from visavis.assistant import notes
from visavis.assistant.replies import drop_question, edit_in_words, in_one_text, note_in_words, reply_of
from visavis.conversation.brief import Brief
from visavis.conversation.fold import Situation, fold
from visavis.conversation.turns import Window
from visavis.language.commands import Edit, Grayscale, parse_command
from visavis.types import Reason, Result, Wish


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("adjust_attr brightness 20", "brighter by 20 %"),
        ("adjust_attr warmth -5", "cooler by 5 %"),
        ("adjust_attr saturation 40 on sky", "stronger colours by 40 % (sky)"),
        ("adjust_color blue 0.3", "blue mixed in, 30%"),
        ("rotate 90", "turned 90° to the left"),
        ("rotate 355", "turned 5° to the right"),
        ("rotate 180", "turned upside down"),
        ("straighten", "levelled"),
        ("straighten -2.5", "straightened by -2.5°"),
        ("flip horizontal", "mirrored"),
        ("crop on hat", "cropped to hat"),
        ("image_cutout", "the main thing cut out"),
        ("image_cutout on dog on the left", "dog on the left cut out"),
        ("replace_background white", "a new background: white"),
        ("resize 50%", "resized to 50%"),
        ("border 20 white", "a white border of 20 pixels"),
        ('caption "Hi there" bottom', "“Hi there” written on it"),
        ("grayscale", "black and white"),
        ("blur 50 on background", "blur 50 on background"),
    ],
)
def test_an_edit_is_told(command: str, told: str):
    edit = parse_command(command)
    assert isinstance(edit, Edit)
    assert edit_in_words(edit) == told


@pytest.mark.parametrize(
    ("note", "told"),
    [
        (notes.WishesForgotten(("red dress",)), "“red dress” no longer counts."),
        (notes.WishesForgotten(("red dress",), ("dress",)), "“red dress” is “dress” now."),
        (notes.Stepped("undone", 2), "Undone: this is turn 2 again."),
        (notes.Stepped("redone", 0), "Redone: this is the beginning again."),
        (notes.WishesReplaced("blue", ("red", "green")), "“blue” takes the place of “red” and “green”."),
        (notes.WishesForgotten(("red",)), "“red” no longer counts."),
        (
            notes.AttributeUnknown("brand", "values", ("articleType", "baseColour")),
            "The pictures here do not tell their brand. They tell their kind and colour.",
        ),
        (notes.ValuesListed("baseColour", (("Red", 3),), 0, ""), "Colour: Red (3)."),
        (notes.EditUnsure(3, ("hat",)), "In #3 I was not sure of “hat”."),
        (notes.NothingLeft(Brief((Wish("1.1", "want", "dog", 1),))), "There is nothing for “dog”."),
        (notes.EditsRepeated(2, (Grayscale(),)), "Done on 2 more: black and white."),
    ],
)
def test_a_note_is_put_into_words(note: notes.Note, told: str):
    assert note_in_words(note) == told


@pytest.mark.parametrize(
    ("confidence", "told"),
    [
        (0.01, "Nothing here really fits “shoes”; these come closest."),
        (0.26, "I am not sure that anything here fits “shoes”; these come closest."),
    ],
)
def test_that_nothing_fits_is_said_as_surely_as_it_is_known(confidence: float, told: str):
    results = (Result("a", 1.0, (Reason(0, "shoes", 0.3),), probability=0.3, match=False),)
    brief = Brief((Wish("1.1", "want", "shoes", 1),))
    assert note_in_words(notes.PicturesFound(results, brief, Window(), 0, confidence=confidence)) == told


def test_what_is_there_without_the_conditions_is_not_denied():
    results = (Result("a", 1.0, (Reason(0, "shoes", 0.3),), probability=0.3, match=False),)
    brief = Brief((Wish("1.1", "want", "shoes", 1), Wish("2.1", "filter", "gender = Girls", 2, attribute="gender")))
    told = note_in_words(notes.PicturesFound(results, brief, Window(), 0, confidence=0.98))
    assert told == "No picture surely fits all of “shoes for girls”; these come closest."


@pytest.mark.parametrize(
    ("present", "told"),
    [
        ({0: 0.98, 1: 0.9}, "No picture surely fits all of “snow; a kitchen with bananas”; these come closest."),
        ({0: 0.98, 1: 0.01}, "Nothing here really fits “a kitchen with bananas”; these come closest."),
    ],
)
def test_of_several_wishes_none_is_denied_that_something_fits_alone(present: dict[int, float], told: str):
    because = (Reason(0, "snow", 0.1), Reason(1, "a kitchen with bananas", 0.2))
    brief = Brief((Wish("1.1", "want", "snow", 1), Wish("2.1", "want", "a kitchen with bananas", 2)))
    results = (Result("a", 1.0, because, probability=0.1, match=False),)
    found = notes.PicturesFound(results, brief, Window(), 0, confidence=min(present.values()), present=present)
    assert note_in_words(found) == told


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (6, "None of the 6 pictures for “food in Portugal” fits “in summer”."),
        (1, "The one picture for “food in Portugal” does not fit “in summer”."),
        (None, "No picture for “food in Portugal” fits “in summer”."),
    ],
)
def test_what_is_in_conflict_is_told(left: int | None, told: str):
    country = Wish("2.1", "filter", "country = Portugal", 2, attribute="country")
    summer = Wish("3.1", "want", "in summer", 3)
    brief = Brief((Wish("1.1", "want", "food", 1), country, summer))
    assert note_in_words(notes.NothingLeft(brief, (summer,), left)) == told
    assert note_in_words(notes.NothingLeft(Brief((summer,)), (summer,), 300)) == "No picture here fits “in summer”."


def test_what_dropping_a_condition_leaves_is_told():
    asked = drop_question([Wish("2.1", "filter", "country = Portugal", 2, attribute="country")], 6)
    assert asked is not None
    assert asked.text == "Shall I drop “in Portugal”? That leaves 6 pictures."


def test_a_reply_says_nothing_twice():
    assert (
        reply_of([notes.Event.END_REACHED, notes.Stepped("back to", 1), notes.Event.END_REACHED])
        == "That was all. Back to turn 1."
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["search food", "filter country = Portugal | France"], "food in Portugal or France"),
        (["search dogs", "refine on a beach", "avoid people"], "dogs on a beach; no people"),
        (["search watch", "refine elegant", 'filter baseColour = "Navy Blue"'], "watch; elegant; in navy blue"),
        (["search shoes", "filter gender != Men", "filter usage = Casual"], "shoes; not for men; casual"),
        (["filter articleType = Watches", "filter frameSize = 38"], "watches; frame size: 38"),
    ],
)
def test_wishes_are_one_text_as_people_say_it(said: list[str], told: str):
    brief = Brief()
    for turn, line in enumerate(said, 1):
        brief = fold(brief, parse_command(line), Situation(turn))
    assert in_one_text(brief.active) == told
