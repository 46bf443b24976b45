"""Questions about one picture, answered from its attributes, its captions and what the encoder sees in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from visavis.assistant.products import SOLD, unseen_facts
from visavis.assistant.seen import COLOUR_WORDS, PictureView, Seen
from visavis.conversation.contradictions import is_colour
from visavis.conversation.fold import statement
from visavis.language.context import nouns_in, singular
from visavis.language.english import indefinite, listed
from visavis.language.lexicon import colours
from visavis.language.relative import opposite_of
from visavis.questions.attributes import valued, words_of_name
from visavis.search.captions import stems
from visavis.types import name_in_words

#: What the colours of a thing count for where its outline was not found at all.
_ROUGHLY = 0.4
#: From these probabilities on the answer is yes, and below the second it is no; between, it cannot be told.
_YES, _NO = 0.65, 0.35
#: No answer by what is seen alone is surer than this.
_SUREST = 0.99
#: ... and none about a quality.
_LOOKS = 0.7
#: An option is chosen when it has this share of what all options have, and is not unlikely itself.
_CHOSEN, _LIKELY = 0.55, 0.3

#: Attributes that tell who makes a thing.
MAKERS = ("brand", "maker", "designer", "manufacturer")
#: Questions that the attributes of photographs and shops answer: words of the question, and names of attributes.
_ATTRIBUTES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time was)\b|\bhow old is (?:this|the) (?:picture|photo|shot)",
     ("taken", "date", "year", "decade", "period")),
    (r"\bwhere (?:was|is|were) (?:this|it|that|the (?:picture|photo|shot))\b|\b(?:what|which) (?:city|country|place)\b",
     ("place", "location", "city", "country", "region", "latitude", "longitude")),
    (r"\bhow much\b|\bprice\b|\bcosts?\b|\bexpensive\b", ("price", "cost")),
    (r"\bcamera\b|\btaken with\b|\bshot on\b", ("camera",)),
    (r"\bwho (?:made|makes|designed|sells)\b|\bbrand\b|\bmade by\b|\bmanufacturer\b",
     MAKERS),
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
#: Questions for a thing, not for a quality.
_THING = re.compile(r"^(?:so,? |and )?(?:(?:is|are|was|were) there|(?:does|do|did) \w+ (?:have|show)|has|have|can)\b")
_HERE = re.compile(r" (?:(?:in|on|at) (?:it|this|here|(?:the|this) (?:picture|photo|image|one))|there|here)[?. ]*$")
_OR = re.compile(r"^(?P<first>.+?),? or (?P<second>.+)$")


#: What people ask for that is plainly told or not, by the first name of its attributes.
_UNTOLD = {"price": "its price", "brand": "who makes it", "camera": "its camera"}
#: Words for patterns in general; those of titles that name one, and that say there is none.
_PATTERN = stems("pattern patterned print printed design")
_PATTERNED = stems("print printed check checks checked striped stripe stripes floral dotted dots plaid graphic paisley")
_UNPATTERNED = stems("solid plain")
#: Words of titles behind the maker: whom a thing is for, and how it looks.
_BEHIND_MAKER = stems("men women man woman men's women's unisex kids kid boys boy girls girl teens") | _UNPATTERNED
#: The maker's name has at most so many words.
_LONGEST_MAKER = 4


@cache
def _colours() -> frozenset[str]:
    return frozenset().union(*(stems(colour) for colour in colours()))


def opposite_in(text: str) -> str | None:
    """A description with a quality turned into its opposite; None where it has none.

    >>> opposite_in("long sleeved"), opposite_in("asleep")
    ('short sleeved', None)
    """
    words = text.split()
    for at, word in enumerate(words):
        if (other := opposite_of(word)) is not None:
            return " ".join([*words[:at], other, *words[at + 1 :]])
    return None


def maker_in(title: str, values: Iterable[object]) -> str:
    """The maker that a title begins with: what stands before whom a thing is for, its colour and what it is.

    >>> maker_in("Lino Perros Women Leatherette Black Handbag", ["Black", "Handbags"])
    'Lino Perros'
    """
    ends = _BEHIND_MAKER | _PATTERNED | _colours()
    ends = ends.union(*(stems(value) for value in values if isinstance(value, str) and value != title))
    words = title.split()
    maker = list(takewhile(lambda word: not stems(word) & ends, words))
    return " ".join(maker) if 0 < len(maker) <= _LONGEST_MAKER and len(maker) < len(words) else ""


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
        for find in (
            self._attribute,
            self._unseen,
            self._size,
            self._choice,
            self._colour,
            self._many,
            self._where,
            self._whether,
        ):
            if (found := find(said)) is not None:
                return found
        return self._shows() if _SHOWS.search(said) else self._written(said)

    # -- what is written -------------------------------------------------------------------------------

    def _attribute(self, said: str) -> PictureAnswer | None:
        """An attribute that the question names or stands for."""
        own = self._view.picture.attributes
        attributes = {name_in_words(name): value for name, value in own.items()}
        called = {name_in_words(name): (name_in_words(name), " ".join(words_of_name(name))) for name in own}
        words = frozenset(map(singular, re.findall(r"[\w']+", said)))
        silent = {"title", "taken"} if "where" in words else {"title"}  # "where was it taken" asks for no time
        asked = [name for name in attributes if name not in silent]
        named = [n for n in asked if any(frozenset(map(singular, way.split())) <= words for way in called[n])]
        if not named:
            meant = [names for pattern, names in _ATTRIBUTES if re.search(pattern, said)]
            named = [name for names in meant for name in names if name in attributes]
            if meant and not named:
                return self._untold(said, meant[0][0])
        if not named:
            return None
        if "taken" in named:
            named = ["taken"]
        if "country" in named:  # names say more than numbers
            named = [name for name in named if name not in ("latitude", "longitude")]
        told = [f"{name}: {valued(name, attributes)}" for name in named[:3]]
        return PictureAnswer("; ".join(told), 1.0, "it comes with the picture")

    def _untold(self, said: str, name: str) -> PictureAnswer:
        """What is written where no attribute answers; a shop's titles begin with the maker."""
        written = self._written(said)
        title = self._view.picture.title
        if written is not UNKNOWN or name not in _UNTOLD:
            return written
        if name == "brand" and title:
            maker = maker_in(title, self._view.picture.attributes.values())
            told = f"{maker}, going by its title “{title}”" if maker else f"its title says “{title}”"
            return PictureAnswer(told, 0.9 if maker else 0.7, "it is written")
        return PictureAnswer(f"{_UNTOLD[name]} is not told here", 1.0, "nothing that came with the picture says it")

    def _unseen(self, said: str) -> PictureAnswer | None:
        """What no picture of a thing that is sold shows, and only its attributes, title and captions could tell."""
        known = {name: value for name, value in self._view.picture.attributes.items() if name != "title"}
        if not SOLD & known.keys():
            return None
        for fact in unseen_facts():
            if (found := fact.asked.search(said)) is None:
                continue
            if (told := self._told_of(stems(found["what"]))) is not None:
                return told
            if (field := fact.told_by(known)) is not None:
                return PictureAnswer(
                    f"{name_in_words(field)}: {valued(field, known)}", 1.0, "it comes with the picture"
                )
            return PictureAnswer(f"its {fact.name} is not known here", 1.0, "no picture shows that")
        return None

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
        """A caption with a noun of the question."""
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
        colours = " and ".join(COLOUR_WORDS.get(colour, colour) for colour in found.colours)
        sure = found.chance * (_ROUGHLY + (1 - _ROUGHLY) * found.outlined)  # as sure as its outline at most
        return PictureAnswer(f"the {found.noun} looks {colours}", sure, "by its look")

    def _many(self, said: str) -> PictureAnswer | None:
        if not (found := _MANY.search(said)):
            return None
        written = self._written(found["what"])
        noun = singular(found["what"].split()[-1])
        if not any(one.noun == noun for one in self._view.seen):
            return written
        seen = PictureAnswer(f"I see {found['what']}, but I cannot count them", 0.5, "by its look")
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
        if words and (told := self._told_of(words)) is not None:
            return told
        thing = _THING.match(said) is not None or about.startswith(("a ", "an ", "the ", "any ", "some "))
        against = None if thing else opposite_in(about)
        if against is not None:
            return self._either(about, against)
        seen = self._find(about) if nouns_in(about) else None
        chance = max(self._judge([about])[0], seen.chance if seen and len(words) == 1 else 0.0)
        quality = not thing and len(about.split()) == 1  # "come in gold" is no quality that a thing could look
        if chance >= _YES:
            text = f"yes, I see {about}" if thing else f"yes, it looks {about}" if quality else "yes"
            return PictureAnswer(text, min(_SUREST, chance), "by its look")
        if chance <= _NO:
            text = f"no, I do not see {about}" if thing else f"no, it does not look {about}" if quality else "no"
            return PictureAnswer(text, min(_SUREST if thing else _LOOKS, 1 - chance), "by its look")
        return UNKNOWN

    def _either(self, about: str, against: str) -> PictureAnswer:
        """A quality by its look, beside its opposite: each alone may seem unlikely."""
        chance, other = self._judge([about, against])
        share = chance / max(chance + other, 1e-9)
        if abs(share - 0.5) < _CHOSEN - 0.5:
            return UNKNOWN
        told = f"yes, it looks {about}" if share > 0.5 else f"no, it looks rather {against}"
        return PictureAnswer(told, min(_LOOKS, max(share, 1 - share)), "by its look")

    def _told_of(self, words: frozenset[str]) -> PictureAnswer | None:
        """Yes or no by the captions, the title or an attribute; None where the words occur in none of them."""
        picture = self._view.picture
        written = [("caption", caption) for caption in picture.captions] + [("title", picture.title)]
        for kind, text in written:
            if words <= stems(text):
                return PictureAnswer(f"yes, the {kind} says “{text.rstrip('.')}”", 0.95, "it is written")
        if words <= _PATTERN and (found := stems(picture.title) & (_PATTERNED | _UNPATTERNED)):
            said = "yes" if found & _PATTERNED else "no"
            return PictureAnswer(f"{said}, the title says “{picture.title}”", 0.95, "it is written")
        for name, value in picture.attributes.items():
            if name == "title" or not isinstance(value, str):
                continue
            if words == (own := stems(value)):
                return PictureAnswer(f"yes, {name_in_words(name)}: {value}", 1.0, "it comes with the picture")
            if is_colour(name) and words <= _colours() and own <= _colours() and not words & own:
                return PictureAnswer(f"no, {name_in_words(name)}: {value}", 1.0, "it comes with the picture")
        return None

    def _shows(self) -> PictureAnswer:
        seen = [indefinite(one.told) for one in self._view.told]
        caption = self._view.picture.caption or self._view.picture.title
        if caption:
            return PictureAnswer(f"“{caption.rstrip('.')}”", 0.95, "it is written")
        if not seen:
            return UNKNOWN
        mean = sum(one.chance for one in self._view.told) / len(seen)
        return PictureAnswer(f"I see {listed(seen, 'and')}", mean, "by its look")

    def _find(self, said: str) -> Seen | None:
        """The thing that a question is about."""
        nouns = [singular(noun) for noun in nouns_in(said) if not _COLOUR.fullmatch(noun) and noun not in _NO_THING]
        if not nouns:
            return next(iter(self._view.seen), None)
        return next((one for noun in nouns for one in self._view.seen if one.noun == noun), None)
