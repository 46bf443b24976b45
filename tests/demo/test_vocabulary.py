from itertools import combinations

import pytest

from visavis.demo.vocabulary import COLOURS, colour_distance, distance


def test_there_are_enough_colours():
    assert len(COLOURS) >= 16


def test_no_two_colours_can_be_mistaken():
    closest = min(combinations(COLOURS, 2), key=lambda pair: colour_distance(*pair))
    assert colour_distance(*closest) > 20, closest


@pytest.mark.parametrize("name", COLOURS)
def test_a_colour_keeps_its_name_in_half_shade_and_light(name):
    for light in (0.88, 1.06):
        lit = tuple(min(value * light, 255) for value in COLOURS[name])
        assert min(COLOURS, key=lambda other: distance(lit, COLOURS[other])) == name


def test_black_and_white_are_a_hundred_apart():
    assert distance((0, 0, 0), (255, 255, 255)) == pytest.approx(100, abs=0.1)
