"""Word lists, read once from the text files beside this module."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def _lines(name: str) -> list[str]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("# ")]


@cache
def things() -> frozenset[str]:
    """Nouns (and noun phrases) for what pictures show."""
    return frozenset(word.replace("_", " ") for line in _lines("things.txt") for word in line.split())


@cache
def colours() -> dict[str, str]:
    """Colour names, each with the plain colour that it is a shade of."""
    return dict(line.split() for line in _lines("colours.txt"))


@cache
def trade_words() -> frozenset[str]:
    """Words of this trade, some of which a general word list lacks."""
    return frozenset(word for line in _lines("trade.txt") for word in line.split())


@cache
def further_words() -> frozenset[str]:
    """Right words that the word pieces lack."""
    return frozenset(word for line in _lines("words.txt") for word in line.split())


@cache
def free_words() -> frozenset[str]:
    """Words that the text of a command may have although nobody said them."""
    return frozenset(word for line in _lines("free.txt") for word in line.split())


@cache
def word_ranks() -> dict[str, int]:
    """English words with their rank by frequency: the whole words of BERT's word pieces, and the things."""
    ranks = {word: rank for rank, word in enumerate(_lines("wordpieces.txt")) if word.isalpha() and len(word) > 1}
    for phrase in things():
        for word in phrase.replace("-", " ").split():
            ranks.setdefault(word, 20_000)
    for word in (*colours(), *trade_words(), *further_words()):
        ranks.setdefault(word, 20_000)
    return ranks
