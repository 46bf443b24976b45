"""What was read becomes what the collection has."""

from __future__ import annotations

import pytest

from visavis.errors import BadInputError
from visavis.language.base import makes_sense
from visavis.language.commands import Answer, Avoid, Filter, Refine, Search, Sort, parse_command, parse_commands
from visavis.language.commands.parse import written_command
from visavis.language.context import Context, NumberRange
from visavis.language.grounding import answered, description, ground, settle_answers
from visavis.language.vocabulary import correct_word
from visavis.language.whereabouts import settle_times
from visavis.types import Question

SHOP = Context.from_json(
    {
        "attributes": {
            "price": {"min": 5, "max": 900},
            "baseColour": ["Red", "Navy Blue"],
            "size": ["38", "40"],
            "brand": ["Fjällräven"],
        }
    }
)


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("filter basecolour = navy blue", "filter baseColour = Navy Blue"),
        ("filter price < 50", "filter price < 50"),
        ("filter size = 38", 'filter size = "38"'),
        ("sort PRICE desc", "sort price desc"),
        ("values basecolour", "values baseColour"),
        ("values colors", "values baseColour"),
        ("filter colour = red", "filter baseColour = Red"),
        ("search a horse", "search horse"),
        ("refine a bit longer", "refine a bit longer"),
        ("remove the bin on the left", "remove bin on the left"),
        ("crop on one tighter", "crop on middle 80 percent"),
        ("crop on the first one", "crop on middle 80 percent"),
        ("crop on dog in the first row", "crop on dog in the first row"),
        ("blur 50 on the background", "blur 50 on background"),
        ('filter taken = "last summer"', 'filter taken = "last summer"'),
        ('filter taken = "colour"', "avoid black and white"),
        ("refine colour photos", "avoid black and white"),
        ("refine with nobody in it", "avoid people"),
        ("avoid anyone", "avoid people"),
        ("avoid one on the platform", "avoid people"),
        ("remove nobody", "avoid people"),
    ],
)
def test_ground(read, meant):
    assert [*map(str, ground([parse_command(read)], SHOP))] == [meant]


def test_a_picture_is_no_thing_in_a_picture():
    shown = Context(turns=1, shown=8)
    edit = parse_command("adjust_attr brightness 20 on first one")
    assert [*map(str, ground([edit], shown))] == ["select #1", "adjust_attr brightness 20"]
    assert [*map(str, ground([parse_command("blur 50 on number 9")], shown))] == ["blur 50 on number 9"]


def test_an_edit_given_anew_leaves_those_beside_it():
    edits = tuple(map(parse_command, ("crop 1:1", "grayscale", "border 20 white")))
    anew = [parse_command("undo"), parse_command("border 40 white")]
    lines = [*map(str, ground(anew, Context(turns=2, picture=True, edits=edits, recent=2)))]
    assert lines == ["undo", "grayscale", "border 40 white"]
    assert [*map(str, ground(anew, Context(turns=2, picture=True, edits=edits)))] == ["undo", "border 40 white"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("runing", "running"),
        ("weding", "wedding"),
        ("biger", "bigger"),
        ("snowbords", "snowboards"),
        ("taping", "taping"),
        ("smiling", "smiling"),
        ("glasses", "glasses"),
    ],
)
def test_a_consonant_that_was_not_doubled_and_a_plural_are_put_right(typed: str, meant: str):
    assert correct_word(typed) == meant


def test_the_collections_own_word_is_meant_before_another_one():
    shop = Context(attributes={"category": ("Shoes", "Bags")})
    assert [str(one) for one in ground([Search("brown shoos")], shop)] == ["search brown shoes"]


def test_typing_errors_are_put_right_but_not_names():
    assert description("umbrela on a beach") == "umbrella on a beach"
    assert description("a photo of Bezos") == "photo of Bezos"
    assert description("fjallraven jacket", frozenset({"fjallraven"})) == "fjallraven jacket"


COLOURS = Question(
    "Which colour?", (("red", "filter colour = Red"), ("navy blue", "filter colour = Navy Blue")), key="colour"
)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("red", ["filter colour = Red"]),
        ("the navy blue one", ["filter colour = Navy Blue"]),
        ("red or navy blue", ["filter colour = Red | Navy Blue"]),
        ("none", ["filter colour != Red | Navy Blue"]),
        ("green", ["answer green"]),
        ("no preference", ["answer no preference"]),
    ],
)
def test_answers_stand_for_the_options_that_they_name(text, lines):
    assert [*map(str, answered(text, COLOURS))] == lines


def test_who_means_none_of_the_readings_refuses_nothing():
    asked = Question("Which of these?", (("look for cats", "search cats"), ("these, with cats", "refine cats")))
    assert [*map(str, answered("none", asked))] == ["chat refusal"]


def test_an_option_may_stand_for_several_commands():
    asked = Question("Which?", (("turn the third", "select #3 ; rotate 90"),))
    assert [*map(str, answered("turn the third", asked))] == ["select #3", "rotate 90"]


@pytest.mark.parametrize("line", ["rotate 270", "undo", "blur 50 on background", "filter price < 50", 'export "a.png"'])
def test_written_commands_are_read_exactly(line):
    assert str(written_command(f" {line}  ")) == line


@pytest.mark.parametrize("line", ["remove the man", "count me in", "rotate it", "search for a dress", "forget it", ""])
def test_plain_english_is_not_a_written_command(line):
    assert written_command(line) is None


ASKED = Context(question=Question("Which background?", (("pale blue", None), ("cream", None))))


@pytest.mark.parametrize(
    ("message", "read", "meant"),
    [
        ("cream", "answer cream", "answer cream"),
        ("the blue", "answer blue", "answer pale blue"),
        ("the second one", "answer cream", "answer cream"),
        ("the second", "answer pale blue", "answer cream"),
        ("The first option.", "answer cream", "answer pale blue"),
        ("the third", "answer no preference", "answer no preference"),
        ("neither", "answer pale blue", "answer none"),
        ("none of these", "answer cream", "answer none"),
        ("I don't know", "answer cream", "answer no preference"),
        ("whatever", "answer no preference", "answer no preference"),
        ("with long sleeves", "answer long sleeves", "refine long sleeves"),
    ],
)
def test_a_waiting_question_takes_only_answers(message, read, meant):
    assert [*map(str, settle_answers([parse_command(read)], message, ASKED))] == [meant]


def test_no_preference_does_not_name_the_option_no():
    asked = Question("Is there a cat?", (("yes", "refine a cat"), ("no", "avoid cat")), "yes/no", "cat")
    assert [*map(str, answered("no preference", asked))] == ["answer no preference"]


def test_an_answer_that_nobody_said_is_refused():
    with pytest.raises(BadInputError):
        settle_answers([parse_command("answer pale blue")], "asdf qwer", ASKED)


def test_each_of_two_alternatives_was_said():
    topic = Context(shown=9, topic="giraffes")
    for text, message in (("giraffes or zebras", "zebras too"), ("Puma or Nike", "Puma or Nike")):
        assert settle_answers([Refine(text)], message, topic) == (Refine(text),)
    with pytest.raises(BadInputError, match="Nobody said"):
        settle_answers([Refine("Black or Nike")], "Puma or Nike", topic)


def test_each_of_two_answers_was_said():
    asked = Question("Which colour?", (("Black", "filter colour = Black"), ("Blue", "filter colour = Blue")))
    with pytest.raises(BadInputError, match="Nobody said"):
        settle_answers([Answer("Black or Nike")], "Puma or Nike", Context(shown=9, question=asked))


def test_what_is_told_to_an_open_question_is_a_wish():
    asked = Context(question=Question("What else can you tell me about it?"))
    told = settle_answers([parse_command("answer a wooden table")], "on a wooden table", asked)
    assert [str(command) for command in told] == ["refine a wooden table"]
    absent = settle_answers([parse_command("answer no adults")], "no adults around", asked)
    assert [str(command) for command in absent] == ["avoid adults"]
    unsure = settle_answers([parse_command("answer no preference")], "no idea", asked)
    assert [str(command) for command in unsure] == ["answer no preference"]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ('put xmas greetings on the bottom: "Meowy Christmas"', "Meowy Christmas"),
        ("write \u201cFor Granny\u201d below", "For Granny"),
        ("write happy new year below", "xmas greetings"),
    ],
)
def test_a_caption_is_what_is_in_quotes(message, text):
    read = [parse_command('caption "xmas greetings" bottom')]
    assert [str(command) for command in settle_answers(read, message, Context())] == [f'caption "{text}" bottom']


def test_two_values_of_one_attribute_are_alternatives():
    read = [parse_command(line) for line in ("filter baseColour = red", "filter baseColour = navy blue")]
    assert [str(command) for command in ground(read, SHOP)] == ["filter baseColour = Red | Navy Blue"]
    apart = [parse_command(line) for line in ("filter baseColour != red", "filter baseColour != navy blue")]
    assert [str(command) for command in ground(apart, SHOP)] == [
        "filter baseColour != Red",
        "filter baseColour != Navy Blue",
    ]


def test_a_value_is_named_once():
    read = [parse_command("filter baseColour = red | Red | navy blue")]
    assert [str(command) for command in ground(read, SHOP)] == ["filter baseColour = Red | Navy Blue"]


def test_what_is_taken_back_is_not_made_again():
    turned = Context.from_json({"picture": True, "edits": ["sepia 50", "rotate 270"]})
    read = [parse_command("undo"), parse_command("rotate 270")]
    assert [str(command) for command in ground(read, turned)] == ["undo"]
    both = Context.from_json({"picture": True, "edits": ["sepia 50", "rotate 270"], "recent": 2})
    kept = [parse_command("undo"), parse_command("sepia 50")]
    assert [str(command) for command in ground(kept, both)] == ["undo", "sepia 50"]


def test_what_is_no_time_is_a_wish_in_words():
    said = "anything from Puma?"
    assert settle_times([Filter("taken", "=", ("Puma",))], said) == (Refine("Puma"),)
    assert settle_times([Filter("taken", "!=", ("Puma",))], "nothing from Puma") == (Avoid("Puma"),)
    assert settle_times([Filter("taken", "=", ("purple",))], said) is None, "nobody said that"
    for time in ("last summer", "2019-01-01 to 2019-12-31", "June"):
        kept = (Filter("taken", "=", (time,)),)
        assert settle_times(kept, f"photos from {time}") == kept


def test_a_place_with_nobody_in_it_is_the_place_without_people():
    found = ground([parse_command("search a beach with nobody on it")], SHOP)
    assert [*map(str, found)] == ["search beach", "avoid people"]


LETTERS = Question("Is it more like A or like B?", (("A", "like #1"), ("B", "like #2")))


def test_a_letter_is_an_answer_only_by_itself():
    for said in ("a", "more like A", "option a please"):
        assert [*map(str, answered(said, LETTERS))] == ["like #1"]
    context = Context(question=LETTERS, shown=2)
    for said in ("on a bed", "leaned against a wall"):
        assert settle_answers([Answer(said)], said, context) == (Refine(said),)


def test_an_order_by_an_attribute_that_was_named_is_by_that_one():
    newest = [Sort("taken", "desc")]
    assert settle_times(newest, "sort them by year, newest first", {"year": (), "brand": ()}) == (Sort("year", "desc"),)
    assert settle_times(newest, "newest first", {"year": (), "brand": ()}) == (Sort("taken", "desc"),)
    assert settle_times(newest, "by year taken, newest first", {"year": ()}) == (Sort("taken", "desc"),)


def test_what_is_said_of_years_is_a_condition():
    shop = {"price": NumberRange(4, 250), "taken": ()}
    assert settle_times([Avoid("from 2011")], "not from 2011", shop) == (Filter("taken", "!=", (2011.0,)),)
    asked = Filter("taken", "!=", ("2012 or 2013",))
    assert settle_times([asked], "not from 2012 or 2013", shop) == (Filter("taken", "!=", (2012.0, 2013.0)),)
    assert settle_times([Avoid("from 2011")], "not from 2011") == (Avoid("from 2011"),)


@pytest.mark.parametrize(
    ("line", "message", "sensible"),
    [
        ("avoid checks ; refine checks", "no checks pls", False),
        ("filter price <= 2011", "not from 2011", False),
        ("filter price <= 2011", "at a price up to 2011", True),
        ("filter price <= 300", "at most 300", True),
        ("avoid price", "something else", False),
        ("avoid checks ; refine stripes", "stripes, no checks", True),
    ],
)
def test_readings_that_make_no_sense(line: str, message: str, sensible: bool):
    shop = {"price": NumberRange(4, 250), "year": NumberRange(2010, 2018)}
    assert makes_sense(parse_commands(line), message, shop) is sensible
