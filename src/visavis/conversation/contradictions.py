"""Contradictions between wishes about the same aspect: the later one counts, the earlier is shown as replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from visavis.conversation.brief import comparison
from visavis.language.commands import Filter
from visavis.language.context import singular
from visavis.language.lexicon import colours
from visavis.language.relative import OPPOSITES, relative_changes
from visavis.types import Wish

_COLOUR_FIELDS = frozenset(("colour", "color", "basecolour", "basecolor"))


def topic_of(wishes: Iterable[Wish]) -> str:
    """The noun of the thing searched for, or an empty text."""
    for wish in wishes:
        if wish.active and wish.kind == "want" and (head := head_of(wish.text)):
            return head
    return ""


def settle(wishes: tuple[Wish, ...], new: Wish) -> tuple[Wish, ...]:
    """The wishes with a new one, those that it contradicts marked as replaced.

    "blue" after "red" replaces it; "blue" after "red stripes" does not; "blue" after "red dress" makes it a
    "blue dress". A pinned wish is never replaced.
    """
    if any(_same(wish, new) for wish in wishes):
        return wishes
    topic = topic_of(wishes)
    kept: list[Wish] = []
    for wish in wishes:
        if not wish.active or wish.pinned:
            kept.append(wish)
            continue
        if (changed := _rewritten(wish, new, topic)) is not None:
            kept.append(_ended(wish, new.turn))
            if not changed:  # nothing of the old description is left
                continue
            if new.kind == "want":
                new = replace(new, text=changed)
            else:
                kept.append(replace(wish, id=f"{new.id}r", text=changed))
            continue
        kept.append(_ended(wish, new.turn) if _contradicts(new, wish, topic) else wish)
    return (*kept, new)


def _ended(wish: Wish, turn: int) -> Wish:
    return replace(wish, active=False, end="replaced", ended=turn)


def _same(wish: Wish, new: Wish) -> bool:
    if not wish.active or wish.kind != new.kind or new.kind == "relative":
        return False
    if new.kind in ("like", "unlike", "keep"):
        return (wish.picture, wish.attribute) == (new.picture, new.attribute)
    return (wish.text, wish.attribute) == (new.text, new.attribute)


def _contradicts(new: Wish, old: Wish, topic: str) -> bool:
    pair = (old.kind, new.kind)
    match pair:
        case ("sort", "sort"):
            return True
        case ("filter", "filter"):
            return _filters_clash(old, new)
        case ("like", "unlike") | ("unlike", "like"):
            return old.picture == new.picture
        case ("keep", "keep"):
            return plain(old.attribute) == plain(new.attribute)
        case ("want", "avoid") | ("avoid", "want"):
            return plain(old.text) == plain(new.text)
        case ("relative", "relative"):
            return _changes_clash(old.text, new.text)
        case ("want", "want"):
            one, other = aspect_of(old.text, topic), aspect_of(new.text, topic)
            return one is not None and other is not None and one.contradicts(other)
        case ("keep", "want"):  # "keep the colour of turn 1", then "in red"
            said = aspect_of(new.text, topic)
            return said is not None and _names(old.attribute) == said.name and not said.part
        case ("want", "keep"):
            said = aspect_of(old.text, topic)
            return said is not None and _names(new.attribute) == said.name and not said.part
        case ("filter", "want"):
            return _filter_denies(old, new.text, topic)
        case _:
            return False


def _rewritten(old: Wish, new: Wish, topic: str) -> str | None:
    """The old description with the new value in the place of the old one, or without it; None to leave it as it is."""
    if old.kind != "want" or new.kind not in ("want", "avoid"):
        return None
    said = aspect_of(new.text, topic)
    if said is None or said.part:
        return None
    for found in described(old.text):
        if found.aspect.name != said.name:
            continue
        before, after = old.text[: found.start], old.text[found.end :]
        if new.kind == "want" and found.aspect.value != said.value:
            return f"{before}{said.value}{after}"
        if new.kind == "avoid" and found.aspect.value == said.value:
            return re.sub(r"\s+", " ", f"{before}{after}").strip()
    return None


def _names(attribute: str) -> str:
    """The aspect that an attribute's name stands for."""
    word = plain(attribute)
    return {"color": "colour", "fabric": "material", "print": "pattern"}.get(word, word)


def _changes_clash(old: str, new: str) -> bool:
    """Whether both are about the same qualities: then only the later comparison, with the later picture, counts."""

    def qualities(text: str) -> set[tuple[frozenset[str], str]]:
        return {(frozenset((change.toward, change.away_from)), change.part) for change in relative_changes(text)}

    earlier = qualities(old)
    return bool(earlier) and earlier <= qualities(new)


_UPWARD, _DOWNWARD = frozenset((">", ">=")), frozenset(("<", "<="))


def _filters_clash(old: Wish, new: Wish) -> bool:
    """Whether a later filter on the same attribute takes the place of an earlier one."""
    one, other = comparison(old), comparison(new)
    if one is None or other is None or one.field != other.field:
        return False
    kinds = {one.comparison, other.comparison}
    if "!=" in kinds:
        return kinds == {"=", "!="} and bool(set(one.values) & set(other.values))
    if kinds <= _UPWARD or kinds <= _DOWNWARD or "=" in kinds:
        return True
    return _is_empty(one, other)


def _is_empty(one: Filter, other: Filter) -> bool:
    """Whether no number lies between a lower and an upper bound."""
    low, high = (one, other) if one.comparison in _UPWARD else (other, one)
    return isinstance(low.values[0], float) and isinstance(high.values[0], float) and low.values[0] > high.values[0]


def _filter_denies(old: Wish, text: str, topic: str) -> bool:
    """Whether "only red ones" stands against a wish for blue."""
    said = aspect_of(text, topic)
    filter = comparison(old)
    if said is None or said.name != "colour" or said.part or filter is None or filter.comparison != "=":
        return False
    values = {plain(str(value)) for value in filter.values}
    return filter.field.lower() in _COLOUR_FIELDS and said.value not in values


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


@lru_cache(_REMEMBERED)
def head_of(text: str) -> str:
    """The noun of the thing that a description is about: "dress" of "a red dress with a white collar"."""
    words = _WORD.findall(_first_thing(text).lower())
    return _one(words[-1]) if words and words[-1] not in _values() else ""


@lru_cache(_REMEMBERED)
def described(text: str) -> tuple[DescribedValue, ...]:
    """The values that a description gives to the thing it is about, not to its parts or to other things."""
    return tuple(_described(text))


def _described(text: str) -> Iterator[DescribedValue]:
    head = head_of(text)
    if not head or head in _PARTS:
        return
    words = list(_WORD.finditer(_first_thing(text)))
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


def _first_thing(text: str) -> str:
    """The text up to the end of the first thing it names, in its own letters and places."""
    for found in _BREAK.finditer(text):
        before = _WORD.findall(text[: found.start()].lower())
        # "in the snow, a train" begins with a break, and "a black and white dress" has one within a value.
        if before and not (found[0] in _JOINS and before[-1] in _values() and _value_follows(text[found.end() :])):
            return text[: found.start()]
    return text


def _value_follows(text: str) -> bool:
    found = _WORD.search(text.lower())
    return found is not None and found[0] in _values()
