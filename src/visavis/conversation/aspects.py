"""Aspects of things that descriptions give values to: the colour of a dress, the length of its sleeves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from visavis.language.context import singular
from visavis.language.english import LITTLE_WORDS, content_words
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
_WHOM = re.compile(r"(?:men|women|boys|girls|kids|children|babies)(?:['’]s|['’])?", re.IGNORECASE)
_FOR_PEOPLE = re.compile(r"\bfor (men|women|boys|girls|kids|children|babies)\b", re.IGNORECASE)
#: The people that words for whom a thing is for mean.
_PEOPLE = {"male": "men", "mens": "men", "female": "women", "womens": "women"}
_TAIL = re.compile(r"\s+(?:ones?|colou?r|colou?red|version|instead|please|now|then|too|pattern|material|style)$")
_SHADES = frozenset(("light", "dark", "bright", "pale", "deep", "vivid", "pastel", "soft"))
_JOINS = frozenset(("and", "or", "with", "&"))
#: What ends the first thing that a description names: "a red dress | with a white collar".
_BREAK = re.compile(
    r"[,;:.]|\b(?:with|without|in|on|at|and|or|of|by|near|behind|under|over|for|that|which|who|while|is|are|has|next|"
    r"wearing|holding|having|sitting|standing|running|from|to)\b"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
#: What stands for any thing.
_ANYTHING = frozenset(("something", "anything"))
#: What joins a value to the thing before it: "shoes in brown leather", "leather shoes, brown".
_JOINED = re.compile(r"\s*(?:,|\b(?:made )?(?:in|of)\b|\b(?:that|which) (?:is|are)\b)\s*", re.IGNORECASE)
_LOOSE = re.compile(r"(?:[\s,]|\b(?:made|in|of|for|that|which|is|are)\b)+$", re.IGNORECASE)
#: Parts and patterns: a colour before one of these is not the colour of the whole.
_PARTS = {
    "stripe", "dot", "spot", "check", "sleeve", "collar", "logo", "print", "pattern", "button", "pocket", "trim",
    "lace", "belt", "hem", "cuff", "zip", "strap", "sole", "lining", "ribbon", "bow", "edge", "roof", "door", "wheel",
    "sky", "hair", "eye", "background", "flower", "letter", "writing",
}  # fmt: skip


@dataclass(frozen=True)
class Aspect:
    """The value of an aspect of a thing, as a few words give it.

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
    """The singular; "sleeves" is no "sleef", and "women's" no plural."""
    if word.endswith(("'s", "’s")):
        return word
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
        return Aspect("gender", "", _people(found[1]))
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
    return _aspect(names.pop(), " ".join(words[:count]), "" if part == topic else part)


def _aspect(name: str, value: str, part: str = "") -> Aspect:
    return Aspect(name, part, _people(value) if name == "gender" else value)


def _people(word: str) -> str:
    """Whom a thing is for, however it is said: "women's" and "female" things are for women."""
    word = re.sub(r"['’]s?$", "", word.lower())
    return _PEOPLE.get(word, word)


@lru_cache(_REMEMBERED)
def without_aspect(text: str, name: str, kept: frozenset[str] = frozenset()) -> str:
    """A description without the values that it gives to an aspect of the whole.

    Args:
        text: The description.
        name: The aspect.
        kept: Where all values are among these, they stay.

    >>> without_aspect("shoes in brown leather", "colour"), without_aspect("shoes for kids", "gender")
    ('shoes in leather', 'shoes')
    >>> without_aspect("men", "gender"), without_aspect("in blue", "colour")
    ('men', '')
    """
    spans = [found for found in described(text) if found.aspect.name == name]
    if all(found.aspect.value in kept for found in spans):
        return text
    for found in reversed(spans):
        before, after = text[: found.start], text[found.end :]
        if not after.strip() or _BREAK.match(after.strip()):
            before = _LOOSE.sub("", before)
        text = re.sub(r"\s+", " ", f"{before}{after}").strip(" ,")
    return text if content_words(text) - LITTLE_WORDS - _ANYTHING else ""


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
    first = first_thing(text)
    head = head_of(text)
    if head in _PARTS:
        return
    words = list(_WORD.finditer(first))
    yield from _runs(text, words)
    if head:
        people = [word for word in words[:-1] if _WHOM.fullmatch(word[0]) and word[0].lower() not in _values()]
        yield from (_value(text, "gender", *word.span()) for word in people)
        yield from _joined_on(text, len(first))
    for found in _FOR_PEOPLE.finditer(text):
        yield _value(text, "gender", *found.span(1))


def _joined_on(text: str, start: int) -> Iterator[DescribedValue]:
    """The values that follow the thing: "in brown leather", but not "in a brown coat"."""
    if not (joint := _JOINED.match(text, start)):
        return
    following = _BREAK.search(text, joint.end())
    words = list(_WORD.finditer(text, joint.end(), following.start() if following else len(text)))
    if words and all(word[0].lower() in _values() or word[0].lower() in _SHADES for word in words):
        yield from _runs(text, words)


def _runs(text: str, words: list[re.Match[str]]) -> Iterator[DescribedValue]:
    """The values among words; those of one aspect that follow one another are one."""
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
        yield _value(text, _values()[words[end - 1][0].lower()], words[at].start(), words[end - 1].end())
        at = end


def _value(text: str, name: str, start: int, end: int) -> DescribedValue:
    return DescribedValue(start, end, _aspect(name, plain(text[start:end])))


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
