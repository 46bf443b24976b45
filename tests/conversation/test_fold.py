"""What wishes do to one another: a table of short conversations and the briefs that they end with."""

from __future__ import annotations

import pytest

from visavis.conversation.brief import Brief
from visavis.conversation.fold import MOST_WISHES, Situation, fold
from visavis.errors import BadInputError
from visavis.language.commands import parse_command
from visavis.types import Question

SHOWN = ("pic-a", "pic-b", "pic-c")
PRICES = {"pic-a": 35.5, "pic-b": 80}


def situation(turn: int, question: Question | None = None) -> Situation:
    return Situation(
        turn,
        SHOWN,
        turn - 1,
        "pic-a",
        question,
        picture_of=lambda number: f"pic-of-{number}",
        value_of=lambda id, name: PRICES.get(id) if name == "price" else None,
    )


def after(*lines: str, question: Question | None = None) -> Brief:
    brief = Brief()
    for turn, line in enumerate(lines, 1):
        for command in line.split(" && "):
            brief = fold(brief, parse_command(command), situation(turn, question))
    return brief


def labels(brief: Brief) -> list[str]:
    return [wish.label for wish in brief.active]


@pytest.mark.parametrize(
    ("lines", "active"),
    [
        # Recency: the later word about the same aspect of the same thing counts.
        (("search shirt", "refine red", "refine blue"), ["shirt", "blue"]),
        (("search shirt", "refine in red", "refine in light blue"), ["shirt", "in light blue"]),
        (("search shirt", "refine red stripes", "refine blue"), ["shirt", "red stripes", "blue"]),
        (("search shirt", "refine red stripes", "refine blue stripes"), ["shirt", "blue stripes"]),
        (("search shirt", "refine long sleeves", "refine short sleeves"), ["shirt", "short sleeves"]),
        (("search shirt", "refine long sleeves", "refine sleeveless"), ["shirt", "sleeveless"]),
        (("search shirt", "refine long sleeves", "refine short"), ["shirt", "long sleeves", "short"]),
        (("search bag", "refine leather", "refine denim"), ["bag", "denim"]),
        (("search street", "refine at night", "refine at sunset"), ["street", "at sunset"]),
        # A description keeps everything but the word that is contradicted.
        (("search red dress", "refine in blue"), ["blue dress"]),
        (("search red dress with a white collar", "refine blue"), ["blue dress with a white collar"]),
        (("search dark red dress", "refine black"), ["black dress"]),
        (("search black and white dress", "refine red"), ["red dress"]),
        (("search red dress", "refine blue dress"), ["blue dress"]),
        (("search a man in a red shirt", "refine blue"), ["a man in a red shirt", "blue"]),
        (("search a red car in the snow", "refine blue", "refine green"), ["a green car in the snow"]),
        (("search red dress", "avoid red"), ["dress", "no red"]),
        # Wherever in a description the value stands, and whatever else it says.
        (("search shoes in brown leather", "filter colour = black"), ["shoes in leather", "in black"]),
        (("search leather shoes, brown", "filter colour = black"), ["leather shoes", "in black"]),
        (("search shoes that are brown", "refine blue"), ["shoes that are blue"]),
        (("search shoes", "refine brown leather", "filter colour = black"), ["shoes", "leather", "in black"]),
        (("search something brown", "filter colour = black"), ["in black"]),
        (("search bag", "filter colour = black", "refine red leather"), ["bag", "red leather"]),
        (("search brown shoes", "refine blue ones with laces"), ["shoes", "blue ones with laces"]),
        (("search black dog", "refine a white cat"), ["black dog", "a white cat"]),
        (("search bag", "filter gender = Men", "refine for women"), ["bag", "for women"]),
        (("search bags for men", "refine for women"), ["bags for women"]),
        (("search men's shoes", "refine women's"), ["women's shoes"]),
        (("search mens shoes", "filter gender = Women"), ["shoes", "for women"]),
        (("search shoes", "refine for men", "filter gender = Women"), ["shoes", "for women"]),
        (("search shoes for kids", "refine for kids"), ["shoes for kids"]),
        # Wanting and avoiding the same thing.
        (("search a beach", "avoid people", "refine people"), ["a beach", "people"]),
        (("search a beach", "refine a dog", "avoid dogs"), ["a beach", "no dogs"]),
        # Comparisons: the later one, with the later picture, counts.
        (("search coat", "refine longer", "refine shorter"), ["coat", "shorter"]),
        (("search coat", "refine longer sleeves", "refine longer"), ["coat", "longer sleeves", "longer"]),
        # Pictures.
        (("search coat", "like #2", "unlike #2"), ["coat", "not like #2 of turn 2"]),
        (("search coat", "like #2", "like #3"), ["coat", "like #2 of turn 1", "like #3 of turn 2"]),
        (("search coat", "like #2 && refine blue"), ["coat", "like #2 of turn 1", "blue"]),
        # Aspects of earlier turns.
        (("search coat", "keep colour @1", "keep colour of #2"), ["coat", "colour of #2 of turn 2"]),
        (
            ("search coat", "keep colour @1", "keep sleeves of #2"),
            ["coat", "colour of turn 1", "sleeves of #2 of turn 2"],
        ),
        (("search coat", "keep colour @1", "refine blue"), ["coat", "blue"]),
        (("search coat", "refine blue", "keep colour @1"), ["coat", "colour of turn 1"]),
        # Filters.
        (("search coat", "filter price < 50", "filter price < 30"), ["coat", "price under 30"]),
        (("search coat", "filter price < 50", "filter price > 20"), ["coat", "price under 50", "price over 20"]),
        (("search coat", "filter price < 50", "filter price > 60"), ["coat", "price over 60"]),
        (("search coat", "filter colour = red", "filter colour = blue"), ["coat", "in blue"]),
        (("search coat", "filter colour = red", "refine blue"), ["coat", "blue"]),
        (
            ("search coat", "filter colour != red", "filter colour != blue"),
            ["coat", "not red", "not blue"],
        ),
        (("search coat", "filter price < #1"), ["coat", "price under 35.5"]),
        (("search coat", "sort price asc", "sort price desc"), ["coat", "most expensive first"]),
        # Forgetting, starting over.
        (("search red dress", "forget colour"), ["dress"]),
        (("search dress", "refine red", "forget the color"), ["dress"]),
        (("search dress", "filter price < 50", "forget price"), ["dress"]),
        (("search dress", "avoid stripes", "forget stripes"), ["dress"]),
        (("search dress", "filter price < 50", "filter colour = red", "forget filters"), ["dress"]),
        (("search shirt", "refine for men", "refine for women"), ["shirt", "for women"]),
        (("search dog on a beach", "forget beach"), ["dog"]),
        (("search dog on a beach", "forget dog"), ["on a beach"]),
        (("search dog on a beach", "forget dog", "refine cat"), ["on a beach", "cat"]),
        (("search dogs and cats", "forget cat"), ["dogs"]),
        (("search street with cars, at night, for a talk", "forget night"), ["street with cars, for a talk"]),
        (("search street with cars, ideally at night, by day", "forget night"), ["street with cars, by day"]),
        (("search street with cars, ideally at night", "forget night"), ["street with cars"]),
        (("search catfish on a plate", "forget cat"), ["catfish on a plate"]),
        (("search pizza", "refine glass of wine next to pizza", "forget wine"), ["pizza"]),
        (("search pizza", "refine wine on the table", "forget wine"), ["pizza"]),
        (("search kurta", "filter articleType != Sarees", "forget sarees"), ["kurta"]),
        (("search table with a glass of wine", "forget wine"), ["table"]),
        (("search dress", "refine red", "search shoes"), ["shoes"]),
        (("search dress", "filter price < 50 && search shoes"), ["price under 50", "shoes"]),
        (("search dress", "reset"), []),
        # Alternatives: some are chosen, one is taken away, others are added.
        (("search kitchen or bathroom interiors", "refine bathrooms"), ["bathrooms"]),
        (("search cats or dogs on a beach", "refine cats"), ["cats on a beach"]),
        (("search cats or dogs", "refine brown dogs"), ["cats or dogs", "brown dogs"]),
        (("search red or yellow train", "refine train"), ["red or yellow train", "train"]),
        (("search giraffes", "refine fence", "refine giraffes or zebras"), ["fence", "giraffes or zebras"]),
        (("search red or blue dress", "refine blue"), ["blue dress"]),
        (("search kitchen or bathroom interiors", "forget kitchen"), ["bathroom interiors"]),
        (("search bag", "refine black", "refine brown or black"), ["bag", "brown or black"]),
        (("search bag", "filter colour = Brown", "filter colour = Brown | Black"), ["bag", "in brown or black"]),
        (("search bag", "filter colour = Brown | Black", "filter colour != Brown"), ["bag", "in black"]),
        (("search bag", "filter colour = Brown | Black", "avoid brown"), ["bag", "in black"]),
        (
            ("search formal shirt, white or light blue, long sleeves", "forget white"),
            ["formal shirt, light blue, long sleeves"],
        ),
        (("search shirt, white or blue", "forget blue"), ["shirt, white"]),
        (("search brown wallet", "filter colour = Brown"), ["brown wallet", "in brown"]),
        (("search bag", "filter colour = Brown | Black", "forget brown"), ["bag", "in black"]),
        (("search bag", "filter colour = Brown", "forget brown"), ["bag"]),
        (("search shoes for kids", "filter gender = Women"), ["shoes", "for women"]),
        (("search women's shoes", "filter gender = Men"), ["shoes", "for men"]),
        (("search shirt", "refine stripes", "refine striped"), ["shirt", "stripes"]),
        (("search bag", "filter colour = Brown | Black", "forget black or brown"), ["bag"]),
        (("search bag", "refine red", "filter price < 50", "forget red"), ["bag", "price under 50"]),
        (("search horses", "refine brown or white", "avoid white"), ["horses", "brown", "no white"]),
        (("search cats or dogs", "avoid dogs"), ["cats", "no dogs"]),
        # No wishes.
        (("search dress", "rotate 90", "chat thanks", "more", "undo", "select #2"), ["dress"]),
        (("search dress", "refine red", "refine red"), ["dress", "red"]),
    ],
)
def test_wishes_after(lines: tuple[str, ...], active: list[str]):
    assert labels(after(*lines)) == active


def test_what_was_replaced_stays_listed_with_the_turn_that_replaced_it():
    brief = after("search shirt", "refine red", "refine blue")
    old = brief.wish("2.1")
    assert (old.text, old.active, old.end, old.ended) == ("red", False, "replaced", 3)
    assert brief.switched("2.1", True).wish("2.1").end == ""


def test_a_pinned_wish_outlives_contradictions_and_new_searches():
    brief = after("search shirt", "refine red").pinned("2.1")
    brief = fold(brief, parse_command("refine blue"), situation(3))
    assert labels(brief) == ["shirt", "red", "blue"]
    brief = fold(brief, parse_command("search shoes"), situation(4))
    assert labels(brief) == ["red", "shoes"]
    assert labels(fold(brief, parse_command("reset"), situation(5))) == []


def test_relative_wishes_remember_what_they_were_compared_with():
    wish = after("search coat", "refine longer sleeves").wish("2.1")
    assert (wish.kind, wish.reference, wish.reference_turn) == ("relative", "pic-a", 1)


def test_kept_aspects_remember_the_picture_and_the_turn():
    brief = after("search coat", "refine blue", "keep sleeves @1")
    wish = brief.of("keep")[0]
    assert (wish.attribute, wish.picture, wish.reference_turn) == ("sleeves", "pic-of-1", 1)


@pytest.mark.parametrize("line", ["like #4", "keep colour of #9", "keep colour @7", "filter length < #1", "unlike #10"])
def test_pointing_at_nothing_is_said(line: str):
    with pytest.raises(BadInputError, match=r"no picture|no turn|has no"):
        after("search coat", line)


@pytest.mark.parametrize(
    ("question", "options", "answer", "wishes"),
    [
        ("Is there a dog in it?", (), "yes", [("want", "a dog in it")]),
        ("Is there a dog in it?", (), "no", [("avoid", "a dog in it")]),
        ("Should it have long sleeves?", (), "yes", [("want", "long sleeves")]),
        ("Which colour?", (("red", None), ("blue", None)), "blue", [("want", "blue")]),
        ("Which colour?", (("red", None), ("blue", None)), "none", [("avoid", "red"), ("avoid", "blue")]),
        ("Which colour?", (("red", None), ("blue", None)), "no preference", []),
        ("Which colour?", (), "a light one", [("want", "a light one")]),
    ],
)
def test_answers_become_wishes(question: str, options: tuple, answer: str, wishes: list):
    brief = after(f"answer {answer}", question=Question(question, options))
    assert [(wish.kind, wish.text) for wish in brief] == wishes


def test_a_brief_never_grows_without_end():
    brief = Brief()
    for turn in range(1, 300):
        brief = fold(brief, parse_command(f"refine thing number {turn}"), situation(turn))
    assert len(brief) == MOST_WISHES
    assert brief.wishes[-1].text == "thing number 299"


def test_a_click_points_at_a_picture_by_its_id():
    id = "0f" * 16
    command = parse_command(f"like id:{id}")
    assert str(command) == f"like id:{id}"
    situation = Situation(turn=3, shown=("a" * 32, id), shown_at=2)
    assert [(wish.picture, wish.text) for wish in fold(Brief(), command, situation)] == [(id, "#2 of turn 2")]
    elsewhere = Situation(turn=3)
    assert [(wish.picture, wish.text) for wish in fold(Brief(), command, elsewhere)] == [(id, f"picture {id[:8]}")]
    with pytest.raises(BadInputError, match="no picture's id"):
        parse_command("like id:../../etc/passwd")
