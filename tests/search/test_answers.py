"""What answers say about pictures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.encoders.registry import load_encoder
from visavis.language.english import bare
from visavis.search.answers import (
    FALSE_NO,
    FALSE_YES,
    Claim,
    Evidence,
    chance_of_options,
    chance_of_yes,
    claim_of,
    log_chances,
)
from visavis.search.bank import default_bank, packaged_vectors
from visavis.search.vocabulary import commonness, default_vocabulary
from visavis.types import Kind

COSINE = st.floats(-1, 1)


@given(st.lists(COSINE, min_size=2, max_size=6, unique=True), st.sampled_from(list(Kind)), st.floats(0, 0.6))
def test_a_better_match_is_never_affirmed_less(cosines, kind, common):
    yes = chance_of_yes(np.sort(np.array(cosines))[:, None], [kind], [common])[:, 0]
    assert (np.diff(yes) >= 0).all()
    assert (yes >= FALSE_YES - 1e-9).all()
    assert (yes <= 1 - FALSE_NO + 1e-9).all()


def test_what_people_mention_often_is_affirmed_more():
    rare, often = chance_of_yes(np.array([[0.3, 0.3]]), [Kind.THING, Kind.THING], [0.0001, 0.3])[0]
    assert often > rare
    assert commonness("people") > 0.1 > commonness("a dog") > 0.001
    assert commonness("xylophone of jade") is None


@given(st.lists(st.lists(COSINE, min_size=3, max_size=3), min_size=1, max_size=4))
def test_options_share_one(rows):
    chances = chance_of_options(np.array(rows), [Kind.PLACE] * 3)
    assert np.allclose(chances.sum(axis=1), 1)
    assert (chances > 0).all()


@pytest.mark.parametrize(
    ("said", "refused"), [("in a kitchen", "kitchen"), ("a dog", "dog"), ("snow", "snow"), ("on the grass", "grass")]
)
def test_what_is_refused_is_said_plainly(said, refused):
    assert bare(said) == refused


def test_every_wish_of_a_question_is_known_again():
    for concept in default_vocabulary():
        assert claim_of(concept.wish).kind in Kind
        assert claim_of(bare(concept.wish)).prompt
    assert claim_of("a dog") == claim_of("dog") == Claim("a photo of a dog", Kind.THING, commonness("dog"))
    assert claim_of("outdoors").prompt == "a photo taken outdoors"
    assert claim_of("a mauve zeppelin") == Claim("a photo of a mauve zeppelin")


def test_answers_move_pictures_the_right_way_and_add_up():
    rng = np.random.default_rng(3)
    vector = np.eye(4, dtype=np.float32)[0]
    regions = rng.uniform(0, 0.3, (2, 3, 4)).astype(np.float32)
    regions[0, 1] = vector  # the first picture shows it
    yes, no = (Evidence(Claim("x", common=0.1), vector, affirmed) for affirmed in (True, False))
    assert np.diff(log_chances([yes], regions))[0] < 0 < np.diff(log_chances([no], regions))[0]
    both = log_chances([yes], regions) + log_chances([no], regions)
    assert np.allclose(log_chances([yes, no], regions), both, atol=1e-6)
    half = Evidence(yes.claim, vector, True, 0.5)
    assert np.allclose(log_chances([half], regions), 0.5 * log_chances([yes], regions))


def test_the_vectors_that_ship_belong_to_the_encoder_and_the_vocabulary_that_ship():
    bank = default_bank(load_encoder())
    vectors = packaged_vectors(bank._digest())
    assert vectors is not None, "write them anew: see docs/questions.md"
    some = [0, 500, 1500]
    fresh = bank.encoder.encode_texts([bank.concepts[place].prompt for place in some])
    assert (np.einsum("nd,nd->n", fresh, vectors[some]) > 0.99).all()
