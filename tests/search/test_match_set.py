"""The match set: which pictures match, how likely, how many of the collection."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from axis_world import World, wish

from visavis.search.judge import JudgedText
from visavis.search.match_set import MatchSet
from visavis.search.plan import Plan
from visavis.search.probability import MATCH
from visavis.search.request import SearchRequest
from visavis.search.vectors import VectorSample
from visavis.stores.base import Hit


def ask(world: World, *wishes, k=108, **more):
    return world.retriever().retrieve(SearchRequest(wishes, k=k, **more))


def three_kinds() -> World:
    """A dozen dresses worn by people, a dozen pairs of shoes, a dozen shirts."""
    world = World()
    for number in range(12):
        world.add("red dress long sleeves people", price=number)
        world.add("blue shoes dark men", price=number)
        world.add("green shirt bright women", price=number)
    return world


def test_what_matches_comes_first_and_is_counted_over_the_whole_collection(world):
    page, everything = ask(world, wish("want", "red dress"), k=5), ask(world, wish("want", "red dress"))
    assert page.matches == everything.matches == sum(result.match for result in everything.results)
    assert not everything.about
    flags = [result.match for result in everything.results]
    assert flags == sorted(flags, reverse=True)
    assert all(result.match == (result.probability >= 0.5) for result in everything.results)


def test_what_is_counted_as_a_match_comes_first_however_low_it_ranks(world):
    retriever, request = world.retriever(), SearchRequest([wish("want", "red dress")])
    _, matching, _ = retriever._judged(request)
    hits = [Hit(result.id, 0.0) for result in reversed(retriever.retrieve(replace(request, k=108)).results)]
    flags = [matching.holds(hit.id) for hit in matching.first(hits, 5)]
    assert sum(flags) == matching.count(())[0] > 0
    assert flags == sorted(flags, reverse=True)


def test_filters_and_exclusions_are_counted(world):
    wanted = wish("want", "dress")
    cheap = ask(world, wanted, wish("filter", "price < 40", attribute="price"))
    assert cheap.matches == sum(result.match for result in cheap.results)
    without = ask(world, wanted, wish("avoid", "people"))
    assert without.matches == sum(result.match for result in without.results)
    assert without.matches < ask(world, wanted).matches


def test_without_words_everything_that_passes_matches(world):
    found = ask(world, wish("filter", "price < 40", attribute="price"), k=3)
    assert found.matches == 39
    assert all(result.match for result in found.results)


def test_sorting_orders_the_matches_only(world):
    wishes = wish("want", "red dress"), wish("sort", "ascending", attribute="price")
    found = ask(world, *wishes)
    assert found.results
    assert all(result.match for result in found.results)
    prices = [world.store.points[id].payload["price"] for id in found.ids]
    assert prices == sorted(prices)


def test_where_nothing_matches_what_fits_the_topic_is_sorted_before_the_rest():
    """The cheapest "watch", of which none is elegant, is a watch and no cream that costs less."""
    world = three_kinds()
    wishes = wish("want", "dress"), wish("want", "zebra"), wish("want", "space")
    near = ask(world, *wishes, k=18, fold=None)
    assert near.matches == 0
    found = ask(world, *wishes, wish("sort", "ascending", attribute="price"), k=18, fold=None)
    assert set(found.ids) == set(near.ids)
    names = world.shown(found.ids)
    dresses = sum("dress" in name for name in names)
    assert 1 < dresses < len(names)
    assert all("dress" in name for name in names[:dresses])
    prices = [world.store.points[id].payload["price"] for id in found.ids[:dresses]]
    assert prices == sorted(prices)


def test_some_of_the_pictures_that_were_read_are_judged_as_if_read_alone(world):
    judge = world.retriever().judge
    ids = sorted(world.store.points)[:30]
    text = judge.text("red dress", world.encoder.encode_texts(["red dress"])[0])
    for some in (ids[7:2:-1], ids[:1], ids):
        np.testing.assert_allclose(
            judge.logits(text, judge.read(ids).of(some)), judge.logits(text, judge.read(some)), atol=1e-5
        )


def test_questions_are_about_matches(world):
    found = ask(world, wish("want", "red dress"), k=5, depth=60)
    matching = {result.id for result in ask(world, wish("want", "red dress")).results if result.match}
    assert {hit.id for hit in found.ranked} <= matching


def test_what_all_that_matches_shows_is_lowered_and_not_left_out():
    world = three_kinds()
    plain = ask(world, wish("want", "dress"), k=36)
    without = ask(world, wish("want", "dress"), wish("avoid", "people"), k=36)
    assert plain.matches == without.matches == 12
    assert all("dress" in name for name in world.shown(without.ids[:12]))


def test_matches_can_be_listed_without_their_conditions(world):
    wanted = wish("want", "red dress")
    listed = world.retriever().matching([wanted, wish("filter", "price < 3", attribute="price")])
    assert set(listed) == {result.id for result in ask(world, wanted).results if result.match}
    assert world.retriever().matching([]) == []


def test_alternatives_match_each():
    world = three_kinds()
    found = ask(world, wish("want", "a dress or a shirt"), k=36)
    assert found.matches == 24
    assert not any("shoes" in name for name in world.shown(found.ids[:24]))


def test_each_of_the_alternatives_that_are_avoided_is_left_out():
    world, avoided = three_kinds(), wish("avoid", "dress or shirt")
    assert world.retriever().plan(SearchRequest([avoided])).avoided == ("dress", "shirt")
    found = ask(world, avoided, k=36)
    assert found.matches == 12
    assert all("shoes" in name for name in world.shown(found.ids))


class SaidJudge:
    """A judge that says what it is told to: by text, the probability for each of three pictures."""

    def __init__(self, world: World, said: dict[str, list[float]], added: float, *, varied: bool) -> None:
        self.added, self.varied = added, varied
        self.model = world.retriever().judge.model
        self.ids = ("1", "2", "3")
        self.sample = VectorSample(np.zeros((3, 4), np.float32), np.zeros((3, 1, 4), np.float32), self.ids)
        self.said = said

    def begin(self, text, vector):
        chances = np.array(self.said[text], np.float32)
        logits = np.log(chances / (1 - chances))
        return lambda: JudgedText(text, vector, None, 0.0, 1.0, logits, added=self.added)

    def read(self, ids):
        return SimpleNamespace(ids=tuple(ids), of=lambda some: self.read(some))

    def logits(self, judged, read):
        return judged.sample[[self.ids.index(id) for id in read.ids]]


def judged_together(
    world: World, said: dict[str, list[float]], added: float = 0.0, *, varied: bool = True
) -> tuple[MatchSet, SaidJudge, Plan]:
    retriever = world.retriever()
    plan, _, _ = retriever._judged(SearchRequest([wish("want", "dress"), wish("want", "on grass")]))
    judge = SaidJudge(world, said, added, varied=varied)
    return MatchSet(judge, plan, world.store, encode=lambda text: np.zeros(4, np.float32)), judge, plan


@pytest.mark.parametrize(
    ("varied", "grass", "expected"),
    [(True, [0.45, 0.01, 0.3], [True, False, False]), (False, [0.48, 0.05, 0.3], [True, False, False])],
)
def test_the_best_of_a_topic_fits_a_later_wish_that_none_surely_fits(world, varied, grass, expected):
    said = {"dress": [0.97, 0.9, 0.45], "on grass": grass}
    matching, judge, plan = judged_together(world, said, varied=varied)
    assert [chance >= MATCH for chance in matching.probabilities(judge.ids)] == expected
    assert matching.likeliest == ("1",)
    told = matching.logits(plan.parts, judge.ids)
    assert all(logits[0] >= 0 for logits in told.values()), "what matches misses none of its wishes"
    assert [logits[1] >= 0 for logits in told.values()] == [True, False]


def test_of_wishes_that_hardly_any_picture_fits_together_nothing_matches(world):
    said = {"dress": [0.97, 0.1, 0.1], "on grass": [0.1, 0.1, 0.97]}
    matching, judge, _ = judged_together(world, said)
    assert not (matching.probabilities(judge.ids) >= MATCH).any()


def test_in_which_order_wishes_are_said_changes_nothing(world):
    dress, grass = [0.9, 0.3, 0.6], [0.4, 0.9, 0.7]
    first, judge, _ = judged_together(world, {"dress": dress, "on grass": grass})
    other, _, _ = judged_together(world, {"dress": grass, "on grass": dress})
    np.testing.assert_allclose(first.probabilities(judge.ids), other.probabilities(judge.ids), atol=1e-6)


@pytest.mark.parametrize(("varied", "expected"), [(True, [True, True, False]), (False, [True, False, False])])
def test_among_products_what_fits_each_wish_leaves_out_what_nearly_does(world, varied, expected):
    said = {"dress": [0.95, 0.95, 0.95], "on grass": [0.6, 0.45, 0.1]}
    matching, judge, _ = judged_together(world, said, varied=varied)
    assert [chance >= MATCH for chance in matching.probabilities(judge.ids)] == expected


def test_where_the_topic_itself_is_not_there_a_later_wish_makes_nothing_match(world):
    said = {"dress": [0.45, 0.4, 0.2], "on grass": [0.95, 0.9, 0.9]}
    matching, judge, _ = judged_together(world, said)
    assert not (matching.probabilities(judge.ids) >= MATCH).any()


def test_what_is_added_to_a_topic_is_believed_to_be_true_of_some_of_it(world):
    said = {"dress": [0.9, 0.3, 0.9], "on grass": [0.3, 0.9, 0.1]}
    matching, judge, plan = judged_together(world, said, added=1.5, varied=False)
    assert [chance >= MATCH for chance in matching.probabilities(judge.ids)] == [True, False, False]
    assert matching.likeliest == ("1",)
    dress, grass = matching.logits(plan.parts, judge.ids).values()
    assert [logit >= 0 for logit in dress] == [True, False, True], "the topic itself is judged as ever"
    assert [logit >= 0 for logit in grass] == [True, True, False]
