"""Models of pictures and edits."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from visavis.server.models.common import Body, Id, ResultModel
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
    """Edits to look at."""

    commands: list[Line] = Field(min_length=1, max_length=30, examples=[["adjust_attr brightness 40"]])
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
