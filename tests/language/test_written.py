"""Commands in their text form are read exactly; what only begins like one is talk."""

from __future__ import annotations

import pytest

from visavis.language.commands.parse import written_command


@pytest.mark.parametrize(
    "line",
    [
        "search red dress",
        "search half-timbered house at night",
        "refine longer sleeves",
        "refine in snow",
        "avoid people",
        "search café",
        "rotate 270",
        "like #4",
        "filter price < 50",
    ],
)
def test_a_written_command_is_exact(line):
    assert str(written_command(f"  {line} ")) == line


@pytest.mark.parametrize(
    "line",
    [
        "search the second one",
        "search again",
        "search for boots",
        "search my photos",
        "search red dress please",
        "search red dress under 50",
        "search dresses without lace",
        "search red dress, no lace",
        "search more like that",
        "search cats and dogs then flip it",
        "refine it",
        "refine this a bit more",
        "avoid the first row",
        "avoid those",
        "avoid number 3",
        "Search Red Dress",
        "search",
        "remove man",
        "count cats",
    ],
)
def test_talk_is_left_to_the_network(line):
    assert written_command(line) is None
