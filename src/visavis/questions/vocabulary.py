"""The concepts that can be asked about, and how each is asked, searched for and wished."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from visavis.errors import BadInputError
from visavis.questions.grammar import with_article


class Kind(StrEnum):
    """The sections of the vocabulary."""

    THING = "things"
    STUFF = "stuff"
    PLACE = "places"
    ACTIVITY = "activities"
    HAPPENING = "happenings"
    COLOUR = "colours"
    COUNT = "counts"
    MATERIAL = "materials"
    LOOK = "looks"
    STATE = "states"


#: For each kind: the question, what the encoder is asked, and the wish a yes stands for. ``{a}`` has an article.
_FORMS: dict[Kind, tuple[str, str, str]] = {
    Kind.THING: ("Is there {a} in it?", "a photo of {a}", "{a}"),
    Kind.STUFF: ("Is there any {x} in it?", "a photo of {x}", "{x}"),
    Kind.PLACE: ("Is it {x}?", "a photo taken {x}", "{x}"),
    Kind.ACTIVITY: ("Does it show someone {x}?", "a photo of someone {x}", "someone {x}"),
    Kind.HAPPENING: ("Does it show {x}?", "a photo of {x}", "{x}"),
    Kind.COLOUR: ("Is {x} one of its main colours?", "a photo of something {x}", "something {x}"),
    Kind.COUNT: ("Does it show {x}?", "a photo of {x}", "{x}"),
    Kind.MATERIAL: ("Is something in it made of {x}?", "a photo of something made of {x}", "something made of {x}"),
    Kind.LOOK: ("Is it {x}?", "{x}", "{x}"),
    Kind.STATE: ("Is it {x} there?", "a photo of {a} scene", "{a} scene"),
}
_PLURAL_STUFF = re.compile(r"(?<!s)s$|^(?:people|children|men|women|cattle|livestock)$|s on the ground$")
_HAS_ARTICLE = re.compile(r"^(?:an?|the) ")


@dataclass(frozen=True)
class Concept:
    """Something that a picture may show.

    Attributes:
        kind: Which section it stands in.
        phrase: The words of the vocabulary: ``dog``, ``in a kitchen``.
    """

    kind: Kind
    phrase: str

    @property
    def key(self) -> str:
        """What identifies it, whatever the question."""
        return f"{self.kind.value}:{self.phrase}"

    @property
    def question(self) -> str:
        """The yes/no question."""
        if self.kind is Kind.STUFF and _PLURAL_STUFF.search(self.phrase):
            return f"Are there any {self.phrase} in it?"
        if self.kind is Kind.STUFF and _HAS_ARTICLE.match(self.phrase):
            return f"Is there {self.phrase} in it?"
        if self.kind is Kind.COUNT and self.phrase == "nobody":
            return "Is it without any people?"
        return self._say(0)

    @property
    def prompt(self) -> str:
        """What the encoder compares pictures with."""
        return "a photo without people" if self.phrase == "nobody" else self._say(1)

    @property
    def wish(self) -> str:
        """What a yes adds to the brief (and a no keeps away)."""
        return "no people" if self.phrase == "nobody" else self._say(2)

    @property
    def common(self) -> float:
        """In what share of pictures people mention it."""
        return _commonness().get((self.kind, self.phrase), 0.0)

    def _say(self, form: int) -> str:
        return _FORMS[self.kind][form].format(x=self.phrase, a=with_article(self.phrase))


def parse_vocabulary(text: str, name: str) -> tuple[Concept, ...]:
    """Read sections of phrases; a phrase that stands twice in a section counts once."""
    kind: Kind | None = None
    concepts: dict[Concept, None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            kind = _kind(heading[1], name, number)
        elif kind is None:
            raise BadInputError(f"Line {number} of {name} stands before any section.", "Start with [things].")
        else:
            concepts.update({Concept(kind, phrase.strip()): None for phrase in line.split(",") if phrase.strip()})
    return tuple(concepts)


@lru_cache(maxsize=1)
def default_vocabulary() -> tuple[Concept, ...]:
    """The vocabulary that ships with the package."""
    return parse_vocabulary(files(__package__).joinpath("vocabulary.txt").read_text("utf-8"), "vocabulary.txt")


def read_vocabulary(file: Path) -> tuple[Concept, ...]:
    """A vocabulary of one's own, in the form of the one that ships with the package."""
    try:
        return parse_vocabulary(file.read_text("utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"The vocabulary {file} cannot be read: {error}.", "Give a UTF-8 text file.") from error


@lru_cache(maxsize=1)
def _commonness() -> dict[tuple[Kind, str], float]:
    """What share of photos people mention each concept of."""
    kind, known = Kind.THING, {}
    for line in files(__package__).joinpath("commonness.txt").read_text("utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            kind = Kind(heading[1])
        elif not line.startswith("#"):
            phrase, _, number = line.rpartition(": ")
            known[kind, phrase] = float(number) / 10_000
    return known


def commonness(phrase: str) -> float | None:
    """In what share of pictures people mention something, where the vocabulary knows it."""
    bare_phrase = _HAS_ARTICLE.sub("", phrase.lower())
    shares = [_commonness()[kind, bare_phrase] for kind in Kind if (kind, bare_phrase) in _commonness()]
    return max(shares, default=None)


def _kind(word: str, name: str, number: int) -> Kind:
    try:
        return Kind(word)
    except ValueError:
        known = ", ".join(kind.value for kind in Kind)
        raise BadInputError(f"Line {number} of {name} has an unknown section [{word}].", f"Use {known}.") from None
