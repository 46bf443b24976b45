"""Words written about pictures in a search: rare ones win over looks, frequent ones do not disturb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from axis_world import World, wish
from talking import colour_shop
from tiny_encoder import COLOURS

from visavis.language.filter_text import parse_filter
from visavis.search.request import SearchRequest
from visavis.search.words import WordSearch, asked_words, ordinary_words, without_words


class Written:
    """An inverted index in memory."""

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self._words = words

    def frequencies(self, words: Sequence[str]) -> Mapping[str, int]:
        return {word: len(self._words[word]) for word in words if self._words.get(word)}

    def holding(self, word: str, limit: int) -> list[str]:
        return sorted(self._words.get(word, ()))[:limit]


@pytest.fixture
def branded(world: World) -> tuple[World, Written, list[str]]:
    """Six pictures of all sorts are from Puma, and every dress is called elegant."""
    ids = sorted(world.names)
    pumas = ids[::18]
    dresses = [id for id in ids if "dress" in world.names[id]]
    return world, Written({"puma": pumas, "elegant": dresses, "dress": dresses}), pumas


def ask(world: World, written: Written | None, *wishes, **more):
    return world.retriever(words=written).retrieve(SearchRequest(wishes, **{"k": 108, **more}))


def test_anything_of_a_brand_is_all_of_it_and_nothing_else(branded):
    world, written, pumas = branded
    found = ask(world, written, wish("want", "anything from Puma?"), k=10)
    assert set(found.ids[:6]) == set(pumas)
    assert found.matches == 6
    assert [result.match for result in found.results] == [True] * 6 + [False] * 4
    assert found.confidence == 1.0


def test_a_name_decides_and_looks_judge_the_rest(branded):
    world, written, pumas = branded
    found = ask(world, written, wish("want", "red puma"), k=108)
    matching = [result.id for result in found.results if result.match]
    assert matching
    assert set(matching) <= set(pumas)
    assert all("red" in world.names[id] for id in matching)
    assert found.matches == len(matching)
    assert set(found.ids[:6]) == set(pumas), "those that are not red still come before other brands"


def test_a_name_said_later_counts_as_much(branded):
    world, written, pumas = branded
    found = ask(world, written, wish("want", "something dark", 1), wish("want", "from puma", 2), k=6)
    assert set(found.ids) == set(pumas)


def test_either_of_two_brands_finds_both(branded):
    world, _, pumas = branded
    ids = sorted(world.names)
    written = Written({"puma": pumas, "kappa": ids[1::18]})
    found = ask(world, written, wish("want", "Puma or Kappa"))
    assert {result.id for result in found.results if result.match} == {*pumas, *ids[1::18]}
    assert found.matches == len(pumas) + len(ids[1::18])


def test_a_brand_or_a_look_finds_both(branded):
    world, written, pumas = branded
    found = ask(world, written, wish("want", "puma or a red dress"))
    matching = {result.id for result in found.results if result.match}
    assert matching > set(pumas)
    assert all("red" in world.names[id] and "dress" in world.names[id] for id in matching - set(pumas))


def test_names_respect_filters_and_sorting(branded):
    world, written, pumas = branded
    cheap = [id for id in pumas if world.store.points[id].payload["price"] < 60]
    wishes = wish("want", "puma"), wish("filter", "price < 60", attribute="price")
    found = ask(world, written, *wishes, k=20)
    assert {result.id for result in found.results if result.match} == set(cheap)
    assert found.matches == len(cheap)
    ordered = ask(world, written, wish("want", "puma"), wish("sort", "descending", attribute="price"), k=20)
    assert [world.store.points[id].payload["price"] for id in ordered.ids] == sorted(
        (world.store.points[id].payload["price"] for id in pumas), reverse=True
    )
    assert world.retriever(words=written).matching([wish("want", "puma")]) != []


def test_frequent_words_change_nothing(branded):
    world, written, _ = branded
    for text in ("elegant red", "red dress", "blue shirt"):
        with_words, plain = ask(world, written, wish("want", text)), ask(world, None, wish("want", text))
        assert with_words.ids == plain.ids
        assert with_words.matches == plain.matches


def test_a_rare_word_that_can_be_seen_does_not_exclude_those_who_do_not_say_it(world: World):
    reds = [id for id in sorted(world.names) if "red dress" in world.names[id]]
    found = ask(world, Written({"red": reds[:3]}), wish("want", "red dress"))
    assert set(found.ids[:3]) == set(reds[:3])
    plain = {result.id for result in ask(world, None, wish("want", "red dress")).results if result.match}
    assert {result.id for result in found.results if result.match} >= plain
    assert not plain <= set(reds[:3])


def test_words_of_requests_and_counters_are_not_looked_up():
    assert asked_words("Could you please show me 3 pictures of something nice?") == ["nice"]
    assert without_words("Puma, red shoes", ["puma"]) == "red shoes"


def test_without_pictures_nothing_is_found():
    world = World()
    retriever = world.retriever(words=Written({}))
    assert retriever.retrieve(SearchRequest([wish("want", "puma")])).results == []
    assert isinstance(retriever._words, WordSearch)


def test_ordinary_words_are_those_of_descriptions():
    assert {"dog", "umbrella", "sitting", "various"} <= ordinary_words()
    assert not {"puma", "adidas", "benetton"} & ordinary_words()


def test_the_words_of_a_catalogue_file_are_found_in_a_search(home: Path, tmp_path: Path):

    def title(at: int, _: str) -> str:
        return f"{'Puma' if at == 2 else 'Nike'} shoe number {at}"

    with colour_shop(tmp_path, home, "title", title) as shop:
        found = shop.search("anything from Puma?", k=3)
        assert Path(found.results[0].picture.path).stem == list(COLOURS)[2]
        assert found.matches == 1
        assert shop.search("puma", k=3, filter=parse_filter("title = 'nobody'")).matches == 0


def test_what_is_written_in_full_matches_although_it_does_not_look_so(world: World):
    ids = sorted(world.names)
    reds = [id for id in ids if "red" in world.names[id]][:4]
    blue = next(id for id in ids if "blue" in world.names[id])
    found = ask(world, Written({"red": [*reds, blue]}), wish("want", "red"))
    assert next(result for result in found.results if result.id == blue).match


def test_an_ordinary_word_that_none_of_the_others_has_is_no_name(world: World):
    ids = sorted(world.names)
    dresses = [id for id in ids if "dress" in world.names[id]][:5]
    said_dark = [id for id in ids if "blue shirt" in world.names[id]][:2]
    found = ask(world, Written({"dress": dresses, "dark": said_dark}), wish("want", "dark dress"))
    plain = ask(world, Written({"dress": dresses}), wish("want", "dark dress"))
    assert plain.matches
    assert found.matches == plain.matches
