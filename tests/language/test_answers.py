"""Answers to a choice that is offered: several options at once, none of them but something else."""

from __future__ import annotations

import pytest

from visavis.language.context import Context, Question
from visavis.language.rules import RuleParser

COLOURS = Question(
    "Which colour: Red, Pink, Blue or something else?",
    tuple((name, f"filter colour = {name}") for name in ("Red", "Pink", "Blue")),
    form="choice",
    key="attribute:colour",
)


@pytest.mark.parametrize(
    ("message", "commands"),
    [
        ("pink", ["filter colour = Pink"]),
        ("the second", ["filter colour = Pink"]),
        ("red or blue", ["filter colour = Red | Blue"]),
        ("both red and pink", ["filter colour = Red | Pink"]),
        ("red, pink or blue please", ["filter colour = Red | Pink | Blue"]),
        ("neither", ["filter colour != Red | Pink | Blue"]),
        ("none of them, more like purple", ["filter colour != Red | Pink | Blue", "refine purple"]),
        ("no, rather white", ["filter colour != Red | Pink | Blue", "refine white"]),
        ("red or striped", ["refine red or striped"]),
        ("what have I asked for so far?", ["chat summary"]),
    ],
)
def test_a_choice_is_answered(message: str, commands: list[str]):
    context = Context(turns=1, shown=12, topic="shirt", question=COLOURS)
    assert RuleParser().understand(message, context).lines() == commands
