"""Models of conversations, turns and studies."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from visavis.server.models.common import Body, Id, ResultModel
from visavis.types import WishKind

Line = Annotated[str, Field(min_length=1, max_length=4000)]
Lines = Annotated[list[Line], Field(min_length=1, max_length=50)]
After = Annotated[
    int | None, Field(ge=0, description="The last turn you know of; 409 when the conversation went on since.")
]
Retriever = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=40,
        description="What ranks the pictures from this turn on; as before when not given.",
        examples=["composed"],
    ),
]

Before = Annotated[int | None, Query(ge=1, le=1_000_001, description="Only turns before this one.")]
PageLimit = Annotated[int, Query(ge=1, le=50, description="How many turns, the latest of them.")]


class WishModel(BaseModel):
    """One wish of the brief: a chip."""

    id: str = Field(examples=["1.1"])
    kind: WishKind = Field(examples=["want"])
    text: str = Field(examples=["a red dress"])
    label: str = Field(examples=["a red dress"])
    turn: int = Field(examples=[1])
    weight: float = 1.0
    active: bool = True
    pinned: bool = False
    picture: str | None = None
    attribute: str = ""
    reference: str | None = None
    end: str = ""
    ended: int | None = None
    answer: bool = Field(default=False, description="Whether it came from the answer to a question.")


class BriefModel(BaseModel):
    """What the person wants so far."""

    wishes: list[WishModel] = []


class OptionModel(BaseModel):
    """An answer that is offered; a click says ``say``."""

    label: str = Field(examples=["long sleeves"])
    say: str = Field(examples=["long sleeves"])
    count: int | None = None
    picture: str | None = None


class QuestionModel(BaseModel):
    """What was asked back."""

    text: str = Field(examples=["Which sleeves do you mean?"])
    kind: Literal["yes_no", "choice", "open", "compare", "clarify"]
    options: list[OptionModel] = []
    optional: bool = Field(
        default=False, description="Whether it only narrows down; whoever wants no questions need not see it."
    )


class ReadingModel(BaseModel):
    """One way to read a message that is in doubt; a click sends its commands."""

    label: str = Field(examples=["more like #2"])
    commands: list[str] = Field(examples=[["like #2"]])


class ComparisonRow(BaseModel):
    """Something that differs, with a text for each picture."""

    name: str = Field(examples=["price"])
    values: list[str] = Field(examples=[["35", "50"]])


class ComparisonModel(BaseModel):
    """Pictures side by side, and what differs."""

    pictures: list[str]
    rows: list[ComparisonRow] = []


class HandModel(BaseModel):
    """The picture in hand, the picture it was made of, and how."""

    picture: str
    source: str
    edits: list[str] = []
    width: int = Field(default=0, description="Of the picture, in pixels; 0 where it is no longer known.")
    height: int = 0


class TurnModel(BaseModel):
    """One exchange, and the state of the conversation after it."""

    number: int = Field(examples=[1])
    message: str = Field(examples=["a red dress"])
    commands: list[str] = Field(default=[], examples=[["search a red dress"]])
    reply: str = Field(default="", examples=["20 pictures for “a red dress”."])
    brief: BriefModel = BriefModel()
    results: list[ResultModel] = []
    matches: int | None = Field(default=None, description="How many pictures match; null where nothing was ranked.")
    about: bool = Field(default=False, description="Whether that is an estimate.")
    hand: HandModel | None = None
    question: QuestionModel | None = None
    readings: list[ReadingModel] = Field(
        default=[], description="The ways to read a message that is in doubt; send the commands of one of them."
    )
    comparison: ComparisonModel | None = None
    retriever: str = Field(default="composed", description="What ranks the pictures from this turn on.")
    asks: bool = Field(default=True, description="Whether the assistant may ask questions of its own.")
    pending: list[str] = Field(
        default=[], description="Edits that wait for the answer; what they would touch is shown marked."
    )
    answered: QuestionModel | None = None
    grew_from: int = 0
    stands_at: int = 0
    restores: int | None = None
    undone: list[int] = []
    changes: list[str] = []
    at: datetime | None = None
    seconds: float = 0.0
    can_undo: bool = False
    can_redo: bool = False


class ConversationModel(BaseModel):
    """A conversation with a part of its turns: the latest ones, or those before a given one."""

    id: str
    name: str
    collection: str
    branch_of: str | None = None
    branch_at: int | None = None
    title: str = Field(default="", description="The beginning of the first thing that was said.")
    total: int = Field(default=0, description="How many turns there are; `before` asks for earlier ones.")
    turns: list[TurnModel] = []


class ListedConversation(BaseModel):
    """A conversation in a list."""

    id: str
    name: str
    title: str
    collection: str
    turns: int
    changed_at: datetime
    branch_of: str | None = None
    thumbs: list[str] = []


class Conversations(BaseModel):
    """A list of conversations, the latest first."""

    conversations: list[ListedConversation]


class NewConversation(Body):
    """A conversation to start."""

    collection: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", examples=["demo"])
    name: str = Field(default="", max_length=200, examples=["a present"])


class NewName(Body):
    """Another name."""

    name: str = Field(min_length=1, max_length=200, examples=["a present"])


class MessageBody(Body):
    """Something that is said."""

    text: str = Field(min_length=1, max_length=4000, examples=["a red dress with long sleeves"])
    picture: Id | None = Field(
        default=None, description="The picture that “this” means, when it is not the one in hand."
    )
    columns: int = Field(default=0, ge=0, le=100, description="In how many columns pictures are shown.")
    shown: list[Id] = Field(
        default=[],
        max_length=200,
        description="The first pictures that are seen, where they are not the results of the last turn (an album, the "
        "whole collection): “the second one” is one of them.",
    )
    retriever: Retriever = None
    after: After = None


class PointBody(Body):
    """A click on a picture, wherever it is shown."""

    more_like: Id | None = None
    less_like: Id | None = None
    start_from: Id | None = None
    hold: Id | None = None


class Commands(Body):
    """What to do, without words: commands in their text form, or a click."""

    commands: list[Line] = Field(default=[], max_length=50, examples=[["like #3"]])
    point: PointBody | None = None
    message: str = Field(default="", max_length=4000)
    retriever: Retriever = None
    after: After = None


class Changes(Body):
    """Changes of wishes."""

    changes: Lines = Field(examples=[["off 1.1", "weight 1.2 2"]])
    after: After = None


class PreviewedChanges(Body):
    """Changes of wishes to look at."""

    changes: Lines = Field(examples=[["off 1.1"]])


class BriefPreview(BaseModel):
    """What changes would show."""

    results: list[ResultModel]
    brief: BriefModel


class ResultList(BaseModel):
    """Pictures, best first."""

    results: list[ResultModel]


class ToTurn(Body):
    """A turn to go back to."""

    turn: int = Field(ge=1, le=1_000_000, examples=[1])
    after: After = None


class Branch(Body):
    """Where a branch leaves, and what it is called."""

    turn: int = Field(ge=1, le=1_000_000, examples=[1])
    name: str = Field(default="", max_length=200, examples=["the other idea"])


class Steps(Body):
    """How many steps."""

    steps: int = Field(default=1, ge=1, le=1000)
    after: After = None


class EditBody(Body):
    """Edits of a picture."""

    picture: Id
    commands: Lines = Field(examples=[["adjust_attr brightness 40"]])
    after: After = None


class Link(BaseModel):
    """A link that anybody may read."""

    url: str = Field(examples=["/s/5o2…"])
    token: str


class Deleted(BaseModel):
    """What is gone."""

    deleted: str
    pictures: list[str] = []


class NewStudy(Body):
    """A study to begin."""

    collection: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", examples=["demo"])
    consent: bool = Field(description="Whether the person agrees that what is said and found is kept.")
    retriever: Retriever = None


class StudyMessage(Body):
    """What a person says."""

    text: Annotated[str, Field(min_length=1, max_length=4000)]


class StudyEnd(Body):
    """How a study ends."""

    found: bool = Field(description="Whether the picture was among those that were shown.")


class StudyTurnModel(BaseModel):
    """One turn; the target's rank is kept, but not told."""

    said: str
    reply: str
    question: str = ""
    results: list[ResultModel]


class StudyModel(BaseModel):
    """A study as the person sees it."""

    id: str
    collection: str
    target: ResultModel
    most: int = Field(description="How many messages there may be.")
    turns: list[StudyTurnModel] = []
    done: bool = False
    found: bool | None = None
