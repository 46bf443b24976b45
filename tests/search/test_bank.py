"""The vectors of the vocabulary: encoded once, kept in the home, made anew when damaged."""

from __future__ import annotations

import numpy as np
from tiny_encoder import TinyEncoder

from visavis.search.bank import ConceptBank
from visavis.search.vectors import TEXT_CAPACITY
from visavis.search.vocabulary import default_vocabulary, parse_vocabulary


class _Counting(TinyEncoder):
    texts = 0

    def encode_texts(self, texts):
        self.texts += len(texts)
        return super().encode_texts(texts)


def test_concepts_are_embedded_once_and_kept_in_the_home(tmp_path):
    vocabulary = parse_vocabulary("[things]\ndog, cat", "test")
    first = _Counting()
    vectors = ConceptBank(first, vocabulary, tmp_path).vectors
    second = _Counting()
    again = ConceptBank(second, vocabulary, tmp_path).vectors
    assert (first.texts, second.texts) == (2, 0)
    assert np.allclose(vectors, again, atol=1e-3)


def test_a_damaged_cache_is_made_anew(tmp_path):
    vocabulary = parse_vocabulary("[things]\ndog, cat", "test")
    bank = ConceptBank(TinyEncoder(), vocabulary, tmp_path)
    assert bank.vectors.shape == (2, 216)
    for file in tmp_path.rglob("*.npy"):
        file.write_bytes(b"broken")
    assert ConceptBank(TinyEncoder(), vocabulary, tmp_path).vectors.shape == (2, 216)


def test_prompts_that_nobody_needs_again_are_forgotten(tmp_path):
    bank = ConceptBank(TinyEncoder(), default_vocabulary()[:3], tmp_path)
    first = bank.prompt_vectors(["a red car", bank.concepts[0].prompt])
    for start in range(0, 2 * TEXT_CAPACITY, 1000):
        bank.prompt_vectors([f"thing {number}" for number in range(start, start + 1000)])
    assert len(bank._texts._known) <= TEXT_CAPACITY
    assert (bank.prompt_vectors(["a red car", bank.concepts[0].prompt]) == first).all()
