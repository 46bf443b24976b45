"""Commands about the conversation (steps back and forth, saving, small talk), and commands that ask about pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self, get_args

from visavis.errors import BadInputError
from visavis.language.commands.base import (
    Command,
    Known,
    PictureCommand,
    PictureRef,
    Shown,
    TextCommand,
    one_line,
    quoted,
    read_any_picture,
    read_quoted,
)
from visavis.language.commands.wishes import field_text, read_field

ChatKind = Literal[
    "greeting", "thanks", "praise", "complaint", "goodbye", "help", "summary", "agreement", "refusal", "nonsense"
]


@dataclass(frozen=True)
class _Steps(Command):
    """A command with a number of steps, one if it is not said."""

    steps: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= 1000:
            raise BadInputError(f"{self.steps} steps cannot be taken.", "Use 1 to 1000.")

    def _arguments(self) -> str:
        return "" if self.steps == 1 else str(self.steps)

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        if text and not re.fullmatch(r"\d{1,6}", text):
            raise BadInputError(f"'{text}' is no number of steps.", f"Write '{cls.verb}' or '{cls.verb} 2'.")
        return cls(int(text) if text else 1)


@dataclass(frozen=True)
class Undo(_Steps, verb="undo"):
    """Take back the last step, or the last ones: ``undo``, ``undo 3``."""


@dataclass(frozen=True)
class Redo(_Steps, verb="redo"):
    """Take back an undo: ``redo``."""


@dataclass(frozen=True)
class Reset(Command, verb="reset"):
    """Forget every wish (``reset``), or give the picture in hand its first state back (``reset edits``)."""

    what: Literal["all", "edits"] = "all"

    def __post_init__(self) -> None:
        if self.what not in ("all", "edits"):
            raise BadInputError(f"'{self.what}' cannot be reset.", "Write 'reset' or 'reset edits'.")

    def _arguments(self) -> str:
        return "" if self.what == "all" else self.what

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(text or "all")  # type: ignore[arg-type]  # checked on construction


@dataclass(frozen=True)
class Repeat(Command, verb="repeat"):
    """The last edits again, on the next pictures or on named ones: ``repeat next 3``, ``repeat #2 #5``."""

    following: int | None = None
    pictures: tuple[PictureRef | Known, ...] = ()

    def __post_init__(self) -> None:
        if (self.following is None) == (not self.pictures):
            raise BadInputError("'repeat' does not say on which pictures.", "Write 'repeat next 3' or 'repeat #2 #5'.")
        if self.following is not None and not 1 <= self.following <= 1000:
            raise BadInputError(f"The next {self.following} pictures cannot be edited.", "Use 1 to 1000.")

    def _arguments(self) -> str:
        return f"next {self.following}" if self.following is not None else " ".join(map(str, self.pictures))

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        if found := re.fullmatch(r"next (\d{1,6})", text):
            return cls(following=int(found[1]))
        pictures = tuple(p for p in map(read_any_picture, text.split()) if isinstance(p, Shown | Known))
        if len(pictures) != len(text.split()):
            raise BadInputError(f"'repeat {text}' does not name shown pictures.", "Write 'repeat #2 #5'.")
        return cls(pictures=pictures)


@dataclass(frozen=True)
class Export(Command, verb="export"):
    """Save the picture in hand at full size: ``export``, ``export "towel.png"``."""

    file: str | None = None

    def __post_init__(self) -> None:
        if self.file is not None:
            object.__setattr__(self, "file", one_line(self.file, "file name"))

    def _arguments(self) -> str:
        return "" if self.file is None else quoted(self.file)

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        if not text:
            return cls()
        file, rest = read_quoted(text, "file name")
        if rest:
            raise BadInputError(f"'{rest}' follows the file name.")
        return cls(file)


@dataclass(frozen=True)
class Chat(Command, verb="chat"):
    """Small talk: ``chat thanks``."""

    kind: ChatKind = "nonsense"

    def __post_init__(self) -> None:
        if self.kind not in get_args(ChatKind):
            raise BadInputError(
                f"'{self.kind}' is no kind of small talk.", f"Use one of {', '.join(get_args(ChatKind))}."
            )

    def _arguments(self) -> str:
        return self.kind

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(text)  # type: ignore[arg-type]  # checked on construction


@dataclass(frozen=True)
class Clarify(Command, verb="clarify"):
    """Ask before doing: ``clarify "Which way?" {"clockwise": "rotate 270", "anticlockwise": "rotate 90"}``.

    Attributes:
        question: What to ask.
        options: The answers offered, each with the command that it stands for (None where only an answer is needed).
    """

    question: str
    options: tuple[tuple[str, str | None], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "question", one_line(self.question, "question"))
        options = tuple(
            (one_line(name, "option"), c if c is None else one_line(c, "command")) for name, c in self.options
        )
        object.__setattr__(self, "options", options)
        if len({label for label, _ in options}) != len(options):
            raise BadInputError(f"The question '{self.question}' offers an option twice.")

    def _arguments(self) -> str:
        return f"{quoted(self.question)} {json.dumps(dict(self.options), ensure_ascii=False)}"

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        question, rest = read_quoted(text, "question")
        try:
            options = json.loads(rest or "{}")
        except (ValueError, RecursionError):
            options = None
        if not isinstance(options, Mapping) or not all(v is None or isinstance(v, str) for v in options.values()):
            raise BadInputError(f"The options '{rest}' are not understood.", 'Write {"answer": "command"}.')
        return cls(question, tuple(options.items()))


@dataclass(frozen=True)
class Count(Command, verb="count"):
    """How many pictures fit: ``count`` (the present results), ``count cats``."""

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
class Ask(TextCommand, verb="ask"):
    """A question about the picture in hand: ``ask what breed is it``."""


@dataclass(frozen=True)
class Describe(PictureCommand, verb="describe"):
    """What a picture shows: ``describe this``, ``describe #3``."""


@dataclass(frozen=True)
class Why(PictureCommand, verb="why"):
    """Why a picture is among the results: ``why #3``, ``why this``."""


@dataclass(frozen=True)
class Values(Command, verb="values"):
    """Which values an attribute of the collection has: ``values brand``."""

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
class Compare(Command, verb="compare"):
    """Pictures side by side: ``compare #1 #2``, ``compare this #4``; clicks give ids."""

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
class Questions(Command, verb="questions"):
    """Whether the assistant may ask questions of its own: ``questions off``, ``questions on``."""

    state: Literal["on", "off"] = "off"

    def __post_init__(self) -> None:
        if self.state not in ("on", "off"):
            raise BadInputError(f"Questions cannot be '{self.state}'.", "Write 'questions on' or 'questions off'.")

    def _arguments(self) -> str:
        return self.state

    @classmethod
    def _from_arguments(cls, text: str) -> Self:
        return cls(text)  # type: ignore[arg-type]  # checked on construction


#: Commands that only ask: nothing that is shown changes by them.
INQUIRIES = (Ask, Compare, Count, Describe, Questions, Values, Why)
