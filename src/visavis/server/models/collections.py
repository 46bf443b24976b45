"""Models of collections, uploads, facets and jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from visavis.server.models.common import Body, CardModel, Id, ResultModel


class CollectionModel(BaseModel):
    """A collection."""

    name: str = Field(examples=["demo"])
    title: str = Field(default="", description="What a person calls it; empty where that is its name.")
    pictures: int = Field(examples=[1000])
    encoder: str | None = Field(default=None, examples=["visavis-s14"])
    has_edits: bool = False
    has_places: bool = Field(default=False, description="Whether pictures know where they were taken.")
    is_shop: bool = Field(default=False, description="Whether these are products, with titles and kinds.")
    updated_at: datetime | None = None
    cover: list[str] = Field(default=[], description="Up to four pictures to show for it.")
    job: str | None = Field(default=None, description="The job that fills it, where one was begun with it.")
    error: str | None = Field(default=None, description="Why it cannot be opened.")


class Collections(BaseModel):
    """Every collection."""

    collections: list[CollectionModel]


class NewCollection(Body):
    """A collection to make."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", examples=["my-holiday-2023"])
    title: str = Field(default="", max_length=80, description="What it is called.", examples=["My Holiday 2023"])
    folder: str = Field(
        default="", max_length=4096, description="A folder on the server to index.", examples=["~/Pictures"]
    )


class Gone(BaseModel):
    """What was removed."""

    deleted: str


class WallPicture(CardModel):
    """A picture on the wall."""


class Wall(BaseModel):
    """Some of all pictures."""

    total: int
    sort: str = Field(default="none", description="The order they are in.", examples=["taken desc"])
    pictures: list[WallPicture]


class SearchBody(Body):
    """What to search for: words, a picture, or both."""

    text: str = Field(default="", max_length=2000, examples=["a red dress"])
    like: Id | None = None
    without: list[Annotated[str, Field(min_length=1, max_length=500)]] = Field(
        [], max_length=20, examples=[["stripes"]]
    )
    filter: str = Field(default="", max_length=2000, examples=["price < 50"])
    k: int = Field(default=20, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10_000)


class Found(BaseModel):
    """What was found."""

    results: list[ResultModel]
    seconds: float
    nothing_fits: bool = False
    message: str = ""
    matches: int = Field(default=0, description="How many pictures of the collection match.")
    about: bool = Field(default=False, description="Whether that is an estimate.")


class Suggestions(BaseModel):
    """Things to say."""

    messages: list[str] = Field(examples=[["a red dress", "something with stripes"]])


class RetrieverModel(BaseModel):
    """Something that ranks the pictures of a conversation."""

    name: str = Field(examples=["composed"])
    about: str = Field(examples=["Wishes as directions, phrases matched to regions; learned nothing."])
    missing: str = Field(default="", description="Why it cannot be used here; empty where it can.")


class Retrievers(BaseModel):
    """The retrievers that a conversation about a collection can choose, the default first."""

    retrievers: list[RetrieverModel]


class Added(BaseModel):
    """A picture that was taken in."""

    id: str
    name: str
    known: bool = Field(default=False, description="Whether it was in the collection before.")


class RefusedFile(BaseModel):
    """A file that was not taken in."""

    name: str
    reason: str


class Uploads(BaseModel):
    """What became of uploaded files."""

    added: list[Added]
    refused: list[RefusedFile]


class FacetValue(BaseModel):
    """A value and how many pictures have it."""

    value: str
    count: int


class Facet(BaseModel):
    """What pictures can be filtered by."""

    field: str = Field(examples=["colour"])
    label: str = Field(examples=["colour"])
    kind: Literal["choice", "number"]
    values: list[FacetValue] = []
    min: float | None = None
    max: float | None = None


class Facets(BaseModel):
    """Everything pictures can be filtered by."""

    facets: list[Facet]


class IndexBody(Body):
    """What to index."""

    folder: str = Field(min_length=1, max_length=4096, examples=["~/Pictures"])


class JobStarted(BaseModel):
    """A job that was begun."""

    job: str


class ProgressModel(BaseModel):
    """How far a job is."""

    done: int = 0
    total: int | None = None
    rate: float = 0.0
    left_seconds: float | None = None
    failed: int = 0


class JobModel(BaseModel):
    """A job."""

    id: str
    collection: str
    state: Literal["running", "done", "failed", "cancelled"]
    folder: str = ""
    progress: ProgressModel = ProgressModel()
    report: dict[str, object] | None = None
    error: dict[str, str] | None = None


class JobList(BaseModel):
    """The latest jobs."""

    jobs: list[JobModel]


class Folder(BaseModel):
    """A folder that can be chosen."""

    name: str
    path: str
    pictures: int = Field(description="Pictures in it and in the folders in it, as far as they were counted.")


class FolderList(BaseModel):
    """The folders in a folder that hold pictures."""

    path: str
    parent: str | None
    folders: list[Folder]
    pictures: int = Field(default=0, description="Pictures in it and in the folders in it.")
    counted: bool = Field(default=True, description="Whether all were counted; there may be more where not.")
    empty: int = Field(default=0, description="How many folders hold no pictures and are left out.")


class FolderSuggestions(BaseModel):
    """Folders of the home that hold pictures."""

    home: str
    folders: list[Folder]
