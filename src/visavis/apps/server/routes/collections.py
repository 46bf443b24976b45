"""Collections: listed, made, filled, looked through, removed."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Depends, File, Query, UploadFile

from visavis.apps.server.library.cards import wall
from visavis.apps.server.library.looks import look, looks
from visavis.apps.server.library.searching import search
from visavis.apps.server.library.suggesting import suggestions
from visavis.apps.server.library.uploading import Uploaded, take_in
from visavis.apps.server.models.collections import (
    CollectionModel,
    Collections,
    Found,
    Gone,
    NewCollection,
    SearchBody,
    Suggestions,
    Uploads,
    Wall,
    WallPicture,
)
from visavis.apps.server.models.common import CollectionName
from visavis.apps.server.security.identity import Admin, Maker, Reader, Talker
from visavis.apps.server.services import Services, services
from visavis.collections.indexing.runs import existing

router = APIRouter(tags=["collections"])
Home = Annotated[Services, Depends(services)]


@router.get("/collections")
async def list_all(who: Reader, home: Home) -> Collections:
    """Every collection."""
    return Collections(collections=await home.light.run(lambda: looks(home.library)))


@router.post("/collections", status_code=201)
async def create(who: Admin, home: Home, body: NewCollection) -> CollectionModel:
    """A new collection; with a folder, indexing it begins at once."""

    def do() -> CollectionModel:
        if body.folder:
            existing(FilePath(body.folder))  # nothing is made for a folder that is not there
        opened = home.library.create(body.name)
        job = home.jobs.index(who.name, body.name, body.folder) if body.folder else None
        return look(opened, job)

    return await home.work.run(do)


@router.get("/collections/{collection}")
async def read(who: Reader, home: Home, collection: CollectionName) -> CollectionModel:
    """One collection."""
    return await home.light.run(lambda: look(home.library.open(collection)))


@router.delete("/collections/{collection}")
async def delete(who: Admin, home: Home, collection: CollectionName) -> Gone:
    """Remove a collection with its conversations; the files of its pictures stay where they are."""

    def do() -> None:
        home.library.remove(collection)
        home.ownership.remove_collection(collection)

    await home.work.run(do)
    return Gone(deleted=collection)


@router.get("/collections/{collection}/wall")
async def browse(
    who: Reader,
    home: Home,
    collection: CollectionName,
    offset: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Wall:
    """All pictures in an order that stays."""
    total, found = await home.light.run(lambda: wall(home.library.open(collection).catalogue, offset, limit))
    pictures = [WallPicture(id=one.id, width=one.width, height=one.height, caption=one.caption) for one in found]
    return Wall(total=total, pictures=pictures)


@router.post("/collections/{collection}/search")
async def find(who: Talker, home: Home, collection: CollectionName, body: SearchBody) -> Found:
    """Search once, without a conversation."""
    return await home.work.run(lambda: search(home.library.open(collection), body))


@router.get("/collections/{collection}/suggestions")
async def suggest(who: Reader, home: Home, collection: CollectionName) -> Suggestions:
    """Things to say that have results here."""
    return Suggestions(messages=await home.work.run(lambda: suggestions(home.library.open(collection))))


@router.post("/collections/{collection}/upload")
async def upload(
    who: Maker,
    home: Home,
    collection: CollectionName,
    files: Annotated[list[UploadFile], File(description="Pictures.", min_length=1, max_length=500)],
) -> Uploads:
    """Take in pictures; each is checked by its content, its size and its pixels, and refused by itself."""
    limits, local = home.settings.limits, home.settings.mode == "local"
    opened = await home.light.run(lambda: home.library.open(collection))
    done = Uploaded()
    for file in files:
        data = await file.read(limits.file_bytes + 1)
        name = file.filename or "picture"

        def take(data: bytes = data, name: str = name) -> None:
            if not local:
                home.usage.take(who.name, "upload_bytes", len(data), limits.upload_bytes_a_day)
            take_in(opened, data, name, limits, done)

        await home.work.run(take)
    return Uploads(added=done.added, refused=done.refused)
