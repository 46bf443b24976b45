"""Which attributes are asked about, and in which order they are worth it."""

from __future__ import annotations

import pytest

from visavis.questions.attributes import AttributeQuestions, interest, is_worth_asking
from visavis.questions.base import posterior


@pytest.mark.parametrize(
    "name", ["background", "id", "product_id", "articleNumber", "sku", "image_url", "camera", "taken"]
)
def test_nobody_is_asked_for_what_only_machines_know(name: str):
    assert not is_worth_asking(name)


@pytest.mark.parametrize("name", ["colour", "baseColour", "price", "brand", "country", "usage", "something"])
def test_people_are_asked_for_what_they_care_about(name: str):
    assert is_worth_asking(name)


def test_a_buyer_cares_for_the_kind_before_the_pattern():
    names = ["pattern", "background", "price", "colour", "something", "articleType"]
    assert sorted(names, key=interest) == ["articleType", "price", "colour", "pattern", "something", "background"]


@pytest.mark.parametrize("name", ["year", "season"])
def test_a_buyer_is_not_asked_when_a_thing_was_brought_out(make_view, name: str):
    when = [{name: "Fall" if at % 2 else "Summer"} for at in range(20)]

    def asked(rows: list[dict[str, object]]) -> set[str]:
        view = make_view(attributes=rows)
        return {one.question.key for one in AttributeQuestions().propose(view, posterior(view.candidates.scores))}

    assert asked([dict(row) for row in when]) == {f"attribute:{name}"}, "of photographs it is worth a question"
    assert asked([{**row, "price": 10 + at} for at, row in enumerate(when)]) == {"attribute:price"}


def test_a_value_that_would_be_left_over_is_offered_too(make_view):
    kinds = ("boots", "mules", "clogs", "pumps", "flats", "sandals")
    view = make_view(attributes=[{"kind": kinds[at % 6]} for at in range(20)])
    (asked,) = AttributeQuestions().propose(view, posterior(view.candidates.scores))
    assert "sandals" in [label for label, _ in asked.question.options]
    assert "something else" not in asked.question.text


def test_a_second_colour_is_asked_for_last():
    assert interest("colour") < interest("pattern") < interest("second_colour")


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("baseColour", "Which colour: "),
        ("articleType", "What kind: "),
        ("usage", "For what occasion: "),
        ("gender", "For whom: "),
        ("masterCategory", "Which department: "),
    ],
)
def test_it_is_asked_in_words_that_people_say(make_view, name: str, begins: str):
    view = make_view(attributes=[{name: "that" if at % 2 else "this"} for at in range(20)])
    (proposal,) = AttributeQuestions().propose(view, posterior(view.candidates.scores))
    assert proposal.question.text.startswith(begins)
    assert all(line.startswith(f"filter {name} = ") for _, line in proposal.question.options)


def test_the_commonest_values_are_offered_and_not_those_of_the_best_few(make_view):
    kinds = ["caps", "socks"] + ["shoes"] * 9 + ["shirts"] * 8 + ["bags"] * 7 + ["belts"] * 6 + ["hats"] * 5 + ["ties"]
    scores = [9.0, 9.0] + [1.0] * (len(kinds) - 2)
    view = make_view(attributes=[{"kind": kind} for kind in kinds])
    (proposal,) = AttributeQuestions().propose(view, posterior(scores))
    assert [label for label, _ in proposal.question.options] == ["shoes", "shirts", "bags", "belts", "hats"]
    assert proposal.question.text.endswith(" or something else?")
