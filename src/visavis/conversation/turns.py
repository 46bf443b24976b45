"""A turn: what was said, understood, shown, asked and answered; written once and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Self

from visavis.conversation.brief import NOTHING, Brief
from visavis.errors import BadInputError
from visavis.language.commands import Command, Edit, parse_command
from visavis.types import Question, Result

#: The form of the JSON; a turn of a newer form is refused, one of an older form is read.
VERSION = 2
#: How many results a turn shows where nobody said another number.
PAGE = 20
#: The retriever of a conversation that chose none.
COMPOSED = "composed"


@dataclass(frozen=True)
class Hand:
    """The picture in hand.

    Attributes:
        picture: Its id: the picture as it is now.
        source: The id of the picture before the first edit; the same where there is none.
        edits: The text forms of the edits that made the one out of the other.
    """

    picture: str
    source: str
    edits: tuple[str, ...] = ()

    @property
    def commands(self) -> tuple[Edit, ...]:
        """The edits as commands."""
        return tuple(command for command in map(parse_command, self.edits) if isinstance(command, Edit))


@dataclass(frozen=True)
class Window:
    """Which part of the ranking is shown: ``size`` results, the first ``start`` passed over."""

    size: int = PAGE
    start: int = 0

    @property
    def end(self) -> int:
        """How deep the ranking has to be."""
        return self.start + self.size


@dataclass(frozen=True)
class PictureComparison:
    """Pictures side by side.

    Attributes:
        pictures: Their ids, from left to right.
        rows: What differs: what it is about, and a text for each picture.
    """

    pictures: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """From plain values."""
        return cls(tuple(value["pictures"]), tuple((name, tuple(texts)) for name, texts in value["rows"]))


@dataclass(frozen=True)
class Turn:
    """One exchange, and the state of the conversation after it.

    Attributes:
        number: Counted from one within its conversation.
        message: What the person said, as they said it.
        commands: What was understood.
        reply: What was answered, in words.
        brief: The wishes after this turn.
        results: What is shown after this turn, best first: the part of the ranking that the window lets through.
        window: Which part of the ranking that is.
        matches: How many pictures of the collection match the brief; None where nothing was ranked.
        about: Whether that is an estimate.
        retriever: The retriever of the conversation from this turn on.
        hand: The picture in hand after this turn, or None.
        question: What was asked back and waits for an answer, or None.
        pending: Edits that wait for the answer, in their text forms.
        answered: The question of an earlier turn that this message answers, or None.
        grew_from: The turn whose state this one started from; 0 for the empty state before the first.
        stands_at: The turn whose state is in force after this one: its own number, unless it changed nothing or
            took steps back or forth.
        restores: The earlier turn that a rollback points at, or None.
        undone: The states that ``redo`` can bring back, the next one last.
        changes: What was done to wishes without words: ``off 1.1``, ``weight 2.1 3``, ``pin 1.2``, ``remove 1.1``.
        asks: Whether the assistant may ask questions of its own after this turn.
        comparison: The pictures that this turn puts side by side, or None.
        chance: What the draw of a random choice depended on; a replay draws the same.
        state: What the collection was when the ranking was made; another one means it has to be made again.
        at: When it was written.
        seconds: How long the reply took.
    """

    number: int
    message: str
    commands: tuple[Command, ...] = ()
    reply: str = ""
    brief: Brief = NOTHING
    results: tuple[Result, ...] = ()
    window: Window = Window()
    hand: Hand | None = None
    question: Question | None = None
    pending: tuple[str, ...] = ()
    answered: Question | None = None
    grew_from: int = 0
    stands_at: int = 0
    restores: int | None = None
    undone: tuple[int, ...] = ()
    changes: tuple[str, ...] = ()
    asks: bool = True
    comparison: PictureComparison | None = None
    chance: str = ""
    state: str = ""
    at: datetime | None = None
    seconds: float = 0.0
    matches: int | None = None
    about: bool = False
    retriever: str = COMPOSED

    @property
    def reference(self) -> str | None:
        """The picture that "this" means after this turn, and what ``@turn`` refers to: in hand, or the first result."""
        if self.hand is not None:
            return self.hand.picture
        return self.results[0].id if self.results else None

    def shows_the_same(self, other: Turn) -> bool:
        """Whether another turn has the same pictures, wishes and picture in hand."""
        return (self.results, self.brief, self.hand) == (other.results, other.brief, other.hand)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "version": VERSION,
            "number": self.number,
            "message": self.message,
            "commands": [str(command) for command in self.commands],
            "reply": self.reply,
            "brief": self.brief.as_json(),
            "results": [result.as_json() for result in self.results],
            "window": asdict(self.window),
            "hand": None if self.hand is None else asdict(self.hand),
            "question": None if self.question is None else self.question.as_json(),
            "pending": list(self.pending),
            "answered": None if self.answered is None else self.answered.as_json(),
            "grew_from": self.grew_from,
            "stands_at": self.stands_at,
            "restores": self.restores,
            "undone": list(self.undone),
            "changes": list(self.changes),
            "chance": self.chance,
            "state": self.state,
            "at": None if self.at is None else self.at.isoformat(),
            "seconds": self.seconds,
            "matches": self.matches,
            "about": self.about,
            **({} if self.retriever == COMPOSED else {"retriever": self.retriever}),
            **({} if self.asks else {"asks": False}),
            **({} if self.comparison is None else {"comparison": asdict(self.comparison)}),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`as_json`."""
        if not isinstance(value.get("version"), int) or value["version"] > VERSION:
            raise BadInputError("The turn was written by a newer visavis, or is no turn.", "Update visavis.")
        try:
            return cls(
                number=value["number"],
                message=value["message"],
                commands=tuple(parse_command(line) for line in value["commands"]),
                reply=value["reply"],
                brief=Brief.from_json(value["brief"]),
                results=tuple(Result.from_json(result) for result in value["results"]),
                window=Window(**value["window"]),
                hand=_read_hand(value["hand"]),
                question=_read_question(value["question"]),
                pending=tuple(value["pending"]),
                answered=_read_question(value["answered"]),
                grew_from=value["grew_from"],
                stands_at=value["stands_at"],
                restores=value["restores"],
                undone=tuple(value["undone"]),
                changes=tuple(value["changes"]),
                asks=value.get("asks", True),
                comparison=_read_comparison(value.get("comparison")),
                chance=value["chance"],
                state=value["state"],
                at=None if value["at"] is None else datetime.fromisoformat(value["at"]),
                seconds=value["seconds"],
                matches=value.get("matches"),
                about=value.get("about", False),
                retriever=str(value.get("retriever", COMPOSED)),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise BadInputError(f"The turn {dict(value)!r:.200} is not understood.") from error


def _read_question(value: Any) -> Question | None:
    return None if value is None else Question.from_json(value)


def _read_comparison(value: Any) -> PictureComparison | None:
    return None if value is None else PictureComparison.from_json(value)


def _read_hand(value: Any) -> Hand | None:
    return None if value is None else Hand(value["picture"], value["source"], tuple(value["edits"]))
