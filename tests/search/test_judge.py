"""Values that another core computes, and what happens where none is free."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident

import pytest

from visavis.search import judge
from visavis.search.judge import Deferred


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
