"""Routes of collections: list, create, fill, browse, search, facets, delete."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, File, Query, UploadFile

from visavis.collections.indexing.items import existing
from visavis.conversation.brief import NOTHING
from visavis.home import home_folder
from visavis.search.learned.registry import RETRIEVERS, available
from visavis.server.dependencies import Admin, HeavyReader, HeavyWriter, Reader, ServicesDep
from visavis.server.models.collections import (
    Added,
    CollectionModel,
    Collections,
    Facets,
    Found,
    Gone,
    NewCollection,
    RefusedFile,
    RetrieverModel,
    Retrievers,
    SearchBody,
    Suggestions,
    Uploads,
    Wall,
)
from visavis.server.models.common import ID_PATTERN, CollectionName
from visavis.server.services.catalogue import TITLE, collection_summaries, collection_summary, facets, suggestions
from visavis.server.services.images import add_upload
from visavis.server.services.rankings import search
from visavis.server.services.wall import wall

router = APIRouter(tags=["collections"])
#: Enough to talk about, drawn in half a minute; `visavis demo` draws more.
_SAMPLE_PICTURES = 240


@router.get("/collections")
async def list_all(who: Reader, services: ServicesDep) -> Collections:
    """Every collection."""
    return Collections(collections=await services.readers.run(lambda: collection_summaries(services.collections)))


@router.post("/collections", status_code=201)
async def create(who: Admin, services: ServicesDep, body: NewCollection) -> CollectionModel:
    """A new collection; with a folder, indexing it begins at once."""

    def do() -> CollectionModel:
        if body.folder:
            existing(FilePath(body.folder))  # nothing is made for a folder that is not there
        opened = services.collections.create(body.name)
        if title := " ".join(body.title.split()):
            opened.catalogue.set_meta(TITLE, title)
        job = services.jobs.index(who.name, body.name, body.folder) if body.folder else None
        return collection_summary(opened, job)

    return await services.workers.run(do)


@router.post("/demo", status_code=201)
async def sample_shop(who: Admin, services: ServicesDep) -> CollectionModel:
    """The collection of a sample shop: its pictures are drawn and indexed, unless it is there already."""

    def do() -> CollectionModel:
        from visavis.demo.showcase import COLLECTION, draw_pictures

        home = services.settings.home
        if COLLECTION in services.collections.names():
            return collection_summary(services.collections.open(COLLECTION))
        opened = services.collections.create(COLLECTION)
        folder = str(home_folder(home) / "demo" / "pictures")
        job = services.jobs.index(
            who.name, COLLECTION, folder, lambda report: draw_pictures(home, _SAMPLE_PICTURES, report)
        )
        return collection_summary(opened, job)

    return await services.workers.run(do)


@router.get("/collections/{collection}")
async def read(who: Reader, services: ServicesDep, collection: CollectionName) -> CollectionModel:
    """One collection."""
    return await services.readers.run(lambda: collection_summary(services.collections.open(collection)))


@router.delete("/collections/{collection}")
async def delete(who: Admin, services: ServicesDep, collection: CollectionName) -> Gone:
    """Remove a collection with its conversations; the files of its pictures stay where they are."""

    def do() -> None:
        services.collections.remove(collection)
        services.ownership.remove_collection(collection)
        services.albums.remove_collection(collection)

    await services.workers.run(do)
    return Gone(deleted=collection)


@router.get("/collections/{collection}/wall")
async def browse(
    who: Reader,
    services: ServicesDep,
    collection: CollectionName,
    offset: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    sort: Annotated[str, Query(max_length=220, description="`price asc`, `taken desc`, `none`.")] = "",
) -> Wall:
    """All pictures in an order that stays: photos newest first, others as good as shuffled, or by an attribute."""
    return await services.readers.run(lambda: wall(services.collections.open(collection), offset, limit, sort))


@router.post("/collections/{collection}/search")
async def find(who: HeavyReader, services: ServicesDep, collection: CollectionName, body: SearchBody) -> Found:
    """Search once, without a conversation."""
    return await services.workers.run(lambda: search(services.collections.open(collection), body))


@router.get("/collections/{collection}/suggestions")
async def suggest(who: Reader, services: ServicesDep, collection: CollectionName) -> Suggestions:
    """Things to say that have results here."""
    return Suggestions(messages=await services.workers.run(lambda: suggestions(services.collections.open(collection))))


@router.get("/collections/{collection}/retrievers")
async def list_retrievers(who: Reader, services: ServicesDep, collection: CollectionName) -> Retrievers:
    """What can rank the pictures of a conversation; name one with a message to choose it."""

    def do() -> Retrievers:
        missing = available(services.collections.open(collection).collection.encoder)
        found = [RetrieverModel(name=name, about=RETRIEVERS[name].about, missing=missing[name]) for name in missing]
        return Retrievers(retrievers=found)

    return await services.workers.run(do)


@router.post("/collections/{collection}/upload")
async def upload(
    who: HeavyWriter,
    services: ServicesDep,
    collection: CollectionName,
    files: Annotated[list[UploadFile], File(description="Pictures.", min_length=1, max_length=500)],
) -> Uploads:
    """Take in pictures; each is checked by its content, its size and its pixels, and refused by itself."""
    limits, local = services.settings.limits, services.settings.mode == "local"
    opened = await services.readers.run(lambda: services.collections.open(collection))
    done = Uploads(added=[], refused=[])
    for file in files:
        data = await file.read(limits.file_bytes + 1)
        name = file.filename or "picture"

        def add(data: bytes = data, name: str = name) -> Added | RefusedFile:
            if not local:
                services.quotas.take(who.name, "upload_bytes", len(data), limits.upload_bytes_a_day)
            return add_upload(opened, data, name, limits)

        result = await services.workers.run(add)
        if isinstance(result, Added):
            done.added.append(result)
        else:
            done.refused.append(result)
    return done


@router.get("/collections/{collection}/facets")
async def read_facets(
    who: Reader,
    services: ServicesDep,
    collection: CollectionName,
    fields: Annotated[str, Query(max_length=1000, description="Only these, with commas between.")] = "",
    conversation: Annotated[
        str | None, Query(pattern=ID_PATTERN, description="Count under the filters of this conversation.")
    ] = None,
) -> Facets:
    """Attributes with the values they have and how many pictures have each; numbers with their range."""

    def do() -> Facets:
        brief = services.conversations.find(who.name, conversation).conversation.last.brief if conversation else NOTHING
        wanted = [name.strip() for name in fields.split(",") if name.strip()]
        return Facets(facets=facets(services.collections.open(collection), wanted, brief))

    return await services.readers.run(do)
