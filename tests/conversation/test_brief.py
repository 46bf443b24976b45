"""Rules that hold for every brief and every turn."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from conversation_strategies import briefs, lines, turns
from hypothesis import given
from hypothesis import strategies as st

from visavis.conversation.brief import Brief, change
from visavis.conversation.fold import Situation, fold
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError, NotFoundError
from visavis.language.commands import parse_command


def _situation(turn: int) -> Situation:
    return Situation(turn, ("a" * 32, "b" * 32, "c" * 32), turn - 1, "a" * 32)


def _fold_all(said: list[str]) -> list[Brief]:
    states = [Brief()]
    for turn, line in enumerate(said, 1):
        states.append(fold(states[-1], parse_command(line), _situation(turn)))
    return states


@given(st.lists(lines(), max_size=12))
def test_folding_is_pure(said: list[str]):
    states = _fold_all(said)
    copies = deepcopy(states)
    assert _fold_all(said) == states
    assert states == copies, "an earlier brief was changed by a later command"


@given(st.lists(lines(), max_size=12))
def test_ids_are_unique_and_sources_never_lie_in_the_future(said: list[str]):
    for turn, brief in enumerate(_fold_all(said)):
        ids = [wish.id for wish in brief]
        assert len(ids) == len(set(ids))
        assert all(1 <= wish.turn <= turn for wish in brief)
        assert all(bool(wish.end) == (wish.ended is not None) for wish in brief)
        assert all(not wish.end for wish in brief.active)


@given(st.lists(lines(), max_size=12))
def test_folded_briefs_survive_json(said: list[str]):
    for brief in _fold_all(said):
        assert Brief.from_json(json.loads(json.dumps(brief.as_json()))) == brief


@given(st.lists(lines(), max_size=12))
def test_at_most_one_order_counts(said: list[str]):
    assert all(len(brief.of("sort")) <= 1 for brief in _fold_all(said))


@given(briefs())
def test_any_brief_survives_json(brief: Brief):
    assert Brief.from_json(json.loads(json.dumps(brief.as_json()))) == brief


@given(turns())
def test_any_turn_survives_json(turn: Turn):
    assert Turn.from_json(json.loads(json.dumps(turn.as_json()))) == turn


@given(briefs(), st.data())
def test_off_and_on_is_nothing(brief: Brief, data: st.DataObject):
    if brief.active:
        id = data.draw(st.sampled_from(brief.active)).id
        off = brief.switched(id, False)
        assert not off.wish(id).active
        assert off.switched(id, True) == brief


@given(briefs(), st.data(), st.floats(0.1, 10))
def test_weight_and_pin_touch_nothing_else(brief: Brief, data: st.DataObject, weight: float):
    if not brief.wishes:
        return
    wish = data.draw(st.sampled_from(brief.wishes))
    heavier = brief.weighted(wish.id, weight)
    assert heavier.wish(wish.id).weight == weight
    assert heavier.weighted(wish.id, wish.weight) == brief
    assert brief.pinned(wish.id).pinned(wish.id, wish.pinned) == brief
    assert [other for other in brief if other.id != wish.id] == list(brief.without(wish.id))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "off",
        "of 1.1",
        "weight 1.1",
        "weight 1.1 heavy",
        "weight 1.1 0",
        "weight 1.1 nan",
        "weight 1.1 99",
        "pin 1 2",
    ],
)
def test_bad_changes_are_refused(line: str):
    brief = fold(Brief(), parse_command("search dress"), _situation(1))
    with pytest.raises(BadInputError):
        change(brief, line)


def test_changes_to_no_wish_name_the_wishes():
    brief = fold(Brief(), parse_command("search dress"), _situation(1))
    with pytest.raises(NotFoundError, match=r"1\.1"):
        change(brief, "off 7.7")


@pytest.mark.parametrize(
    "value", [{}, {"version": 99, "wishes": []}, {"version": 1}, {"version": 1, "wishes": [{"id": "1.1"}]},
              {"version": 1, "wishes": [{"id": "1.1", "kind": "steal", "text": "x", "turn": 1}]}]
)  # fmt: skip
def test_what_is_no_brief_is_refused(value: dict):
    with pytest.raises(BadInputError):
        Brief.from_json(value)


def test_the_values_that_are_filtered_by_belong_to_what_a_parser_is_told():
    said = ["search boots", "filter colour = Brown | Black", "filter closure != Zip", "filter price < 50"]
    brief = _fold_all([*said, 'filter taken = "last summer"'])[-1]
    assert brief.topic == "boots"
    assert brief.narrowed_topic == "boots, Brown or Black, no Zip"


def test_a_value_of_a_filter_can_be_forgotten():
    brief = _fold_all(["search boots", "filter colour = Brown | Black"])[-1]
    without = fold(brief, parse_command("forget brown"), _situation(3))
    assert [wish.text for wish in without.active] == ["boots", "colour = Black"]
    assert [wish.text for wish in fold(without, parse_command("forget black"), _situation(4)).active] == ["boots"]
