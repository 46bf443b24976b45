"""The brief: what the person wants so far, as a list of wishes that is never changed, only followed by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from visavis.conversation.wishes import Wish
from visavis.errors import BadInputError, NotFoundError
from visavis.retrieval.base import WishKind

#: The form of the JSON; a brief of a newer form is refused, one of an older form is read.
VERSION = 1


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

    @property
    def searches(self) -> bool:
        """Whether there is anything to rank by."""
        return bool(self.of("want", "keep", "like", "relative", "filter", "avoid", "unlike"))

    @property
    def topic(self) -> str:
        """The description that the results answer, in words."""
        return ", ".join(wish.text for wish in self.of("want", "relative"))

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
        return {"version": VERSION, "wishes": [wish.as_json() for wish in self.wishes]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`as_json`."""
        if not isinstance(value.get("version"), int) or not isinstance(value.get("wishes"), list):
            raise BadInputError("This is no brief.", "A brief has a 'version' and 'wishes'.")
        if value["version"] > VERSION:
            raise BadInputError("The brief was written by a newer visavis.", "Update this one.")
        return cls(tuple(Wish.from_json(wish) for wish in value["wishes"]))


NOTHING = Brief()
