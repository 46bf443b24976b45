"""Stages, channels, and failures of a stage."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.collections.pipeline import Cancelled, Channel, Pipeline, Stage
from visavis.types import batches


@settings(max_examples=50, deadline=None)
@given(
    items=st.lists(st.integers(), max_size=60),
    workers=st.integers(1, 4),
    batch=st.integers(1, 7),
    capacity=st.integers(1, 5),
)
def test_nothing_is_lost_and_nothing_comes_twice(items, workers, batch, capacity):
    stages = [
        Stage("double", lambda some: [(i, 2 * x) for i, x in some], workers=workers, capacity=capacity),
        Stage("pack", lambda some: some, batch=batch, capacity=capacity),
    ]
    out = list(Pipeline(stages).run(enumerate(items)))
    assert sorted(out) == [(i, 2 * x) for i, x in enumerate(items)]


def test_batches_are_full_but_for_the_last():
    sizes = []
    stage = Stage("pack", lambda some: sizes.append(len(some)) or some, batch=16)
    assert len(list(Pipeline([stage]).run(range(50)))) == 50
    assert sizes == [16, 16, 16, 2]


def test_a_fast_source_is_held_back():
    taken = []

    def source():
        for number in range(1000):
            taken.append(number)
            yield number

    stages = [Stage("pass", lambda some: some, capacity=4), Stage("slow", lambda some: some, capacity=4)]
    stream = Pipeline(stages).run(source())
    next(stream)
    time.sleep(0.1)
    assert len(taken) < 30, "memory is not bounded"
    stream.close()


@pytest.mark.parametrize("where", ["source", "first", "last"])
def test_an_error_anywhere_stops_everything_and_reaches_the_caller(where):
    def source():
        for number in range(100):
            if where == "source" and number == 10:
                raise RuntimeError("source")
            yield number

    def breaks(some):
        if some[0] >= 10:
            raise RuntimeError("stage")
        return some

    passes = lambda some: some  # noqa: E731
    stages = [
        Stage("first", breaks if where == "first" else passes, workers=2),
        Stage("last", breaks if where == "last" else passes),
    ]
    before = threading.active_count()
    with pytest.raises(RuntimeError, match="source" if where == "source" else "stage"):
        list(Pipeline(stages).run(source()))
    assert threading.active_count() == before, "a thread outlived the run"


def test_stopping_early_ends_the_threads():
    before = threading.active_count()
    stream = Pipeline([Stage("pass", lambda some: some, workers=3)]).run(iter(range(10**9)))
    assert next(stream) >= 0
    stream.close()
    assert threading.active_count() == before


def test_times_count_work_and_not_waiting():
    stages = [Stage("work", lambda some: time.sleep(0.02) or some), Stage("idle", lambda some: some)]
    pipeline = Pipeline(stages)
    list(pipeline.run(range(5)))
    assert pipeline.times()["work"] >= 0.1
    assert pipeline.times()["idle"] < pipeline.times()["work"] / 2, "it waits most of the time"


def test_a_cancelled_channel_sends_everybody_home():
    channel: Channel[int] = Channel(1)
    channel.put(1)
    channel.cancel()
    with pytest.raises(Cancelled):
        channel.put(2)
    with pytest.raises(Cancelled):
        channel.get()


@given(items=st.lists(st.integers()), size=st.integers(1, 10))
def test_batches_cover_the_stream_in_order(items, size):
    cut = list(batches(items, size))
    assert [x for part in cut for x in part] == items
    assert all(len(part) == size for part in cut[:-1])
