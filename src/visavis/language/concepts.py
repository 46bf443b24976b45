"""Talk of things in the picture, resolved against what the picture shows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache

from visavis.language.context import Concept
from visavis.language.lexicon import colours, natural_colours, things

#: Words for the same kind of thing; the first of a group is the most general.
_SAME = (
    ("sofa", "couch", "settee", "armchair", "recliner"),
    ("shirt", "tshirt", "t-shirt", "tee", "top", "blouse", "tank top", "polo", "jersey"),
    ("pants", "pant", "trousers", "trouser", "jeans", "shorts", "leggings", "jean", "bottom", "bottoms"),
    ("jacket", "coat", "blazer", "hoodie", "sweater", "vest", "cardigan", "pullover", "suit", "jumper"),
    ("woman", "lady", "girl", "female", "mother", "bride", "women", "ladies"),
    ("man", "boy", "gentleman", "guy", "male", "father", "men", "player", "person", "kid", "child"),
    ("hat", "cap", "helmet", "beanie", "headband", "turban"),
    ("shoe", "shoes", "sneakers", "sneaker", "boot", "boots", "sandal", "sandals", "footwear", "slipper", "heels"),
    ("car", "truck", "van", "vehicle", "bus", "taxi", "cab", "suv"),
    ("bike", "bicycle", "motorcycle", "motorbike", "scooter", "cycle"),
    ("cup", "mug", "glass"),
    ("bag", "purse", "handbag", "backpack", "suitcase", "luggage"),
    ("carpet", "rug", "mat"),
    ("plant", "leaf", "leaves", "tree", "trees", "bush", "grass", "plants", "stem"),
    ("flower", "flowers", "petal", "petals", "rose", "roses", "bouquet"),
    ("glasses", "sunglasses", "goggles", "spectacles", "shades"),
    ("water", "sea", "ocean", "lake", "river", "wave", "waves"),
    ("cushion", "pillow"),
    ("blanket", "bedsheet", "sheet", "quilt", "towel", "cloth"),
    ("dress", "gown", "frock", "skirt", "saree", "sari", "outfit"),
    ("ground", "floor", "road", "street", "sand", "beach", "sidewalk", "dirt"),
    ("phone", "mobile", "telephone", "cellphone"),
    ("airplane", "plane", "aeroplane", "jet", "aircraft"),
    ("boat", "ship", "kayak", "canoe", "yacht"),
    ("house", "building", "wall", "home", "church", "castle", "tower"),
    ("bottle", "jar", "can", "container"),
    ("bowl", "dish", "plate", "pan", "pot", "basket", "tray"),
    ("painting", "picture", "frame", "poster"),
    ("table", "desk", "counter", "stand"),
    ("door", "gate"),
    ("board", "sign"),
    ("balloon", "ball"),
    ("curtain", "curtains", "drapes"),
    ("tv", "television", "screen", "monitor"),
)  # fmt: skip
_GROUPS: dict[str, int] = {}
for _number, _group in enumerate(_SAME):
    for _word in _group:
        _GROUPS.setdefault(_word, _number)

_STOP = frozenset(
    (
        "the a an of in on at to by with which that is are was were be it its this these those and or her his "
        "their she he they above image picture photo side left right top bottom middle center corner one first "
        "second third same seen shown kept placed wearing holding worn hold wears having has have from front back "
        "behind near next lying sitting standing colour color colored coloured shade tone most extreme upper lower "
        "small big whole complete entire there here"
    ).split()
)


#: Plurals of nouns in -f; "waves" and "gloves" are none.
_VES = frozenset("calves halves hooves leaves loaves scarves sheaves shelves thieves wolves themselves".split())
#: Nouns in -oe.
_OES = frozenset("shoes toes canoes oboes hoes".split())


def singular(noun: str) -> str:
    """A noun in the singular, near enough for comparing."""
    noun = re.sub(r"'s$|s'$|'$", "", noun)
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun in _VES:
        return noun[:-3] + "f"
    if noun.endswith(("ches", "shes", "sses", "xes", "oes")) and noun not in _OES:
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us")) and len(noun) > 3 else noun


def same_thing(one: str, other: str) -> float:
    """How likely two nouns name the same thing: 1 for the same noun, less for one of its kind, 0 for another."""
    if singular(one) == singular(other):
        return 1.0
    if one in other.split() or other in one.split() or singular(one) in map(singular, other.split()):
        return 0.8
    groups = [_GROUPS.get(word, _GROUPS.get(singular(word))) for word in (one, other)]
    return 0.5 if groups[0] is not None and groups[0] == groups[1] else 0.0


def nouns_in(phrase: str) -> list[str]:
    """The words of a phrase that can name a thing, the head of the phrase first.

    "the girl's jacket" has the head "jacket", "cap of the bottle" has "cap", "wine kept in the glass" has "wine".
    """
    phrase = re.sub(r"[^a-z' -]", " ", phrase.lower())
    parts = re.split(
        r"\b(?:of|in|on|at|which|that|who|worn|kept|seen|from|with|near|next|behind|under|inside|beside|"
        r"besides|the \w+ is|is|are|wearing|holding)\b",
        phrase,
    )
    ordered: list[str] = []
    for part in parts:
        words = [word for word in part.split() if word not in _STOP and word.strip("'")]
        ordered.extend(reversed(words))
    return list(dict.fromkeys(ordered))


def colour_said(phrase: str) -> str | None:
    """The colour that a phrase names outright: "the blue car", but not "the ice cream" or "the lemon"."""
    head = next(iter(nouns_in(phrase)), "")
    for word in re.findall(r"[a-z-]+", phrase.lower()):
        thing = word in _named_after_things() and (word != "orange" or word == head)
        if word in colours() and not thing:
            return str(word)
    return None


@cache
def _named_after_things() -> frozenset[str]:
    """Colours that are things in the first place: where they stand alone, the thing is meant."""
    nouns = {word for thing in things() for word in thing.split()}
    return frozenset((nouns | set(natural_colours())) & set(colours())) | {"cream", "chocolate", "mint", "rose", "wine"}


def colour_words(concept: Concept) -> list[str]:
    """The colours among a concept's attributes."""
    return [word for word in concept.attributes if word in colours()]


#: How much each kind of evidence for a colour counts; found by trying on dialogues.
_WEIGHTS = {"match": 1.8, "count": 0.75, "other": 0.7, "natural": 2.0, "told": 1.1, "share": 2.75}
#: Less than this is no evidence: some share of a picture has every colour.
_ENOUGH = 1.4


def colour_evidence(phrase: str, concepts: Sequence[Concept], told: str = "") -> dict[str, float]:
    """How much speaks for each plain colour being that of the thing that a phrase names.

    Args:
        phrase: The thing: "the girl's jacket", "cap of the bottle".
        concepts: What the picture shows.
        told: What was searched for: a picture found as "yellow boots" has yellow boots.
    """
    nouns = nouns_in(phrase)
    head = nouns[0] if nouns else ""
    shown: dict[str, list[Concept]] = {}
    for concept in concepts:
        for colour in colour_words(concept):
            shown.setdefault(colours()[colour], []).append(concept)
    total = sum(map(len, shown.values())) or 1
    evidence: dict[str, float] = {}
    for colour, having in shown.items():
        fits = [same_thing(head, concept.noun) for concept in having] if head else [0.0]
        others = [same_thing(noun, concept.noun) * 0.8**at for at, noun in enumerate(nouns[1:4]) for concept in having]
        evidence[colour] = (
            _WEIGHTS["match"] * max(fits)
            + _WEIGHTS["count"] * math.log1p(sum(fits))
            + _WEIGHTS["other"] * max(others, default=0.0)
            + _WEIGHTS["share"] * len(having) / total
        )
    natural = natural_colours().get(head) or natural_colours().get(singular(head))
    if natural is None and head in _named_after_things():
        natural = colours().get(head)
    if natural:
        evidence[natural] = evidence.get(natural, 0.0) + _WEIGHTS["natural"]
    for colour in _told_colours(head, told):
        evidence[colour] = evidence.get(colour, 0.0) + _WEIGHTS["told"] + _WEIGHTS["match"]
    return evidence


def _told_colours(head: str, told: str) -> set[str]:
    """The colours of a thing in the words that found the picture."""
    words = told.lower().split()
    if not head or not any(same_thing(head, word) >= 0.8 for word in words):
        return set()
    return {colours()[word] for word in words if word in colours()}


def colour_of(
    phrase: str, concepts: Sequence[Concept], told: str = "", prior: Mapping[str, float] | None = None
) -> str | None:
    """The colour of the thing that a phrase names, or None when the picture does not tell.

    With a prior (what colours are asked for at all) there is always an answer: the likeliest colour.
    """
    if said := colour_said(phrase):
        return said
    if located := _located_colour(phrase, concepts):
        return located
    evidence = colour_evidence(phrase, concepts, told)
    if prior is not None:
        evidence = {colour: evidence.get(colour, 0.0) + extra for colour, extra in prior.items()}
    if not evidence:
        return None
    best = max(evidence, key=lambda colour: (evidence[colour], colour))
    return best if prior is not None or evidence[best] >= _ENOUGH else None


def _located_colour(phrase: str, concepts: Sequence[Concept]) -> str | None:
    """The colour of the named thing where it was found in the picture: nothing else has to be weighed then."""
    head = next(iter(nouns_in(phrase)), "")
    fits = [(same_thing(head, c.noun), c) for c in concepts if head and c.box is not None and colour_words(c)]
    best = max(fits, key=lambda fit: fit[0], default=None)
    if best is None or best[0] < 0.5:
        return None
    return colours()[colour_words(best[1])[0]]
