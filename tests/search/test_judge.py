"""Judging pictures by texts: kinds of things, and what captions do not tell."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from axis_world import World, vector_of

from visavis.search import judge
from visavis.search.probability import SHOWS
from visavis.stores.base import STATE


@pytest.mark.parametrize("free", [True, False])
def test_another_core_changes_nothing(monkeypatch, free: bool):
    world, until = World(), Event()
    for kind in ["red dress", "blue dress", "green shirt", "dark shoes"] * 10:
        world.add(kind)
    judged, vector = world.retriever().judge, vector_of("red dress")
    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(judge, "_pool", lambda: pool)
        if not free:  # the caller does what no thread has begun
            pool.submit(until.wait, 60)
        begun = judged.begin("red dress", vector)
        found = begun()
        until.set()
        assert begun() is found, "judged once"
    alone = world.retriever().judge.text("red dress", vector)
    assert (found.shift, found.present) == (alone.shift, alone.present)
    np.testing.assert_array_equal(found.sample, alone.sample)


def test_without_another_core_the_caller_does_all(monkeypatch):
    monkeypatch.setattr(judge, "_pool", lambda: None)
    world = World()
    world.add("red dress")
    judged = world.retriever().judge
    assert judged.begin("red dress", vector_of("red dress"))().sample.shape == (1,)


def test_what_is_a_thing_and_not_that_kind_of_it_does_not_show_the_kind():
    world = World()
    kinds = ["red dress"] * 6 + ["blue dress"] * 12 + ["green shirt", "dark shoes", "bright men"] * 14
    names = {world.add(kind, price=number): kind for number, kind in enumerate(kinds)}
    judged = world.retriever().judge
    kind, thing = (judged.text(text, vector_of(text)) for text in ("red dress", "dress"))
    ids = sorted(names)
    dresses, red = (np.array([word in names[id] for id in ids]) for word in ("dress", "red"))
    without, with_head = (judged.showing([kind], ids, *head) >= SHOWS for head in ((), (thing,)))
    assert without[dresses & ~red].any(), "a blue dress is nearly a red dress"
    assert with_head[red].all()
    assert not with_head[~red].any()


def test_what_is_avoided_is_believed_to_be_there():
    """Of 27 photos with children one was left out, because nothing was believed to fit "children" at all."""
    world = World()
    names = {world.add(kind): kind for kind in ["red dress"] * 3 + ["blue shirt", "green shoes", "dark men"] * 12}
    judged, ids = world.retriever().judge, sorted(names)
    dress = judged.text("dress", vector_of("dress"))
    clear = max(float(dress.sample.max()), 0.0) + 0.5
    refused = replace(dress, present=0.0, shift=dress.shift - clear, sample=dress.sample - np.float32(clear))
    believed = replace(refused, added=clear + 1.0)
    told, untold = (judged.showing([one], ids) for one in (believed, refused))
    shows = np.array(["dress" in names[id] for id in ids])
    assert (told >= SHOWS)[shows].all()
    assert (told > untold).all()
    assert (judged.showing([replace(believed, present=1.0)], ids) == untold).all(), "what is there keeps its line"


def test_captions_that_seldom_tell_a_thing_are_no_witness_against_it():
    votes = np.full(100, -1.0, np.float32)
    votes[:3] = 1.0  # three captions say "outside", forty pictures look so
    outside = judge._silence(votes, np.repeat(np.float32([1.0, 0.0]), (40, 60)))
    assert outside < 0.1
    votes[:10] = 1.0  # ten captions name the dog, eleven pictures look like one
    assert judge._silence(votes, np.repeat(np.float32([1.0, 0.0]), (11, 89))) == 1.0
    assert judge._silence(np.full(100, -1.0, np.float32), votes > 0) == 1.0, "a green elephant"
    assert judge._written_odds(np.float32([1.0, -1.0, 0.0]), 0.1).tolist() == pytest.approx([2.0, -0.2, 0.0])


def test_edits_change_nothing_about_what_is_ordinary_in_a_collection():
    world, kinds = World(), ["red dress", "blue dress", "green shirt", "dark shoes", "bright men"] * 10
    for number, kind in enumerate(kinds):
        world.add(kind, price=number)
    before = world.retriever().judge
    for number in range(20):
        world.add("red dress", price=number, **{STATE: "edited"})
    after = world.retriever().judge
    assert after.sample.ids == before.sample.ids
    for text in ("red dress", "green shirt"):
        (old, new) = (one.text(text, vector_of(text)) for one in (before, after))
        assert new.shift == pytest.approx(old.shift, abs=0.05)
        np.testing.assert_allclose(new.sample, old.sample, atol=0.05)
        assert new.distribution == old.distribution


def test_the_line_of_a_description_is_lower_among_pictures_of_different_kinds(monkeypatch):
    world = World()
    for number, kind in enumerate(["red dress", "blue dress", "green shirt", "dark shoes"] * 10):
        world.add(kind, price=number)
    text = "a red dress with nothing else"
    shifts = []
    for variety in (0.0, 1.0):
        monkeypatch.setattr(judge.Judge, "_variety", variety)
        shifts.append(world.retriever().judge.text(text, vector_of("red dress")).shift)
        assert world.retriever().judge.text("red dress", vector_of("red dress")).shift == pytest.approx(
            world.retriever().judge.text("dress, red", vector_of("red dress")).shift
        ), "short names keep their line"
    assert shifts[1] > shifts[0] + 0.5
