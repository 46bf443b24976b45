import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.lab.training.scene_texts import caption_of, exchanged, hard_negative, label_sentences, negatives, opposite
from visavis.language.english import chunks


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


def test_chunks_name_things():
    caption = "A man in a red jacket riding a horse on the wet beach."
    assert chunks(caption) == [
        "man",
        "red jacket",
        "horse",
        "wet beach",
    ]


@given(st.text(max_size=200))
def test_chunks_never_fail_and_are_short(text):
    assert all(0 < len(chunk.split()) <= 4 for chunk in chunks(text))


@pytest.mark.parametrize("caption", ["a red bus", "two dogs play", "a man sitting down"])
def test_a_hard_negative_differs_in_one_word(caption):
    wrong = hard_negative(caption, random.Random(1))
    assert wrong is not None
    pairs = list(zip(caption.split(), wrong.split(), strict=True))
    assert sum(one != other for one, other in pairs) == 1


def test_a_caption_without_telling_words_has_no_negative():
    assert hard_negative("something somewhere", random.Random(1)) is None


@given(st.text(max_size=80), st.integers())
def test_a_negative_is_never_the_caption(caption, seed):
    assert hard_negative(caption, random.Random(seed)) != caption


def test_labels_become_sentences():
    sentences = label_sentences(["tabby cat", "apples"])
    assert "a photo of a tabby cat" in sentences
    assert "a photo of apples" in sentences
    assert len(set(sentences)) == len(sentences)
