"""What may stand in a part of a command, piece by piece: words, colours, numbers, given texts, marks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cache, lru_cache

from visavis.language.pieces import MARK, MARKS, UNKNOWN, piece_ids, words
from visavis.language.vocabulary import MessageVocabulary

#: What a slot remembers of the pieces in it.
Inner = tuple[int, ...]
_LONGEST_TEXT = 48


@cache
def _digits() -> dict[int, str]:
    return {at: word.removeprefix("##") for at, word in enumerate(words()) if word.removeprefix("##").isdecimal()}


@cache
def _continues() -> frozenset[int]:
    return frozenset(at for at, word in enumerate(words()) if word.startswith("##"))


class Slot(ABC):
    """A part of a command."""

    @abstractmethod
    def step(self, inner: Inner, piece: int) -> bool:
        """Whether a piece may follow those in the slot."""

    @abstractmethod
    def complete(self, inner: Inner) -> bool:
        """Whether the slot may end after these pieces."""


class FreeText(Slot):
    """Words, as many as wanted; only those of a vocabulary where there is one."""

    def __init__(self, vocabulary: MessageVocabulary | None = None, *, optional: bool = False) -> None:
        self._vocabulary, self._optional = vocabulary, optional

    def step(self, inner: Inner, piece: int) -> bool:
        """Any word; the first piece begins one."""
        if piece < MARKS or piece == UNKNOWN or len(inner) >= _LONGEST_TEXT or (not inner and piece in _continues()):
            return False
        return self._vocabulary is None or self._vocabulary.step(inner, piece)

    def complete(self, inner: Inner) -> bool:
        """Not empty, unless it may be."""
        if not inner:
            return self._optional
        return self._vocabulary is None or self._vocabulary.complete(inner)


class Colour(FreeText):
    """A colour by its name, or as ``#ff8800``."""

    def step(self, inner: Inner, piece: int) -> bool:
        """Letters; digits as well after a #."""
        word = words()[piece].removeprefix("##")
        if not inner and word == "#":
            return True
        coded = bool(inner) and words()[inner[0]] == "#"
        return super().step(inner, piece) and len(inner) < 8 and (word.isalnum() if coded else word.isalpha())


class Number(Slot):
    """A number within bounds, in digits.

    Args:
        low: The least; a sign may be written where it is negative.
        high: The greatest.
        decimals: Whether there may be a decimal point.
        optional: Whether it may be left out.
    """

    def __init__(self, low: float, high: float, *, decimals: bool = False, optional: bool = False) -> None:
        self._low, self._high, self._decimals, self._optional = low, high, decimals, optional

    def step(self, inner: Inner, piece: int) -> bool:
        """A sign at the start, digits, one decimal point."""
        if piece == MARK["minus"]:
            return not inner and self._low < 0
        signed = inner[1:] if inner[:1] == (MARK["minus"],) else inner
        if piece == MARK["point"]:
            return self._decimals and bool(signed) and MARK["point"] not in inner
        if piece not in _digits() or (piece in _continues()) != (bool(signed) and signed[-1] != MARK["point"]):
            return False
        if MARK["point"] in inner:
            return len(inner) - inner.index(MARK["point"]) <= 2
        whole = "".join(_digits()[p] for p in (*signed, piece))
        return int(whole) <= max(abs(self._low), abs(self._high))

    def complete(self, inner: Inner) -> bool:
        """Within the bounds."""
        if not inner:
            return self._optional
        if inner[-1] in (MARK["minus"], MARK["point"]):
            return False
        text = "".join({MARK["minus"]: "-", MARK["point"]: "."}.get(p) or _digits()[p] for p in inner)
        return self._low <= float(text) <= self._high


class OneOf(Slot):
    """One of some texts."""

    def __init__(self, texts: Iterable[str], *, optional: bool = False) -> None:
        self._optional = optional
        self._ways: set[Inner] = {()}
        self._ends: set[Inner] = set()
        for text in texts:
            way = tuple(piece_ids(text))
            if way:
                self._ends.add(way)
                self._ways.update(way[:end] for end in range(1, len(way) + 1))

    def step(self, inner: Inner, piece: int) -> bool:
        """The next piece of one of them."""
        return (*inner, piece) in self._ways

    def complete(self, inner: Inner) -> bool:
        """One of them whole."""
        return inner in self._ends or (not inner and self._optional)


class Marks(Slot):
    """One of some marks."""

    def __init__(self, *names: str) -> None:
        self._marks = {MARK[name] for name in names}

    def step(self, inner: Inner, piece: int) -> bool:
        """One mark."""
        return not inner and piece in self._marks

    def complete(self, inner: Inner) -> bool:
        """When it is there."""
        return bool(inner)


class Maybe(Marks):
    """One of some marks, or none."""

    def complete(self, inner: Inner) -> bool:
        """Always, with a mark or without."""
        return len(inner) <= 1


Form = tuple[Slot, ...]


@lru_cache(maxsize=256)
def one_of(texts: tuple[str, ...]) -> OneOf:
    """The slot for the values of an attribute; there may be thousands."""
    return OneOf(texts)
