"""The words that may stand in the texts of commands: those that were said, put right or inflected, and little ones.

A person's wish is kept in the person's own words, so a word that was never said is a slip of the network. Words are
written whole: a rare one whose first piece is copied cannot turn into another one halfway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

from visavis.language.concepts import singular
from visavis.language.context import Context, NumberRange
from visavis.language.lexicon import free_words
from visavis.language.pieces import piece_ids, words
from visavis.language.spelling import correct_word

Unit = tuple[int, ...]


def units(ids: Iterable[int]) -> list[Unit]:
    """Pieces as words: one that continues a word belongs to the piece before it."""
    found: list[Unit] = []
    for piece in ids:
        if found and words()[piece].startswith("##"):
            found[-1] = (*found[-1], piece)
        else:
            found.append((piece,))
    return found


def _spelled(unit: Unit) -> str:
    return "".join(words()[piece].removeprefix("##") for piece in unit)


@cache
def _free() -> frozenset[Unit]:
    return frozenset(unit for word in free_words() for unit in units(piece_ids(word)))


@cache
def _free_ways() -> frozenset[Unit]:
    return frozenset(_ways(_free()))


def _ways(whole: Iterable[Unit]) -> set[Unit]:
    """The beginnings of words, and the words."""
    return {unit[:end] for unit in whole for end in range(1, len(unit) + 1)}


class MessageVocabulary:
    """The words of one message in its context."""

    def __init__(self, message: str, context: Context) -> None:
        said = units(piece_ids(message))
        self._counts = Counter(said)
        allowed = set(said)
        spoken = [_spelled(unit) for unit in said]
        further = [form for word in set(spoken) if word.isalpha() for form in _forms(word)]
        further += [one + other for one, other in pairwise(spoken) if (one + other).isalpha()]
        for text in further:
            whole = units(piece_ids(text))
            if len(whole) == 1:
                allowed.add(whole[0])
        for text in _context_texts(context):
            told = units(piece_ids(text))
            allowed.update(told)
            self._counts.update(told)
        self._ends = _free() | allowed
        self._ways = _free_ways() | _ways(allowed)

    def step(self, inner: tuple[int, ...], piece: int) -> bool:
        """Whether a piece may follow others in a text."""
        if words()[piece].startswith("##"):
            return bool(inner) and (*_last(inner), piece) in self._ways
        if inner and not self.complete(inner):
            return False
        unit = (piece,)
        if unit not in self._ways:
            return False
        return unit not in self._counts or unit in _free() or units(inner).count(unit) < self._counts[unit]

    def complete(self, inner: tuple[int, ...]) -> bool:
        """Whether the last word is whole."""
        return _last(inner) in self._ends


def _last(inner: tuple[int, ...]) -> Unit:
    at = len(inner) - 1
    while at > 0 and words()[inner[at]].startswith("##"):
        at -= 1
    return inner[at:]


def _forms(word: str) -> Iterable[str]:
    """A word put right, and both of them as singular and plural."""
    right = correct_word(word)
    for form in {word, right}:
        yield form
        yield singular(form)
        yield f"{form}s"
        yield f"{form}es"
        if form.endswith("y"):
            yield f"{form[:-1]}ies"


def _context_texts(context: Context) -> Iterable[str]:
    yield context.topic
    yield from (edit.target for edit in context.edits if edit.target)
    for concept in context.concepts:
        yield " ".join((*concept.attributes, concept.noun, concept.place))
    if context.question is not None:
        yield context.question.text
        yield from (label for label, _ in context.question.options)
    for name, values in context.attributes.items():
        yield name
        if not isinstance(values, NumberRange) and len(values) <= 40:
            yield " ".join(values)
