"""Language of simulated users: the form of a question, and what words imply."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from visavis.language.english import content, singular, stem

_NUMBERS = {
    "1": "one", "single": "one", "lone": "one", "2": "two", "couple": "two", "pair": "two", "3": "three", "4": "four",
    "5": "five", "several": "many", "multiple": "many", "lots": "many", "bunch": "many", "herd": "many",
    "crowd": "many", "flock": "many", "group": "many",
}  # fmt: skip


def implied_by(words: Iterable[str]) -> frozenset[str]:
    """Return the words with everything they imply."""
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
    """Return whether words (with what they imply) contain all of a phrase."""
    wanted = content(phrase)
    return bool(wanted) and all(word in text_words for word in wanted)


def number_before(texts: Iterable[str], noun: str) -> str | None:
    """Return the number of an object in the texts: ``two``, ``many``; None where there is none."""
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


Form = Literal["exists", "is", "choice", "alike", "colour", "count", "open"]
_EXISTS = re.compile(
    r"^(?:is|are) (?:there|anyone|anybody|someone|any)\b"
    r"|^(?:does|do) (?:it|the (?:picture|image|photo)) (?:show|have|contain)\b"
    r"|^(?:can|do|could) you (?:see|spot|tell)\b|^(?:any|is it (?:in|on|at|by|under)) ",
)
_AUXILIARY = re.compile(
    r"^(?:is|are|was|were|does|do|did|can|could|has|have|will|would|should|must|any|isn't|aren't)\b"
)
_INVITES = re.compile(r"^(?:can|could|would) you (?:describe|tell me (?:more|about)|say)\b")
_COLOUR = re.compile(r"^what (?:colou?r)s? (?:is|are|does) (?:the |his |her |their |its )?(.+?)(?: in (?:it|the .+))?$")
_COUNT = re.compile(r"^how many (.+?)(?: (?:are|is|do|does|can|in) .*)?$")
_TAIL = re.compile(r" (?:in it|in (?:the|this) (?:picture|image|photo|scene|room)|there|at all|visible|present)$")
_HEAD = re.compile(
    r"^(?:(?:is|are|was|were|does|do|did|can|could|has|have|will|would|should|must)\s+)?"
    r"(?:(?:there|it|they|he|she|you|anyone|anybody|someone|this|that|the (?:picture|image|photo)|something in it)\b"
    r"\s*)?"
    r"(?:(?:show|have|contain|see|spot|tell|any|be|someone)\b\s*)*"
)


@dataclass(frozen=True)
class QuestionForm:
    """The form of a question, and its subject."""

    form: Form
    about: str


def read_question(text: str, options: tuple[str, ...], with_pictures: bool) -> QuestionForm:
    """Parse a question."""
    said = re.sub(r"\s+", " ", text.lower()).strip(" ?.!")
    if with_pictures:
        return QuestionForm("alike", said)
    closed = {option.lower() for option in options} <= {"yes", "no"}
    if options and not closed:
        return QuestionForm("choice", said)
    if found := _COLOUR.match(said):
        return QuestionForm("colour", found[1])
    if found := _COUNT.match(said):
        return QuestionForm("count", found[1])
    if not _AUXILIARY.match(said) or _INVITES.match(said):
        return QuestionForm("open", said)
    about = _TAIL.sub("", re.sub(r" one of its main colours$", "", _HEAD.sub("", said))).strip()
    return QuestionForm("exists" if _EXISTS.match(said) else "is", about)
