"""Contradictions between wishes about the same aspect: the later one counts, the earlier is shown as replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from visavis.conversation.aspects import Aspect, aspect_of, described, first_thing, head_of, plain, without_aspect
from visavis.conversation.brief import comparison
from visavis.language.commands import Filter
from visavis.language.english import content, content_words
from visavis.language.lexicon import colours
from visavis.language.relative import relative_changes
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
    "blue dress". Of alternatives a later wish may choose some ("bathrooms" of "kitchens or bathrooms"), take one away
    ("no red ones" of red or blue ones) or add to them. A pinned wish is never replaced.
    """
    if any(_same(wish, new) for wish in wishes):
        return wishes
    topic = topic_of(wishes)
    kept: list[Wish] = []
    absorbed = False
    for wish in wishes:
        if not wish.active or wish.pinned:
            kept.append(wish)
            continue
        if new.kind in ("filter", "avoid") and (fewer := without_values(wish, _denied(new, wish))) is not None:
            kept += [_ended(wish, new.turn), replace(fewer, id=new.id, turn=new.turn)]
            absorbed = True
            continue
        if (changed := _rewritten(wish, new, topic)) is not None:
            kept.append(_ended(wish, new.turn))
            if not changed:  # nothing of the old description is left
                continue
            if new.kind == "want":
                new = replace(new, text=changed)
            else:
                kept.append(_shortened(wish, changed, new, kept))
            continue
        wants = (wish.kind, new.kind) == ("want", "want")
        if wants and (shorter := _overruled(wish.text, new.text, topic)) is not None:
            kept += [_ended(wish, new.turn), *([_shortened(wish, shorter, new, kept)] if shorter else [])]
            continue
        if wants and (chosen := chosen_way(wish.text, new.text)) is not None:
            kept.append(_ended(wish, new.turn))
            new = replace(new, text=chosen)
            continue
        kept.append(_ended(wish, new.turn) if _contradicts(new, wish, topic) else wish)
    return tuple(kept) if absorbed else (*kept, new)


def _shortened(wish: Wish, text: str, new: Wish, others: Iterable[Wish]) -> Wish:
    """What is left of a wish, with an id of its own."""
    id = f"{new.id}r"
    while any(other.id == id for other in others):
        id += "r"
    return replace(wish, id=id, text=text)


def _ended(wish: Wish, turn: int) -> Wish:
    return replace(wish, active=False, end="replaced", ended=turn)


def _same(wish: Wish, new: Wish) -> bool:
    if not wish.active or wish.kind != new.kind or new.kind == "relative":
        return False
    if new.kind in ("like", "unlike", "keep"):
        return (wish.picture, wish.attribute) == (new.picture, new.attribute)
    if new.kind in ("want", "avoid") and content(wish.text) == content(new.text) != []:
        return True  # "striped" after "stripes"
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
            clash = one is not None and other is not None and one.contradicts(other)
            return clash or _adds_to(new.text, old.text)
        case ("keep", "want"):  # "keep the colour of turn 1", then "in red"
            said = aspect_of(new.text, topic)
            return said is not None and _names(old.attribute) == said.name and not said.part
        case ("want", "keep"):
            said = aspect_of(old.text, topic)
            return said is not None and _names(new.attribute) == said.name and not said.part
        case ("filter", "want"):
            return _filter_denies(old, new.text, topic)
        case ("want", "filter"):  # "red", then "only blue or green ones"
            said = aspect_of(old.text, topic) if is_colour(new.attribute) else None
            if said is None or said.name != "colour" or said.part:
                return False
            return filter_values(new) not in (frozenset(), {said.value})
        case _:
            return False


def _rewritten(old: Wish, new: Wish, topic: str) -> str | None:
    """The old description with the new value in the place of the old one, or without it; None to leave it as it is."""
    if old.kind == "want" and new.kind == "filter" and (name := _aspect_filtered(new.attribute)):
        values = filter_values(new)  # "something for women", said of shoes for kids
        other = without_aspect(old.text, name, values if len(values) == 1 else frozenset())
        return None if not values or other == old.text else other
    if old.kind != "want" or new.kind not in ("want", "avoid"):
        return None
    if new.kind == "avoid" and (fewer := without_way(old.text, new.text)) is not None:
        return fewer
    said = aspect_of(new.text, topic)
    if said is None or said.part or (new.kind == "want" and new.text.lower().startswith("with ")):
        return None  # "something red", "with blue": both
    for found in described(old.text):
        if found.aspect.name != said.name:
            continue
        before, after = old.text[: found.start], old.text[found.end :]
        if new.kind == "want" and found.aspect.value != said.value:
            return f"{before}{_worded(said, old.text[found.start : found.end])}{after}"
        if new.kind == "avoid" and found.aspect.value == said.value:
            return re.sub(r"\s+", " ", f"{before}{after}").strip()
    return None


def _overruled(old: str, new: str, topic: str) -> str | None:
    """An old description without what a new one of the same thing says otherwise: "blue ones for women"."""
    if aspect_of(new, topic) is not None or head_of(new) not in ("", "one", topic):
        return None
    shorter = old
    for found in described(new):
        if any(found.aspect.contradicts(before.aspect) for before in described(shorter)):
            shorter = without_aspect(shorter, found.aspect.name)
    return shorter if shorter != old else None


def _worded(said: Aspect, before: str) -> str:
    """A value in the form that the one before it has: "men's shoes" become "women's shoes"."""
    if said.name != "gender" or not before.endswith(("'s", "’s", "mens")):
        return said.value
    return f"{said.value}'" if said.value.endswith("s") else f"{said.value}'s"


#: What stands between alternatives.
_OR = re.compile(r",? or ")


def ways_in(text: str) -> list[str]:
    """The descriptions between "or"; colours share the thing that the last one names.

    >>> ways_in("cats or dogs"), ways_in("black or white dogs")
    (['cats', 'dogs'], ['black dogs', 'white dogs'])
    """
    *first, last = _OR.split(text)
    colour, _, thing = last.partition(" ")
    if thing and all(word.lower() in colours() for word in (colour, *first)):
        first = [f"{other} {thing}" for other in first]
    return [*first, last]


def chosen_way(old: str, new: str) -> str | None:
    """What is left of alternatives when a later description names some of them; None where it does not.

    >>> chosen_way("cats or dogs on a beach", "cats"), chosen_way("cats or dogs", "brown dogs")
    ('cats on a beach', None)
    """
    ways = ways_in(old)
    named = [content_words(way) for way in ways_in(new)] if len(ways) > 1 else []
    left = [way for way in ways if any(words <= content_words(way) for words in named)]
    if not 0 < len(left) < len(ways) or len(left) < len(named):
        return None
    rest = ways[-1][len(first_thing(ways[-1])) :].strip()
    return f"{new} {rest}" if rest and not content_words(rest) <= content_words(new) else new


def without_way(old: str, denied: str) -> str | None:
    """Alternatives without the one that is not wanted; None where they do not have it.

    >>> without_way("brown or white", "white"), without_way("cats or dogs", "people")
    ('brown', None)
    """
    ways = ways_in(old)
    left = [way for way in ways if content_words(denied) != content_words(way)]
    return " or ".join(left) if 0 < len(left) < len(ways) else None


def _adds_to(new: str, old: str) -> bool:
    """Whether a description has all alternatives of an earlier one, and more: "cats or dogs" after "cats"."""
    ways = [content_words(way) for way in ways_in(new)]
    return len(ways) > 1 and all(content_words(way) in ways for way in ways_in(old))


def filter_values(wish: Wish) -> frozenset[str]:
    """The values that a filter asks for, in plain words."""
    filter = comparison(wish)
    return (
        frozenset(plain(str(value)) for value in filter.values) if filter and filter.comparison == "=" else frozenset()
    )


def without_values(wish: Wish, denied: frozenset[str]) -> Wish | None:
    """A filter for several values without some of them, in plain words; None where it has none of them, or no other."""
    filter = comparison(wish)
    if not denied or filter is None or filter.comparison != "=":
        return None
    left = tuple(value for value in filter.values if plain(str(value)) not in denied)
    if not 0 < len(left) < len(filter.values):
        return None
    return replace(wish, text=str(replace(filter, values=left)).removeprefix("filter "))


def _denied(new: Wish, old: Wish) -> frozenset[str]:
    """The values of an earlier filter that a later wish is against."""
    if old.kind != "filter":
        return frozenset()
    if new.kind == "avoid":
        return frozenset((plain(new.text),))
    later = comparison(new)
    if later is None or later.comparison != "!=" or old.attribute != new.attribute:
        return frozenset()
    return frozenset(plain(str(value)) for value in later.values)


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
    filter = comparison(old)
    name = _aspect_filtered(old.attribute)
    if not name or filter is None or filter.comparison != "=":
        return False
    alone = aspect_of(text, topic)
    said = [alone] if alone is not None else [found.aspect for found in described(text)]
    values = {plain(str(value)) for value in filter.values}
    return any(one.name == name and not one.part and one.value not in values for one in said)


def _aspect_filtered(field: str) -> str:
    """The aspect of the whole that an attribute is about; an empty text for other attributes."""
    if "gender" in field.lower():
        return "gender"
    return "colour" if is_colour(field) else ""


def is_colour(field: str) -> bool:
    """Whether an attribute is the colour of the whole."""
    return field.lower() in _COLOUR_FIELDS
