"""Long work in threads of its own, told of in the server's records so that every worker process can tell."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import select, update

from visavis.apps.server.jobs.indexing import IndexJob, Progress
from visavis.apps.server.library.library import Library
from visavis.apps.server.observing.logs import LOGGER
from visavis.apps.server.records.database import Records
from visavis.apps.server.records.tables import JobRow
from visavis.collections.tables import now
from visavis.errors import NotFoundError, VisavisError

_log = logging.getLogger(LOGGER)
#: A job that has not been heard of for so long was lost with its process.
_LOST_SECONDS = 60.0
#: How often a job that runs is written down, whether or not it got any further: building an index takes minutes.
_NOTED_SECONDS = 0.5
#: How many old jobs a list tells of.
_LISTED = 20
ENDED = ("done", "failed", "cancelled")


class Jobs:
    """Starts, follows and stops long work."""

    def __init__(self, records: Records, library: Library) -> None:
        self._records = records
        self._library = library
        self._running: dict[str, tuple[IndexJob, threading.Thread]] = {}

    def index(self, owner: str, collection: str, folder: str) -> str:
        """Begin to index a folder; returns the job's id."""
        id = uuid4().hex
        with self._records.transaction(writes=True) as session:
            body = {"folder": folder, "progress": Progress().as_json()}
            session.add(JobRow(id=id, owner=owner, collection=collection, state="running", body=body))
        job = IndexJob(self._library, collection, folder)
        thread = threading.Thread(target=self._run, args=(id, job), name=f"visavis-job-{id[:8]}", daemon=True)
        self._running[id] = (job, thread)
        thread.start()
        return id

    def get(self, id: str) -> dict[str, Any]:
        """What is known of a job.

        Raises:
            NotFoundError: There is none.
        """
        with self._records.transaction() as session:
            row = session.get(JobRow, id)
            if row is None:
                raise NotFoundError(f"There is no job '{id}'.", "Start it again.")
            return _told(row)

    def list(self) -> list[dict[str, Any]]:
        """The latest jobs, those that run first."""
        with self._records.transaction() as session:
            rows = session.scalars(select(JobRow).order_by(JobRow.started_at.desc()).limit(_LISTED))
            return sorted((_told(row) for row in rows), key=lambda job: job["state"] != "running")

    def cancel(self, id: str) -> None:
        """Ask a job to stop; what it has done stays."""
        self.get(id)
        with self._records.transaction(writes=True) as session:
            session.execute(update(JobRow).where(JobRow.id == id).values(cancelled=True))
        if id in self._running:
            self._running[id][0].stop()

    def close(self) -> None:
        """Stop everything and wait for it: what has been indexed stays, and the next run goes on from there."""
        for job, thread in list(self._running.values()):
            job.stop()
            thread.join(timeout=30)

    def _run(self, id: str, job: IndexJob) -> None:
        state, more = "done", {}
        ended = threading.Event()
        watch = threading.Thread(target=self._watch, args=(id, job, ended), name=f"visavis-watch-{id[:8]}", daemon=True)
        watch.start()
        try:
            report = job.run()
            state, more = ("cancelled" if report.interrupted else "done"), {"report": report.as_json()}
        except VisavisError as error:
            state, more = "failed", {"error": {"message": error.message, "remedy": error.remedy}}
        except Exception:  # a job must end as failed, whatever happened: somebody waits for it
            _log.exception("a job failed", extra={"job": id})
            state, more = "failed", {"error": {"message": "Something went wrong here.", "remedy": "See the log."}}
        finally:
            ended.set()
            watch.join()  # so that how it ended is the last that is written
            self._finish(id, job, state, more)

    def _finish(self, id: str, job: IndexJob, state: str, more: dict[str, Any]) -> None:
        with self._records.transaction(writes=True) as session:
            body = {"folder": job.folder, "progress": job.progress.as_json(), **more}
            values = {"state": state, "body": body, "changed_at": now()}
            session.execute(update(JobRow).where(JobRow.id == id).values(**values))
        self._running.pop(id, None)
        _log.info(f"indexing {state}", extra={"job": id, "collection": job.collection})

    def _watch(self, id: str, job: IndexJob, ended: threading.Event) -> None:
        """Write down how far a job is while it runs, and pass on that it is to stop, whichever process was told so."""
        while not ended.wait(_NOTED_SECONDS):
            try:
                if self._note(id, job.folder, job.progress):
                    job.stop()
            except VisavisError as error:  # the records are busy or full: indexing goes on all the same
                _log.warning(f"a job could not be noted: {error}", extra={"job": id})

    def _note(self, id: str, folder: str, progress: Progress) -> bool:
        """Write down how far a job is; returns whether it was asked to stop."""
        with self._records.transaction(writes=True) as session:
            row = session.get_one(JobRow, id)
            row.body = {"folder": folder, "progress": progress.as_json()}
            row.changed_at = now()
            return row.cancelled


def _told(row: JobRow) -> dict[str, Any]:
    changed = row.changed_at if row.changed_at.tzinfo else row.changed_at.replace(tzinfo=UTC)
    lost = row.state == "running" and (datetime.now(UTC) - changed).total_seconds() > _LOST_SECONDS
    body = dict(row.body)
    if lost:
        body["error"] = {"message": "The server was stopped meanwhile.", "remedy": "Start it again: it goes on."}
    return {"id": row.id, "collection": row.collection, "state": "failed" if lost else row.state, **body}
