import time
from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.demo import describe, draw
from visavis.demo.items import random_look
from visavis.demo.painter import paint_look
from visavis.demo.vocabulary import CATEGORIES, COLOURS, EMBLEMS, PATTERNS, VOCABULARY, Look, to_lab
from visavis.errors import BadInputError

SMALL = (96, 128)
_NAMES = list(COLOURS)
_LABS = to_lab([COLOURS[name] for name in _NAMES])


def shares_of_colours(look, seed=0):
    """How much of the drawn thing each named colour covers."""
    canvas = paint_look(look, (120, 160), Random(seed))
    pixels = canvas.colour[:, canvas.cover > 0.999].T * 255
    nearest = np.linalg.norm(to_lab(pixels)[:, None] - _LABS[None], axis=-1).argmin(axis=1)
    return {_NAMES[number]: count / len(nearest) for number, count in Counter(nearest.tolist()).items()}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_the_same_item_gives_the_same_pixels(index):
    item = describe(1, index)
    assert draw(item, SMALL).tobytes() == draw(item, SMALL).tobytes()


def test_other_items_give_other_pixels():
    drawn = {draw(describe(1, index), SMALL).tobytes() for index in range(20)}
    assert len(drawn) == 20


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_category_draws_in_every_pattern(category, pattern):
    random = Random(f"{category}{pattern}")
    for kind in VOCABULARY[category].kinds or ("",):
        look = replace(random_look(random, category), pattern=pattern, colour="red", second_colour="white", kind=kind)
        canvas = paint_look(replace(look, logo=random.choice(EMBLEMS), details=()), SMALL, random)
        assert 0.05 < canvas.cover.mean() < 0.8
        assert canvas.cover.max() <= 1.0001
        assert np.isfinite(canvas.colour).all()


@pytest.mark.parametrize("category", [c for c in CATEGORIES if c != "shoes"])
@pytest.mark.parametrize("colour", COLOURS)
def test_a_plain_thing_has_the_colour_of_its_name(category, colour):
    look = random_look(Random(f"{category}{colour}"), category)
    plain = replace(look, colour=colour, pattern="plain", second_colour="", details=(), logo="")
    shares = shares_of_colours(plain)
    assert max(shares, key=shares.get) == colour, shares
    assert shares[colour] > 0.5


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["striped", "dotted", "floral", "checked"]))
def test_a_patterned_thing_shows_both_colours(seed, pattern):
    random = Random(seed)
    category = random.choice([c for c in CATEGORIES if c != "shoes"])
    look = replace(random_look(random, category), colour="blue", second_colour="yellow", pattern=pattern, details=())
    shares = shares_of_colours(replace(look, logo=""), seed)
    assert shares["blue"] > 0.12
    assert shares["yellow"] > 0.04
    if pattern in ("dotted", "floral"):
        assert shares["blue"] > shares["yellow"]


@pytest.mark.parametrize("emblem", EMBLEMS)
def test_a_logo_is_printed_in_the_second_colour(emblem):
    look = Look("T-shirt", "navy", "logo", "yellow", logo=emblem, sleeves="short", neckline="round", fit="regular")
    shares = shares_of_colours(look)
    assert 0.01 < shares["yellow"] < 0.2


@pytest.mark.parametrize(
    ("category", "detail"),
    [(c, d) for c in CATEGORIES for d in VOCABULARY[c].details],
)
def test_every_detail_can_be_seen(category, detail):
    random = Random(7)
    looks = (random_look(random, category) for _ in range(4000))
    look = next(look for look in looks if detail in look.details)
    bare = replace(look, details=tuple(d for d in look.details if d != detail))
    with_it, without = (paint_look(one, SMALL, Random(1)).colour for one in (look, bare))
    assert np.abs(with_it - without).max() > 0.1


def test_cloth_is_shaded_and_edges_are_smooth():
    look = Look("dress", "green", sleeves="short", neckline="round", length="midi", fit="flared")
    canvas = paint_look(look, (384, 512), Random(3))
    inside = canvas.colour[1][canvas.cover > 0.999]
    assert inside.std() > 0.03
    partly = (canvas.cover > 0.02) & (canvas.cover < 0.98)
    assert partly.sum() > 500


def test_things_keep_away_from_the_frame():
    for index in range(40):
        cover = paint_look(describe(2, index).look, SMALL, Random(index)).cover
        assert max(cover[0].max(), cover[-1].max(), cover[:, 0].max(), cover[:, -1].max()) < 0.3


@pytest.mark.parametrize("size", [(384, 512), (64, 64), (300, 100), (100, 300), (17, 16), (700, 900)])
def test_sizes(size):
    picture = draw(describe(1, 5), size)
    assert picture.size == size
    assert picture.mode == "RGB"


@pytest.mark.parametrize("size", [(0, 10), (10, 100), (5000, 100)])
def test_impossible_sizes_are_refused_with_a_remedy(size):
    with pytest.raises(BadInputError, match=f"{size[0]} x {size[1]}.*between"):
        draw(describe(1, 5), size)


def test_speed_is_sane():
    """2,000 pictures in a minute on two cores are 60 ms of one core each; allow for a slow, busy machine."""
    draw(describe(1, 0))
    before = time.process_time()
    for index in range(15):
        draw(describe(1, index))
    assert (time.process_time() - before) / 15 < 0.15
