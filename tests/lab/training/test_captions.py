"""What captions become before they are learned."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.lab.training.captions import hard_negative, label_sentences
from visavis.language.english import chunks


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
