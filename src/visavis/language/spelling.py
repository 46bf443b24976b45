"""Spelling correction by one letter, only for words that are not in the dictionary."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from visavis.language.lexicon import trade_words, word_ranks

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Shorter words have too many neighbours to be sure; longer ones are no words.
_SHORTEST, _LONGEST = 5, 30
#: So long, no other word is meant by a word of the trade that lacks its last letter.
_PLAIN = 8
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ers", "r", "rs", "ly", "y", "less", "ness", "ful", "est")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_VOWELS = frozenset("aeiouy")


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
        doubled = stem[-1] == stem[-2] and stem[:-1] in ranks  # "cropped"
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
    if not _SHORTEST <= len(word) <= _LONGEST or _is_known(word):
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
    return best[2] if best else word


def correct(text: str, known: Collection[str] = (), most: int = 3) -> str:
    """A lower-case text with its typing errors put right; words in ``known`` (a collection's own) stay."""

    def mend(found: re.Match[str]) -> str:
        word = found[0]
        return word if "'" in word or word in known else correct_word(word, most)

    return _WORD.sub(mend, text)
