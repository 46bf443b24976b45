"""The interface of simulated users, their strength, and their language: forms of questions, what words imply."""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import numpy as np

from visavis.errors import BadInputError
from visavis.language.english import content, singular, stem

#: The answer of a user who does not know; the parser reads it as "no preference".
DONT_KNOW = "I don't know"
YES, NO = "yes", "no"
NOTHING_ELSE = "nothing else"
_NUMBERS = {
    "1": "one", "single": "one", "lone": "one", "2": "two", "couple": "two", "pair": "two", "3": "three", "4": "four",
    "5": "five", "several": "many", "multiple": "many", "lots": "many", "bunch": "many", "herd": "many",
    "crowd": "many", "flock": "many", "group": "many",
}  # fmt: skip


@dataclass(frozen=True)
class Strength:
    """How good a user is; published with every figure that was measured with it.

    Attributes:
        vocabulary: The share of words that it knows (0..1); a question with an unknown word gets "I don't know".
        noise: The share of closed questions that it answers wrongly (0..1).
        patience: How many questions it answers before it always says "I don't know".
        seed: The seed of the user's choices.
    """

    vocabulary: float = 1.0
    noise: float = 0.0
    patience: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("vocabulary", "noise"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadInputError(f"A user's {name} cannot be {getattr(self, name)}.", "Use 0 to 1.")
        if self.patience < 0:
            raise BadInputError(f"A user's patience cannot be {self.patience}.", "Use 0 or more.")

    def as_json(self) -> dict[str, float | int]:
        """Return the values for reports."""
        return asdict(self)

    def knows(self, word: str) -> bool:
        """Return whether the word is in the user's vocabulary."""
        return self.vocabulary >= 1 or self.rng("word", word).random() < self.vocabulary

    def slips(self, target: str, question: str) -> bool:
        """Return whether this question about this target is answered wrongly."""
        return self.noise > 0 and bool(self.rng("slip", target, question).random() < self.noise)

    def rng(self, *what: str) -> np.random.Generator:
        """Return a generator that depends on the seed and the purpose only, not on earlier draws."""
        digest = hashlib.blake2b("\x1f".join((str(self.seed), *what)).encode(), digest_size=8).digest()
        return np.random.default_rng(int.from_bytes(digest, "big"))


@dataclass(frozen=True)
class Asked:
    """A question as shown to a user: text, and perhaps options and pictures.

    Attributes:
        text: The question.
        options: The answers offered; none for an open question.
        pictures: Ids of the pictures shown with the options, in the same order, or none.
    """

    text: str
    options: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()


class SimulatedUser(ABC):
    """Answers about one target, from that target, its strength and its seed alone.

    Users are stateless: their earlier messages are arguments, so conversations can run in any order.
    """

    name: str

    def __init__(self, strength: Strength | None = None) -> None:
        self.strength = strength or Strength()

    @abstractmethod
    def describe(self, target: str) -> str:
        """Return the opening description of the target."""

    @abstractmethod
    def compare(self, shown: Sequence[str], target: str) -> str:
        """Return a relative caption: how the target differs from the first picture shown."""

    @abstractmethod
    def _reply(self, question: Asked, target: str, said: Sequence[str]) -> str:
        """Return the correct answer."""

    def answer(self, question: Asked, target: str, said: Sequence[str] = ()) -> str:
        """Answer a question about the target.

        Args:
            question: The question.
            target: The target's id.
            said: The user's earlier messages in this conversation, oldest first.
        """
        if len(said) > self.strength.patience:
            return DONT_KNOW
        if not all(self.strength.knows(word) for word in question.text.lower().split()):
            return DONT_KNOW
        reply = self._reply(question, target, said)
        return self._wrong(question, reply, target) if self.strength.slips(target, question.text) else reply

    def pick(self, results: Sequence[str], target: str) -> str | None:
        """Return the target if it is among the results."""
        return target if target in results else None

    def _wrong(self, question: Asked, reply: str, target: str) -> str:
        if reply in (YES, NO):
            return NO if reply == YES else YES
        others = [option for option in question.options if option != reply]
        if not others:
            return reply
        return others[int(self.strength.rng("wrong", target, question.text).integers(len(others)))]


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
