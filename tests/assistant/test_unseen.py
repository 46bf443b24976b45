"""What no picture of a product shows: sizes, volumes, cloth, stock. The catalogue tells it, or it is not known."""

from __future__ import annotations

import pytest

from visavis.assistant.picture_questions import PictureQuestions
from visavis.assistant.products import unseen_facts, without_unseen
from visavis.assistant.seen import PictureView
from visavis.language.base import Understanding
from visavis.language.commands import Clarify, parse_commands
from visavis.language.context import NumberRange
from visavis.pictures.picture import Details, Picture

SHOP = {"price": NumberRange(4, 250), "gender": ("Men", "Women")}


def read(line: str, message: str, attributes=SHOP, written: tuple[str, ...] = ()) -> list[str]:
    understood = Understanding(parse_commands(line), 0.9)
    return without_unseen(understood, message, attributes, lambda text: text in written).lines()


@pytest.mark.parametrize(
    ("line", "message", "lines"),
    [
        ("like #3 ; refine size 38", "do you have number 3 in size 38?", ["like #3", 'filter size = "38"']),
        ("search shirt in size XL", "a shirt in size XL", ["search shirt", "filter size = xl"]),
        ("search cotton shirts", "cotton shirts", ["search shirts", "filter fabric = cotton"]),
        (
            "search perfume ; filter price <= 100",
            "perfume, 100 ml",
            ["search perfume", 'filter volume = "100 ml"'],
        ),
        ("search perfume ; filter price <= 100", "perfume, up to 100", ["search perfume", "filter price <= 100"]),
        ("search red dress", "a red dress", ["search red dress"]),
    ],
)
def test_what_cannot_be_seen_is_a_condition(line: str, message: str, lines: list[str]):
    assert read(line, message) == lines


def test_the_catalogue_tells_it_where_it_does():
    assert read("refine size 38", "in size 38", SHOP | {"size": ("37", "38")}) == ['filter size = "38"']
    assert read("refine size 38", "in size 38", SHOP | {"size": NumberRange(36, 46)}) == ["filter size = 38"]
    assert read("search cotton shirts", "cotton shirts", written=("cotton",)) == ["search cotton shirts"]
    assert read("search cotton field", "a cotton field", {"taken": ()}) == ["search cotton field"], "no shop"


def told(question: str, title: str = "", **attributes: object) -> str:
    details = Details(attributes={"price": 5.0, "title": title, **attributes})
    picture = Picture("a", ("a.jpg",), 4, 3, 99, "JPEG", details)
    said = PictureQuestions(PictureView(picture), lambda texts: [0.3 for _ in texts]).answer(question)
    return said.text


def test_questions_about_it_are_no_matter_of_looks():
    assert told("is it cotton?") == "its fabric is not known here"
    assert told("do you have it in size 38?") == "its size is not known here"
    assert told("is it in stock?") == "its stock is not known here"
    assert told("is it cotton?", "Red Cotton Shirt") == "yes, the title says “Red Cotton Shirt”"
    assert told("is it cotton?", material="Linen") == "material: Linen"


def test_readings_that_are_offered_make_no_wish_of_it():
    lines = ("search perfume ; filter price <= 100", "search perfume for men ; filter price < 100")
    asked = Clarify("Which?", tuple((line, line) for line in lines))
    read = without_unseen(Understanding((), 0.5, asked), "perfume for men, 100 ml", SHOP, lambda _: False)
    assert read.clarify is not None
    assert [line for _, line in read.clarify.options] == [
        'search perfume ; filter volume = "100 ml"',
        'search perfume for men ; filter volume = "100 ml"',
    ]


def test_the_table_is_whole():
    assert len({fact.name for fact in unseen_facts()}) == len(unseen_facts())
