"""Commands that ask about pictures or about the collection instead of changing what is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from visavis.errors import BadInputError
from visavis.language.commands.base import (
    Command,
    Known,
    PictureCommand,
    PictureRef,
    TextCommand,
    one_line,
    read_any_picture,
)
from visavis.language.commands.listing import field_text, read_field


@dataclass(frozen=True)
class Count(Command):
    """How many pictures fit: ``count`` (the present results), ``count cats``."""

    verb: ClassVar[str] = "count"
    text: str | None = None

    def __post_init__(self) -> None:
        if self.text is not None:
            object.__setattr__(self, "text", one_line(self.text, "thing to count"))

    def _arguments(self) -> str:
        return self.text or ""

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(text or None)


@dataclass(frozen=True)
class Ask(TextCommand):
    """A question about the picture in hand: ``ask what breed is it``."""

    verb: ClassVar[str] = "ask"


@dataclass(frozen=True)
class Describe(PictureCommand):
    """What a picture shows: ``describe this``, ``describe #3``."""

    verb: ClassVar[str] = "describe"


@dataclass(frozen=True)
class Why(PictureCommand):
    """Why a picture is among the results: ``why #3``, ``why this``."""

    verb: ClassVar[str] = "why"


@dataclass(frozen=True)
class Values(Command):
    """Which values an attribute of the collection has: ``values brand``."""

    verb: ClassVar[str] = "values"
    field: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "field", one_line(self.field, "attribute"))

    def _arguments(self) -> str:
        return field_text(self.field)

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        field, rest = read_field(text)
        if rest:
            raise BadInputError(f"'{rest}' follows the attribute.", "Write 'values brand'.")
        return cls(field)


@dataclass(frozen=True)
class Compare(Command):
    """Pictures side by side: ``compare #1 #2``, ``compare this #4``; clicks give ids."""

    verb: ClassVar[str] = "compare"
    pictures: tuple[PictureRef | Known, ...]

    def __post_init__(self) -> None:
        if len(set(self.pictures)) != len(self.pictures) or len(self.pictures) < 2:
            raise BadInputError("'compare' needs two different pictures.", "Write 'compare #1 #2'.")

    def _arguments(self) -> str:
        return " ".join(map(str, self.pictures))

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(tuple(map(read_any_picture, text.split())))


@dataclass(frozen=True)
class Questions(Command):
    """Whether the assistant may ask questions of its own: ``questions off``, ``questions on``."""

    verb: ClassVar[str] = "questions"
    state: Literal["on", "off"] = "off"

    def __post_init__(self) -> None:
        if self.state not in ("on", "off"):
            raise BadInputError(f"Questions cannot be '{self.state}'.", "Write 'questions on' or 'questions off'.")

    def _arguments(self) -> str:
        return self.state

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(text)  # type: ignore[arg-type]  # checked on construction
