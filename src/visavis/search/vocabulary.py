"""The concepts that pictures show, and the contrasts between them: how each is asked about, searched for and wished."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

from visavis.errors import BadInputError
from visavis.language.english import with_article
from visavis.types import Kind, Proposition

#: For each kind: the question, what the encoder is asked, and the wish a yes stands for. ``{a}`` has an article.
_FORMS: dict[Kind, tuple[str, str, str]] = {
    Kind.THING: ("Is there {a} in it?", "a photo of {a}", "{a}"),
    Kind.STUFF: ("Is there any {x} in it?", "a photo of {x}", "{x}"),
    Kind.PLACE: ("Is it {x}?", "a photo taken {x}", "{x}"),
    Kind.ACTIVITY: ("Does it show someone {x}?", "a photo of someone {x}", "someone {x}"),
    Kind.HAPPENING: ("Does it show {x}?", "a photo of {x}", "{x}"),
    Kind.COLOUR: ("Is {x} one of its main colours?", "a photo of something {x}", "something {x}"),
    Kind.COUNT: ("Does it show {x}?", "a photo of {x}", "{x}"),
    Kind.MATERIAL: (
        "Is something in it made of {x}?",
        "a photo of something made of {x}",
        "something made of {x}",
    ),
    Kind.LOOK: ("Is it {x}?", "{x}", "{x}"),
    Kind.STATE: ("Is it {x} there?", "a photo of {a} scene", "{a} scene"),
}
_PLURAL_STUFF = re.compile(r"(?<!s)s$|^(?:people|children|men|women|cattle|livestock)$|s on the ground$")
_HAS_ARTICLE = re.compile(r"^(?:an?|the) ")


@dataclass(frozen=True)
class Term:
    """An entry of the vocabulary: something that a picture may show.

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


def parse_vocabulary(text: str, name: str) -> tuple[Term, ...]:
    """Read sections of phrases; a phrase that stands twice in a section counts once."""
    kind: Kind | None = None
    concepts: dict[Term, None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            kind = _kind(heading[1], name, number)
        elif kind is None:
            raise BadInputError(f"Line {number} of {name} stands before any section.", "Start with [things].")
        else:
            concepts.update({Term(kind, phrase.strip()): None for phrase in line.split(",") if phrase.strip()})
    return tuple(concepts)


@lru_cache(maxsize=1)
def default_vocabulary() -> tuple[Term, ...]:
    """The vocabulary that ships with the package."""
    return parse_vocabulary(files(__package__).joinpath("vocabulary.txt").read_text("utf-8"), "vocabulary.txt")


def read_vocabulary(file: Path) -> tuple[Term, ...]:
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


#: The options are few and broad: where nothing is known of one, it is taken to be as common as such things are.
_COMMON = 0.1


@dataclass(frozen=True)
class Contrast:
    """A question whose options exclude each other: pairs of what is said and what the encoder is asked."""

    text: str
    kind: Kind
    options: tuple[tuple[str, str], ...]


def _contrast(text: str, kind: Kind, options: str) -> Contrast:
    """Options as ``said: prompt | said: prompt``."""
    pairs = (option.split(": ") for option in options.split(" | "))
    return Contrast(text, kind, tuple((label, prompt) for label, prompt in pairs))


CONTRASTS = (
    _contrast(
        "Is it indoors or outdoors?",
        Kind.PLACE,
        "indoors: a photo taken indoors | outdoors: a photo taken outdoors",
    ),
    _contrast(
        "Is it by day or at night?",
        Kind.PLACE,
        "by day: a photo taken by day | at night: a photo taken at night",
    ),
    _contrast(
        "Is it in the city, in the countryside or by the water?",
        Kind.PLACE,
        "city: a photo taken in a city | countryside: a photo taken in the countryside"
        " | water: a photo taken by the water",
    ),
    _contrast(
        "How many people are there: none, one, two or many?",
        Kind.COUNT,
        "none: a photo without people | one: a photo of one person | two: a photo of two people"
        " | many: a photo of many people",
    ),
    _contrast(
        "Is it mainly about people, animals or things?",
        Kind.STUFF,
        "people: a photo of people | animals: a photo of animals | things: a photo of things",
    ),
    _contrast("Is it a close-up or a wide view?", Kind.LOOK, "close-up: a close-up | wide view: a wide view"),
    _contrast(
        "Is it in colour or black and white?",
        Kind.LOOK,
        "colour: a colour photo | black and white: a black and white photo",
    ),
    _contrast("Is it a man or a woman?", Kind.THING, "man: a photo of a man | woman: a photo of a woman"),
    _contrast("Is it a grown-up or a child?", Kind.THING, "grown-up: a photo of an adult | child: a photo of a child"),
)


@cache
def propositions_of(contrast: Contrast) -> tuple[Proposition, ...]:
    """What each option of a contrast stands for."""
    return tuple(
        Proposition(_wish(prompt), prompt, contrast.kind, common=commonness(_wish(prompt)) or _COMMON)
        for _, prompt in contrast.options
    )


def propositions() -> tuple[Proposition, ...]:
    """What every option of the fixed contrasts stands for."""
    return tuple(proposition for contrast in CONTRASTS for proposition in propositions_of(contrast))


def _wish(prompt: str) -> str:
    return prompt.removeprefix("a photo of ").removeprefix("a photo ").removeprefix("taken ")


def prompts() -> tuple[str, ...]:
    """Every prompt of the fixed contrasts."""
    return tuple(prompt for contrast in CONTRASTS for _, prompt in contrast.options)
