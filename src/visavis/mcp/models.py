"""What the tools take and answer: parameters, structured content with published schemas, content blocks."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Annotated

from mcp_types import CallToolResult, ContentBlock, ImageContent, ResourceLink, TextContent
from pydantic import BaseModel, Field

from visavis.errors import VisavisError
from visavis.pictures.picture import Picture
from visavis.server.dependencies import Services
from visavis.server.models.collections import CollectionModel, JobModel
from visavis.server.models.common import ReasonModel, ResultModel
from visavis.server.models.conversations import HandModel, QuestionModel, ReadingModel, WishModel
from visavis.server.models.pictures import PictureModel
from visavis.server.services.collections import OpenCollection
from visavis.server.services.images import BROWSER_SUFFIXES, MEDIA, browser_media

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
#: The longest side of a thumbnail that is stored already.
THUMBNAIL = 320


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


def answer(model: BaseModel, blocks: Sequence[ContentBlock] = ()) -> CallToolResult:
    """The result of a tool: structured content, the same as text for clients without it, then the blocks."""
    text = TextContent(type="text", text=model.model_dump_json(exclude_defaults=True))
    return CallToolResult(content=[text, *blocks], structured_content=model.model_dump(mode="json"))


def image_block(data: bytes, media: str = MEDIA["webp"]) -> ImageContent:
    """Image bytes as a block."""
    return ImageContent(type="image", data=b64encode(data).decode(), mime_type=media)


def picture_blocks(services: Services, opened: OpenCollection, ids: Iterable[str]) -> list[ContentBlock]:
    """The thumbnail of each picture and the link to its original; a picture that cannot be read has none."""
    blocks: list[ContentBlock] = []
    for id in ids:
        with suppress(VisavisError):
            picture = opened.bare.picture(id)
            thumbnail = services.thumbnails.get(opened, picture.id, THUMBNAIL)
            blocks += [image_block(thumbnail), resource_link(opened, picture)]
    return blocks


def resource_link(opened: OpenCollection, picture: Picture) -> ResourceLink:
    """The link to a picture in full size, which the client reads as a resource."""
    media = browser_media(picture)
    return ResourceLink(
        type="resource_link",
        uri=original_uri(opened.name, picture.id, BROWSER_SUFFIXES[media]),
        name=f"{picture.id[:8]}.{BROWSER_SUFFIXES[media]}",
        title=picture.caption or picture.title or None,
        description=f"The picture {picture.id} in full size, {picture.width} x {picture.height} pixels.",
        mime_type=media,
    )


def original_uri(collection: str, picture: str, suffix: str) -> str:
    """The URI of an original; with braces in place of values, the template of such URIs.

    >>> original_uri("demo", "0f3a", "jpg")
    'visavis://pictures/demo/0f3a.jpg'
    """
    return f"visavis://pictures/{collection}/{picture}.{suffix}"
