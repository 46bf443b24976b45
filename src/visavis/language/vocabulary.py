"""The words that may stand in the texts of commands: those that were said, put right or inflected, and little ones.

A person's wish is kept in the person's own words, so a word that was never said is a slip of the network. Words are
written whole: a rare one whose first piece is copied cannot turn into another one halfway.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise

from visavis.language.commands import Caption
from visavis.language.context import Context, NumberRange, singular
from visavis.language.lexicon import free_words, trade_words, word_ranks
from visavis.language.pieces import piece_ids, words

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Shorter words have too many neighbours to be sure; longer ones are no words.
_SHORTEST, _LONGEST = 5, 30
#: So long, no other word is meant by a word of the trade that lacks its last letter.
_PLAIN = 8
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ers", "r", "rs", "ly", "y", "less", "ness", "ful", "est")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_VOWELS = frozenset("aeiouy")
Unit = tuple[int, ...]


def _neighbours(word: str) -> Iterator[tuple[int, str]]:
    """Every text one slip away, with how unlikely the slip is."""
    for at in range(len(word)):
        head, tail = word[:at], word[at:]
        if len(tail) > 1:
            yield 0, head + tail[1] + tail[0] + tail[2:]
        yield 2 if at and tail[0] != word[at - 1] else 1, head + tail[1:]
        for letter in _LETTERS:
            yield 1, head + letter + tail
            yield 2 if letter in _VOWELS and tail[0] in _VOWELS else 3, head + letter + tail[1:]
    for letter in _LETTERS:
        yield 1, word + letter


def _is_known(word: str) -> bool:
    ranks = word_ranks()
    if word in ranks or (word + "s" in ranks and not word.endswith("s")):
        return True
    for ending in _ENDINGS:
        stem = word[: -len(ending)]
        if not word.endswith(ending) or len(stem) <= 2:
            continue
        doubled = stem[-1] == stem[-2] and stem[-1] not in _VOWELS and stem[:-1] in ranks  # "cropped"
        if stem in ranks or stem + "e" in ranks or doubled:
            return True
    if word.endswith("ies") and word[:-3] + "y" in ranks:
        return True
    return any(word[:at] in ranks and word[at:] in ranks for at in range(4, len(word) - 3))


@lru_cache(maxsize=4096)
def correct_word(word: str, most: int = 3) -> str:
    """The word that was meant, or the word itself when that is not clear.

    Args:
        word: What was typed.
        most: How unlikely a slip may be: 0 for letters exchanged, 1 for one too few or doubled, 3 for any.
    """
    if not _SHORTEST <= len(word) <= _LONGEST:
        return word
    if (doubled := _doubled(word)) is not None:
        return doubled
    if _is_known(word):
        return word
    ranks = word_ranks()
    best: tuple[int, int, str] | None = None
    for slip, neighbour in _neighbours(word):
        if slip > most:
            continue
        rank = ranks.get(neighbour)
        in_trade = neighbour in trade_words()
        # A word cut short or drawn out may be another word; a long one of the trade ("brightnes") is none.
        grown = word.startswith(neighbour) or neighbour.startswith(word)
        if rank is None or neighbour[0] != word[0] or (grown and not (in_trade and len(word) >= _PLAIN)):
            continue
        if not in_trade and (slip == 3 or neighbour == word.replace("our", "or")):
            continue
        # What is said to visavis wins over other words that are as near: "roate" is "rotate", not "orate".
        choice = (0 if in_trade else 1 + slip, rank, neighbour)
        best = min(best, choice) if best else choice
    if best is None and word.endswith("s") and (one := correct_word(word[:-1], most)) != word[:-1]:
        return f"{one}s"
    return best[2] if best else word


def _doubled(word: str) -> str | None:
    """The word of which a consonant should be doubled ("runing"); None for a word, or where its stem ends in "e"."""
    ranks = word_ranks()
    ending = next((ending for ending in ("ing", "ed", "er", "est") if word.endswith(ending)), None)
    if ending is None or word in ranks:
        return None
    stem = word.removesuffix(ending)
    doubled = f"{stem}{stem[-1]}{ending}"
    told = ranks.get(doubled)
    return doubled if told is not None and told < ranks.get(f"{stem}e", len(ranks)) else None


def correct(text: str, known: Collection[str] = (), most: int = 3) -> str:
    """A lower-case text with its typing errors put right; words in ``known`` (a collection's own) stay."""

    def mend(found: re.Match[str]) -> str:
        word = found[0]
        return word if "'" in word or word in known else correct_word(word, most)

    return _WORD.sub(mend, text)


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
        said, forms = _said(message)
        self._counts = Counter(said)
        allowed = set(forms)
        for text in _context_texts(context):
            told = units(piece_ids(text))
            allowed.update(told)
            self._counts.update(told)
        self._ends = allowed
        self._ways = _ways(allowed)

    def step(self, inner: tuple[int, ...], piece: int) -> bool:
        """Whether a piece may follow others in a text."""
        if words()[piece].startswith("##"):
            return bool(inner) and self._begins((*_last(inner), piece))
        if inner and not self.complete(inner):
            return False
        unit = (piece,)
        if not self._begins(unit):
            return False
        return unit not in self._counts or unit in _free() or units(inner).count(unit) < self._counts[unit]

    def complete(self, inner: tuple[int, ...]) -> bool:
        """Whether the last word is whole."""
        last = _last(inner)
        return last in self._ends or last in _free()

    def _begins(self, unit: Unit) -> bool:
        return unit in self._ways or unit in _free_ways()


@lru_cache(maxsize=64)  # a message has several vocabularies, with more or less of its context
def _said(message: str) -> tuple[tuple[Unit, ...], frozenset[Unit]]:
    """The words of a message, and these with their other forms."""
    said = units(piece_ids(message))
    allowed = set(said)
    spoken = [_spelled(unit) for unit in said]
    further = [form for word in set(spoken) if word.isalpha() for form in _forms(word)]
    further += [one + other for one, other in pairwise(spoken) if (one + other).isalpha()]
    for text in further:
        whole = units(piece_ids(text))
        if len(whole) == 1:
            allowed.add(whole[0])
    return tuple(said), frozenset(allowed)


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
    yield from (edit.text for edit in context.edits if isinstance(edit, Caption))
    for concept in context.concepts:
        yield " ".join((*concept.attributes, concept.noun, concept.place))
    if context.question is not None:
        yield context.question.text
        yield from (label for label, _ in context.question.options)
    for name, values in context.attributes.items():
        yield name
        if not isinstance(values, NumberRange) and len(values) <= 40:
            yield " ".join(values)
