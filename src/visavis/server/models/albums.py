"""Models of albums, favourites and selections of pictures."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path
from pydantic import BaseModel, Field

from visavis.server.models.common import ID_PATTERN, Body, Id

AlbumId = Annotated[str, Path(pattern=ID_PATTERN, min_length=32, max_length=32, description="An album.")]
Selection = Annotated[list[Id], Field(max_length=1000, description="Pictures, each by its id.")]


class AlbumModel(BaseModel):
    """A selection of pictures that was saved."""

    id: str
    collection: str
    name: str = Field(examples=["Lisbon"])
    pictures: int = 0
    cover: list[str] = []


class AlbumList(BaseModel):
    """The albums of a collection, and the favourites."""

    albums: list[AlbumModel]
    favourites: list[str] = Field(description="The ids of the favourites, in the order in which they were added.")


class AlbumPictures(BaseModel):
    """What an album holds."""

    pictures: list[str]


class NewAlbum(Body):
    """An album to make."""

    name: str = Field(min_length=1, max_length=200, examples=["Lisbon"])
    pictures: Selection = Field(default_factory=list)


class AlbumChange(Body):
    """What to change in an album."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    add: Selection = Field(default_factory=list)
    remove: Selection = Field(default_factory=list)


class FavouriteChange(Body):
    """Pictures to add to the favourites, and to take out."""

    add: Selection = Field(default_factory=list)
    remove: Selection = Field(default_factory=list)


class Pictures(Body):
    """Pictures to show, in this order."""

    pictures: Annotated[list[Id], Field(min_length=1, max_length=500)]


class ExportBody(Body):
    """Pictures to pack into one file, as they are or edited."""

    pictures: Annotated[list[Id], Field(min_length=1, max_length=200)]
    format: Literal["original", "png", "jpeg", "webp"] = "original"


class PlaceModel(BaseModel):
    """Where a picture was taken."""

    id: str
    latitude: float
    longitude: float


class Places(BaseModel):
    """Where pictures were taken."""

    places: list[PlaceModel]
