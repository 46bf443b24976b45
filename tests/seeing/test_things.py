from __future__ import annotations

import numpy as np

from visavis.seeing.seer import place_of
from visavis.seeing.things import find_things

NOUNS = np.eye(6, dtype=np.float32)
BACKGROUND, DOG, BALL, PUPPY = 0, 1, 2, 3
NOTHING = np.zeros(6, np.float32)


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
