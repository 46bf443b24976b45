from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from axis_world import AxisEncoder, vector_of
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_store import MemoryStore

from visavis.search.phrases import MOST_WORDS, alternatives, blocks, joined, joined_blocks, one_thing, wanted_vector
from visavis.search.plan import Planner
from visavis.search.request import SearchRequest
from visavis.search.vectors import TextVectors, VectorSample
from visavis.types import Wish

texts = st.lists(
    st.sampled_from(["red dress", "long sleeves", "a dark blue shirt " * 5, "men"]), min_size=1, max_size=30
)


class TestJoining:
    def test_sentences(self):
        assert joined(["red"]) == "red"
        assert joined(["A red dress.", "dark "]) == "A red dress. dark."

    @given(texts)
    def test_blocks_are_filled_in_order_as_far_as_the_encoder_reads(self, said):
        made = blocks(said)
        assert [text for block in made for text in block] == said
        sizes = [sum(len(text.split()) for text in block) for block in made]
        assert all(size <= MOST_WORDS or len(block) == 1 for size, block in zip(sizes, made, strict=True))

    @given(texts, st.sampled_from(["men", "long sleeves"]))
    def test_a_full_block_stays_as_it_is(self, said, further):
        before, after = joined_blocks(said), joined_blocks([*said, further])
        assert after[: len(before) - 1] == before[:-1]

    @settings(deadline=None)
    @given(texts)
    def test_one_vector_of_length_one(self, said):
        vector = wanted_vector([(text, 1.0) for text in said], TextVectors(AxisEncoder()))
        assert np.isclose(np.linalg.norm(vector), 1.0, atol=1e-5)

    def test_old_wishes_still_count(self):
        said = ["red"] + ["dress " * 10] * 8
        vector = wanted_vector([(text, 1.0) for text in said], TextVectors(AxisEncoder()))
        assert "red" not in joined_blocks(said)[-1]
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


class TestOneThing:
    @pytest.mark.parametrize(
        ("said", "looked_for"),
        [
            ("buses", "a bus"),
            ("Dogs", "a dog"),
            ("orange cats", "an orange cat"),
            ("mice", "a mouse"),
            ("polka dots", "polka dots"),
            ("sunglasses", "sunglasses"),
            ("two dogs", "two dogs"),
            ("grass", "grass"),
            ("dogs on a beach", "dogs on a beach"),
            ("", ""),
        ],
    )
    def test_a_bare_plural_is_looked_for_as_one(self, said, looked_for):
        assert one_thing(said) == looked_for

    def test_a_wish_is_encoded_so(self):
        class Recording(TextVectors):
            asked: ClassVar[set[str]] = set()

            def __call__(self, texts):
                self.asked.update(texts)
                return super().__call__(texts)

        texts = Recording(AxisEncoder())
        sample = VectorSample(np.zeros((0, texts.dimension), np.float32), np.zeros((0, 1, texts.dimension), np.float32))
        Planner(texts, MemoryStore(), sample).plan(SearchRequest([Wish("1.1", "want", "buses", 1)]))
        assert Recording.asked == {"a bus", "bus"}


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("a red or yellow bus", ("a red bus", "a yellow bus")),
        ("Nike or Adidas running shoes", ("Nike running shoes", "Adidas running shoes")),
        ("black or dark blue running shoes", ("black running shoes", "dark blue running shoes")),
        ("tie or leather wallet", ("tie", "leather wallet")),
        ("an old or a new car", ("an old car", "a new car")),
        ("a man with a dog or a cat", ("a man with a dog", "a man with a cat")),
        ("a girl in a dress or a boy in shorts", ("a girl in a dress or a boy in shorts",)),
        ("either a boat, a plane, or a train", ("a boat", "a plane", "a train")),
        ("red or", ("red or",)),
        ("or", ("or",)),
    ],
)
def test_alternatives_share_what_stands_around_them(text, ways):
    assert alternatives(text) == ways
