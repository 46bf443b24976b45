"""One wish: something the person wants, avoids, keeps, likes or filters by, and where it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args

from visavis.errors import BadInputError
from visavis.language.commands import Filter, Sort, parse_command

WishKind = Literal["want", "avoid", "keep", "like", "unlike", "relative", "filter", "sort"]
End = Literal["", "replaced", "forgotten"]
#: A wish can be made this much heavier than an ordinary one.
HEAVIEST = 10.0


@dataclass(frozen=True)
class Wish:
    """One wish with its source.

    Attributes:
        id: Names it within its conversation: the turn it came from and its place there, ``"3.1"``.
        kind: What it asks: ``want``, ``avoid`` and ``relative`` have words; ``keep`` has an attribute and a picture;
            ``like`` and ``unlike`` have a picture; ``filter`` and ``sort`` have the text form of their command.
        text: The wish in words, for ``filter`` and ``sort`` in the words of the grammar (``price < 50``).
        turn: The turn that it came from.
        weight: How much it counts; 1 is ordinary.
        active: Whether it counts now.
        pinned: Whether it outlives a new search and is never replaced.
        picture: The id of the picture that it points at: the liked one, the one whose attribute is kept, the one that
            a relative wish compares with. None where there is none.
        attribute: What is kept (``colour``), or what is filtered or sorted by.
        reference: The turn whose result ``picture`` is, for ``keep`` and ``relative``.
        end: Why it does not count any more, when the person did not switch it off.
        ended: The turn that ended it.
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
    reference: int | None = None
    end: End = ""
    ended: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(WishKind):
            raise BadInputError(f"'{self.kind}' is no kind of wish.", f"Use one of {', '.join(get_args(WishKind))}.")
        if not 0 < self.weight <= HEAVIEST:
            raise BadInputError(f"A wish cannot weigh {self.weight}.", f"Use more than 0 and at most {HEAVIEST:g}.")

    @property
    def filter(self) -> Filter:
        """The command of a ``filter`` wish."""
        command = parse_command(f"filter {self.text}")
        assert isinstance(command, Filter)
        return command

    @property
    def sort(self) -> Sort:
        """The command of a ``sort`` wish."""
        command = parse_command(f"sort {self.text}")
        assert isinstance(command, Sort)
        return command

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
                return f"sorted by {self.text}"
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
