"""Whether words say something: the same thing in other forms, or in a word that implies it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

from visavis.questions.grammar import singular
from visavis.questions.words import content, stem

_NUMBERS = {
    "1": "one", "single": "one", "lone": "one", "2": "two", "couple": "two", "pair": "two", "3": "three", "4": "four",
    "5": "five", "several": "many", "multiple": "many", "lots": "many", "bunch": "many", "herd": "many",
    "crowd": "many", "flock": "many", "group": "many",
}  # fmt: skip


def implied_by(words: Iterable[str]) -> frozenset[str]:
    """The words with everything they imply."""
    table = _implications()
    every: set[str] = set()
    waiting = list(words)
    while waiting:
        word = waiting.pop()
        if word not in every:
            every.add(word)
            waiting.extend(table.get(word, ()))
    return frozenset(every)


def says(text_words: frozenset[str], phrase: str) -> bool:
    """Whether words (with what they imply) say all of a phrase."""
    wanted = content(phrase)
    return bool(wanted) and all(word in text_words for word in wanted)


def number_before(texts: Iterable[str], noun: str) -> str | None:
    """How many of something the texts speak of: ``two``, ``many``; None where they do not say."""
    stems = set(content(noun))
    for text in texts:
        raw = re.findall(r"[a-z0-9]+", text.lower())
        for place, word in enumerate(raw):
            if stem(word) not in stems and not stems & implied_by([stem(word)]):
                continue
            for before in reversed(raw[max(0, place - 4) : place]):
                number: str = _NUMBERS.get(before, before)
                if number in {"one", "two", "three", "four", "five", "six", "many"}:
                    return number
            if place and raw[place - 1] in ("a", "an") and word == singular(word):
                return "one"
    return None


@lru_cache(maxsize=1)
def _implications() -> dict[str, tuple[str, ...]]:
    table: dict[str, set[str]] = {}
    for line in files(__package__).joinpath("implied.txt").read_text("utf-8").splitlines():
        line = line.split("#", 1)[0].strip().replace("hot_dog", "hotdog")
        if "=" in line:
            one, other = (stem(word.strip()) for word in line.split("="))
            table.setdefault(one, set()).add(other)
            table.setdefault(other, set()).add(one)
        elif line:
            general, _, specific = line.partition(":")
            for word in specific.split():
                table.setdefault(stem(word), set()).add(stem(general.strip()))
    return {word: tuple(sorted(implied)) for word, implied in table.items()}
