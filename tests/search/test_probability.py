"""The regression from similarities to a probability."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.search.probability import (
    NUMBERS,
    Distribution,
    MatchModel,
    Ordinary,
    best_regions,
    default_model,
    numbers_of,
    probability,
    words_in,
)

ORDINARY = Ordinary(0.05, 0.1)


def test_the_shipped_model_reads_back():
    for part in ("alone", "with reference"):
        model = default_model(part)
        told = {part: model.as_json(), "encoder": model.encoder}
        assert MatchModel.from_json(told, part, model.referenced) == model
        assert len(model.weights) == len(NUMBERS)


def test_an_article_changes_nothing():
    assert words_in("a bag") == words_in("bag") == words_in("the bag") == 0.0
    assert words_in("a red bag") > 0


def test_a_picture_that_stands_out_is_more_likely():
    scores = np.random.default_rng(1).normal(0.05, 0.05, 2000).astype(np.float32)
    spread = Distribution.measure(scores, scores, ORDINARY)
    here = np.array([0.05, 0.2, 0.4], np.float32)
    numbers = numbers_of(here, here, np.full(3, 0.15, np.float32), spread, ORDINARY, 0.0)
    said = probability(default_model().logits(numbers))
    assert said[0] < said[1] < said[2]


def test_few_pictures_are_not_believed():
    one = np.array([0.3], np.float32)
    spread = Distribution.measure(one, one, ORDINARY)
    assert spread.whole.middle == pytest.approx(0.05 + 0.25 / 21, abs=1e-6)


def test_the_best_three_regions_count():
    cosines = np.array([[0.1, 0.9, 0.5, 0.7, 0.0]], np.float32)
    assert best_regions(cosines) == pytest.approx([0.7])


@pytest.mark.parametrize(("highest", "present", "matches"), [(-2.0, 0.9, True), (2.0, 0.01, False), (1.0, 0.9, True)])
def test_the_best_picture_matches_exactly_where_something_is_there(highest, present, matches):
    model = MatchModel(0.0, (0.0,) * len(NUMBERS))
    assert (highest + model.shift(highest, present) > 0) == matches


def test_what_is_surely_there_matches_though_its_words_stand_elsewhere():
    model = MatchModel(0.0, (0.0,) * len(NUMBERS))
    assert -1.0 + model.shift(0.5, 0.9, told=-1.0) > 0
    assert model.shift(0.5, 0.01, told=2.5) == model.shift(0.5, 0.01)  # what nobody sees has to be written


def test_several_texts_multiply():
    model = MatchModel(0.0, (0.0,) * len(NUMBERS))
    assert model.joint(np.array([[0.5, 0.4]], np.float32)) == pytest.approx([0.2])
    assert model.joint(np.array([[0.6, 0.5], [0.9, 0.8]], np.float32)) == pytest.approx([0.5, 0.72])  # each matches
    assert model.joint(np.zeros((2, 0), np.float32)).tolist() == [1.0, 1.0]
