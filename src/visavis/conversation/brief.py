"""The brief: what the person wants so far, as a list of wishes that is never changed, only followed by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

from visavis.errors import BadInputError, NotFoundError
from visavis.language.commands import Filter, parse_command
from visavis.language.commands.wishes import TIMES
from visavis.language.dates import TimeRange, read_days
from visavis.stores import filters
from visavis.types import Wish, WishKind

#: The form of the JSON; a brief of a newer form is refused, one of an older form is read.
BRIEF_VERSION = 1


@dataclass(frozen=True)
class Brief:
    """The wishes in the order in which they were made; those that do not count any more stay listed.

    A brief is a value: every method returns a new one.
    """

    wishes: tuple[Wish, ...] = ()

    # -- reading ---------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Wish]:
        return iter(self.wishes)

    def __len__(self) -> int:
        return len(self.wishes)

    @property
    def active(self) -> tuple[Wish, ...]:
        """The wishes that count."""
        return tuple(wish for wish in self.wishes if wish.active)

    def of(self, *kinds: WishKind) -> tuple[Wish, ...]:
        """The wishes of these kinds that count."""
        return tuple(wish for wish in self.wishes if wish.active and wish.kind in kinds)

    def wish(self, id: str) -> Wish:
        """The wish with this id, whether it counts or not."""
        for wish in self.wishes:
            if wish.id == id:
                return wish
        known = ", ".join(wish.id for wish in self.wishes) or "none"
        raise NotFoundError(f"There is no wish '{id}' in the brief.", f"There are: {known}.")

    def conditions(self, without: str = "") -> tuple[filters.Filter, ...]:
        """The conditions of its filters, those on the attribute ``without`` left out."""
        wishes = (wish for wish in self.of("filter") if wish.attribute != without)
        return tuple(found for wish in wishes if (found := condition(wish)) is not None)

    def days(self, without: str = "") -> tuple[tuple[TimeRange, bool], ...]:
        """The days of its filters on times, and whether pictures must be from these days or from others."""
        wishes = (wish for wish in self.of("filter") if wish.attribute != without)
        return tuple(found for wish in wishes if (found := days(wish)) is not None)

    @property
    def searches(self) -> bool:
        """Whether there is anything to rank by."""
        return bool(self.of("want", "keep", "like", "relative", "filter", "avoid", "unlike"))

    @property
    def topic(self) -> str:
        """The description that the results answer, in words."""
        return ", ".join(wish.text for wish in self.of("want", "relative"))

    @property
    def narrowed_topic(self) -> str:
        """The topic with the values that are filtered by: "boots, Brown or Black, no Zip".

        A parser needs them to read "black ones too": a filter that names all the values that count from then on.
        """
        chosen = (comparison(wish) for wish in self.of("filter"))
        return ", ".join(filter(None, (self.topic, *(one.in_words for one in chosen if one is not None))))

    @property
    def told(self) -> str:
        """Everything that counts, in one text."""
        return ", ".join(wish.label for wish in self.active if wish.kind not in ("filter", "sort"))

    # -- what a person can do with a wish --------------------------------------------------------------

    def switched(self, id: str, on: bool) -> Brief:
        """A wish switched on or off; one that was replaced or forgotten and is switched on counts again."""
        if on and not self.wish(id).active:
            return self._changed(id, lambda wish: replace(wish, active=True, end="", ended=None))
        return self._changed(id, lambda wish: replace(wish, active=on))

    def weighted(self, id: str, weight: float) -> Brief:
        """A wish with another weight."""
        return self._changed(id, lambda wish: replace(wish, weight=weight))

    def pinned(self, id: str, pinned: bool = True) -> Brief:
        """A wish that outlives new searches and is never replaced, or an ordinary one again."""
        return self._changed(id, lambda wish: replace(wish, pinned=pinned))

    def without(self, id: str) -> Brief:
        """The brief without this wish."""
        self.wish(id)
        return Brief(tuple(wish for wish in self.wishes if wish.id != id))

    def _changed(self, id: str, change: Callable[[Wish], Wish]) -> Brief:
        self.wish(id)
        return Brief(tuple(change(wish) if wish.id == id else wish for wish in self.wishes))

    # -- JSON ------------------------------------------------------------------------------------------

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"version": BRIEF_VERSION, "wishes": [wish.as_json() for wish in self.wishes]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`as_json`."""
        if not isinstance(value.get("version"), int) or not isinstance(value.get("wishes"), list):
            raise BadInputError("This is no brief.", "A brief has a 'version' and 'wishes'.")
        if value["version"] > BRIEF_VERSION:
            raise BadInputError("The brief was written by a newer visavis.", "Update this one.")
        return cls(tuple(Wish.from_json(wish) for wish in value["wishes"]))


NOTHING = Brief()


def comparison(wish: Wish) -> Filter | None:
    """The command of a ``filter`` wish; None for other wishes."""
    if wish.kind != "filter":
        return None
    return _filter(wish.text)


@lru_cache(maxsize=1024)
def _filter(text: str) -> Filter:
    """The command of a condition; each is asked for several times in every turn in which it counts."""
    command = parse_command(f"filter {text}")
    assert isinstance(command, Filter)
    return command


def condition(wish: Wish) -> filters.Filter | None:
    """The condition of a ``filter`` wish, as a store understands it; None for other wishes, and for days.

    Stores compare numbers and texts. Which pictures were taken on some days, the catalogue knows: see :func:`days`.
    """
    command = comparison(wish)
    return None if command is None or days(wish) is not None else command.condition()


def days(wish: Wish) -> tuple[TimeRange, bool] | None:
    """The days that a ``filter`` wish is about, and whether pictures must be from these days or from others."""
    command = comparison(wish)
    if command is None or command.field not in TIMES or command.comparison not in ("=", "!="):
        return None
    value = command.values[0]
    found = read_days(value) if isinstance(value, str) else None
    return None if found is None else (found, command.comparison == "=")


_HELP = "Use: off 1.1, on 1.1, weight 1.1 2.5, pin 1.1, unpin 1.1 or remove 1.1."


def change(brief: Brief, line: str) -> Brief:
    """The brief after a change in its text form.

    Raises:
        BadInputError: The line is no change.
        NotFoundError: There is no such wish.
    """
    match line.split():
        case ["off", id]:
            return brief.switched(id, False)
        case ["on", id]:
            return brief.switched(id, True)
        case ["pin", id]:
            return brief.pinned(id)
        case ["unpin", id]:
            return brief.pinned(id, False)
        case ["remove", id]:
            return brief.without(id)
        case ["weight", id, number]:
            return brief.weighted(id, _weight(number))
        case _:
            raise BadInputError(f"'{line}' is no change to a wish.", _HELP)


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInputError(f"'{text}' is no weight.", _HELP) from None
