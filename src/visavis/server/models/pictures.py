"""Models of pictures, edits, albums and favourites."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, Field

from visavis.server.models.common import ID_PATTERN, Body, Id, ResultModel
from visavis.server.models.conversations import Line, TurnModel

Part = Annotated[float, Field(ge=0, le=1)]


class PictureModel(BaseModel):
    """Everything that is known of a picture."""

    id: str
    width: int
    height: int
    format: str = Field(default="", examples=["JPEG"])
    bytes: int = 0
    caption: str = ""
    captions: list[str] = []
    attributes: dict[str, Any] = Field(default={}, examples=[{"colour": "red", "price": 35}])
    path_name: str = Field(default="", description="The name of its file, without the way to it.")
    shot: dict[str, str] = Field(
        default={}, description="How it was taken, from EXIF.", examples=[{"aperture": "f/2.8", "exposure": "1/250 s"}]
    )
    source_id: str | None = None
    edits: list[str] = []
    added_at: datetime | None = None
    missing: bool = False


class Parameter(BaseModel):
    """What an edit can be given."""

    name: str
    kind: str = Field(description="number, choice, colour, text or box", examples=["number"])
    min: int | float | None = None
    max: int | float | None = None
    step: int | float | None = None
    default: int | float | str | None = None
    unit: str = ""
    choices: list[str] = []


class OperationModel(BaseModel):
    """An edit that can be offered."""

    name: str = Field(examples=["brightness"])
    label: str = Field(examples=["Brightness"])
    group: str = Field(examples=["light"])
    template: str = Field(examples=["adjust_attr brightness {value}"])
    params: list[Parameter] = []


class EditPreview(Body):
    """Edits to look at; without any, the picture as it is."""

    commands: list[Line] = Field(max_length=30, examples=[["adjust_attr brightness 40"]])
    size: int = Field(default=1024, ge=64, le=2048)
    confirmed: bool = Field(default=True, description="Go on where a thing was not surely found.")
    conversation: Id | None = Field(default=None, description="Where pictures such as #3 are meant from.")


class EditMask(Body):
    """Edits, the last of which is about a thing in the picture."""

    commands: list[Line] = Field(min_length=1, max_length=30, examples=[["remove dog marked +512,300"]])
    size: int = Field(default=1024, ge=64, le=2048)
    conversation: Id | None = Field(default=None, description="Where pictures such as #3 are meant from.")


class MaskModel(BaseModel):
    """What the last edit would touch; a cut-out and a new background keep it."""

    thing: str = Field(examples=["dog"])
    confidence: float = Field(description="How sure it is that this is the thing, 0 to 1.", examples=[0.62])
    sure: bool = Field(description="Whether that is enough to go on without a question.")
    width: int
    height: int
    mask: str = Field(description="A PNG in base64, white with the mask as its transparency.")


class Region(Body):
    """A box in a picture, each side from 0 to 1."""

    box: tuple[Part, Part, Part, Part] = Field(examples=[[0.1, 0.1, 0.6, 0.7]])
    conversation: Id | None = None


class RegionAnswer(BaseModel):
    """What was found: a turn where a conversation was given, else only results."""

    turn: TurnModel | None = None
    results: list[ResultModel] = []


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
