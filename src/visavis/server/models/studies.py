"""Models of studies with people."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from visavis.server.models.common import Body, ResultModel
from visavis.server.models.conversations import Retriever


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
