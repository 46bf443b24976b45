"""Every message that the README and the guide show is understood as they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from visavis.language.commands import parse_command
from visavis.language.context import Context
from visavis.language.english import same_commands
from visavis.language.parser import NetworkParser

ROOT = Path(__file__).parents[2]
SHOP = {
    "colour": ["Red", "Blue", "Green"],
    "brand": ["Nike", "Puma"],
    "sleeves": ["long", "short"],
    "price": {"min": 5, "max": 900},
}
PLACES = {"country": ["Italy", "Portugal", "Spain"], "place": ["Lisbon", "Madrid", "Rome"]}
RESULTS = {"turns": 2, "shown": 12, "columns": 4, "topic": "train, in the snow"}
DRESSES = {"turns": 3, "shown": 12, "columns": 4, "topic": "red dress", "attributes": SHOP}
IN_HAND = {**RESULTS, "picture": True}

#: Message, context, and the readings that are right.
DOCUMENTED = {
    "a train": ({}, "search train", "refine train"),
    "in the snow": ({**RESULTS, "topic": "train"}, "refine in the snow"),
    "no people please": (RESULTS, "avoid people"),
    "I preferred the ones before": (RESULTS, "undo", "rollback 1"),
    "how many of these show a bridge?": (RESULTS, "count bridge"),
    "why is the third one here?": (RESULTS, "why #3"),
    "rotate the second one by 90 clockwise and raise the contrast by 20": (
        RESULTS,
        "select #2 ; rotate 270 ; adjust_attr contrast 20",
    ),
    "take out the signpost on the left": (IN_HAND, "remove signpost on the left"),
    "a red dress": ({"attributes": SHOP}, "search red dress", "search dress ; filter colour = Red"),
    "with longer sleeves, no belt": (DRESSES, "refine longer sleeves ; avoid belt"),
    "more like the second one, but blue": (DRESSES, "like #2 ; refine blue", "like #2 ; filter colour = Blue"),
    "under 50": (DRESSES, "filter price < 50"),
    "keep the colour of the first and the sleeves of turn 2": (DRESSES, "keep colour of #1 ; keep sleeves @2"),
    "rotate the third one clockwise by 90": (RESULTS, "select #3 ; rotate 270"),
    "cut it out": (IN_HAND, "image_cutout"),
    "make the car green": (IN_HAND, "recolor green on car"),
    "take out the bin on the left": (IN_HAND, "remove bin on the left"),
    "undo": (RESULTS, "undo"),
    "how many of these have cats?": (RESULTS, "count cats"),
    "what brands do you carry?": (DRESSES, "values brand"),
    "what is in the third one?": (RESULTS, "describe #3", "select #3 ; ask what is in it"),
    "what colour is the door?": (IN_HAND, "ask what colour is the door"),
    "why is number 2 here?": (RESULTS, "why #2"),
    "compare the first two": (RESULTS, "compare #1 #2"),
    "only photos from last summer, newest first": (
        {**RESULTS, "attributes": {"taken": ["2020", "2024"], "place": ["Oslo", "Rome"]}},
        'filter taken = "last summer" ; sort taken desc',
    ),
    "photos in Portugal": (
        {"attributes": PLACES},
        "filter country = Portugal",
        "search photos ; filter country = Portugal",
    ),
    "a church in Rome": (
        {"attributes": PLACES},
        "search church ; filter place = Rome",
        "search church in Rome",
        "search church in Rome ; filter place = Rome",
    ),
    "stop asking me things": (DRESSES, "questions off"),
}


@pytest.mark.parametrize("message", DOCUMENTED)
def test_a_documented_message_is_understood(message):
    context, *readings = DOCUMENTED[message]
    understood = NetworkParser().understand(message, Context.from_json(context))
    wanted = [[parse_command(line) for line in reading.split(" ; ")] for reading in readings]
    assert any(same_commands(understood.commands, one) for one in wanted), understood.lines()


@pytest.mark.skipif(not (ROOT / "README.md").is_file(), reason="the documents are not part of the package")
def test_no_documented_message_is_left_out():
    shown = re.findall(r"^you {2,}(.+)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    table = guide.split("| you say | it does |")[1].split("\n\n")[0]
    for cell in re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE):
        shown += [part for part in re.split(r"(?<=\?) |; ", cell) if part.strip("-")]
    assert set(shown) - set(DOCUMENTED) == set()
