"""Aspects of things that descriptions give values to: the colour of a dress, the length of its sleeves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from visavis.language.context import singular
from visavis.language.lexicon import colours
from visavis.language.relative import OPPOSITES

#: The same wishes are looked at in every turn, so what was found out about a few thousand texts is kept.
_REMEMBERED = 4096
#: Values that exclude one another, by the aspect that they are values of.
_VALUES = {
    "pattern": (
        "striped stripy plain solid floral flowered checked checkered plaid tartan dotted spotted paisley gingham "
        "camouflage patterned"
    ),
    "material": (
        "leather suede denim cotton linen silk satin velvet wool woollen knitted lace nylon fleece cashmere wooden "
        "metal plastic glass stone concrete brick"
    ),
    "gender": "men's mens male women's womens female unisex",
    "season": "spring summer autumn winter",
    "time of day": "daytime night nighttime sunset sunrise dusk dawn",
    "place": "indoor indoors outdoor outdoors inside outside",
    "length": "long short mini midi maxi knee-length ankle-length three-quarter",
}
_FRAME = re.compile(
    r"^(?:(?:in|with|of|at|a|an|the|it|them|make|but|and|all|colou?r|only|just|for|some|during|from|made|please)\s+)+"
)
_FOR_WHOM = re.compile(r"(?:(?:only|just|but) )?for (men|women|boys|girls|kids|children|babies)")
_WHOM = re.compile(r"\b(?:for )?(?:men|women|boys|girls|kids|children|babies)(?:'s|')?(?: |$)", re.IGNORECASE)
_TAIL = re.compile(r"\s+(?:ones?|colou?r|colou?red|version|instead|please|now|then|too|pattern|material|style)$")
_SHADES = frozenset(("light", "dark", "bright", "pale", "deep", "vivid", "pastel", "soft"))
_JOINS = frozenset(("and", "or", "with", "&"))
#: What ends the first thing that a description names: "a red dress | with a white collar".
_BREAK = re.compile(
    r"[,;:.]|\b(?:with|without|in|on|at|and|or|of|by|near|behind|under|over|for|that|which|who|while|is|are|has|next|"
    r"wearing|holding|having|sitting|standing|running|from|to)\b"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: Parts and patterns: a colour before one of these is not the colour of the whole.
_PARTS = {
    "stripe", "dot", "spot", "check", "sleeve", "collar", "logo", "print", "pattern", "button", "pocket", "trim",
    "lace", "belt", "hem", "cuff", "zip", "strap", "sole", "lining", "ribbon", "bow", "edge", "roof", "door", "wheel",
    "sky", "hair", "eye", "background", "flower", "letter", "writing",
}  # fmt: skip


@dataclass(frozen=True)
class Aspect:
    """What a few words say.

    Attributes:
        name: Which aspect: ``colour``, ``pattern``, ``length``, or a pair of opposites.
        part: What it is the aspect of ("sleeve"), or an empty text for the whole.
        value: The words for the value.
    """

    name: str
    part: str
    value: str

    def contradicts(self, other: Aspect) -> bool:
        """Whether both cannot hold."""
        return self.name == other.name and self.part == other.part and self.value != other.value


@dataclass(frozen=True)
class DescribedValue:
    """A value that a description gives to the thing it is about: where in the text it stands, and which it is."""

    start: int
    end: int
    aspect: Aspect


@cache
def _values() -> dict[str, str]:
    """Every single-word value with its aspect."""
    known = {word: name for name, words in _VALUES.items() for word in words.split()}
    for one, other in OPPOSITES:
        if one not in known and other not in known:
            known[one] = known[other] = f"{one} or {other}"
    return {**known, **dict.fromkeys(colours(), "colour")}


def plain(text: str) -> str:
    """A phrase as phrases are compared: lower case, without what frames it, in the singular."""
    text = _FRAME.sub("", text.lower().strip(" .!?,"))
    while (shorter := _TAIL.sub("", text)) != text:
        text = shorter
    return " ".join(_one(word) for word in _WORD.findall(text))


def _one(word: str) -> str:
    """The singular; "sleeves" is no "sleef"."""
    return word[:-1] if word.endswith("eves") else singular(word)


@lru_cache(_REMEMBERED)
def aspect_of(text: str, topic: str = "") -> Aspect | None:
    """The aspect that a text is about, when it says nothing else.

    Args:
        text: The wish: "in blue", "light blue ones", "red stripes", "sleeveless".
        topic: The noun of the thing searched for; its aspects are those of the whole.

    >>> aspect_of("in blue")
    Aspect(name='colour', part='', value='blue')
    >>> aspect_of("red stripes")
    Aspect(name='colour', part='stripe', value='red')
    >>> aspect_of("a dog") is None
    True
    """
    if found := _FOR_WHOM.fullmatch(text.lower().strip(" .!?,")):  # plain "men" may well be what is looked for
        return Aspect("gender", "", found[1])
    phrase = plain(text)
    if phrase == "sleeveless":
        return Aspect("length", "sleeve", "none")
    words = phrase.split()
    count = 0
    while count < len(words) and (words[count] in _values() or words[count] in _SHADES | _JOINS):
        count += 1
    names = {_values()[word] for word in words[:count] if word in _values() and word not in _SHADES}
    if not names:  # "dark" alone is a value of its own; before a colour it is a shade of it
        names = {_values()[word] for word in words[:count] if word in _values()}
    if len(names) != 1 or len(words) - count > 1:
        return None
    part = words[count] if count < len(words) else ""
    return Aspect(names.pop(), "" if part == topic else part, " ".join(words[:count]))


def for_nobody(text: str) -> str:
    """A description without the people that a thing is for; as it is where nothing else would be left.

    >>> for_nobody("shoes for kids"), for_nobody("women's running shoes"), for_nobody("men")
    ('shoes', 'running shoes', 'men')
    """
    return " ".join(_WHOM.sub("", text).split()) or text


@lru_cache(_REMEMBERED)
def head_of(text: str) -> str:
    """The noun of the thing that a description is about: "dress" of "a red dress with a white collar"."""
    words = _WORD.findall(first_thing(text).lower())
    return _one(words[-1]) if words and words[-1] not in _values() else ""


@lru_cache(_REMEMBERED)
def described(text: str) -> tuple[DescribedValue, ...]:
    """The values that a description gives to the thing it is about, not to its parts or to other things."""
    return tuple(_described(text))


def _described(text: str) -> Iterator[DescribedValue]:
    head = head_of(text)
    if not head or head in _PARTS:
        return
    words = list(_WORD.finditer(first_thing(text)))
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and _belongs(words[end][0].lower(), words[at:end]):
            end += 1
        while end > at and words[end - 1][0].lower() not in _values():  # "black and" ends before the "and"
            end -= 1
        if end == at:
            at += 1
            continue
        start, stop = words[at].start(), words[end - 1].end()
        yield DescribedValue(start, stop, Aspect(_values()[words[end - 1][0].lower()], "", plain(text[start:stop])))
        at = end


def _belongs(word: str, run: list[re.Match[str]]) -> bool:
    """Whether a word goes on with a value: another value of the same aspect, a shade before it, an "and" within it."""
    names = {_values().get(before[0].lower()) for before in run if before[0].lower() not in _SHADES | _JOINS}
    if word in _JOINS:
        return bool(names)
    return word in _SHADES or (word in _values() and names <= {_values()[word]})


#: What a thing is counted in.
_MEASURES = frozenset("pair pairs couple set sets piece pieces bunch group".split())


def first_thing(text: str) -> str:
    """The text up to the end of the first thing it names, in its own letters and places."""
    for found in _BREAK.finditer(text):
        before = _WORD.findall(text[: found.start()].lower())
        # "in the snow, a train" begins with a break, and "a black and white dress" has one within a value.
        if not before or before[-1] in _MEASURES:  # "a pair of black shoes" are shoes
            continue
        if not (found[0] in _JOINS and before[-1] in _values() and _value_follows(text[found.end() :])):
            return text[: found.start()]
    return text


def _value_follows(text: str) -> bool:
    found = _WORD.search(text.lower())
    return found is not None and found[0] in _values()
