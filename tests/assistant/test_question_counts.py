"""Answers that leave nothing are not offered."""

from __future__ import annotations

from visavis.assistant.question_counts import _without_empty
from visavis.types import Proposition, Question

COLOURS = Question(
    "Which colour: red, blue or green?",
    tuple((name, f"filter colour = {name}") for name in ("red", "blue", "green")),
    "choice",
    "attribute:colour",
    propositions=tuple(Proposition(name) for name in ("red", "blue", "green")),
)


def test_an_answer_that_leaves_nothing_is_left_out():
    asked = _without_empty(COLOURS, [3, 0, 2])
    assert asked is not None
    assert asked.text == "Which colour: red or green?"
    assert [label for label, _ in asked.options] == ["red", "green"]
    assert [one.wish for one in asked.propositions] == ["red", "green"]
    assert asked.leaves == (3, 2)


def test_one_answer_is_no_question():
    assert _without_empty(COLOURS, [3, 0, 0]) is None
    sure = Question("Is it red?", (("yes", "refine red"), ("no", "avoid red")), "yes/no", "red")
    assert _without_empty(sure, [5, 0]) is None
    assert _without_empty(sure, [3, 2]).leaves == (3, 2)
