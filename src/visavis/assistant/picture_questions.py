"""Questions about one picture, answered from its attributes, its captions and what the encoder sees in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from visavis.conversation.fold import statement
from visavis.language.context import nouns_in, singular
from visavis.language.english import listed, with_article
from visavis.pictures.picture import Picture
from visavis.questions.attributes import in_words, value_in_words
from visavis.search.captions import stems
from visavis.types import Concept

#: From these probabilities on the answer is yes, and below the second it is no; between, it cannot be told.
_YES, _NO = 0.65, 0.35
#: No answer by what is seen alone is surer than this.
_SUREST = 0.99
#: An option is chosen when it has this share of what all options have, and is not unlikely itself.
_CHOSEN, _LIKELY = 0.55, 0.3
#: Things seen that are told.
_TOLD = 6

#: Questions that the attributes of photographs and shops answer: words of the question, and names of attributes.
_ATTRIBUTES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time was)\b|\bhow old is (?:this|the) (?:picture|photo|shot)",
     ("taken", "date", "year", "decade", "period")),
    (r"\bwhere (?:was|is|were) (?:this|it|that|the (?:picture|photo|shot))\b|\b(?:what|which) (?:city|country|place)\b",
     ("place", "location", "city", "country", "region", "latitude", "longitude")),
    (r"\bhow much\b|\bprice\b|\bcosts?\b|\bexpensive\b", ("price", "cost")),
    (r"\bcamera\b|\btaken with\b|\bshot on\b", ("camera",)),
    (r"\bwho (?:made|makes|designed|sells)\b|\bbrand\b", ("brand", "maker", "designer", "manufacturer")),
    (r"\bwho (?:took|shot|photographed|painted|drew)\b", ("photographer", "artist", "author", "creator")),
    (r"\bmade (?:of|from|out of)\b|\bmaterial\b|\bfabric\b", ("material", "fabric")),
)  # fmt: skip
#: Questions with few possible answers: words of the question, and the answers as people would describe the picture.
_CHOICES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\bweather\b", ("sunny weather", "cloudy weather", "rainy weather", "snowy weather", "foggy weather")),
    (r"\bseason\b", ("spring", "summer", "autumn", "winter")),
    (r"\btime of (?:the )?day\b|\bday ?time or\b", ("daytime", "night", "sunset or sunrise")),
    (r"\bin(?:side|doors?) or out|\bout(?:side|doors?) or in", ("indoors", "outdoors")),
)  # fmt: skip
_SIZE = re.compile(r"\bresolution\b|\bdimensions\b|\bpixels?\b|\bmegapixels?\b|\bhow (?:big|large|wide|tall|high) is "
                   r"(?:it|this|the (?:picture|photo|file|image))\b|\bfile\b")  # fmt: skip
_COLOUR = re.compile(r"\bcolou?rs?\b")
_MANY = re.compile(r"\bhow many (?P<what>.+?)(?: (?:are|is|do|does|can|in|on|there)\b.*)?[?. ]*$")
_PLACE = re.compile(r"\bwhere(?: is| are|'s) (?:the |a |an |her |his )?(?P<what>.+?)[?. ]*$")
_SHOWS = re.compile(
    r"\bwhat(?: is|'s| are) (?:this|it|that|here|in (?:it|this|the (?:picture|photo)))[?. ]*$|"
    r"\bwhat (?:does|do) (?:it|this|the (?:picture|photo)) show|\bwhat (?:can|do) you see|"
    r"\bwhat(?:'s| is) (?:happening|going on)"
)
_NO_THING = frozenset("what which who how many much kind sort exactly really does do".split())
_IF = re.compile(r"^(?:so,? |and )?(?:is|are|was|were|does|do|did|has|have|can|could|will|am)\b", re.IGNORECASE)
_HERE = re.compile(r" (?:(?:in|on|at) (?:it|this|here|(?:the|this) (?:picture|photo|image|one))|there|here)[?. ]*$")
_OR = re.compile(r"^(?P<first>.+?),? or (?P<second>.+)$")


@dataclass(frozen=True)
class Seen:
    """A thing that the encoder sees in a picture."""

    noun: str
    colours: tuple[str, ...]
    place: str
    chance: float

    @classmethod
    def of(cls, concept: Concept) -> Seen:
        """From a concept."""
        return cls(concept.noun, concept.attributes, concept.place, concept.chance)

    @property
    def told(self) -> str:
        """The thing with its colours."""
        return f"{'/'.join(self.colours)} {self.noun}".strip()


@dataclass(frozen=True)
class PictureView:
    """A picture, and what is seen in it, the surest first."""

    picture: Picture
    seen: tuple[Seen, ...] = ()


@dataclass(frozen=True)
class PictureAnswer:
    """An answer.

    Attributes:
        text: In words, without a full stop; empty where it cannot be told.
        chance: How sure it is, 0..1; 1 for what is written.
        source: Where it comes from.
    """

    text: str
    chance: float
    source: str


UNKNOWN = PictureAnswer("", 0.0, "")


class PictureQuestions:
    """Answers questions about one picture.

    Args:
        view: What is known of it.
        judge: Says how likely each of some descriptions is true of the picture.
    """

    def __init__(self, view: PictureView, judge: Callable[[Sequence[str]], list[float]]) -> None:
        self._view = view
        self._judge = judge

    def answer(self, question: str) -> PictureAnswer:
        """The answer, or :data:`UNKNOWN`."""
        said = " ".join(question.lower().replace("’", "'").split())
        for find in (self._attribute, self._size, self._choice, self._colour, self._many, self._where, self._whether):
            if (found := find(said)) is not None:
                return found
        return self._shows() if _SHOWS.search(said) else self._written(said)

    # -- what is written -------------------------------------------------------------------------------

    def _attribute(self, said: str) -> PictureAnswer | None:
        """An attribute that the question names or stands for."""
        attributes = {in_words(name): value for name, value in self._view.picture.attributes.items()}
        words = frozenset(map(singular, re.findall(r"[\w']+", said)))
        silent = {"title", "taken"} if "where" in words else {"title"}  # "where was it taken" asks for no time
        named = [name for name in attributes if name not in silent and frozenset(map(singular, name.split())) <= words]
        if not named:
            meant = [names for pattern, names in _ATTRIBUTES if re.search(pattern, said)]
            named = [name for names in meant for name in names if name in attributes]
            if meant and not named:
                caption = self._written(said)
                return caption if caption is not UNKNOWN else UNKNOWN
        if not named:
            return None
        if "taken" in named:
            named = ["taken"]
        if "country" in named:  # names say more than numbers
            named = [name for name in named if name not in ("latitude", "longitude")]
        told = [f"{name}: {value_in_words(attributes[name])}" for name in named[:3]]
        return PictureAnswer("; ".join(told), 1.0, "it comes with the picture")

    def _size(self, said: str) -> PictureAnswer | None:
        if not _SIZE.search(said):
            return None
        picture = self._view.picture
        mega = picture.width * picture.height / 1e6
        return PictureAnswer(
            f"{picture.width} × {picture.height} pixels ({mega:.1f} megapixels, {picture.format or 'file'} of "
            f"{max(1, picture.bytes // 1000):,} kB)",
            1.0,
            "by its file",
        )

    def _written(self, said: str) -> PictureAnswer:
        """A caption that speaks of what the question names."""
        asked = frozenset(map(singular, nouns_in(said)))
        for caption in self._view.picture.captions:
            if asked & stems(caption):
                return PictureAnswer(f"the caption says “{caption.rstrip('.')}”", 0.9, "it is written")
        return UNKNOWN

    # -- what is seen ----------------------------------------------------------------------------------

    def _choice(self, said: str) -> PictureAnswer | None:
        options = next((options for pattern, options in _CHOICES if re.search(pattern, said)), None)
        if options is None:
            if not _IF.match(said) or not (found := _OR.match(statement(said))):
                return None
            options = (found["first"], found["second"])
        chances = self._judge(options)
        best = max(range(len(options)), key=chances.__getitem__)
        share = chances[best] / max(sum(chances), 1e-9)
        if share < _CHOSEN or chances[best] < _LIKELY:
            return UNKNOWN
        return PictureAnswer(options[best], min(_SUREST, share * min(1.0, chances[best] / _YES)), "by its look")

    def _colour(self, said: str) -> PictureAnswer | None:
        if not _COLOUR.search(said) or _IF.match(said):
            return None
        found = self._find(said)
        if found is None:
            return UNKNOWN
        return PictureAnswer(f"the {found.noun} looks {' and '.join(found.colours)}", found.chance, "by its look")

    def _many(self, said: str) -> PictureAnswer | None:
        if not (found := _MANY.search(said)):
            return None
        written = self._written(found["what"])
        noun = singular(found["what"].split()[-1])
        many = sum(one.noun == noun for one in self._view.seen)
        if many == 0:
            return written
        told = f"{many} {noun if many == 1 else found['what']}"
        seen = PictureAnswer(f"I can make out {told}, but I count badly", 0.5, "by its look")
        return PictureAnswer(f"{written.text}; {seen.text}", 0.7, "it is written") if written is not UNKNOWN else seen

    def _where(self, said: str) -> PictureAnswer | None:
        if not (asked := _PLACE.search(said)):
            return None
        found = self._find(asked["what"])
        return (
            UNKNOWN if found is None else PictureAnswer(f"the {found.noun}: {found.place}", found.chance, "by its look")
        )

    def _whether(self, said: str) -> PictureAnswer | None:
        """Yes or no."""
        if not _IF.match(said):
            return None
        about = _HERE.sub("", statement(said))
        if not about:
            return UNKNOWN
        words = stems(about)
        for caption in self._view.picture.captions:
            if words and words <= stems(caption):
                return PictureAnswer(f"yes, the caption says “{caption.rstrip('.')}”", 0.95, "it is written")
        seen = self._find(about) if nouns_in(about) else None
        chance = max(self._judge([about])[0], seen.chance if seen and len(words) == 1 else 0.0)
        if chance >= _YES:
            return PictureAnswer(f"yes, it looks like {about}", min(_SUREST, chance), "by its look")
        if chance <= _NO:
            return PictureAnswer(f"no, I do not see {about}", min(_SUREST, 1 - chance), "by its look")
        return UNKNOWN

    def _shows(self) -> PictureAnswer:
        seen = [with_article(one.told) for one in self._view.seen[:_TOLD]]
        caption = self._view.picture.caption or self._view.picture.title
        if caption:
            return PictureAnswer(f"“{caption.rstrip('.')}”", 0.95, "it is written")
        if not seen:
            return UNKNOWN
        mean = sum(one.chance for one in self._view.seen[:_TOLD]) / len(seen)
        return PictureAnswer(f"I see {listed(seen, 'and')}", mean, "by its look")

    def _find(self, said: str) -> Seen | None:
        """The thing that a question is about."""
        nouns = [singular(noun) for noun in nouns_in(said) if not _COLOUR.fullmatch(noun) and noun not in _NO_THING]
        if not nouns:
            return next(iter(self._view.seen), None)
        return next((one for noun in nouns for one in self._view.seen if one.noun == noun), None)
