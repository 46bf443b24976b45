"""Edits told to a person: every command has words, and they say what was done."""

from __future__ import annotations

import pytest

from visavis.assistant.edits_in_words import in_words
from visavis.language.commands import Edit, parse_command


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("adjust_attr brightness 20", "brighter by 20 %"),
        ("adjust_attr warmth -5", "cooler by 5 %"),
        ("adjust_attr saturation 40 on sky", "stronger colours by 40 % (sky)"),
        ("adjust_color blue 0.3", "blue mixed in, 30%"),
        ("rotate 90", "turned 90° to the left"),
        ("rotate 355", "turned 5° to the right"),
        ("rotate 180", "turned upside down"),
        ("straighten", "levelled"),
        ("straighten -2.5", "straightened by -2.5°"),
        ("flip horizontal", "mirrored"),
        ("crop on hat", "cropped to hat"),
        ("image_cutout", "the main thing cut out"),
        ("image_cutout on dog on the left", "dog on the left cut out"),
        ("replace_background white", "a new background: white"),
        ("resize 50%", "resized to 50%"),
        ("border 20 white", "a white border of 20 pixels"),
        ('caption "Hi there" bottom', "“Hi there” written on it"),
        ("grayscale", "black and white"),
        ("blur 50 on background", "blur 50 on background"),
    ],
)
def test_an_edit_is_told(command: str, told: str):
    edit = parse_command(command)
    assert isinstance(edit, Edit)
    assert in_words(edit) == told
