"""One wish: something the person wants, avoids, keeps, likes or filters by, and where it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args

from visavis.errors import BadInputError
from visavis.language.commands import Filter, parse_command
from visavis.retrieval.base import WishKind
from visavis.stores import filters

End = Literal["", "replaced", "forgotten"]
#: A wish can be made this much heavier than an ordinary one.
HEAVIEST = 10.0


@dataclass(frozen=True)
class Wish:
    """One wish with its source.

    Attributes:
        id: Names it within its conversation: the turn it came from and its place there, ``"3.1"``.
        kind: What it asks: ``want``, ``avoid`` and ``relative`` have words; ``keep`` has an attribute and a picture;
            ``like`` and ``unlike`` have a picture; ``filter`` has a condition, ``sort`` an attribute and an order.
        text: The wish in words: what was said, ``price < 50`` for a filter, ``ascending`` or ``descending`` for an
            order, ``#3 of turn 2`` for a picture.
        turn: The turn that it came from.
        weight: How much it counts; 1 is ordinary.
        active: Whether it counts now.
        pinned: Whether it outlives a new search and is never replaced.
        picture: The id of the picture that it is about: the liked one, or the one whose attribute is kept.
        attribute: What is kept (``colour``), or what is filtered or sorted by.
        reference: The id of the picture that a relative wish compares with.
        reference_turn: The turn that showed ``picture`` or ``reference``.
        end: Why it does not count any more, when the person did not switch it off.
        ended: The turn that ended it.
        answer: Whether it answers a closed question. What a person affirms when asked is no description of their own,
            and what they deny they may not have noticed: it makes pictures more or less likely, no more.
    """

    id: str
    kind: WishKind
    text: str
    turn: int
    weight: float = 1.0
    active: bool = True
    pinned: bool = False
    picture: str | None = None
    attribute: str = ""
    reference: str | None = None
    reference_turn: int | None = None
    end: End = ""
    ended: int | None = None
    answer: bool = False

    def __post_init__(self) -> None:
        if self.kind not in get_args(WishKind):
            raise BadInputError(f"'{self.kind}' is no kind of wish.", f"Use one of {', '.join(get_args(WishKind))}.")
        if not 0 < self.weight <= HEAVIEST:
            raise BadInputError(f"A wish cannot weigh {self.weight}.", f"Use more than 0 and at most {HEAVIEST:g}.")

        if bool(self.end) != (self.ended is not None) or (self.end and self.active):
            raise BadInputError(f"The wish {self.id} both counts and does not.", "Say in which turn it ended, or not.")

    @property
    def comparison(self) -> Filter | None:
        """The command of a ``filter`` wish."""
        if self.kind != "filter":
            return None
        command = parse_command(f"filter {self.text}")
        assert isinstance(command, Filter)
        return command

    @property
    def filter(self) -> filters.Filter | None:
        """The condition of a ``filter`` wish, as a store understands it."""
        comparison = self.comparison
        return None if comparison is None else comparison.condition()

    @property
    def label(self) -> str:
        """What a chip says: "red dress", "no people", "colour of turn 2", "like #3 of turn 1"."""
        match self.kind:
            case "avoid":
                return f"no {self.text}"
            case "unlike":
                return f"not like {self.text}"
            case "like":
                return f"like {self.text}"
            case "sort":
                return f"sorted by {self.attribute}, {self.text}"
            case "keep":
                return f"{self.attribute} of {self.text}"
            case "filter":
                return self.text.replace(" != ", " not ").replace(" | ", " or ")
            case _:
                return self.text

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`as_json`; keys of later versions are passed over."""
        known = {field.name for field in fields(cls)}
        try:
            return cls(**{name: item for name, item in value.items() if name in known})
        except TypeError as error:
            raise BadInputError(f"The wish {dict(value)!r:.200} is not understood.") from error
