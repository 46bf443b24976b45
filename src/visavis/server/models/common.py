"""Models that several routes share, and those of the session."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

CollectionName = Annotated[
    str,
    Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", max_length=64, description="A collection.", examples=["demo"]),
]
ID_PATTERN = r"^[0-9a-f]{32}$"
_EXAMPLE = "0f3a5b7c9d1e2f4a6b8c0d2e4f6a8b0c"
PictureId = Annotated[
    str, Path(pattern=ID_PATTERN, min_length=32, max_length=32, description="A picture's id.", examples=[_EXAMPLE])
]
ConversationId = Annotated[
    str, Path(pattern=ID_PATTERN, min_length=32, max_length=32, description="A conversation.", examples=[_EXAMPLE])
]
Id = Annotated[str, Field(pattern=ID_PATTERN, min_length=32, max_length=32, examples=[_EXAMPLE])]


class Body(BaseModel):
    """What a request says; a word that is not known is refused, so that a slip does not go unseen."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)


class Problem(BaseModel):
    """What went wrong."""

    code: str = Field(examples=["not_found"])
    message: str = Field(examples=["There is no collection 'holidays'."])
    remedy: str = Field(default="", examples=["Create it first."])
    request_id: str = Field(default="", examples=["6b1f8a3c2d"])


class ErrorAnswer(BaseModel):
    """Every error has this form."""

    error: Problem


class ReasonModel(BaseModel):
    """How a picture stands to one wish."""

    wish: str | None = Field(description="The wish's id; null where no wish is behind it.", examples=["1.1"])
    text: str = Field(examples=["red"])
    fit: float = Field(description="How likely it fits, 0 to 1.", examples=[0.83])
    fits: bool


class CardModel(BaseModel):
    """A picture in a list."""

    id: str = Field(examples=[_EXAMPLE])
    width: int = Field(default=0, examples=[640])
    height: int = Field(default=0, examples=[480])
    caption: str = Field(default="", examples=["A red striped dress."])
    edited: bool = False
    title: str = Field(default="", description="What a shop calls it.", examples=["Striped dress"])
    price: float | None = Field(default=None, examples=[39.9])
    currency: str = Field(default="", description="The code of the price's currency.", examples=["EUR"])
    taken: str = Field(default="", description="When it was taken.", examples=["2019-06-02T11:20:05"])


class ResultModel(CardModel):
    """One picture of a ranking."""

    score: float = Field(examples=[0.31])
    because: list[ReasonModel] = []
    probability: float = Field(default=1.0, description="How likely all that is wanted is true of it.")
    match: bool = Field(default=True, description="Whether it matches; the others come near.")


#: How routes say in the description of the interface what can go wrong.
PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorAnswer, "description": "The request is not understood."},
    401: {"model": ErrorAnswer, "description": "Nobody is logged in, or the key is wrong."},
    403: {"model": ErrorAnswer, "description": "The role does not allow it, or another site asks."},
    404: {"model": ErrorAnswer, "description": "There is no such thing, or it is somebody else's."},
    409: {"model": ErrorAnswer, "description": "It is busy, exists already, or went on elsewhere."},
    413: {"model": ErrorAnswer, "description": "Too large."},
    422: {"model": ErrorAnswer, "description": "A value is wrong."},
    429: {"model": ErrorAnswer, "description": "Too much at once, or a quota is used up; see Retry-After."},
    503: {"model": ErrorAnswer, "description": "The server has too much to do; see Retry-After."},
    504: {"model": ErrorAnswer, "description": "It takes long; what was begun goes on."},
    507: {"model": ErrorAnswer, "description": "The disk or the database refused."},
}


class Me(BaseModel):
    """Who you are here."""

    user: str = Field(examples=["local"])
    role: Literal["read", "write", "admin"]
    mode: Literal["local", "keys"]
    version: str


class Login(Body):
    """A key to log in with."""

    key: str = Field(min_length=1, max_length=200)


class HealthModel(BaseModel):
    """Whether the server lives and can work."""

    live: bool = True
    ready: bool = True
    version: str
    pending: int = Field(description="Pieces of work being done or waiting.")
