"""A first message that describes a picture is a search, whatever words of editing it holds."""

from __future__ import annotations

import pytest
from language_support import SITUATIONS

from visavis.language.combined import CombinedParser
from visavis.language.context import Context

DESCRIPTIONS = [
    "a boy cuts a birthday cake in front of his friends",
    "A woman brushes her hair in front of a round mirror.",
    "two dogs wait at a turn of the road",
    "a skater does a kick flip over a bench",
    "an old farmhouse with mountains in the background",
    "three candles on a table with a dark background",
    "a field of crops under a grey sky",
    "a tilted tower beside a white church",
    "Black and white photograph of a man reading a newspaper",
    "sepia portrait of a couple at a railway station",
    "the keeper holds a parrot on his right hand",
    "a hotel room with two double beds and a lamp",
    "a shop window that sells hats and bags to go with them",
    "a squirrel coming down from the top of a tree",
    "a heap of random toys next to a red chair",
    "a sign with the words 'keep left' at the bottom of a hill",
    "a runner jumping over three logs",
    "close up of a sharp knife and a cut lemon",
    "stop signs on a corner of the street",
    "several brightly coloured boats turned upside down on the sand",
    "people sorting apples in a bright orchard",
    "a saved kitten wrapped in a warm blanket",
    "a girl in a blurred crowd looks back at the camera",
    "a framed picture hangs above the bed in a small room",
    "a man turns around to look at a rotating door",
    "the reflection of a waiting bus in a wet mirror",
    "hotel room with lamp and mirror next to the door",
]
ORDERS = [
    ("rotate the picture of the boat by ninety degrees to the left", ["rotate 90"]),
    ("please make the picture of my dog a bit brighter", ["adjust_attr brightness 10"]),
    ("cut out the woman on the left please", ["image_cutout on woman on the left"]),
    ("a quarter turn to the right for this one please", ["rotate 270"]),
    ("the picture is too dark so brighten it up by 30", ["adjust_attr brightness 30"]),
    ("the background of this picture should be plain white", ["replace_background white"]),
    ("black and white please", ["grayscale"]),
]


@pytest.mark.parametrize("said", DESCRIPTIONS)
def test_a_first_description_is_a_search(said):
    understanding = CombinedParser().understand(said)
    assert understanding.clarify is None
    (line,) = understanding.lines()
    assert line.startswith("search ")


@pytest.mark.parametrize(("said", "commands"), ORDERS)
def test_a_first_order_is_an_order(said, commands):
    assert CombinedParser().understand(said).lines() == commands


def test_with_a_picture_in_hand_the_same_words_are_an_order():
    assert CombinedParser().understand("put a forest in the background", Context(turns=2, picture=True)).lines() == [
        "replace_background forest"
    ]


def test_a_described_price_is_still_a_filter():
    lines = CombinedParser().understand("a cut above the knee dress under 40", SITUATIONS["shop_start"]).lines()
    assert "filter price < 40" in lines
    assert lines[0].startswith("search ")
