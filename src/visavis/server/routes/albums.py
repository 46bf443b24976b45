"""Routes of albums and favourites, of selections of pictures, and of the map."""

from __future__ import annotations

import shutil
import time
import zipfile
from collections.abc import Mapping
from typing import BinaryIO

from fastapi import APIRouter
from fastapi.responses import Response

from visavis.errors import BadInputError
from visavis.server.dependencies import HeavyReader, Reader, ServicesDep
from visavis.server.file_answers import file_answer
from visavis.server.models.collections import Gone, Wall
from visavis.server.models.common import CollectionName
from visavis.server.models.pictures import (
    AlbumChange,
    AlbumId,
    AlbumList,
    AlbumModel,
    AlbumPictures,
    ExportBody,
    FavouriteChange,
    NewAlbum,
    Pictures,
    PlaceModel,
    Places,
)
from visavis.server.services.albums import Album
from visavis.server.services.collections import OpenCollection
from visavis.server.services.images import download_file, temporary_file
from visavis.server.services.wall import places, wall_pictures

router = APIRouter(tags=["albums"])


def _model(album: Album) -> AlbumModel:
    return AlbumModel(**vars(album) | {"cover": list(album.cover)})


@router.get("/collections/{collection}/albums")
async def list_albums(who: Reader, services: ServicesDep, collection: CollectionName) -> AlbumList:
    """Your albums in a collection, and your favourites."""

    def do() -> AlbumList:
        services.collections.open(collection)
        albums = [_model(album) for album in services.albums.all(who.name, collection)]
        return AlbumList(albums=albums, favourites=services.albums.favourites(who.name, collection))

    return await services.readers.run(do)


@router.post("/collections/{collection}/albums", status_code=201)
async def make(who: Reader, services: ServicesDep, collection: CollectionName, body: NewAlbum) -> AlbumModel:
    """Save a selection of pictures under a name."""

    def do() -> AlbumModel:
        services.collections.open(collection)
        return _model(services.albums.make(who.name, collection, body.name.strip() or body.name, body.pictures))

    return await services.readers.run(do)


@router.get("/albums/{album}")
async def read(who: Reader, services: ServicesDep, album: AlbumId) -> AlbumPictures:
    """The pictures of an album."""
    return AlbumPictures(pictures=await services.readers.run(lambda: services.albums.pictures(who.name, album)))


@router.patch("/albums/{album}")
async def change(who: Reader, services: ServicesDep, album: AlbumId, body: AlbumChange) -> AlbumModel:
    """Rename an album, or add and remove pictures."""
    return await services.readers.run(
        lambda: _model(services.albums.change(who.name, album, body.name, body.add, body.remove))
    )


@router.delete("/albums/{album}")
async def delete(who: Reader, services: ServicesDep, album: AlbumId) -> Gone:
    """Delete an album; its pictures stay."""
    await services.readers.run(lambda: services.albums.remove(who.name, album))
    return Gone(deleted=album)


@router.post("/collections/{collection}/favourites")
async def change_favourites(
    who: Reader, services: ServicesDep, collection: CollectionName, body: FavouriteChange
) -> AlbumPictures:
    """Add pictures to your favourites and take others out; answers with all of them."""

    def do() -> AlbumPictures:
        services.collections.open(collection)
        kept = services.albums.change_favourites(who.name, collection, body.add, body.remove)
        return AlbumPictures(pictures=kept)

    return await services.readers.run(do)


@router.post("/collections/{collection}/wall")
async def show(who: Reader, services: ServicesDep, collection: CollectionName, body: Pictures) -> Wall:
    """These pictures as the wall shows them, in this order; one that is gone is left out."""

    def do() -> Wall:
        found = [one for one in wall_pictures(services.collections.open(collection), body.pictures) if one.width]
        return Wall(total=len(found), sort="none", pictures=found)

    return await services.readers.run(do)


@router.get("/collections/{collection}/places")
async def read_places(who: Reader, services: ServicesDep, collection: CollectionName) -> Places:
    """Where pictures were taken, for a map."""
    found = await services.readers.run(lambda: places(services.collections.open(collection).catalogue))
    return Places(places=[PlaceModel(id=id, latitude=lat, longitude=lon) for id, lat, lon in found])


@router.post("/collections/{collection}/export", response_class=Response)
async def export(who: HeavyReader, services: ServicesDep, collection: CollectionName, body: ExportBody) -> Response:
    """Pictures in one ZIP file under the names of their files."""

    def do() -> tuple[BinaryIO, str, Mapping[str, str]]:
        opened, most = services.collections.open(collection), services.settings.limits.archive_bytes
        file = temporary_file(opened, lambda file: _pack(opened, body, file, most))
        return file, "application/zip", {"Content-Disposition": f'attachment; filename="{collection}.zip"'}

    return await file_answer(services, who, lambda: services.workers.run(do))


def _pack(opened: OpenCollection, body: ExportBody, file: BinaryIO, most: int) -> None:
    taken: set[str] = set()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:  # pictures are compressed already
        for id in dict.fromkeys(body.pictures):
            source, _, name = download_file(opened, id, None if body.format == "original" else body.format)
            stem, _, suffix = name.rpartition(".")
            number = 2
            while name.lower() in taken:
                name, number = f"{stem} ({number}).{suffix}", number + 1
            taken.add(name.lower())
            packed = zipfile.ZipInfo(name, time.localtime()[:6])
            with source, archive.open(packed, "w", force_zip64=True) as entry:
                shutil.copyfileobj(source, entry)
            if file.tell() > most:
                raise BadInputError(f"These pictures have more than {most:,} bytes.", "Choose fewer at once.")
