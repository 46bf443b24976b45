"""What the tools take and answer: shared parameters, and structured content with published JSON schemas."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from visavis.server.models.collections import CollectionModel, JobModel
from visavis.server.models.common import ReasonModel, ResultModel
from visavis.server.models.conversations import HandModel, QuestionModel, ReadingModel, WishModel
from visavis.server.models.pictures import PictureModel

CollectionName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        description="A collection's name; see list_collections.",
        examples=["demo"],
    ),
]
ConversationId = Annotated[
    str, Field(pattern=r"^[0-9a-f]{32}$", description="A conversation, as an earlier answer named it.")
]
PictureId = Annotated[str, Field(pattern=r"^[0-9a-f]{4,32}$", description="A picture's id, or its unique beginning.")]
Thumbnails = Annotated[int, Field(ge=0, le=24, description="How many results come with their thumbnails.")]


class CollectionList(BaseModel):
    """Every collection, and what is being indexed."""

    collections: list[CollectionModel]
    jobs: list[JobModel] = Field(default=[], description="Indexing jobs that run or ended lately.")


class FoundPictures(BaseModel):
    """The results of one search."""

    collection: str
    results: list[ResultModel] = Field(description="What matches, best first; then what comes near.")
    matches: int = Field(description="How many pictures of the collection match.")
    about: bool = Field(default=False, description="Whether that is an estimate.")
    message: str = Field(default="", description="What to tell the person when nothing matches.")


class TurnAnswer(BaseModel):
    """The answer to a message, and what is wanted after it."""

    conversation: str = Field(description="Pass it on to continue the conversation.")
    collection: str
    turn: int
    reply: str = Field(description="What the assistant says.")
    commands: list[str] = Field(default=[], description="How the message was understood.")
    results: list[ResultModel] = []
    matches: int | None = Field(default=None, description="How many pictures match; null where nothing was ranked.")
    about: bool = Field(default=False, description="Whether that is an estimate.")
    brief: list[WishModel] = Field(default=[], description="The wishes so far; revise_wish changes one of them.")
    question: QuestionModel | None = Field(default=None, description="The open question; say one of its answers.")
    readings: list[ReadingModel] = Field(default=[], description="The ways to read a message that is in doubt.")
    hand: HandModel | None = Field(default=None, description="The picture in hand: edits in words change a copy of it.")
    pending: list[str] = Field(default=[], description="Edits that wait for the answer to the question.")


class Explanation(BaseModel):
    """Why a picture stands where it stands."""

    collection: str
    picture: str
    place: int = Field(description="Its place in the ranking, counted from 1.")
    score: float
    probability: float = Field(description="How likely all that is wanted is true of it.")
    match: bool = Field(description="Whether it matches; otherwise it comes near.")
    reasons: list[ReasonModel] = Field(description="How it stands to each wish.")
    summary: str = Field(description="The reasons as one line.")


class EditedPicture(BaseModel):
    """What edits made, or would make, of a picture."""

    collection: str
    source: str = Field(description="The picture that was edited; it is unchanged.")
    preview: bool = Field(description="Whether nothing was stored.")
    applied: list[str] = Field(default=[], description="The edits that were carried out.")
    pending: list[str] = Field(default=[], description="Edits that wait, because a thing was not surely found.")
    question: str | None = Field(default=None, description="What has to be confirmed.")
    picture: PictureModel | None = Field(default=None, description="The new picture; null for a preview.")


class FolderPlan(BaseModel):
    """What indexing a folder would read, or the job that reads it."""

    collection: str
    folder: str
    dry_run: bool
    new_collection: bool = Field(default=False, description="Whether there is no collection of this name yet.")
    files: int = Field(default=0, description="Pictures in the folder.")
    new: int = Field(default=0, description="Those that the collection does not have.")
    changed: int = Field(default=0, description="Those that changed since they were indexed.")
    bytes: int = Field(default=0, description="The size of the new and changed ones.")
    examples: list[str] = Field(default=[], description="A few of the new ones.")
    job: JobModel | None = Field(default=None, description="The job; list_collections tells how far it is.")
