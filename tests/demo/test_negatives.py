from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.demo import describe, describe_scene, hard_negatives, scene_negatives
from visavis.demo.items import PHRASINGS, other_colour, wrong_looks
from visavis.demo.scenes import DrawnScene, Group
from visavis.demo.vocabulary import COLOURS, Look, colour_distance

numbers = st.integers(0, 10**6)
everyday = settings(max_examples=120, deadline=None)


#: What is drawn, its negatives, and the least number of them.
DRAWN = [(describe, hard_negatives, 2), (describe_scene, scene_negatives, 3)]


def is_shortened(text, whole):
    """Whether the text is the whole with words left out."""
    words = iter(whole.lower().replace(",", "").strip(".").split())
    return all(word in words for word in text.lower().replace(",", "").strip(".").split())


@pytest.mark.parametrize(("drawn", "negatives_of", "least"), DRAWN)
@everyday
@given(index=numbers)
def test_no_negative_is_true(drawn, negatives_of, least, index):
    item = drawn(4, index)
    negatives = negatives_of(item)
    assert len(negatives) >= least
    assert not set(negatives) & set(item.captions)
    assert len(set(negatives)) == len(negatives)


@pytest.mark.parametrize(("drawn", "negatives_of", "least"), DRAWN)
@everyday
@given(index=numbers)
def test_a_negative_is_more_than_something_left_out(drawn, negatives_of, least, index):
    """A caption that only says less would still be true."""
    item = drawn(4, index)
    wrong = [n for n in negatives_of(item) if not any(is_shortened(n, caption) for caption in item.captions)]
    assert len(wrong) == len(negatives_of(item)) >= least


@everyday
@given(numbers)
def test_every_wrong_look_differs_in_what_its_sentence_says(index):
    item = describe(4, index)
    for look in wrong_looks(item.look, Random(index)):
        assert look != item.look
    assert any(PHRASINGS[0](look) != item.captions[0] for look in wrong_looks(item.look, Random(index)))


def test_stripes_of_two_colours_have_no_order():
    striped = [describe(4, i) for i in range(400)]
    for item in striped:
        if item.look.pattern in ("striped", "checked"):
            swapped = f"{item.look.second_colour} and {item.look.colour}"
            assert not any(swapped in negative.lower() for negative in hard_negatives(item))


def test_scene_negatives_swap_counts_colours_patterns_objects_and_places():
    groups = (Group(3, Look("hat", "red", kind="beanie")), Group(1, Look("bag", "blue", kind="clutch")))
    negatives = scene_negatives(DrawnScene(1, 1, groups, "", "white"))
    for wrong in ("Two red beanies and", "Four red beanies and", "Three blue beanies and a red clutch"):
        assert any(negative.startswith(wrong) for negative in negatives), wrong
    assert "A red beanie and three blue clutches." in negatives
    assert any("beanies" not in negative for negative in negatives)
    assert any("striped" in n or "checked" in n or "polka dot" in n or "floral" in n for n in negatives)
    beside = DrawnScene(1, 1, (Group(1, groups[0].look), groups[1]), "left", "white")
    assert "A red beanie to the right of a blue clutch." in scene_negatives(beside)


@everyday
@given(st.sampled_from(sorted(COLOURS)), numbers)
def test_another_colour_is_clearly_another(colour, seed):
    other = other_colour(colour, Random(seed))
    assert colour_distance(colour, other) > 35
    assert {colour, other} not in ({"blue", "light blue"}, {"navy", "blue"}, {"red", "burgundy"}, {"olive", "green"})
