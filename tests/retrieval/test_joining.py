from __future__ import annotations

import numpy as np
from axis_world import AxisEncoder, vector_of
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.retrieval.joining import MOST_WORDS, joined, newest, newest_joined, wanted_vector
from visavis.retrieval.texts import TextVectors

texts = st.lists(
    st.sampled_from(["red dress", "long sleeves", "a dark blue shirt " * 5, "men"]), min_size=1, max_size=30
)


class TestJoining:
    def test_sentences(self):
        assert joined(["red"]) == "red"
        assert joined(["A red dress.", "dark "]) == "A red dress. dark."

    @given(texts)
    def test_the_newest_wishes_are_joined_as_far_as_they_fit(self, said):
        start = newest(said)
        words = sum(len(text.split()) for text in said[start:])
        assert start < len(said)
        assert words <= MOST_WORDS or start == len(said) - 1
        assert start == 0 or words + len(said[start - 1].split()) > MOST_WORDS

    @settings(deadline=None)
    @given(texts)
    def test_one_vector_of_length_one(self, said):
        vector = wanted_vector([(text, 1.0) for text in said], TextVectors(AxisEncoder()))
        assert np.isclose(np.linalg.norm(vector), 1.0, atol=1e-5)

    def test_old_wishes_still_count(self):
        said = ["red"] + ["dress " * 10] * 8
        vector = wanted_vector([(text, 1.0) for text in said], TextVectors(AxisEncoder()))
        assert "red" not in newest_joined(said)
        assert vector @ vector_of("red") > vector_of("dress") @ vector_of("red")

    def test_weight_emphasises(self):
        vectors = TextVectors(AxisEncoder())
        plain = wanted_vector([("red", 1.0), ("dress", 1.0)], vectors)
        heavy = wanted_vector([("red", 3.0), ("dress", 1.0)], vectors)
        assert heavy @ vector_of("red") > plain @ vector_of("red")


class TestTextVectors:
    def test_forgets_the_least_recently_used(self):
        encoder = AxisEncoder()
        vectors = TextVectors(encoder, capacity=2)
        for text in ("red", "blue", "red", "green", "red", "blue"):
            vectors([text])
        assert encoder.encoded == ["red", "blue", "green", "blue"]

    def test_nothing(self):
        assert TextVectors(AxisEncoder())([]).shape == (0, AxisEncoder.dimension)
