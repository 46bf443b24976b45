from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from axis_world import World, vector_of, wish
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.search.phrases import SecondStage, distinctness
from visavis.search.plan import DEFAULT_WEIGHTS
from visavis.search.request import SearchRequest
from visavis.search.retriever import ComposedRetriever
from visavis.search.vectors import RegionScale
from visavis.stores.filters import Equals


def ask(world, *wishes, k=10, **more):
    return world.retriever().retrieve(SearchRequest(wishes, k=k, **more))


def shown(world, *wishes, **more):
    return world.shown(ask(world, *wishes, **more).ids)


class Never:
    """Shows nothing of what is avoided."""

    def shown(self, whole, regions, words):
        return np.zeros(len(whole), bool)


class TestWishes:
    def test_words_of_all_turns_count(self, world):
        first = shown(world, wish("want", "dress"), wish("want", "red", turn=2), wish("want", "dark", turn=3), k=6)
        assert all({"red", "dress", "dark"} <= set(name.split()) for name in first)

    def test_what_is_avoided_is_gone(self, world):
        found = shown(world, wish("want", "dress"), wish("avoid", "people"), k=16)
        assert len(found) == 16
        assert not any("people" in name for name in found)

    def test_what_shows_a_thing_is_measured_anew_when_the_collection_has_grown(self, world):
        measured = []

        def excluding(avoided):
            measured.append(len(world.store.points))
            return Never()

        retriever = ComposedRetriever(world.encoder, world.store, excluding=excluding)
        request = SearchRequest([wish("want", "dress"), wish("avoid", "people")])
        for _ in range(2):
            retriever.retrieve(request)
        assert len(measured) == 1
        for number in range(50):
            world.add(f"red dress {number}", price=number)
        retriever.retrieve(request)
        assert len(measured) == 2

    def test_filters_hold(self, world):
        found = ask(world, wish("want", "dress"), wish("filter", "price < 40", attribute="price"), k=50)
        assert len(found.ids) == 39
        assert all(world.store.points[id].payload["price"] < 40 for id in found.ids)

    def test_conditions_of_the_request_and_of_the_wishes_hold_together(self, world):
        wishes = [wish("filter", "price < 40", attribute="price")]
        found = ask(world, *wishes, k=200, conditions=Equals("kind", "shoes"))
        assert {world.names[id].split()[1] for id in found.ids} == {"shoes"}
        assert all(world.store.points[id].payload["price"] < 40 for id in found.ids)

    def test_nothing_passes(self, world):
        assert ask(world, wish("want", "dress"), wish("filter", "price > 1000000", attribute="price")).results == []

    def test_no_wish_at_all_gives_pictures(self, world):
        assert len(ask(world, k=7).ids) == 7

    def test_like_pulls(self, world):
        liked = world.add("green shoes short sleeves dark men", price=900)
        found = shown(world, wish("like", picture=liked), k=4)
        assert all({"green", "shoes"} <= set(name.split()) for name in found)

    def test_like_and_words_both_have_a_say(self, world):
        liked = world.add("green shoes short sleeves dark men", price=900)
        found = shown(world, wish("like", picture=liked), wish("want", "red"), k=4)
        assert all({"red", "shoes"} <= set(name.split()) for name in found)

    @pytest.mark.parametrize("words", ["red shoes", "a red dress", "shoes for men"])
    def test_a_liked_picture_decides_among_those_that_match(self, world, words):
        """Somebody who asks for more like the fourth sees such ones first, and they are still what was wanted."""
        plain = ask(world, wish("want", words), k=8).ids
        liked = plain[3]
        named = set(world.names[liked].split())
        found = [id for id in ask(world, wish("want", words), wish("like", picture=liked), k=8).ids if id != liked]

        def shared(ids):
            return sum(len(named & set(world.names[id].split())) for id in ids)

        assert shared(found[:3]) > shared([id for id in plain if id != liked][:3])

    def test_unlike_pushes_and_is_not_shown(self, world):
        wishes = [wish("want", "dress")]
        best = ask(world, *wishes).ids[0]
        found = ask(world, *wishes, wish("unlike", picture=best), k=30)
        assert best not in found.ids
        colour = world.names[best].split()[0]
        assert sum(colour in name for name in world.shown(found.ids[:8])) < 4

    @pytest.mark.parametrize(("aspect", "value"), [("colour", "blue"), ("sleeves", "long")])
    def test_keep_takes_the_aspect_and_nothing_else(self, world, aspect, value):
        source = world.add("blue shoes long sleeves dark men", price=900)
        wishes = wish("keep", attribute=aspect, picture=source), wish("want", "dress")
        found = shown(world, *wishes, k=6)
        assert all(value in name.split() and "dress" in name.split() for name in found)

    def test_keep_of_an_unknown_aspect_keeps_what_it_looks_like(self, world):
        source = world.add("red shoes long sleeves dark women", price=900)
        found = shown(world, wish("keep", attribute="women", picture=source), wish("want", "dress"), k=4)
        assert all("women" in name and "dress" in name for name in found)

    def test_a_change_leads_beyond_the_reference(self, world):
        reference = world.add("red dress long sleeves dark men", price=900)
        found = shown(world, wish("relative", "shorter sleeves", reference=reference), k=3)
        assert all({"red", "dress", "short"} <= set(name.split()) for name in found)

    def test_a_change_without_a_reference_is_a_description(self, world):
        assert all("bright" in name for name in shown(world, wish("relative", "brighter"), k=10))

    def test_only_the_newest_reference_is_resembled(self, world):
        old = world.add("green shoes long sleeves dark men", price=901)
        new = world.add("red dress long sleeves dark men", price=902)
        changes = (
            wish("relative", "shorter sleeves", reference=old),
            wish("relative", "brighter", turn=2, reference=new),
        )
        found = shown(world, *changes, k=1)
        assert all({"red", "dress", "short", "bright"} <= set(name.split()) for name in found)

    def test_sorting(self, world):
        wishes = wish("want", "red dress"), wish("sort", "descending", attribute="price")
        prices = [world.store.points[id].payload["price"] for id in ask(world, *wishes, k=20).ids]
        assert prices == sorted(prices, reverse=True)

    def test_sorting_what_is_left_by_exclusions_is_about_all_of_it(self, world, monkeypatch):
        """ "No laces", then "cheapest first": not only the pictures that are least like laces are sorted."""
        monkeypatch.setattr("visavis.search.retriever._SORTED", 5)
        monkeypatch.setattr("visavis.search.plan.Planner.fitting", lambda *_: 0)
        wishes = wish("avoid", "red"), wish("sort", "ascending", attribute="price")
        found = ask(world, *wishes, k=3)
        everything = ask(world, wish("avoid", "red"), k=len(world.store.points)).ids
        cheapest = sorted(world.store.points[id].payload["price"] for id in everything)[:3]
        assert [world.store.points[id].payload["price"] for id in found.ids] == cheapest

    def test_sorting_what_only_comes_near(self, world):
        asked = wish("want", "zebra in space")
        near = world.retriever().retrieve(SearchRequest([asked], k=10, fold=None))
        assert near.matches == 0
        sorting = wish("sort", "ascending", attribute="price")
        found = world.retriever().retrieve(SearchRequest([asked, sorting], k=10, fold=None))
        assert set(found.ids) == set(near.ids)
        prices = [world.store.points[id].payload["price"] for id in found.ids]
        assert prices == sorted(prices)

    def test_pictures_that_are_gone_do_nothing(self, world):
        gone = "0" * 32
        plain = ask(world, wish("want", "dress")).ids
        wishes = [wish("like", picture=gone), wish("keep", attribute="colour", picture=gone)]
        assert ask(world, wish("want", "dress"), *wishes).ids == plain


class TestNovelty:
    def test_what_was_passed_over_several_times_sinks(self, world):
        before = ask(world, wish("want", "red dress")).ids
        after = ask(world, wish("want", "red dress"), passed_over={before[0]: 4}, k=108).ids
        assert after.index(before[0]) > 3

    def test_once_is_forgiven(self, world):
        before = ask(world, wish("want", "red dress")).ids
        assert ask(world, wish("want", "red dress"), passed_over=dict.fromkeys(before, 1)).ids == before

    def test_pages_before_do_not_come_back(self, world):
        first = ask(world, wish("want", "dress")).ids
        assert not set(first) & set(ask(world, wish("want", "dress"), without=frozenset(first)).ids)


class TestReasons:
    def test_each_result_says_what_it_fits_and_what_it_misses(self, world):
        world.store.points = {id: p for id, p in world.store.points.items() if "red dress" not in world.names[id]}
        found = ask(world, wish("want", "red"), wish("want", "dress"), wish("avoid", "people"), k=10)
        for result in found.results:
            name = world.names[result.id].split()
            told = {reason.text: reason.fits for reason in result.because}
            assert told == {"red": "red" in name, "dress": "dress" in name, "no people": True}

    def test_reasons_name_the_wish_by_its_place(self, world):
        wishes = [
            wish("want", "blue", active=False),
            wish("want", "red"),
            wish("filter", "kind = shirt", attribute="kind"),
        ]
        (result,) = ask(world, *wishes, k=1).results
        assert [reason.wish for reason in result.because] == [1]


class TestCaching:
    def test_only_new_texts_are_encoded(self, world):
        retriever = world.retriever()
        retriever.retrieve(SearchRequest([wish("want", "red"), wish("want", "dress")]))
        known = set(world.encoder.encoded)
        retriever.retrieve(SearchRequest([wish("want", "red"), wish("want", "dress"), wish("want", "dark", turn=2)]))
        assert set(world.encoder.encoded) - known == {"dark", "red. dress. dark."}
        assert len(world.encoder.encoded) == len(set(world.encoder.encoded))


class TestDeepRankings:
    WISHES = (wish("want", "red dress"), wish("want", "long sleeves"))

    def test_only_the_first_are_looked_at_closely(self, world, monkeypatch):
        asked = []
        query = world.store.query
        monkeypatch.setattr(world.store, "query", lambda given: asked.append(given) or query(given))
        near = SecondStage(judged=10, prefetch=10)
        retriever = world.retriever(second=near)
        monkeypatch.setattr(retriever, "_least_fetched", 10)
        wanted = SearchRequest(self.WISHES, k=15)
        first, deep, whole = (
            retriever.retrieve(replace(wanted, **more)) for more in ({}, {"k": 100, "close": 15}, {"k": 100})
        )
        made = [(one.limit, one.regions is not None) for one in asked if one.limit > 10]  # smaller: measurements
        assert made == [(30, True), (30, True), (200, False), (200, True)]
        assert deep.ids[:15] == first.ids
        assert len(set(deep.ids)) == 100
        assert deep.matches == whole.matches

    def test_counting_ranks_nothing_where_every_picture_is_known(self, world, monkeypatch):
        retriever = world.retriever()
        requests = [
            SearchRequest(wishes, conditions=Equals("kind", "dress"))
            for wishes in (self.WISHES, (wish("filter", "price < 40", attribute="price"),), (wish("want", "shoes"),))
        ]
        counted = [retriever.retrieve(request).matches for request in requests]
        assert counted[:2] != [0, 0]
        monkeypatch.setattr(world.store, "query", None)
        assert [retriever.count(request) for request in requests] == counted

    def test_counting_leaves_out_what_is_avoided(self, world):
        request = SearchRequest((wish("want", "dress"), wish("avoid", "people")))
        retriever = world.retriever()
        assert retriever.count(request) == retriever.retrieve(request).matches


class TestSteadiness:
    def test_what_was_said_before_counts_a_little_by_itself(self, world):
        retriever = world.retriever()
        first, second = wish("want", "red dress"), wish("want", "for fall", turn=2)
        before, both = (retriever.plan(SearchRequest([*wishes])).vector for wishes in ([first], [first, second]))
        said_at_once = retriever.plan(SearchRequest([first, wish("want", "for fall")])).vector
        mixed = (1 - DEFAULT_WEIGHTS.before) * said_at_once + DEFAULT_WEIGHTS.before * before
        assert both == pytest.approx(mixed / np.linalg.norm(mixed), abs=1e-6)
        assert before @ both > before @ said_at_once


kinds = st.sampled_from(["avoid", "like", "unlike", "keep", "relative", "want"])


def some_wish(world, kind, place):
    picture = sorted(world.names)[place % len(world.names)]
    text = "darker" if kind == "relative" else ("red", "shirt", "people", "long sleeves")[place % 4]
    return wish(kind, text, picture=picture, attribute="colour", reference=picture)


class TestRules:
    @settings(max_examples=30, deadline=None)
    @given(kinds, st.integers(0, 100))
    def test_switched_off_is_the_same_as_not_said(self, kind, place):
        world = _world()
        plain = ask(world, wish("want", "dress"))
        off = replace(some_wish(world, kind, place), active=False)
        assert ask(world, wish("want", "dress"), off).ids == plain.ids

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.tuples(st.sampled_from(["avoid", "like", "unlike", "keep"]), st.integers(0, 100)), max_size=5))
    def test_the_order_of_wishes_about_pictures_does_not_matter(self, drawn):
        world = _world()
        wishes = [some_wish(world, *one) for one in drawn]
        one = ask(world, wish("want", "dress"), *wishes)
        other = ask(world, *reversed(wishes), wish("want", "dress"))
        assert one.ids == other.ids

    @settings(max_examples=20, deadline=None)
    @given(st.floats(0.1, 5), st.floats(0.1, 5))
    def test_more_weight_never_makes_a_liked_picture_sink(self, low, high):
        world = _world()
        low, high = sorted((low, high))
        liked = sorted(world.names)[3]
        places = []
        for weight in (low, high):
            found = ask(world, wish("want", "shirt"), wish("like", picture=liked, weight=weight), k=108)
            places.append(found.ids.index(liked))
        assert places[1] <= places[0]


_WORLDS: list = []


def _world():
    """One world for all examples: hypothesis runs many, and none of them changes it."""
    if not _WORLDS:
        world = World()
        for colour in ("red", "blue", "green"):
            for thing in ("dress", "shirt", "shoes"):
                for rest in ("long sleeves dark people", "short sleeves bright men", "long sleeves bright women"):
                    for price in range(4):
                        world.add(f"{colour} {thing} {rest}", price=price)
        _WORLDS.append(world)
    return _WORLDS[0]


class TestCongruence:
    """The same ranking as a plain loop over all pictures."""

    @settings(max_examples=20, deadline=None)
    @given(st.lists(st.tuples(kinds, st.integers(0, 100)), min_size=1, max_size=4), st.sampled_from([0.0, 0.3, 0.7]))
    def test_against_brute_force(self, drawn, weight):
        world = _world()
        wishes = [wish("want", "dress")] + [
            some_wish(world, *one) for one in drawn if one[0] not in ("avoid", "relative")
        ]
        retriever = world.retriever(second=SecondStage(weight, judged=0))
        found = retriever.retrieve(SearchRequest(wishes, k=108))
        plan = retriever.plan(SearchRequest(wishes, k=108))
        states = np.stack([vector_of(text) for text in dict.fromkeys(w.text for w in wishes if w.kind == "want")])
        gone = {wish.picture for wish in wishes if wish.kind == "unlike"}
        scores = {}
        for id, point in world.store.points.items():
            first = sum(w * float(v @ point.whole) for v, w in zip(plan.vectors, plan.weights, strict=True))
            second = float((states @ point.regions.T).max(axis=1).mean())
            scores[id] = (1 - weight) * first + weight * second
        assert {r.id for r in found.results} == scores.keys() - gone
        assert [r.score for r in found.results] == pytest.approx([scores[r.id] for r in found.results], abs=1e-5)
        matching = [r.match for r in found.results]
        assert matching == sorted(matching, reverse=True), "what matches comes first"
        for match in (True, False):
            ordered = [r.score for r in found.results if r.match == match]
            assert ordered == sorted(ordered, reverse=True)

    @settings(max_examples=20, deadline=None)
    @given(st.lists(st.sampled_from(["red", "long sleeves", "people", "dark shoes"]), min_size=1, max_size=4))
    def test_the_first_are_judged_by_each_phrase(self, said):
        """Everything is judged here, so the ranking is the first stage and the judgement alone."""
        world = _world()
        wishes = [wish("want", text) for text in said]
        second = SecondStage(judged=108, prefetch=108)
        retriever = world.retriever(second=second)
        found = retriever.retrieve(SearchRequest(wishes, k=108))
        plan = retriever.plan(SearchRequest(wishes, k=108))
        assert len(plan.states) == len(plan.state_scales)
        points = world.store.points
        first = np.array([point.whole @ plan.vector for point in points.values()])
        shown = second.judgement(plan.states, plan.state_scales, np.stack([p.regions for p in points.values()]))
        best = sorted(first + plan.unit * shown, reverse=True)
        assert sorted((r.score for r in found.results), reverse=True) == pytest.approx(best, abs=1e-4)

    def test_what_lacks_one_thing_falls_behind_what_shows_both(self):
        second = SecondStage()
        both, one = np.eye(2, dtype=np.float32), np.tile(np.eye(2, dtype=np.float32)[:1] * 1.9, (2, 1))
        scales = [RegionScale(0.0, 0.2)] * 2
        judged = second.judgement(np.eye(2, dtype=np.float32), scales, np.stack([both, one]))
        assert judged[0] > judged[1]

    def test_what_is_said_twice_counts_once(self):
        # "a man", "a man" and "a dog": the dog is half of what was said
        man, dog = np.eye(2, dtype=np.float32)
        assert distinctness(np.stack([man, man, dog])) == pytest.approx([0.75, 0.75, 1.5])
        assert distinctness(np.stack([man, dog])) == pytest.approx([1.0, 1.0])
