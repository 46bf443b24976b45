"""A whole description while something else is wanted: when it starts anew."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.assistant.draft import CollectionView
from visavis.assistant.edits import about_one_picture
from visavis.assistant.products import for_whom
from visavis.assistant.reply_json import reply_json
from visavis.assistant.topics import (
    after_nothing,
    as_new_search,
    as_other_kind,
    as_told,
    as_wider,
    dropped_as_said,
    settled_doubt,
    with_topic,
)
from visavis.assistant.understanding import (
    about_kinds,
    as_absence,
    as_exclusion,
    by_tones,
    chosen_reading,
    counting_conditions,
    not_deleted,
    readings_of,
    with_noun,
)
from visavis.conversation.brief import NOTHING, Brief
from visavis.conversation.fold import Situation, fold
from visavis.conversation.turns import Hand, Turn
from visavis.language.base import NO_CONTEXT, Parser, Understanding
from visavis.language.commands import (
    Avoid,
    Clarify,
    Refine,
    Search,
    Shown,
    Unlike,
    commands_text,
    parse_command,
    parse_commands,
)
from visavis.language.context import Context
from visavis.types import Question, Result, Wish

SUBMARINE = fold(NOTHING, Search("submarine"), Situation(1))
NOW = Situation(2)
BAGS = "search bags ; filter colour"
OFFERED = Clarify(
    "I am not sure what you mean. Which of these?",
    (("take #2 and mirror it", "select #2 ; flip horizontal"), ("more like #2", "like #2")),
)


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


def test_something_with_a_thing_is_another_picture():
    assert read("something with a train", "refine train") == "search train"
    assert read("pictures of bananas", "refine bananas") == "search bananas"


KINDS = {"articleType": ("Dresses", "Ties", "Sports Shoes", "Casual Shoes"), "baseColour": ("Red", "Blue")}


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("refine bow ties", "search bow ties"),
        ("refine dresses with lace", "refine dresses with lace"),
        ("refine long sleeves", "refine long sleeves"),
        ("filter baseColour = Blue", "filter baseColour = Blue"),
    ],
)
def test_a_thing_of_another_kind_is_another_search(command: str, meant: str):
    brief = fold(NOTHING, Search("dress for a party"), Situation(1))
    read = Understanding((parse_command(command),), 0.9)
    assert [str(one) for one in as_other_kind(read, KINDS, brief, NOW, matches).commands] == [meant]


def test_a_condition_for_another_kind_stands_alone_where_nothing_wanted_passes_it():
    brief = fold(NOTHING, Search("traditional clothes"), Situation(1))
    read = Understanding((parse_command("filter articleType = Ties"), parse_command("sort price")), 0.9)
    both = as_other_kind(read, KINDS, brief, NOW, lambda now: 0 if now.of("want") else 4).commands
    assert [str(one) for one in both] == ["reset", "filter articleType = Ties", "sort price asc"]
    assert as_other_kind(read, KINDS, brief, NOW, lambda _: 4) is read


@pytest.mark.parametrize(
    ("before", "command", "meant"),
    [
        (
            "search ties that match",
            "filter articleType = Dresses",
            "forget ties that match ; filter articleType = Dresses",
        ),
        ("search red dress", "filter articleType = Dresses", "filter articleType = Dresses"),
        ("search party ; filter articleType = Dresses", "refine ties", "search ties"),
        ("search party ; filter articleType = Dresses", "refine lace", "refine lace"),
        ("search dresses", "like #3 ; refine ties", "search ties"),
        ("search dresses", "like #3 ; refine lace", "like #3 ; refine lace"),
    ],
)
def test_the_kind_before_does_not_stay_beside_another_one(before: str, command: str, meant: str):
    brief = NOTHING
    for line in parse_commands(before):
        brief = fold(brief, line, Situation(1))
    found = as_other_kind(Understanding(parse_commands(command), 0.9), KINDS, brief, NOW, lambda _: 3)
    assert " ; ".join(map(str, found.commands)) == meant


def test_after_nothing_matched_a_description_of_something_that_is_there_is_searched_for():
    read = Understanding((parse_command("refine food on a table"), parse_command("avoid people")), 0.9)

    def there(brief: Brief) -> int:
        return 5 if brief.topic == "food on a table" else 0

    found = after_nothing(read, "food on a table, nobody in the picture", SUBMARINE, NOW, there)
    assert [str(one) for one in found.commands] == ["search food on a table", "avoid people"]
    assert after_nothing(read, "with food on a table", SUBMARINE, NOW, there) is read
    assert after_nothing(read, "food on a table", SUBMARINE, NOW, lambda _: 3) is read


@pytest.mark.parametrize(
    ("message", "field"), [("what types are there?", "articleType"), ("what kinds?", "articleType")]
)
def test_kinds_are_those_of_things(message: str, field: str):
    attributes = {"baseColour": ("Red", "Blue"), "masterCategory": ("Apparel",), **KINDS}
    read = Understanding((parse_command("values baseColour"),), 0.9)
    assert about_kinds(read, message, attributes).commands == (parse_command("values articleType"),)
    assert about_kinds(read, "what kinds of colours?", attributes) is read


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


class DoubtfulParser(Parser):
    """Does not understand "two"; everything else is a command."""

    name = "doubtful"

    def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
        if message == "two":
            return Understanding((), 0.4, OFFERED)
        return Understanding((parse_command(message),), 1.0)


@pytest.fixture
def assistant(own_colours: Collection) -> Assistant:
    return Assistant(own_colours, DoubtfulParser())


def test_readings_are_listed_with_their_commands(assistant: Assistant):
    said = assistant.start()
    assistant.reply(said, "search red")
    turn = assistant.reply(said, "two")
    assert reply_json(turn, assistant.collection)["readings"] == [
        {"label": "take #2 and mirror it", "commands": ["select #2", "flip horizontal"]},
        {"label": "more like #2", "commands": ["like #2"]},
    ]
    assert turn.reply == OFFERED.question
    assert turn.brief == said.turns[0].brief, "what is in doubt is not searched for"


def test_a_number_chooses_a_reading(assistant: Assistant):
    said = assistant.start()
    assistant.reply(said, "search red")
    assistant.reply(said, "two")
    turn = assistant.reply(said, "1")
    assert [str(command) for command in turn.commands] == ["select #2", "flip horizontal"]
    assert turn.answered is not None
    assert turn.hand is not None
    assert turn.hand.source == said.turns[0].results[1].id


def test_a_reading_that_is_chosen_is_of_its_own_kind(own_colours: Collection):
    class Kinds(DoubtfulParser):
        def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
            asked = doubt("filter kind = plain", "undo")
            return asked if message == "two" else super().understand(message, context)

    assistant = Assistant(own_colours, Kinds())
    said = assistant.start()
    assistant.reply(said, "search mixed")
    assistant.reply(said, "two")
    turn = assistant.reply(said, "1")
    assert [wish.label for wish in turn.brief.active] == ["plain"], "nothing is mixed and plain"


def test_anything_else_is_no_answer(assistant: Assistant):
    said = assistant.start()
    assistant.reply(said, "search red")
    assistant.reply(said, "two")
    turn = assistant.reply(said, "avoid blue")
    assert turn.answered is None
    assert [wish.label for wish in turn.brief.active] == ["red", "no blue"]
    assert readings_of(turn.question) == ()


def test_readings_do_not_outlive_what_is_said_next(assistant: Assistant):
    said = assistant.start()
    assistant.reply(said, "search red")
    assistant.reply(said, "two")
    turn = assistant.reply(said, "why #2")
    assert "because it fits" in turn.reply
    assert turn.question is None


@pytest.mark.parametrize(
    "question",
    [
        None,
        Question("What do you mean?"),
        Question("Shall I drop “price < 5”?", (("yes", "forget price"), ("no", None))),
        Question("Is there a dog?", (("yes", "refine dog"), ("no", "avoid dog")), "yes/no", "dog"),
    ],
)
def test_other_questions_offer_no_readings(question: Question | None):
    assert readings_of(question) == ()
    assert chosen_reading(question, "1") == ()


@pytest.mark.parametrize(
    ("counted", "read", "meant"),
    [
        ("under 25 bucks", "filter price < 25", "count price < 25"),
        ("red shirts below twenty", "search red shirts ; filter price < 20", "count red shirts; price < 20"),
        ("cats", "search cats", "count cats"),
        ("shirts with a 7 on it", "search shirts with a 7 on it", "count shirts with a 7 on it"),
        ("size 9", "select #9", "count size 9"),
    ],
)
def test_what_is_counted_by_a_number_is_a_condition(counted: str, read: str, meant: str):
    asked = Understanding((parse_command(f"count {counted}"),), 0.9)
    found = counting_conditions(asked, lambda _: Understanding(parse_commands(read), 0.9))
    assert found.lines() == [meant]


@pytest.mark.parametrize("message", ["0", "3", "one", "#1", "1 2", "²", ""])
def test_only_a_number_that_is_offered_chooses(message: str):
    assert chosen_reading(Question(OFFERED.question, OFFERED.options), message) == ()


@pytest.mark.parametrize(
    ("message", "avoided"),
    [
        ("nobody around please", "people"),
        ("and no one in the picture", "people"),
        ("there should be nobody there", "people"),
        ("no, colour photos", "black and white"),
        ("colour photos only, please", "black and white"),
        ("in colour please", "black and white"),
    ],
)
def test_what_must_not_be_seen_is_left_out_however_it_is_said(message: str, avoided: str):
    misread = Understanding((parse_command("forget train"),), 0.9)
    assert as_absence(misread, message, {}).commands == (parse_command(f"avoid {avoided}"),)


@pytest.mark.parametrize("message", ["a beach with nobody on it", "red", "what colours are there?", "the colour red"])
def test_what_says_more_is_left_to_the_parser(message: str):
    read = Understanding((parse_command("refine red"),), 0.9)
    assert as_absence(read, message, {}) is read


def test_it_and_them_are_the_topic():
    brief = Brief((Wish("1.1", "want", "giraffe", 1),))
    for said, meant in (("two of them", "two giraffe"), ("someone feeding it", "someone feeding giraffe")):
        read = Understanding((Refine(said),), 0.9)
        assert with_topic(read, brief).commands == (Refine(meant),)
    inside = Understanding((Refine("more than one person in it"),), 0.9)
    assert with_topic(inside, brief) is inside, "it is the picture"
    sentence = Brief((Wish("1.1", "want", "a giraffe beside two high trees", 1),))
    assert with_topic(Understanding((Refine("two of them"),), 0.9), sentence).commands == (Refine("two of them"),)


def test_black_and_white_pictures_are_left_out_by_their_attribute_where_they_have_one():
    read = Understanding((parse_command("refine colour"),), 0.9)
    told = as_absence(read, "only in colour", {"tones": ("black and white",)})
    assert [str(command) for command in told.commands] == ["filter tones != black and white"]


def doubt(*lines: str) -> Understanding:
    return Understanding(
        (), 0.4, Clarify("I am not sure what you mean. Which of these?", tuple((line, line) for line in lines))
    )


@pytest.mark.parametrize(
    ("lines", "done"),
    [
        (("compare #1 #2",), "compare #1 #2"),
        (("sort price asc", "values price ; sort price asc"), "sort price asc"),
        (("refine flat", "forget price ; refine flat"), "refine flat"),
        (("refine kitchen", "search kitchen"), "search kitchen"),
        (("refine red", "search kitchen"), ""),
        (("rotate 90",), ""),
        (("rotate 90", "rotate 270"), ""),
        (("refine kitchen", "undo"), ""),
    ],
)
def test_a_question_is_asked_only_where_the_answer_makes_a_difference(lines: tuple[str, ...], done: str):
    asked = doubt(*lines)
    settled = settled_doubt(asked, SUBMARINE, NOW, matches)
    assert settled.commands == (parse_commands(done) if done else ())
    assert (settled.clarify is None) == bool(done)


def test_a_reading_that_finds_nothing_is_not_offered_beside_one_that_does():
    asked = doubt("refine kitchen", "search kitchen", "search kitchen sink")
    settled = settled_doubt(asked, SUBMARINE, NOW, matches)
    assert settled.clarify is not None
    assert [line for _, line in settled.clarify.options] == ["search kitchen", "search kitchen sink"]


def test_conditions_for_something_else_stand_alone():
    understood = Understanding((parse_command("filter usage = Formal"),), 0.9)

    def counted(brief: Brief) -> int:
        return 0 if brief.of("want") else 7

    found = as_new_search(understood, "something formal for a wedding", SUBMARINE, NOW, counted)
    assert [str(command) for command in found.commands] == ["reset", "filter usage = Formal"]
    assert as_new_search(understood, "something formal", SUBMARINE, NOW, lambda _: 3) is understood


def test_a_colour_is_said_of_what_is_wanted_even_where_none_has_it():
    understood = Understanding((parse_command("filter baseColour = Blue | Purple"),), 0.9)
    found = as_new_search(understood, "something in blue or purple", SUBMARINE, NOW, lambda b: 0 if b.of("want") else 7)
    assert found is understood


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("avoid black and white", ["filter tones != black and white"]),
        ("refine black and white photos", ["filter tones = black and white"]),
        ("search black and white", ["reset", "filter tones = black and white"]),
        ("refine black and white cat", ["refine black and white cat"]),
    ],
)
def test_black_and_white_pictures_are_a_condition_where_they_were_measured(command: str, meant: list[str]):
    read = Understanding((parse_command(command),), 0.9)
    assert [str(one) for one in by_tones(read, {"tones": ("black and white",)}).commands] == meant
    assert by_tones(read, {}) is read


@pytest.mark.parametrize(
    ("before", "message", "commands", "meant"),
    [
        (f"{BAGS} = Brown", "black ones too", "filter colour = Black", "filter colour = Brown | Black"),
        (f"{BAGS} = Brown", "black ones instead", "filter colour = Black", "filter colour = Black"),
        (f"{BAGS} = Red", "blue or green, not red", "filter colour = Blue | Green", "filter colour = Blue | Green"),
        (f"{BAGS} = White", "light blue as well", "refine light blue", "refine white or light blue"),
        ("search red train", "or a yellow one", "refine yellow", "refine red or yellow"),
        ("search red train", "or a yellow one", "refine red or yellow", "refine red or yellow"),
        ("search red train", "a yellow one", "refine yellow", "refine yellow"),
        ("search bag ; refine black", "also in brown", "refine brown", "refine black or brown"),
        ("search cats ; refine white cat", "black is fine too", "forget white ; refine black", "refine white or black"),
        ("search dogs", "with a frisbee too", "refine frisbee", "refine frisbee"),
    ],
)
def test_a_value_that_is_added_stands_beside_the_one_before(before: str, message: str, commands: str, meant: str):
    brief = NOTHING
    for turn, command in enumerate(parse_commands(before), 1):
        brief = fold(brief, command, Situation(turn))
    wider = as_wider(Understanding(parse_commands(commands), 0.9), message, brief)
    assert " ; ".join(map(str, wider.commands)) == meant


@pytest.mark.parametrize(
    ("command", "context", "meant"),
    [
        ("remove person", Context(turns=1, shown=20), "avoid person"),
        ("remove person", Context(turns=1, shown=20, picture=True), "remove person"),
        ("remove person", Context(turns=1, shown=1), "remove person"),
        ("remove person on the left", Context(turns=1, shown=20), "remove person on the left"),
    ],
)
def test_what_is_removed_with_no_picture_in_hand_is_left_out(command: str, context: Context, meant: str):
    read = as_exclusion(Understanding((parse_command(command),), 0.9), context)
    assert [str(one) for one in read.commands] == [meant]


def test_anything_in_a_place_is_said_of_what_is_wanted():
    understood = Understanding((parse_command("refine on a beach"),), 0.9)
    assert as_new_search(understood, "anything on a beach?", SUBMARINE, NOW, matches) is understood


@pytest.mark.parametrize(
    ("message", "command", "meant"),
    [
        ("drop the black", "forget Black or Blue", "forget Black"),
        ("scrap the colour thing", "forget red", "forget colour"),
        ("scrap the red", "forget red", "forget red"),
        ("not the white ones", "avoid white or white", "avoid white"),
        ("nobody around", "avoid people", "avoid people"),
        ("never mind the fence", "forget next to a fence", "forget next to a fence"),
    ],
)
def test_only_what_was_named_is_dropped(message: str, command: str, meant: str):
    found = dropped_as_said(Understanding((parse_command(command),), 0.9), message)
    assert [str(one) for one in found.commands] == [meant]


@pytest.mark.parametrize(("days", "years", "told"), [(371, 601, False), (400, 400, True), (5, 0, True), (0, 9, False)])
def test_a_year_of_all_counts_before_the_day_of_some(days: int, years: int, told: bool):
    numbers = {name: number for name, number in (("taken", days), ("year", years)) if number}
    catalogue = SimpleNamespace(meta=lambda *_: numbers, attribute_names=lambda: list(numbers.items()))
    assert CollectionView(SimpleNamespace(catalogue=catalogue)).tells("taken") is told


def test_what_is_told_to_an_open_question_goes_on_with_what_is_wanted():
    opened = Question("What else can you tell me about it?", form="open")
    closed = Question("Is it outdoors?", form="yes/no")
    told = Understanding((Search("man in a red cap"),), 0.9)
    assert as_told(told, "a man in a red cap", opened).commands == (Refine("man in a red cap"),)
    assert as_told(told, "a man in a red cap", closed) is told
    other = Understanding((Search("cats"),), 0.9)
    assert as_told(other, "show me cats", opened) is other


@pytest.mark.parametrize(
    ("message", "group"),
    [
        ("black shoes for my husband", "Men"),
        ("a gift for my mum's birthday, perhaps a watch", "Women"),
        ("blue t-shirt for my little boy", "Boys"),
        ("tshirt with a cartoon on it for my 8 year old son", "Boys"),
        ("something for the kids", "Boys | Girls"),
    ],
)
def test_a_thing_for_somebody_is_one_for_such_people(message: str, group: str):
    attributes = {"gender": ("Men", "Women", "Boys", "Girls"), "usage": ("Formal", "Casual")}
    understood = Understanding((Search("thing"),), 0.9)
    assert [str(one) for one in for_whom(understood, message, attributes).commands[1:]] == [f"filter gender = {group}"]
    assert for_whom(understood, "black shoes for the office", attributes) is understood
    assert for_whom(understood, message, {"usage": ("Formal",)}) is understood


def test_what_is_for_everybody_is_for_anybody():
    attributes = {"gender": ("Men", "Women", "Boys", "Unisex")}
    narrow = Understanding((Search("backpack"), parse_command("filter gender = Boys")), 0.9)
    made = for_whom(narrow, "a backpack for my son", attributes).commands
    assert [str(one) for one in made] == ["search backpack", "filter gender = Boys | Unisex"]
    assert for_whom(narrow, "a backpack for my son, boys only", attributes) is narrow


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("for women", ["filter gender = Women"]),
        ("women's", ["filter gender = Women"]),
        ("women", ["filter gender = Women"]),
        ("for kids", ["filter gender = Boys | Unisex"]),
        ("blue ones for women", ["refine blue ones", "filter gender = Women"]),
        ("with a hood", ["refine with a hood"]),
    ],
)
def test_people_whom_things_are_for_are_a_condition(text: str, commands: list[str]):
    attributes = {"gender": ("Men", "Women", "Boys", "Unisex")}
    understood = Understanding((Refine(text),), 0.9)
    assert [str(one) for one in for_whom(understood, text, attributes).commands] == commands
    assert for_whom(understood, text, {"usage": ("Formal",)}) is understood


def test_a_colour_is_added_to_the_one_that_a_description_names():
    brief = fold(NOTHING, Search("pair of black shoes for the office"), Situation(1))
    attributes = {"baseColour": ("Black", "Brown", "White")}
    brown = Understanding((parse_command("filter baseColour = Brown"),), 0.9)
    (command,) = as_wider(brown, "brown is fine too", brief, attributes).commands
    assert str(command) == "filter baseColour = Black | Brown"
    wider = fold(brief, command, NOW)
    assert [wish.text for wish in wider.active] == ["pair of shoes for the office", "baseColour = Black | Brown"]


def test_an_adjective_has_its_noun():
    pizza = Brief((Wish("1.1", "want", "pizza with olives", 1),))
    read = Understanding((Avoid("whole"), Refine("slices")), 0.9)
    assert with_noun(read, "not a whole one, just slices", pizza).commands == (Avoid("whole pizza"), Refine("slices"))
    for said, command in (("no green ones", Avoid("green")), ("no people", Avoid("people"))):
        assert with_noun(Understanding((command,), 0.9), said, pizza).commands == (command,)
    assert with_noun(read, "not a whole one, just slices", Brief()).commands == read.commands


def test_deleting_is_asked_about_because_nothing_is_deleted_here() -> None:
    understood = Understanding((Unlike(Shown(1)),), 1.0)
    asked = not_deleted(understood, "delete the first one").clarify
    assert asked is not None
    assert "Nothing is deleted" in asked.question
    assert asked.options == (("take it out of these results", "unlike #1"),)
    assert not_deleted(understood, "not like the first one") is understood


def doubtful(*lines: str) -> Understanding:
    return Understanding((), 0.6, Clarify("Which of these?", tuple((line, line) for line in lines)))


SIMILAR = ("like this ; sort price asc", "like this ; filter price < this", "like this ; refine cheaper")


def test_similar_but_cheaper_compares_the_price_with_the_picture_that_is_meant():
    shown = tuple(Result(id, 1.0) for id in "abc")
    held = Turn(1, "", results=shown, hand=Hand("b", "b"))
    assert commands_text(about_one_picture(doubtful(*SIMILAR), held).commands) == SIMILAR[1]
    one = Turn(1, "", results=shown[:1])
    assert commands_text(about_one_picture(doubtful(*SIMILAR), one).commands) == SIMILAR[1]
    asked = about_one_picture(doubtful(*SIMILAR), Turn(1, "", results=shown)).clarify
    assert asked is not None
    assert asked.question == "Which one?"
    assert asked.options[1] == ("#2", "like #2 ; filter price < #2")


def test_what_is_done_to_a_picture_is_no_wish():
    turn = Turn(1, "", results=tuple(Result(id, 1.0) for id in "abc"))
    asked = about_one_picture(doubtful("refine crop", "crop on dog"), turn).clarify
    assert asked is not None
    assert asked.options == (("#1", "select #1"), ("#2", "select #2"), ("#3", "select #3"))
    other = doubtful("refine hat", "avoid hat")
    assert about_one_picture(other, turn) is other


def test_the_second_one_is_the_second_that_is_seen(assistant: Assistant):
    """An album hangs on the wall while the conversation last found something else."""
    said = assistant.start()
    found = [result.id for result in assistant.reply(said, "search red").results]
    album = [result.id for result in assistant.reply(assistant.start(), "search blue").results[:3]]
    assert not set(album) & set(found[:3])
    turn = assistant.reply(said, "select #2", shown=album)
    assert turn.hand is not None
    assert turn.hand.picture == album[1]
    assert str(turn.commands[0]) == f"select id:{album[1]}", "a turn holds whatever was seen"
    assert assistant.reply(said, "like #3", shown=album).brief.active[-1].picture == album[2]
    compared = assistant.reply(said, "compare #1 #2", shown=album).comparison
    assert compared is not None
    assert compared.pictures == tuple(album[:2])
    assert "There are 3: #1 to #3." in assistant.reply(said, "describe #4", shown=album).reply
    offered = assistant.reply(said, "two", shown=album).question
    assert offered is not None
    assert offered.options[1] == ("more like #2", f"like id:{album[1]}")
    chosen = assistant.reply(said, "2", shown=found)
    assert chosen.brief.active[-1].picture == album[1], "as it was offered"
    again = [[wish.picture for wish in turn.brief.wishes] for turn in assistant.replay(said).turns]
    assert again == [[wish.picture for wish in turn.brief.wishes] for turn in said.turns]


def test_the_first_picture_of_all_can_be_edited_before_anything_was_looked_for(assistant: Assistant):
    everything = [result.id for result in assistant.reply(assistant.start(), "search blue").results]
    said = assistant.start()
    assert "There is no picture" in assistant.reply(said, "select #2").reply
    assistant.reply(said, "select #2", shown=everything)
    turn = assistant.reply(said, "grayscale", shown=everything)
    assert turn.hand is not None
    assert turn.hand.source == everything[1]
    repeated = assistant.reply(said, "repeat #4 #5", shown=everything)
    assert [str(one) for one in repeated.commands] == [f"repeat id:{everything[3]} id:{everything[4]}"]
    assert len(repeated.results) == 2
