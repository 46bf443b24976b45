"""Indexing folders, and following it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import Response

from visavis.apps.server.events import KEEP_ALIVE, KEEP_ALIVE_SECONDS, MEDIA_TYPE, EventStream, event
from visavis.apps.server.jobs.jobs import ENDED
from visavis.apps.server.library.folders import list_folders
from visavis.apps.server.models.collections import FolderList, IndexBody, JobList, JobModel, JobStarted
from visavis.apps.server.models.common import CollectionName
from visavis.apps.server.security.identity import Admin, Reader
from visavis.apps.server.services import Services, services
from visavis.collections.indexing.runs import existing
from visavis.errors import NotFoundError

router = APIRouter(tags=["jobs"])
Home = Annotated[Services, Depends(services)]
JobId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", min_length=32, max_length=32)]
_POLL_SECONDS = 0.4
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}, "description": "Events as they come."}
}


@router.post("/collections/{collection}/index", status_code=202)
async def index(who: Admin, home: Home, collection: CollectionName, body: IndexBody) -> JobStarted:
    """Begin to index a folder of the server's machine."""

    def do() -> str:
        home.library.open(collection)
        existing(FilePath(body.folder))
        return home.jobs.index(who.name, collection, body.folder)

    return JobStarted(job=await home.light.run(do))


@router.get("/jobs")
async def list_jobs(who: Reader, home: Home) -> JobList:
    """The latest jobs, those that run first."""
    return JobList(jobs=[JobModel(**job) for job in await home.light.run(home.jobs.list)])


@router.get("/jobs/{job}")
async def read(who: Reader, home: Home, job: JobId) -> JobModel:
    """How far a job is."""
    return JobModel(**await home.light.run(lambda: home.jobs.get(job)))


@router.delete("/jobs/{job}")
async def cancel(who: Admin, home: Home, job: JobId) -> JobModel:
    """Stop a job; what it has done stays."""

    def do() -> JobModel:
        home.jobs.cancel(job)
        return JobModel(**home.jobs.get(job))

    return await home.light.run(do)


@router.get("/jobs/{job}/events", response_class=Response, responses=_STREAM)
async def follow(who: Reader, home: Home, job: JobId) -> EventStream:
    """A job as it goes on: events `progress`, then `done` or `error`."""
    await home.light.run(lambda: home.jobs.get(job))
    return EventStream(_progress(home, job))


async def _progress(home: Services, id: str) -> AsyncIterator[str]:
    last, silent = None, 0.0
    while True:
        try:
            job = JobModel(**await home.light.run(lambda: home.jobs.get(id)))
        except NotFoundError:
            return
        told = job.progress.model_dump()
        if told != last:
            yield event("progress", told)
            last, silent = told, 0.0
        if job.state in ENDED:
            yield event("error" if job.state == "failed" else "done", job.model_dump(mode="json"))
            return
        if home.closing.is_set():
            return
        await asyncio.sleep(_POLL_SECONDS)
        silent += _POLL_SECONDS
        if silent >= KEEP_ALIVE_SECONDS:
            yield KEEP_ALIVE
            silent = 0.0


@router.get("/folders")
async def folders(
    who: Admin,
    home: Home,
    path: Annotated[str, Query(max_length=4096, description="A folder; the home folder when empty.")] = "",
) -> FolderList:
    """The folders in a folder of the server's machine, to choose one from."""
    return await home.light.run(lambda: list_folders(path))
