"""Filters as text: read, refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.errors import BadInputError
from visavis.language.filter_text import FilterSyntaxError, parse_filter
from visavis.stores.filters import All, Any, AnyOf, Equals, HasId, Not, Range, Text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("colour = red", Equals("colour", "red")),
        ("colour == 'dark red'", Equals("colour", "dark red")),
        ('"odd name" = 1', Equals("odd name", 1)),
        ("sold = TRUE", Equals("sold", True)),
        ("size = '42'", Equals("size", "42")),
        ("size = 42", Equals("size", 42)),
        ("size = 4.5e1", Equals("size", 45.0)),
        ("name = 42nd", Equals("name", "42nd")),
        ("date = 2024-05-01", Equals("date", "2024-05-01")),
        ("colour != red", Not(Equals("colour", "red"))),
        ("colour <> red", Not(Equals("colour", "red"))),
        ("price<50", Range("price", below=50)),
        ("price ≥ -3.5", Range("price", at_least=-3.5)),
        ("10 <= price < 50", Range("price", at_least=10, below=50)),
        ("50 > price >= 10", Range("price", at_least=10, below=50)),
        ("10 < price", Range("price", above=10)),
        ("price is number", Range("price")),
        ("title ~ 'summer dress'", Text("title", "summer dress")),
        ("title !~ summer", Not(Text("title", "summer"))),
        ("category in (hat, 'big bag', 3, true)", AnyOf("category", ("hat", "big bag", 3, True))),
        ("category not in (hat)", Not(AnyOf("category", ("hat",)))),
        ("category IN ()", AnyOf("category", ())),
        ("@id in (abc, '12')", HasId(("abc", "12"))),
        ("@id = 7", HasId(("7",))),
        ("'@id' = 7", Equals("@id", 7)),
        ("not a = 1", Not(Equals("a", 1))),
        ("a = 1 or b = 2 and c = 3", Any((Equals("a", 1), All((Equals("b", 2), Equals("c", 3)))))),
        ("(a = 1 or b = 2) AND c = 3", All((Any((Equals("a", 1), Equals("b", 2))), Equals("c", 3)))),
        ("all()", All(())),
        ("any(a = 1)", Any((Equals("a", 1),))),
        ("'all' = 1", Equals("all", 1)),
        ("a = 'it\\'s'", Equals("a", "it's")),
        (
            "price < 50 and colour = red and not (category in (hat, bag)) and title ~ 'summer'",
            All(
                (
                    Range("price", below=50),
                    Equals("colour", "red"),
                    Not(AnyOf("category", ("hat", "bag"))),
                    Text("title", "summer"),
                )
            ),
        ),
    ],
)
def test_reading(text, expected):
    assert parse_filter(text) == expected


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("price <", 8, "a number was expected, not the end"),
        ("price < cheap", 9, "a number was expected, not 'cheap'"),
        ("colour = dark red", 15, "'and' or 'or' was expected, not 'red'"),
        ("colour red", 8, "=, !=, <, <=, >, >=, ~, in or is was expected"),
        ("= red", 1, "a field's name was expected"),
        ("a = 1 and", 10, "a field's name was expected, not the end"),
        ("a = 1 and and b = 2", 11, "a field's name was expected"),
        ("(a = 1", 7, "')' was expected, not the end"),
        ("a = 1)", 6, "'and' or 'or' was expected"),
        ("a in hat", 6, "'(' was expected"),
        ("a in (hat bag)", 11, "',' or ')' was expected"),
        ("a = 'open", 5, "the quotation mark is not closed"),
        ("a ! 1", 3, "'!' fits nowhere"),
        ("1 < a > 2", 7, "the same way"),
        ("a = 1e999", 5, "too long"),
        ("a < " + "9" * 50, 5, "too long"),
        ("a not 1", 7, "'in' was expected"),
        ("a is red", 6, "'number' was expected"),
        ("all = 1", 1, "a field's name was expected, not 'all'"),
        ("5", 2, "<, <=, > or >= was expected"),
    ],
)
def test_refusing_names_the_column(text, column, says):
    with pytest.raises(FilterSyntaxError) as caught:
        parse_filter(text)
    assert caught.value.column == column
    assert says in caught.value.message
    assert f"column {column}" in caught.value.message
    assert caught.value.remedy


def test_several_words_without_quotation_marks_get_their_own_remedy():
    with pytest.raises(FilterSyntaxError, match="quotation marks"):
        parse_filter("colour = dark red")


@pytest.mark.parametrize("text", ["", "   ", "x" * 20_001, "(" * 5000, "not " * 4000 + "a = 1", "all(" * 3000])
def test_empty_huge_and_deep_texts_are_refused(text):
    with pytest.raises(BadInputError):
        parse_filter(text)


@given(st.text(max_size=60) | st.text(alphabet="ab1 .'\"()=<>!~,\\@-innotandor", max_size=60))
def test_any_text_is_read_or_refused_in_words(text):
    try:
        read = parse_filter(text)
    except BadInputError:
        return
    assert parse_filter(f"({text})") == read
