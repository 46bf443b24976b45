import numpy as np
import pytest
from tiny_encoder import TinyEncoder

from visavis.questions.base import Candidates, QuestionContext
from visavis.search.bank import ConceptBank
from visavis.search.vocabulary import parse_vocabulary

VOCABULARY = """
[things]
dog, cat, red car, blue car, green tree, yellow bus
[stuff]
snow, pink flowers, brown leaves
[places]
on a beach, in a kitchen
[colours]
red, green, blue, orange
"""


@pytest.fixture
def bank(tmp_path):
    return ConceptBank(TinyEncoder(), parse_vocabulary(VOCABULARY, "test"), tmp_path)


@pytest.fixture
def make_view(bank):
    def make(seed=0, count=20, exchanges=(), told="something", attributes=()):
        rng = np.random.default_rng(seed)
        regions = np.abs(rng.normal(size=(count, 3, bank.encoder.dimension))) ** 3
        regions = (regions / np.linalg.norm(regions, axis=-1, keepdims=True)).astype(np.float32)
        whole = regions.mean(axis=1)
        whole /= np.linalg.norm(whole, axis=-1, keepdims=True)
        scores = np.sort(rng.normal(size=count))[::-1].copy()
        # spread like a real encoder's, so that some concepts split and some do not
        concepts = rng.uniform(0.2, 0.7, (count, len(bank.concepts))).astype(np.float32)
        ids = [f"{i:032x}" for i in range(count)]
        return QuestionContext(
            Candidates(ids, scores, lambda: (whole, regions), attributes, concepts), told, tuple(exchanges)
        )

    return make
