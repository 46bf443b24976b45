import random

import pytest

from visavis.lab.training.scene_texts import caption_of, exchanged, negatives, opposite


@pytest.mark.parametrize(
    ("question", "answer", "caption"),
    [
        ("what sits in an empty parking lot", "motorcycle", "a motorcycle sits in an empty parking lot"),
        ("what are standing in front of a fence", "giraffes", "giraffes are standing in front of a fence"),
        ("how many zebras stand near water", "three", "three zebras stand near water"),
        ("what is the color of the umbrella", "red", "a red umbrella"),
        ("where are people using laptop computers", "library", "people using laptop computers in the library"),
        ("what does the woman hold", "umbrella", "the woman hold an umbrella"),
        ("what is the man riding down the hill", "bicycle", "the man is riding a bicycle down the hill"),
        ("young patrons reading a menu at what", "restaurant", "young patrons reading a menu at a restaurant"),
    ],
)
def test_questions_become_captions(question: str, answer: str, caption: str) -> None:
    assert caption_of(question, answer) == caption


def test_things_change_places_only_where_that_says_something_else() -> None:
    assert exchanged("a dog under a table", random.Random(1)) == "a table under a dog"
    assert exchanged("a dog and a cat", random.Random(1)) is None


def test_relations_turn_round() -> None:
    assert opposite("The cup is left of the donut.") == "The cup is right of the donut."
    assert opposite("A red bus.") is None


def test_negatives_differ_from_the_text() -> None:
    text = "two black dogs sitting under a table"
    wrong = negatives(text, random.Random(2))
    assert wrong
    assert text not in wrong
