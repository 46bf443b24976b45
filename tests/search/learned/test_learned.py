"""A learned retriever changes how the wanted words are read; everything else of the ranking stays as it is."""

from __future__ import annotations

import numpy as np
import pytest
from axis_world import World, wish
from fake_reader import LAST_ROUND, LastRoundReader

from visavis.conversation.history import Round
from visavis.errors import BadInputError, NotFoundError
from visavis.search.learned.base import LearnedPlan
from visavis.search.learned.registry import RETRIEVERS, LearnedRetriever, RetrieverEntry, available, make_reader
from visavis.search.request import SearchRequest

RED, SHOES = wish("want", "red dress", 1), wish("want", "blue shoes", 2)


def test_the_reader_decides_what_is_looked_for(world: World):
    retriever = world.retriever()
    learned = LearnedRetriever(retriever, LastRoundReader(world.encoder))
    found = learned.retrieve(SearchRequest([RED, SHOES], k=6))
    assert all("blue shoes" in name for name in world.shown(found.ids))
    assert learned.name == "last-round"
    assert retriever.name == "composed"


def test_the_dialogue_of_the_request_is_read(world: World):
    reader = LastRoundReader(world.encoder)
    request = SearchRequest([RED, SHOES], dialogue=(Round(1, "green shirt"),))
    found = LearnedRetriever(world.retriever(), reader).retrieve(request)
    assert "green shirt" in world.shown(found.ids)[0]
    assert reader.read_dialogues[0] == request.dialogue


def test_the_reader_sees_what_was_shown_and_what_came_with_the_request(world: World):
    reader = LastRoundReader(world.encoder)
    first = next(iter(world.names))
    brought = np.full(len(world.encoder.encode_texts(["red"])[0]), 0.25, np.float32)
    dialogue = (Round(1, "green shirt", shown=(first,)), Round(2, "red", shown=("brought",)), Round(3, "blue"))
    request = SearchRequest([RED], dialogue=dialogue, vectors={"brought": brought})
    LearnedRetriever(world.retriever(), reader).plan(request)
    assert np.allclose(reader.seen[0][0], world.store.vectors([first])[first])
    assert np.allclose(reader.seen[1][0], brought)
    assert reader.seen[2].shape[0] == 0


@pytest.mark.parametrize("scoring", [False, True])
def test_filters_exclusion_pages_and_order_stay(world: World, scoring: bool):
    learned = LearnedRetriever(world.retriever(), LastRoundReader(world.encoder, scoring=scoring))
    wishes = [SHOES, wish("avoid", "people", 2), wish("filter", "price > 30", 2, attribute="price")]
    found = learned.retrieve(SearchRequest(wishes, k=8))
    assert found.ids
    assert not any("people" in name for name in world.shown(found.ids))
    assert all(world.store.payloads([id])[id]["price"] > 30 for id in found.ids)
    second = learned.retrieve(SearchRequest(wishes, k=8, without=frozenset(found.ids)))
    assert not set(second.ids) & set(found.ids)
    ordered = learned.retrieve(SearchRequest([*wishes, wish("sort", "descending", 2, attribute="price")], k=4))
    prices = [world.store.payloads([id])[id]["price"] for id in ordered.ids]
    assert prices == sorted(prices, reverse=True)


def test_reasons_and_matches_are_those_of_the_composed_retriever(world: World):
    retriever = world.retriever()
    learned = LearnedRetriever(retriever, LastRoundReader(world.encoder, scoring=True))
    one, other = (one.retrieve(SearchRequest([SHOES], k=200)) for one in (retriever, learned))
    told = {result.id: (result.because, result.probability, result.match) for result in one.results}
    assert {result.id: (result.because, result.probability, result.match) for result in other.results} == told
    assert other.matches == one.matches


def test_a_passed_over_picture_sinks(world: World):
    learned = LearnedRetriever(world.retriever(), LastRoundReader(world.encoder, scoring=True))
    first = learned.retrieve(SearchRequest([SHOES], k=12)).ids
    again = learned.retrieve(SearchRequest([SHOES], k=12, passed_over={first[0]: 6})).ids
    assert again[0] != first[0]


def test_the_score_is_measured_in_the_spread_of_the_words(world: World):
    learned = LearnedRetriever(world.retriever(), LastRoundReader(world.encoder, scoring=True))
    plan = learned.plan(SearchRequest([SHOES]))
    assert isinstance(plan, LearnedPlan)
    sample = learned.judge.sample
    total = sample.whole @ plan.vectors[0] + plan.wanted_change(sample.whole, sample.regions)
    assert np.isclose(np.median(total), 0.0, atol=plan.unit)
    assert np.isclose(total.std(), plan.unit, rtol=0.2)


def test_without_words_nothing_is_read(world: World):
    learned = LearnedRetriever(world.retriever(), LastRoundReader(world.encoder))
    liked = next(iter(world.names))
    assert not isinstance(learned.plan(SearchRequest([wish("like", picture=liked)])), LearnedPlan)


def test_names_are_checked(world: World, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(BadInputError, match="composed"):
        make_reader("nothing", world.encoder)
    lacking = RetrieverEntry("lacking", "", LastRoundReader, ("lacking.json",))
    monkeypatch.setitem(RETRIEVERS, "lacking", lacking)
    monkeypatch.setitem(RETRIEVERS, LAST_ROUND.name, LAST_ROUND)
    with pytest.raises(NotFoundError, match="not installed"):
        make_reader("lacking", world.encoder)
    assert isinstance(make_reader("last-round", world.encoder), LastRoundReader)
    assert make_reader("composed", world.encoder) is None
    assert available(world.encoder)["last-round"] == ""


def test_another_encoder_is_refused(world: World, tmp_path):
    (tmp_path / "own.json").write_text('{"encoder": "another"}')
    entry = RetrieverEntry("own", "", LastRoundReader, ("own.json",))
    assert "another" in entry.missing(world.encoder, tmp_path)
