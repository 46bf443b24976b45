"""What is seen in real photos, where they are at hand: most captions name one of the things that were found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from visavis.api import Collection, open_collection
from visavis.language.context import singular
from visavis.search.seer import COLOUR_NAMES, PictureSeer, colour_map, colours_in, find_things, place_of

PHOTOS = Path(__file__).parents[3] / "shared" / "data" / "coco"
COUNT = 24
NOUNS = np.eye(6, dtype=np.float32)
BACKGROUND, DOG, BALL, PUPPY = 0, 1, 2, 3
NOTHING = np.zeros(6, np.float32)


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    if not (PHOTOS / "sample").is_dir():
        pytest.skip("the sample of COCO is not here")
    folder = tmp_path_factory.mktemp("photos")
    for file in islice(sorted((PHOTOS / "sample").glob("*.jpg")), COUNT):
        shutil.copy(file, folder)
    with open_collection("photos", folder / "home", create=True) as collection:
        collection.index(folder)
        yield collection


def test_captions_name_what_was_seen(photos: Collection):
    captions = {
        row["image_id"]: " ".join(row["captions"]).lower()
        for row in map(json.loads, (PHOTOS / "captions.jsonl").read_text().splitlines())
    }
    seer = PictureSeer(photos)
    named = 0
    pictures = list(photos.catalogue.pictures(list(photos.store.ids())).values())
    for picture in pictures:
        told = captions[int(Path(picture.path).stem.split("_")[-1])].replace(".", " ").split()
        seen = [concept.noun for concept in seer.concepts(picture.id)]
        named += any(singular(word) in map(singular, noun.split()) for noun in seen for word in told)
    assert len(pictures) >= COUNT - 2
    assert named >= 0.7 * len(pictures), f"{named} of {len(pictures)}"


def grid() -> np.ndarray:
    """A dog at the top left, a ball at the bottom right, the rest background."""
    patches = np.tile(NOUNS[BACKGROUND], (12, 12, 1))
    patches[1:5, 1:5] = NOUNS[DOG]
    patches[8:11, 8:11] = NOUNS[BALL]
    return patches


def test_things_are_found_where_they_are():
    found = {thing.noun: thing for thing in find_things(grid(), NOUNS, NOTHING)}
    assert set(found) == {BACKGROUND, DOG, BALL}
    assert place_of(found[DOG].box) == "top left"
    assert place_of(found[BALL].box) == "bottom right"


def test_two_names_for_one_thing_make_one_thing():
    nouns = NOUNS.copy()
    nouns[PUPPY] = 0.9 * NOUNS[DOG] + np.sqrt(1 - 0.81) * NOUNS[5]
    found = [thing.noun for thing in find_things(grid(), nouns, NOTHING)]
    assert DOG in found
    assert PUPPY not in found


def test_what_every_picture_looks_like_is_not_what_this_one_shows():
    ordinary = NOTHING.copy()
    ordinary[DOG] = 1.0
    assert DOG not in [thing.noun for thing in find_things(grid(), NOUNS, ordinary)]


def test_what_is_talked_about_is_found_on_less():
    patches = grid()
    patches[6:9, 1:4] = 0.62 * NOUNS[4] + 0.7 * NOUNS[BACKGROUND]
    assert 4 not in [thing.noun for thing in find_things(patches, NOUNS, NOTHING)]
    assert 4 in [thing.noun for thing in find_things(patches, NOUNS, NOTHING, asked=(4,))]


def test_the_same_thing_twice_is_two_things():
    patches = grid()
    patches[8:11, 0:3] = NOUNS[DOG]
    assert [thing.noun for thing in find_things(patches, NOUNS, NOTHING)].count(DOG) == 2


PLAIN = {
    "black": (10, 10, 10),
    "white": (250, 250, 248),
    "grey": (128, 128, 128),
    "red": (200, 20, 30),
    "orange": (245, 130, 20),
    "yellow": (250, 220, 40),
    "green": (40, 150, 60),
    "skyblue": (135, 206, 235),
    "blue": (30, 60, 190),
    "purple": (120, 40, 160),
    "pink": (245, 150, 180),
    "brown": (120, 70, 30),
}


@pytest.mark.parametrize(("name", "rgb"), [*PLAIN.items(), ("green", (107, 142, 35)), ("brown", (222, 200, 165))])
def test_a_plain_colour_has_its_name(name, rgb):
    named = colour_map(Image.new("RGB", (8, 8), rgb))
    assert {COLOUR_NAMES[number] for number in np.unique(named)} == {name}


@pytest.mark.parametrize("name", [name for name in PLAIN if name not in ("white", "grey")])
def test_the_background_that_shines_through_is_not_the_colour_of_the_thing(name):
    image = Image.new("RGB", (96, 96), PLAIN["white"])
    ImageDraw.Draw(image).ellipse((30, 30, 66, 66), fill=PLAIN[name])
    inside = np.zeros((96, 96), bool)
    inside[22:74, 22:74] = True  # patches are coarse: almost two thirds of these are background
    assert colours_in(colour_map(image), inside)[0] == name


def test_two_colours_are_both_told():
    image = Image.new("RGB", (96, 96), PLAIN["white"])
    draw = ImageDraw.Draw(image)
    draw.rectangle((30, 30, 48, 66), fill=PLAIN["red"])
    draw.rectangle((48, 30, 66, 66), fill=PLAIN["blue"])
    inside = np.zeros((96, 96), bool)
    inside[30:66, 30:66] = True
    assert set(colours_in(colour_map(image), inside)) == {"red", "blue"}


def test_a_thing_that_fills_the_picture_has_its_colour_all_the_same():
    named = colour_map(Image.new("RGB", (96, 96), PLAIN["red"]))
    assert list(colours_in(named, np.ones((96, 96), bool))) == ["red"]
