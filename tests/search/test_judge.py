"""Values that another core computes, and what happens where none is free."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident

import numpy as np
import pytest
from axis_world import World, vector_of

from visavis.search import judge
from visavis.search.judge import Deferred
from visavis.search.probability import SHOWS


@pytest.fixture
def pool(monkeypatch):
    with ThreadPoolExecutor(1) as made:
        monkeypatch.setattr(judge, "_pool", lambda: made)
        yield made


def test_another_thread_does_the_work_once(pool):
    begun, done = Event(), []

    def work() -> int:
        begun.set()
        done.append(get_ident())
        return 3

    value = Deferred(work)
    assert begun.wait(10)
    assert value.result() == value.result() == 3
    assert len(done) == 1
    assert done[0] != get_ident()


def test_what_no_thread_has_begun_is_done_by_the_caller(pool):
    free = Event()
    pool.submit(free.wait, 10)
    done = []
    value = Deferred(lambda: done.append(get_ident()))
    value.result()
    value.result()
    free.set()
    assert done == [get_ident()]


def test_without_another_core_the_caller_does_it(monkeypatch):
    monkeypatch.setattr(judge, "_pool", lambda: None)
    assert Deferred(get_ident).result() == get_ident()


def test_an_error_is_raised_where_the_value_is_needed(pool):
    value = Deferred(lambda: 1 // 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            value.result()


def test_a_known_value():
    assert Deferred.of(4).result() == 4


def test_what_is_not_needed_is_not_begun(pool):
    free, done = Event(), []
    waiting = pool.submit(free.wait, 10)
    value = Deferred(lambda: done.append(1))
    value.cancel()
    free.set()
    waiting.result()
    assert pool.submit(len, done).result() == 0


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


def test_captions_that_seldom_tell_a_thing_are_no_witness_against_it():
    votes = np.full(100, -1.0, np.float32)
    votes[:3] = 1.0  # three captions say "outside", forty pictures look so
    outside = judge._silence(votes, np.repeat(np.float32([1.0, 0.0]), (40, 60)))
    assert outside < 0.1
    votes[:10] = 1.0  # ten captions name the dog, eleven pictures look like one
    assert judge._silence(votes, np.repeat(np.float32([1.0, 0.0]), (11, 89))) == 1.0
    assert judge._silence(np.full(100, -1.0, np.float32), votes > 0) == 1.0, "a green elephant"
    assert judge._written_odds(np.float32([1.0, -1.0, 0.0]), 0.1).tolist() == pytest.approx([2.0, -0.2, 0.0])
