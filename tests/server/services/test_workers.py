"""Work in threads: bounded, in order, finished."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from threading import Event

import pytest
from serving import eventually, start_talk

from visavis.errors import BadInputError
from visavis.server.errors import OverloadedError, TooSlowError
from visavis.server.services.workers import MOST_PER_KEY, WorkerPool, requester


def in_a_loop(test):
    """Run a test in an event loop, in a thread of its own: this one may have a browser's loop running."""

    @wraps(test)
    def run(*fixtures, **named):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, test(*fixtures, **named)).result()

    return run


@in_a_loop
async def test_what_has_the_same_key_is_done_in_order():
    work = WorkerPool("test", 4, 100, 10)
    done = []

    def one(number):
        time.sleep(0.002 * (number % 3))
        done.append(number)

    await asyncio.gather(*(work.run(lambda n=n: one(n), key="a") for n in range(12)))
    assert done == list(range(12))
    assert not work._turns  # nothing is remembered of conversations that are quiet
    await work.close()


@in_a_loop
async def test_more_than_fits_is_refused_at_once():
    work, gate = WorkerPool("test", 1, 2, 10), threading.Event()
    tasks = [work.start(gate.wait) for _ in range(3)]
    with pytest.raises(OverloadedError) as refused:
        work.start(gate.wait)
    assert refused.value.retry_after
    gate.set()
    await asyncio.gather(*tasks)
    assert work.pending == 0
    assert await work.run(lambda: 7) == 7
    await work.close()
    with pytest.raises(OverloadedError):
        work.start(gate.wait)


def work_of(pool, who, do):
    """Start work of a requester."""
    token = requester.set(who)
    try:
        return pool.start(do)
    finally:
        requester.reset(token)


@in_a_loop
async def test_users_have_their_turn_one_after_the_other():
    work, gate, done = WorkerPool("test", 1, 100, 10), threading.Event(), []
    tasks = [work_of(work, "anna", gate.wait)]
    tasks += [work_of(work, "anna", lambda: done.append("anna")) for _ in range(20)]
    tasks += [work_of(work, who, lambda who=who: done.append(who)) for who in ("bert", "cleo")]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*tasks)
    assert sorted(done[:3]) == ["anna", "bert", "cleo"]
    assert done[3:] == ["anna"] * 19
    await work.close()


@in_a_loop
async def test_one_user_does_not_take_every_thread():
    work, gate = WorkerPool("test", 3, 100, 10), threading.Event()
    long = [work_of(work, "anna", gate.wait) for _ in range(9)]
    assert await asyncio.wait_for(work_of(work, "bert", lambda: "done"), 60) == "done"
    gate.set()
    await asyncio.gather(*long)
    assert not work._requesters
    await work.close()


@in_a_loop
async def test_one_user_has_a_share_of_the_queue():
    work, gate = WorkerPool("test", 2, 38, 10), threading.Event()
    tasks = [work_of(work, "anna", gate.wait) for _ in range(10)]
    with pytest.raises(OverloadedError):
        work_of(work, "anna", gate.wait)
    tasks += [work_of(work, "bert", gate.wait) for _ in range(10)]
    gate.set()
    await asyncio.gather(*tasks)
    await work_of(work, "anna", lambda: None)
    await work.close()


def test_requests_are_work_of_their_user(start, monkeypatch):
    asked, before = set(), WorkerPool.start

    def watched(pool, do, *, key=None):
        asked.add(requester.get())
        return before(pool, do, key=key)

    with start("keys") as running, running.client("read") as one, running.client() as nobody:
        monkeypatch.setattr(WorkerPool, "start", watched)
        one.post("/collections/colours/search", json={"text": "red"})
        assert asked == {"read"}
        nobody.get("/health")
        assert asked == {"read", "127.0.0.1"}


@in_a_loop
async def test_one_conversation_does_not_take_up_the_room_of_all():
    work, gate = WorkerPool("test", 1, 100, 10), threading.Event()
    tasks = [work.start(gate.wait, key="a") for _ in range(MOST_PER_KEY)]
    with pytest.raises(OverloadedError):
        work.start(gate.wait, key="a")
    tasks += [work.start(gate.wait, key="b"), work.start(gate.wait)]
    gate.set()
    await asyncio.gather(*tasks)
    assert await work.run(lambda: 7, key="a") == 7
    assert not work._counts
    await work.close()


@in_a_loop
async def test_what_fails_when_nobody_waits_any_more_is_in_the_log(log_lines):
    work, gate = WorkerPool("test", 1, 2, 0.05), threading.Event()

    def fail():
        gate.wait()
        raise ZeroDivisionError("of a kind that nobody expected")

    with pytest.raises(TooSlowError):
        await work.run(fail)
    assert not log_lines
    gate.set()
    await work.close()
    assert "nobody expected" in "".join(log_lines)


@in_a_loop
async def test_what_nobody_waits_for_any_more_is_finished():
    work, gate, done = WorkerPool("test", 1, 2, 0.05), threading.Event(), threading.Event()

    def slow():
        gate.wait(60)
        done.set()

    with pytest.raises(TooSlowError):
        await work.run(slow)
    assert not done.is_set()
    waiting = asyncio.create_task(work.run(lambda: None))
    waiting.cancel()
    gate.set()
    assert await asyncio.to_thread(done.wait, 60)
    await work.close()


@in_a_loop
async def test_errors_reach_whoever_waits():
    work = WorkerPool("test", 1, 2, 5)

    def wrong():
        raise BadInputError("no")

    with pytest.raises(BadInputError):
        await work.run(wrong, key="a")
    assert await work.run(lambda: 1, key="a") == 1
    await work.close()


def test_too_much_waiting_work_is_refused_and_the_rest_is_done(start, monkeypatch):
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from visavis.search.engine import SearchEngine

    search, gate = SearchEngine.search, Event()
    monkeypatch.setattr(
        SearchEngine, "search", lambda self, *wanted, **more: (gate.wait(60), search(self, *wanted, **more))[1]
    )
    with start(threads=1, waiting=2) as running, running.client() as client, ThreadPoolExecutor(10) as pool:
        asked = [pool.submit(client.post, "/collections/colours/search", json={"text": "red"}) for _ in range(10)]
        answers = (one.result() for one in as_completed(asked))
        refused = [next(answers) for _ in range(7)]  # at once, while one is being done and two wait
        assert [answer.status_code for answer in refused] == [503] * 7
        assert int(refused[0].headers["retry-after"]) >= 1
        assert client.get("/collections/colours/wall").status_code == 200  # what only reads goes on
        gate.set()
        assert [answer.status_code for answer in answers] == [200] * 3


def test_what_takes_too_long_is_told_so_and_finished(start, monkeypatch):
    from visavis.assistant import Assistant

    reply, gate = Assistant.reply, Event()
    monkeypatch.setattr(Assistant, "reply", lambda self, *said, **more: (gate.wait(60), reply(self, *said, **more))[1])
    with start() as running, running.client() as client:
        talk = start_talk(client)
        running.app.state.services.workers._seconds = 0.05  # for the message alone: the rest may be slow here
        slow = client.post(f"/conversations/{talk}/messages", json={"text": "red"})
        assert (slow.status_code, slow.json()["error"]["code"]) == (504, "too_slow")
        gate.set()
        assert len(eventually(lambda: client.get(f"/conversations/{talk}").json()["turns"])) == 1
