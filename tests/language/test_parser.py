"""Readings that do what nobody asked for count less."""

from __future__ import annotations

import pytest

from visavis.language.base import NO_CONTEXT, Reading, sense_of
from visavis.language.codec import encode_commands
from visavis.language.commands import Edit, Undo, parse_command, parse_commands
from visavis.language.context import Context, NumberRange
from visavis.language.decoding import Grammar
from visavis.language.parser import NetworkParser, _pooled, left_out, plausibility
from visavis.language.references import inside
from visavis.types import Question


@pytest.mark.parametrize(
    ("message", "reading"),
    [
        ("cats sleeping on a couch", "remove cats sleeping on a couch"),
        ("a beach", "replace_background beach"),
        ("xyzzy", "adjust_attr warmth 20"),
    ],
)
def test_what_nobody_asked_for_counts_less(message, reading):
    assert plausibility([parse_command(reading)], message) < 0.1


@pytest.mark.parametrize(
    ("message", "reading"),
    [
        ("remove the cats on the couch", "remove cats on the couch"),
        ("and the bins?", "remove bins"),
        ("put it on a beach", "replace_background beach"),
    ],
)
def test_what_was_asked_for_counts_in_full(message, reading):
    assert plausibility([parse_command(reading)], message) == 1.0


def test_words_that_a_reading_does_not_take_up():
    assert left_out([parse_command("rotate 90")], "rotate by banana") == ["banana"]
    assert left_out([parse_command("search red dress with lace")], "show me a red dress with lace, please") == []
    assert left_out([parse_command("select #2")], "two") == []
    assert left_out([parse_command("select #2")], "the 2nd one") == []


def test_a_number_with_an_ending_is_no_guess():
    understood = NetworkParser().understand("the 2nd one", Context(turns=2, shown=12))
    assert understood.lines() == ["select #2"]


def test_yes_takes_the_only_reading_that_is_offered():
    asked = Question("I am not sure what you mean: take #2?", (("take #2", "select #2"),))
    understood = NetworkParser().understand("Yes, please.", Context(turns=2, shown=12, question=asked))
    assert understood.lines() == ["select #2"]


@pytest.mark.parametrize(
    ("message", "line"),
    [("the second one", "select #1"), ("The first.", "search dog"), ("1", "search dog"), ("option 2", "select #1")],
)
def test_an_option_by_its_place_answers_the_question_that_waits(message, line):
    asked = Question("Which of these?", (("look for “dog”", "search dog"), ("take #1", "select #1")))
    assert NetworkParser().understand(message, Context(turns=2, shown=12, question=asked)).lines() == [line]


class ReadsAsTold(NetworkParser):
    """A parser whose readings are given, so that what is decided hangs on no weights."""

    def __init__(self, threshold: float, *readings: Reading) -> None:
        super().__init__(threshold=threshold)
        self.given = readings

    def readings(self, message, context=NO_CONTEXT, earlier=()):
        return self.given


@pytest.mark.parametrize(("sure", "asks"), [(0.98, True), (0.995, False)])
def test_doubt_is_asked(sure, asks):
    likely, other = Reading(parse_commands("like #1"), sure), Reading(parse_commands("select #1"), 0.2)
    understood = ReadsAsTold(0.99, likely, other).understand("the towel, somehow", Context(turns=1, shown=3))
    assert (understood.clarify is not None) is asks
    assert understood.commands == (() if asks else likely.commands)
    if asks:
        assert [line for _, line in understood.clarify.options] == ["like #1", "select #1"]


@pytest.mark.parametrize(
    ("line", "sure", "asks"),
    [("avoid windsurfers", 0.5, False), ("avoid windsurfers", 0.2, True), ("reset", 0.5, True)],
)
def test_the_only_thing_that_may_be_meant_is_done(line, sure, asks):
    """A question would offer nothing else; what cannot be taken back in one step is asked about all the same."""
    only, far = Reading(parse_commands(line), sure), Reading(parse_commands("select #1"), 0.001)
    understood = ReadsAsTold(0.99, only, far).understand("without those windsurfers of july", Context(turns=1, shown=3))
    assert (understood.clarify is not None) is asks


def test_readings_are_offered_in_words():
    ways = ["rollback 2", "sort price desc", "keep colour of #3", "grayscale", "replace_background beach"]
    offered = [Reading(parse_commands(line), 0.3) for line in ways]
    context = Context(turns=3, shown=5, topics=("dogs", "brown shoes", "hats"))
    labels = []
    for at in (0, 3):
        asked = ReadsAsTold(0.99, *offered[at : at + 3]).understand("that somehow", context).clarify
        assert asked is not None
        labels += [label for label, _ in asked.options]
    assert labels == [
        "back to “brown shoes” (turn 2)",
        "most expensive first",
        "the colour of #3",
        "black and white",
        "replace background beach",
    ]


@pytest.mark.parametrize(("sure", "asks"), [(0.39, True), (0.56, False)])
def test_an_edit_needs_less_since_one_undo_takes_it_back(sure, asks):
    flip = Reading(parse_commands("flip horizontal"), sure)
    understood = ReadsAsTold(0.99, flip).understand("flap the towel perhaps undo", Context(turns=1, shown=3))
    assert (understood.clarify is not None) is asks


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("remove the horse in the fourth one", 4),
        ("brighten the people in the first photo", 1),
        ("blur the background of the 2nd one", 2),
        ("take the bin out of number 3", 3),
        ("remove the horse in the front", None),
        ("make the first letter red", None),
        ("put the sky of the first one on the second one", None),
        ("remove the horse in the fortieth one", None),
    ],
)
def test_the_picture_that_a_thing_is_said_to_be_in(message, number):
    assert inside(message, 20) == number


@pytest.mark.parametrize("message", ["go back to the ones before", "nah, back to the previous results"])
def test_the_ones_before_are_those_of_the_turn_before(message):
    shoes = ("shoes", "shoes, red", "shoes, red, no laces")
    understood = NetworkParser().understand(message, Context(turns=3, shown=12, topic=shoes[-1], topics=shoes))
    assert understood.lines() in (["rollback 2"], ["undo"])


def test_nobody_goes_back_to_where_one_is():
    written = encode_commands(parse_commands("rollback 3"), "back to the results")
    assert not Grammar(Context(turns=3, shown=12)).accepts(written)
    assert Grammar(Context(turns=3, shown=12, picture=True)).accepts(written)


def test_an_edit_is_done_in_the_picture_that_was_named():
    """Not in the one that happens to be in hand."""
    in_hand = Context(turns=3, shown=20, picture=True, topic="horse")
    lines = NetworkParser().understand("remove the horse in the fourth one", in_hand).lines()
    assert lines == ["select #4", "remove horse"]
    assert NetworkParser().understand("remove the horse", in_hand).lines() == ["remove horse"]


def test_a_bound_is_not_used_twice():
    twice = [parse_command("filter taken >= 2015"), parse_command("filter taken = 2015")]
    assert plausibility(twice, "from 2015 to 2018") < 0.1


@pytest.mark.parametrize("message", ["xyzzy", "flurbix the gnorp", "rotate by banana"])
def test_a_guess_about_the_picture_in_hand_is_not_done(message):
    assert not [
        command
        for command in NetworkParser().understand(message, Context(turns=1, picture=True)).commands
        if isinstance(command, Edit)
    ]


@pytest.mark.parametrize(
    "message",
    [
        "crop it a bit tighter",
        "Crop in closer!",
        "crop the photo a little tighter, please",
        "a bit tighter crop",
        "crop tighter",
    ],
)
def test_a_tighter_crop_without_a_thing_is_one_to_the_middle(message):
    understood = NetworkParser().understand(message, Context(turns=1, picture=True))
    assert understood.lines() == ["crop on middle 80 percent"]


@pytest.mark.parametrize("context", [Context(), Context(turns=1, shown=12, topic="dress")])
@pytest.mark.parametrize(
    "prefix",
    [
        "Unlike the provided image, the one I want ",
        "unlike the shown picture , the one i want  ",
        "Unlike the provided image the one I am looking for ",
    ],
)
def test_what_annotators_of_relative_captions_go_on_from_is_not_read(prefix, context):
    parser = NetworkParser()
    assert parser.understand(f"{prefix}is red and longer", context) == parser.understand("is red and longer", context)
    assert parser.understand(prefix, context) != parser.understand("", context)


def test_no_reading_is_offered_that_only_leaves_something_out():
    shop = {"price": NumberRange(4, 250), "colour": ("Black", "Blue"), "taken": ()}
    topic = "blu stripped shirt for men, full sleeve"
    context = Context(turns=2, shown=20, topic=topic, topics=(topic, topic), attributes=shop)
    understood = NetworkParser().understand("no checks pls, and not from 2011", context)
    assert [str(command) for command in understood.commands] == ["avoid checks", "filter taken != 2011"]


def test_readings_that_only_divide_the_words_otherwise_are_one():
    one = parse_commands("filter colour = Brown ; refine leather ; filter price <= 40")
    other = parse_commands("refine brown leather ; filter price <= 40")
    assert sense_of(one) == sense_of(other)
    assert sense_of(parse_commands("refine brown")) != sense_of(parse_commands("search brown"))
    assert sense_of(parse_commands("refine brown ; avoid red")) != sense_of(parse_commands("refine red ; avoid brown"))
    both, either = parse_commands("refine red ; refine blue"), parse_commands("refine red or blue")
    assert sense_of(both) != sense_of(either)
    assert sense_of(either) == sense_of(parse_commands("filter colour = Red | Blue"))
    assert [way for way, _ in _pooled({one: 0.3, other: 0.2, parse_commands("undo"): 0.1})] == [one, (Undo(),)]


def test_an_alternative_that_is_not_wanted_counts_less():
    either = [parse_command("filter colour = Black | Gold")]
    assert plausibility(either, "gold ones too", "shoes, no Black") < 0.2
    assert plausibility(either, "gold ones too", "shoes, Black") == 1.0
    assert plausibility([parse_command("filter gender = Boys | Girls")], "for kids", "") < 0.2, "as before"
