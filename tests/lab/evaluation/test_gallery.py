"""A gallery as a store finds what a plain store in memory finds."""

import numpy as np
import pytest
from memory_store import MemoryStore
from tiny_encoder import TinyEncoder

from visavis.errors import BadInputError
from visavis.lab.evaluation.gallery import Gallery, GalleryStore
from visavis.lab.evaluation.questioners import PoolQuestioner
from visavis.lab.evaluation.whole_assistant import AssistantProtocol
from visavis.lab.simulation.captions import CaptionUser
from visavis.stores.base import Query
from visavis.stores.filters import Equals, HasId, Not


def unit(values):
    return (values / np.linalg.norm(values, axis=-1, keepdims=True)).astype(np.float32)


@pytest.fixture
def gallery():
    rng = np.random.default_rng(1)
    rows = tuple({"colour": "red" if i % 3 else "blue", "price": float(i)} for i in range(80))
    return Gallery(tuple(map(str, range(80))), unit(rng.normal(size=(80, 8))), unit(rng.normal(size=(80, 3, 8))), rows)


def test_it_finds_what_a_plain_store_finds(gallery):
    store, plain = GalleryStore(gallery), MemoryStore()
    plain.upsert([point for points in store.scroll() for point in points])
    rng = np.random.default_rng(2)
    for condition in (None, Equals("colour", "blue"), Not(HasId((store.ids_of[0],)))):
        query = Query(
            unit(rng.normal(size=(2, 8))), [1.0, -0.3], unit(rng.normal(size=(2, 8))), 0.4, condition, 10, prefetch=20
        )
        ours, theirs = store.query(query), plain.query(query)
        assert [hit.id for hit in ours] == [hit.id for hit in theirs]
        assert np.allclose([hit.score for hit in ours], [hit.score for hit in theirs], atol=1e-5)
    assert store.count() == 80
    assert store.facets("colour") == [("red", 53), ("blue", 27)]
    with pytest.raises(BadInputError):
        store.delete(["x"])


def test_the_whole_assistant_brings_the_target_up(tmp_path):
    encoder = TinyEncoder()
    names = ["red", "blue", "green", "yellow", "orange", "purple"]
    pairs = [(a, b) for a in names for b in names if a != b]
    regions = np.stack([encoder.encode_texts(list(pair)) for pair in pairs])
    gallery = Gallery(tuple(map(str, range(len(pairs)))), unit(regions.mean(axis=1)), regions)
    captions = {str(i): (f"something {a}", f"it has something {b} in it too") for i, (a, b) in enumerate(pairs)}
    protocol = AssistantProtocol(gallery, CaptionUser(captions), encoder, 1, tmp_path)
    played = [protocol.play(target, PoolQuestioner(["What else is there?"])) for target in gallery.ids]
    before, after = (np.mean([talk.ranks[at] for talk in played]) for at in (0, 1))
    assert after < before
    assert all(len(talk.ranks) == len(talk.top) == len(talk.moved) == 2 for talk in played)
    assert protocol.play("0", PoolQuestioner(["What else is there?"])) == played[0]
    assert protocol.play("0", None).ranks == played[0].ranks[:1]
    protocol.close()
