"""Work in threads: bounded, in order, finished."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from visavis.apps.server.security.errors import OverloadedError, TooSlowError
from visavis.apps.server.talking.deep import Depths
from visavis.apps.server.work import MOST_IN_TURN, Work
from visavis.errors import BadInputError
from visavis.retrieval.base import Result


def in_a_loop(main):
    """Run it in a thread: this one may have a browser's loop running."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, main()).result()


def test_what_has_the_same_key_is_done_in_order():
    async def main():
        work = Work("test", 4, 100, 10)
        done = []

        def one(number):
            time.sleep(0.002 * (number % 3))
            done.append(number)

        await asyncio.gather(*(work.run(lambda n=n: one(n), key="a") for n in range(12)))
        assert done == list(range(12))
        assert not work._turns  # nothing is remembered of conversations that are quiet
        await work.close()

    in_a_loop(main)


def test_more_than_fits_is_refused_at_once():
    async def main():
        work, gate = Work("test", 1, 2, 10), threading.Event()
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

    in_a_loop(main)


def test_one_conversation_does_not_take_up_the_room_of_all():
    async def main():
        work, gate = Work("test", 1, 100, 10), threading.Event()
        tasks = [work.start(gate.wait, key="a") for _ in range(MOST_IN_TURN)]
        with pytest.raises(OverloadedError):
            work.start(gate.wait, key="a")
        tasks += [work.start(gate.wait, key="b"), work.start(gate.wait)]
        gate.set()
        await asyncio.gather(*tasks)
        assert await work.run(lambda: 7, key="a") == 7
        assert not work._begun
        await work.close()

    in_a_loop(main)


def test_what_fails_when_nobody_waits_any_more_is_in_the_log(log_lines):
    async def main():
        work, gate = Work("test", 1, 2, 0.05), threading.Event()

        def fail():
            gate.wait()
            raise ZeroDivisionError("of a kind that nobody expected")

        with pytest.raises(TooSlowError):
            await work.run(fail)
        assert not log_lines
        gate.set()
        await work.close()
        assert "nobody expected" in "".join(log_lines)

    in_a_loop(main)


def test_what_nobody_waits_for_any_more_is_finished():
    async def main():
        work, gate, done = Work("test", 1, 2, 0.05), threading.Event(), threading.Event()

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

    in_a_loop(main)


def test_errors_reach_whoever_waits():
    async def main():
        work = Work("test", 1, 2, 5)

        def wrong():
            raise BadInputError("no")

        with pytest.raises(BadInputError):
            await work.run(wrong, key="a")
        assert await work.run(lambda: 1, key="a") == 1
        await work.close()

    in_a_loop(main)


def test_a_long_list_grows_and_keeps_what_was_shown():
    ranking = [Result(f"{n:04}", -n) for n in range(3000)]
    asked = []

    def rank(depth):
        asked.append(depth)
        # a deeper ranking orders its beginning a little differently
        found = ranking[:depth]
        return [found[1], found[0], *found[2:]] if depth > 200 else found

    depths, shown = Depths(), ranking[:20]
    seen = [one for at in range(0, 3100, 100) for one in depths.part("key", shown, rank, at, 100)]
    assert [one.id for one in seen] == [one.id for one in ranking]
    assert asked == [200, 1000, 4000]
    assert depths.part("key", shown, rank, 500, 10) == ranking[500:510]
    assert asked == [200, 1000, 4000]
