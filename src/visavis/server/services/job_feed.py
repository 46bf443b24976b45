"""The progress of jobs for those who follow it: each job is read once, however many follow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from visavis.errors import NotFoundError, VisavisError
from visavis.server.services.jobs import ENDED, Jobs
from visavis.server.services.workers import WorkerPool, requester

_POLL_SECONDS = 0.4


@dataclass
class _Feed:
    """What is known of one job, and who waits for news of it.

    Attributes:
        job: The job as it was read last; None before, and where it is gone.
        version: How often it has changed.
        ended: Whether it changes no more.
        followers: How many follow it.
        news: Set when it changes; then another event takes its place.
    """

    job: dict[str, Any] | None = None
    version: int = 0
    ended: bool = False
    followers: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, job: dict[str, Any] | None, *, ended: bool) -> None:
        """Wake all followers."""
        self.job, self.ended, self.version = job, ended, self.version + 1
        news, self.news = self.news, asyncio.Event()
        news.set()


class JobFeeds:
    """Feeds of jobs; one task for each job that somebody follows reads it again and again.

    Args:
        jobs: The jobs.
        readers: The threads in which they are read.
        closing: Set when the server shuts down.
    """

    def __init__(self, jobs: Jobs, readers: WorkerPool, closing: asyncio.Event) -> None:
        self._jobs = jobs
        self._readers = readers
        self._closing = closing
        self._feeds: dict[str, _Feed] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def follow(self, id: str, patience: float) -> AsyncIterator[dict[str, Any] | None]:
        """A job each time it changes, until it ends or is gone; None after so many seconds without a change."""
        feed = self._feeds.get(id)
        if feed is None:
            feed = self._feeds[id] = _Feed()
            task = asyncio.get_running_loop().create_task(self._read(id, feed))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        feed.followers += 1
        seen = 0
        try:
            while True:
                if feed.version == seen:
                    try:
                        await asyncio.wait_for(feed.news.wait(), patience)
                    except TimeoutError:
                        yield None
                    continue
                seen = feed.version
                if feed.job is not None:
                    yield feed.job
                if feed.ended:
                    return
        finally:
            feed.followers -= 1

    async def _read(self, id: str, feed: _Feed) -> None:
        requester.set(None)  # it is nobody's own
        try:
            while feed.followers and not self._closing.is_set():
                try:
                    job = await self._readers.run(lambda: self._jobs.get(id))
                except NotFoundError:
                    return
                except VisavisError:  # the queue is full or the database busy: the next time
                    await asyncio.sleep(_POLL_SECONDS)
                    continue
                ended = job["state"] in ENDED
                if job != feed.job or ended:
                    feed.tell(job, ended=ended)
                if ended:
                    return
                await asyncio.sleep(_POLL_SECONDS)
        finally:
            if not feed.ended:
                feed.tell(None, ended=True)
            if self._feeds.get(id) is feed:
                del self._feeds[id]
