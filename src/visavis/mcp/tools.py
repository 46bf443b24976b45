"""Tools on collections and pictures: list, search, read, edit, index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import CallToolResult, ContentBlock
from pydantic import Field

from visavis.assistant.edits import HandEditor
from visavis.collections import ledger
from visavis.collections.catalogue import CHUNK, Catalogue
from visavis.collections.indexing.items import existing
from visavis.collections.sources.candidates import folder_candidates
from visavis.collections.sources.catalogue_file import is_catalogue_file, table_candidates
from visavis.editing.pipeline import read_commands
from visavis.errors import NotFoundError, VisavisError
from visavis.mcp.access import Access, Call
from visavis.mcp.models import (
    CollectionList,
    CollectionName,
    EditedPicture,
    FolderPlan,
    FoundPictures,
    PictureId,
    Thumbnails,
    answer,
    image_block,
    picture_blocks,
    resource_link,
)
from visavis.pictures.thumbnails import make_thumbnail
from visavis.server.models.collections import JobModel, SearchBody
from visavis.server.models.pictures import PictureModel
from visavis.server.security import Identity
from visavis.server.services.catalogue import collection_summaries
from visavis.server.services.collections import OpenCollection
from visavis.server.services.images import browser_copy, browser_file, picture_model
from visavis.server.services.rankings import search
from visavis.types import batches

_EXAMPLES = 5
#: The longest side of a preview.
_PREVIEW = 1024


def plan(collection: str, path: Path, catalogue: Catalogue | None) -> FolderPlan:
    """Count the files that indexing would read; nothing is written.

    Args:
        collection: The name of the collection.
        path: A folder, a picture or a catalogue file.
        catalogue: The catalogue of the collection; None where there is none yet.
    """
    table = path.is_file() and is_catalogue_file(path)
    candidates = table_candidates(path, None, allow_links=False) if table else folder_candidates(path)
    told = FolderPlan(collection=collection, folder=str(path), dry_run=True, new_collection=catalogue is None)
    for chunk in batches(candidates, CHUNK):
        known = ledger.known_files(catalogue, [one.path for one in chunk]) if catalogue is not None else {}
        for one in chunk:
            told.files += 1
            before = known.get(one.path)
            if before is not None and before.stamp == one.stamp:
                continue
            told.bytes += one.stamp.size
            if before is not None:
                told.changed += 1
                continue
            told.new += 1
            if len(told.examples) < _EXAMPLES:
                told.examples.append(one.path)
    return told


class PictureTools:
    """The tools of collections and their pictures."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._services = access.services

    async def list_collections(self, call: Call) -> Annotated[CallToolResult, CollectionList]:
        """List the collections, how many pictures each has, and the indexing jobs with their progress."""
        self._access.user(call, "read")
        services = self._services

        def read() -> CollectionList:
            jobs = [JobModel(**job) for job in services.jobs.list()]
            return CollectionList(collections=collection_summaries(services.collections), jobs=jobs)

        return answer(await services.readers.run(read))

    async def search_pictures(
        self,
        call: Call,
        collection: CollectionName,
        text: Annotated[str, Field(max_length=2000, description="What they show.", examples=["a red dress"])] = "",
        like: Annotated[PictureId | None, Field(description="A picture to resemble.")] = None,
        without: Annotated[
            list[str] | None, Field(max_length=20, description="What they must not show.", examples=[["people"]])
        ] = None,
        filter: Annotated[
            str,
            Field(max_length=2000, description="Conditions on attributes.", examples=['price < 50 and colour = "red"']),
        ] = "",
        k: Annotated[int, Field(ge=1, le=200, description="How many results.")] = 12,
        offset: Annotated[int, Field(ge=0, le=1000, description="How many to pass over.")] = 0,
        thumbnails: Thumbnails = 6,
    ) -> Annotated[CallToolResult, FoundPictures]:
        """Search a collection once, by words, by a picture, or by both; nothing is remembered.

        To refine, exclude or answer questions step by step, use `say` instead.
        """
        self._access.user(call, "read", heavy=True)
        services = self._services

        def find() -> CallToolResult:
            opened = services.collections.open(collection)
            wanted = SearchBody(
                text=text,
                like=opened.bare.picture(like).id if like else None,
                without=[one for one in without or [] if one],
                filter=filter,
                k=k,
                offset=offset,
            )
            found = search(opened, wanted)
            blocks = picture_blocks(services, opened, [result.id for result in found.results[:thumbnails]])
            told = FoundPictures(
                collection=collection,
                results=found.results,
                matches=found.matches,
                about=found.about,
                message=found.message,
            )
            return answer(told, blocks)

        return await services.workers.run(find)

    async def get_picture(
        self,
        call: Call,
        collection: CollectionName,
        picture: PictureId,
        size: Annotated[int, Field(ge=16, le=1280, description="The longest side of the image, in pixels.")] = 640,
    ) -> Annotated[CallToolResult, PictureModel]:
        """Show one picture with everything that is known of it, and a link to the original."""
        self._access.user(call, "read")
        services = self._services

        def read() -> CallToolResult:
            opened = services.collections.open(collection)
            told = picture_model(opened, picture)
            blocks: list[ContentBlock] = [
                image_block(services.thumbnails.get(opened, told.id, size)),
                resource_link(opened, opened.bare.picture(told.id)),
            ]
            return answer(told, blocks)

        return await services.workers.run(read)

    async def edit_picture(
        self,
        call: Call,
        collection: CollectionName,
        picture: PictureId,
        edits: Annotated[
            list[str],
            Field(min_length=1, max_length=50, description="Commands, carried out in order."),
        ],
        preview: Annotated[bool, Field(description="Only show the result; false stores it as a new picture.")] = True,
        confirmed: Annotated[bool, Field(description="Go on where a thing was not surely found.")] = False,
    ) -> Annotated[CallToolResult, EditedPicture]:
        """Edit a copy of a picture; the original is never changed, and nothing is stored unless `preview` is false."""
        services = self._services
        who = self._access.user(call, "read" if preview else "write", heavy=True)

        def make() -> CallToolResult:
            opened = services.collections.open(collection)
            source = opened.bare.picture(picture).id
            if preview:
                return self._previewed(opened, source, edits, confirmed=confirmed)
            return self._stored(who, opened, source, edits, confirmed=confirmed)

        return await services.workers.run(make)

    def _previewed(
        self, opened: OpenCollection, source: str, edits: Sequence[str], *, confirmed: bool
    ) -> CallToolResult:
        made = self._services.previews.make(opened, source, edits, _PREVIEW, (), confirmed=confirmed)
        told = EditedPicture(
            collection=opened.name,
            source=source,
            preview=True,
            applied=[str(edit) for edit in made.applied],
            pending=[str(edit) for edit in made.pending],
            question=made.question,
        )
        shown = made.preview if made.question and made.preview is not None else made.image
        return answer(told, [image_block(make_thumbnail(shown, _PREVIEW))])

    def _stored(
        self, who: Identity, opened: OpenCollection, source: str, edits: Sequence[str], *, confirmed: bool
    ) -> CallToolResult:
        services, lines = self._services, read_commands(edits)
        if services.settings.mode != "local":
            services.quotas.check(who.name, "edits", 1, services.settings.limits.edits_a_day)
        editor = HandEditor(opened.collection)
        made = editor.edit(editor.hold(source), lines, confirmed=confirmed)
        stored = picture_model(opened, made.hand.picture) if made.applied else None
        if stored is not None:
            services.quotas.count(who.name, "edits", 1)
        told = EditedPicture(
            collection=opened.name,
            source=source,
            preview=False,
            applied=[str(edit) for edit in made.applied],
            pending=[str(edit) for edit in made.pending],
            question=made.question,
            picture=stored,
        )
        return answer(told, picture_blocks(services, opened, [stored.id] if stored else []))

    async def index_folder(
        self,
        call: Call,
        collection: CollectionName,
        folder: Annotated[str, Field(min_length=1, max_length=4096, description="A folder of the server's machine.")],
        dry_run: Annotated[bool, Field(description="Only count; false begins to index.")] = True,
    ) -> Annotated[CallToolResult, FolderPlan]:
        """Bring the pictures of a folder into a collection, which is made if there is none; files stay where they are.

        A dry run tells how many pictures are new. Indexing runs in the background; list_collections tells how far.
        """
        who = self._access.user(call, "admin")
        services = self._services

        def do() -> FolderPlan:
            path = existing(Path(folder))
            known = collection in services.collections.names()
            if dry_run:
                opened = services.collections.open(collection) if known else None
                return plan(collection, path, opened.catalogue if opened else None)
            if not known:
                services.collections.create(collection)
            job = self._running(collection, str(path)) or services.jobs.index(who.name, collection, str(path))
            model = JobModel(**services.jobs.get(job))
            return FolderPlan(
                collection=collection, folder=str(path), dry_run=False, new_collection=not known, job=model
            )

        return answer(await services.readers.run(do))

    def _running(self, collection: str, folder: str) -> str | None:
        """The job that indexes this folder now: a second one would only wait for it."""
        for job in self._services.jobs.list():
            if (job["state"], job["collection"], job["folder"]) == ("running", collection, folder):
                return str(job["id"])
        return None

    async def original(self, call: Call, collection: str, picture: str) -> bytes:
        """A picture in full size, as the resource that links point at."""
        services = self._services

        def read() -> bytes:
            opened = services.collections.open(collection)
            file, _ = browser_file(opened, picture) or browser_copy(opened, picture)
            with file:
                return file.read()

        try:
            self._access.user(call, "read")
            return await services.readers.run(read)
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error
        except VisavisError as error:
            raise ResourceError(str(error)) from error
