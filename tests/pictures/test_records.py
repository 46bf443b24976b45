"""Cells and JSON values become attributes of the right kind."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.pictures.records import attribute_name, flat_attributes, from_cell, from_json, texts_in, writable


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        (" -3 ", -3),
        ("0", 0),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1.2e3", 1200.0),
        ("True", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("00712", "00712"),
        ("12E4", "12E4"),
        ("1,5", "1,5"),
        ("1_000", "1_000"),
        ("٣", "٣"),
        ("99999999999999999999", "99999999999999999999"),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", "9223372036854775808"),
        ("infinity", "infinity"),
        ("1.5e999", "1.5e999"),
        ("Navy Blue", "Navy Blue"),
        ('["a", 1, null]', ["a", "1"]),
        ("['a', 'b']", ["a", "b"]),
        ("red|blue", ["red", "blue"]),
        ("a||b", "a||b"),
        ("[sic]", "[sic]"),
        ("[" * 5000 + "]" * 5000, "[" * 5000 + "]" * 5000),
    ],
)
def test_cells(text: str, value: object) -> None:
    assert from_cell(text) == value
    assert type(from_cell(text)) is type(value)


@pytest.mark.parametrize("text", ["", "  ", "NA", "n/a", "NaN", "null", "None"])
def test_cells_that_say_nothing(text: str) -> None:
    assert from_cell(text) is None


@given(st.one_of(st.integers(-(2**63) + 1, 2**63 - 1), st.booleans()))
def test_numbers_written_into_a_cell_come_back(value: int | bool) -> None:
    assert from_cell(str(value)) == value


@given(st.text())
def test_every_cell_has_a_value_that_stores_accept(text: str) -> None:
    value = from_cell(text)
    assert value is None or isinstance(value, (str, int, float, bool, list))
    assert not isinstance(value, float) or math.isfinite(value)
    assert not isinstance(value, list) or all(isinstance(item, str) for item in value)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), json_values, max_size=5))
def test_any_json_object_gives_flat_attributes(values: dict[str, object]) -> None:
    for name, value in flat_attributes(values).items():
        assert name
        assert not set(name) & set(" .[]\"'")
        assert isinstance(value, (str, int, float, bool, list))


def test_json_keeps_its_kinds() -> None:
    assert from_json("12") == "12"
    assert from_json(float("nan")) is None
    assert from_json([]) is None
    assert flat_attributes({"a": {"b": {"c": 1}}, "tags": ["x", 2, True], "gone": None, "big": 2**70}) == {
        "a_b_c": 1,
        "tags": ["x", "2", "True"],
        "big": str(2**70),
    }
    assert attribute_name(" Base Colour (main) ") == "Base_Colour_main"


def test_captions_in_one_cell_or_a_list() -> None:
    assert texts_in("a dog | a cat") == ["a dog | a cat"]
    assert texts_in('["a dog", " ", "a cat"]') == ["a dog", "a cat"]
    assert texts_in("[blurred] a dog") == ["[blurred] a dog"]
    assert texts_in(["a", 1, "b "]) == ["a", "b"]
    assert texts_in(7) == []
    assert texts_in("  ") == []


@given(st.text(st.characters(codec=None)))
def test_whatever_json_can_name_every_database_can_hold(text: str):
    for held in (writable(text), *texts_in(text), from_json(text) or "", attribute_name(text)):
        assert "\0" not in held
        held.encode()
    assert attribute_name(text).isprintable()
    assert len(attribute_name(text * 300)) <= 100


def test_a_text_without_damage_stays_as_it_is():
    assert writable("Ä \N{GRINNING FACE} \n x") == "Ä \N{GRINNING FACE} \n x"
