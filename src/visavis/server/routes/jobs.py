"""Routes of indexing jobs, and the folders to choose from."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from visavis.collections.indexing.items import existing
from visavis.server.dependencies import Admin, Reader, Services, ServicesDep
from visavis.server.events import KEEP_ALIVE, KEEP_ALIVE_SECONDS, MEDIA_TYPE, EventStream, event
from visavis.server.models.collections import FolderList, FolderSuggestions, IndexBody, JobList, JobModel, JobStarted
from visavis.server.models.common import CollectionName
from visavis.server.services.collections import list_folders, suggest_folders
from visavis.server.services.jobs import ENDED

router = APIRouter(tags=["jobs"])
JobId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", min_length=32, max_length=32)]
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}, "description": "Events as they come."}
}


@router.post("/collections/{collection}/index", status_code=202)
async def index(who: Admin, services: ServicesDep, collection: CollectionName, body: IndexBody) -> JobStarted:
    """Begin to index a folder of the server's machine."""

    def do() -> str:
        services.collections.open(collection)
        existing(FilePath(body.folder))
        return services.jobs.index(who.name, collection, body.folder)

    return JobStarted(job=await services.readers.run(do))


@router.get("/jobs")
async def list_jobs(who: Reader, services: ServicesDep) -> JobList:
    """The latest jobs, those that run first."""
    return JobList(jobs=[JobModel(**job) for job in await services.readers.run(services.jobs.list)])


@router.get("/jobs/{job}")
async def read(who: Reader, services: ServicesDep, job: JobId) -> JobModel:
    """How far a job is."""
    return JobModel(**await services.readers.run(lambda: services.jobs.get(job)))


@router.delete("/jobs/{job}")
async def cancel(who: Admin, services: ServicesDep, job: JobId) -> JobModel:
    """Stop a job; what it has done stays."""

    def do() -> JobModel:
        services.jobs.cancel(job)
        return JobModel(**services.jobs.get(job))

    return await services.readers.run(do)


@router.get("/jobs/{job}/events", response_class=Response, responses=_STREAM)
async def follow(who: Reader, services: ServicesDep, job: JobId) -> EventStream:
    """A job as it goes on: events `progress`, then `done` or `error`."""
    await services.readers.run(lambda: services.jobs.get(job))
    return EventStream(_progress(services, job), on_end=services.streams.open(who.name))


async def _progress(services: Services, id: str) -> AsyncIterator[str]:
    last = None
    async for found in services.job_feeds.follow(id, KEEP_ALIVE_SECONDS):
        if found is None:
            yield KEEP_ALIVE
            continue
        job = JobModel(**found)
        told = job.progress.model_dump()
        if told != last:
            yield event("progress", told)
            last = told
        if job.state in ENDED:
            yield event("error" if job.state == "failed" else "done", job.model_dump(mode="json"))
            return


@router.get("/folders")
async def folders(
    who: Admin,
    services: ServicesDep,
    path: Annotated[str, Query(max_length=4096, description="A folder; the home folder when empty.")] = "",
) -> FolderList:
    """The folders in a folder of the server's machine, to choose one from."""
    return await services.readers.run(lambda: list_folders(path))


@router.get("/folders/suggested")
async def suggested_folders(who: Admin, services: ServicesDep) -> FolderSuggestions:
    """Folders of the home that hold pictures, the fullest first."""
    return await services.readers.run(suggest_folders)
