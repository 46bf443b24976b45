"""Indexing jobs: started and cancelled, their progress in the database and for those who follow it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import uuid4

from sqlalchemy import select, update

from visavis.collections.indexing.indexer import Options
from visavis.collections.indexing.items import IndexReport, Outcome
from visavis.collections.sources.catalogue_file import is_catalogue_file, read_rows
from visavis.database import as_utc, now
from visavis.errors import BadInputError, NotFoundError, VisavisError
from visavis.home import expand_user
from visavis.pictures.folders import walk
from visavis.server.database import JobRow, ServerDatabase
from visavis.server.services.collections import CollectionRegistry, OpenCollection
from visavis.server.services.workers import WorkerPool, requester
from visavis.server.settings import LOGGER

#: How often the progress is measured.
_MEASURE_SECONDS = 0.5
#: No time is promised before so many files and seconds: the first ones are slower or quicker than the rest.
_ESTIMATED_FILES = 16
_ESTIMATED_SECONDS = 4.0
_log = logging.getLogger(LOGGER)
#: A running job whose row is older than this was lost with its process.
_LOST_SECONDS = 60.0
#: How often the row of a running job is written, with or without progress: building an index takes minutes.
_SAVE_SECONDS = 0.5
#: The length of the list of jobs.
_LISTED = 20
ENDED = ("done", "failed", "cancelled")


@dataclass(frozen=True)
class Progress:
    """The progress of a job.

    Attributes:
        done: Files looked at.
        total: Files there are, once they are counted; None before.
        rate: Files a second.
        left_seconds: How long still; None while that is not known.
        failed: Files that could not be used.
    """

    done: int = 0
    total: int | None = None
    rate: float = 0.0
    left_seconds: float | None = None
    failed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return vars(self).copy()


#: Makes pictures, and tells how many of how many are there.
Prepare = Callable[[Callable[[int, int], None]], object]


class IndexJob:
    """One run over one folder.

    Args:
        opened: The collection.
        folder: The folder to index.
        prepare: Makes what lies in the folder first; it is given what to call with how much is made, of how much.

    Attributes:
        collection: The name of the collection.
        folder: The folder.
        progress: The progress so far.
    """

    def __init__(self, opened: OpenCollection, folder: str, prepare: Prepare | None = None) -> None:
        self.collection = opened.name
        self.folder = folder
        self.progress = Progress()
        self._opened = opened
        self._prepare = prepare
        self._stop = Event()
        self._total: int | None = None
        self._started = time.monotonic()
        self._measured_at = 0.0
        self._first: tuple[float, int] | None = None

    def stop(self) -> None:
        """Stop soon; what was indexed stays."""
        self._stop.set()

    def run(self) -> IndexReport:
        """Index; returns when it is done or was stopped."""
        path = expand_user(self.folder)
        if self._prepare is not None:
            self._prepare(self._made)
            self._started = time.monotonic()
        Thread(target=self._count, args=(path,), name="visavis-count", daemon=True).start()
        report = self._opened.collection.index(path, options=Options(), on_progress=self._update)
        self._measure(report)
        self._opened.refresh()
        return report

    def _made(self, _done: int, total: int) -> None:
        """Nothing is indexed while pictures are made; only the number to come is known."""
        self.progress = Progress(0, total)
        if self._stop.is_set():
            raise BadInputError("It was stopped.", "Begin again: what was made stays.")

    def _update(self, report: IndexReport) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt  # which the indexer takes as a request to stop: it keeps what is done
        if time.monotonic() - self._measured_at >= _MEASURE_SECONDS:
            self._measured_at = time.monotonic()
            self._measure(report)

    def _measure(self, report: IndexReport) -> None:
        done = report.files
        if self._first is None and done:
            self._first = (time.monotonic(), done)  # before it weights were loaded, which says nothing of the rest
        since, before = self._first or (self._started, 0)
        seconds = time.monotonic() - since
        rate = done / max(time.monotonic() - self._started, 1e-3)
        known = self._total is not None and done - before >= _ESTIMATED_FILES and seconds >= _ESTIMATED_SECONDS
        left = (self._total - done) * seconds / (done - before) if self._total is not None and known else None
        failed = report.outcomes[Outcome.FAILED]
        left = None if left is None else round(max(left, 0.0), 1)
        self.progress = Progress(done, self._total, round(rate, 2), left, failed)

    def _count(self, path: Path) -> None:
        total = 0
        try:
            table = path.is_file() and is_catalogue_file(path)
            for _ in read_rows(path, quiet=True) if table else walk(path, (), on_error=lambda _: None):
                total += 1
                if self._stop.is_set():
                    return
        except VisavisError:
            return  # indexing itself says what is wrong
        self._total = total


class Jobs:
    """Starts, lists and cancels indexing jobs."""

    def __init__(self, database: ServerDatabase, collections: CollectionRegistry) -> None:
        self._database = database
        self._collections = collections
        self._running: dict[str, tuple[IndexJob, threading.Thread]] = {}

    def index(self, owner: str, collection: str, folder: str, prepare: Prepare | None = None) -> str:
        """Start to index a folder; returns the job's id. The collection cannot be removed before the job ends."""
        id = uuid4().hex
        with ExitStack() as stack:
            opened = stack.enter_context(self._collections.using(collection))
            with self._database.transaction(writes=True) as session:
                body = {"folder": folder, "progress": Progress().as_json()}
                session.add(JobRow(id=id, owner=owner, collection=collection, state="running", body=body))
            hold = stack.pop_all()
        job = IndexJob(opened, folder, prepare)
        thread = threading.Thread(target=self._run, args=(id, job, hold), name=f"visavis-job-{id[:8]}", daemon=True)
        self._running[id] = (job, thread)
        thread.start()
        return id

    def get(self, id: str) -> dict[str, Any]:
        """What is known of a job.

        Raises:
            NotFoundError: There is none.
        """
        with self._database.transaction() as session:
            row = session.get(JobRow, id)
            if row is None:
                raise NotFoundError(f"There is no job '{id}'.", "Start it again.")
            return _job_json(row)

    def list(self) -> list[dict[str, Any]]:
        """The latest jobs, those that run first."""
        with self._database.transaction() as session:
            rows = session.scalars(select(JobRow).order_by(JobRow.started_at.desc()).limit(_LISTED))
            return sorted((_job_json(row) for row in rows), key=lambda job: job["state"] != "running")

    def cancel(self, id: str) -> None:
        """Ask a job to stop; what it indexed stays."""
        self.get(id)
        with self._database.transaction(writes=True) as session:
            session.execute(update(JobRow).where(JobRow.id == id).values(cancelled=True))
        if id in self._running:
            self._running[id][0].stop()

    def close(self) -> None:
        """Stop all jobs and wait for them; what they indexed stays, and the next run continues there."""
        for job, thread in list(self._running.values()):
            job.stop()
            thread.join(timeout=30)

    def _run(self, id: str, job: IndexJob, hold: ExitStack) -> None:
        state, more = "done", {}
        ended = threading.Event()
        watch = threading.Thread(target=self._watch, args=(id, job, ended), name=f"visavis-watch-{id[:8]}", daemon=True)
        watch.start()
        try:
            report = job.run()
            state, more = ("cancelled" if report.interrupted else "done"), {"report": report.as_json()}
        except VisavisError as error:
            state, more = "failed", {"error": {"message": error.message, "remedy": error.remedy}}
        except Exception:  # whatever happened, the job must end as failed: clients wait for it
            _log.exception("a job failed", extra={"job": id})
            state, more = "failed", {"error": {"message": "Something went wrong here.", "remedy": "See the log."}}
        finally:
            ended.set()
            watch.join()  # so that the final state is the last that is written
            hold.close()
            self._finish(id, job, state, more)

    def _finish(self, id: str, job: IndexJob, state: str, more: dict[str, Any]) -> None:
        with self._database.transaction(writes=True) as session:
            body = {"folder": job.folder, "progress": job.progress.as_json(), **more}
            values = {"state": state, "body": body, "changed_at": now()}
            session.execute(update(JobRow).where(JobRow.id == id).values(**values))
        self._running.pop(id, None)
        _log.info(f"indexing {state}", extra={"job": id, "collection": job.collection})

    def _watch(self, id: str, job: IndexJob, ended: threading.Event) -> None:
        """Save the progress of a job while it runs, and stop it when any process was asked to cancel it."""
        while not ended.wait(_SAVE_SECONDS):
            try:
                if self._save_progress(id, job.folder, job.progress):
                    job.stop()
            except VisavisError as error:  # the database is busy or full: indexing continues
                _log.warning(f"the progress of a job could not be saved: {error}", extra={"job": id})

    def _save_progress(self, id: str, folder: str, progress: Progress) -> bool:
        """Save the progress of a job; returns whether it was cancelled."""
        with self._database.transaction(writes=True) as session:
            row = session.get_one(JobRow, id)
            row.body = {"folder": folder, "progress": progress.as_json()}
            row.changed_at = now()
            return row.cancelled


def _job_json(row: JobRow) -> dict[str, Any]:
    lost = row.state == "running" and (now() - as_utc(row.changed_at)).total_seconds() > _LOST_SECONDS
    body = dict(row.body)
    if lost:
        body["error"] = {"message": "The server was stopped meanwhile.", "remedy": "Start it again: it goes on."}
    return {"id": row.id, "collection": row.collection, "state": "failed" if lost else row.state, **body}


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
        requester.set(None)  # the feed belongs to no requester
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
