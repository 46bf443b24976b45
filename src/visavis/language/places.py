"""Which thing of a picture is meant: "the thing on the table", "the yellow object", "what she is wearing"."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from visavis.language.concepts import colour_words, nouns_in, same_thing, singular
from visavis.language.context import Concept
from visavis.language.lexicon import colours, roles

_THING = r"(?:what's (?:that|this)|object|thing|item|stuff|product|accessory|accessories|article|gadget)s?"
_DOING = r"(?:wearing|holding|carrying|eating|drinking|riding|playing with|looking at|sitting on|standing on)"
_SOMEONE = r"(?:he|she|they|it|(?:the|that|this) [a-z]+)"
THING_REFERENCE = re.compile(rf"\b{_THING}\b|\bwhat(?:'s| is| are)? {_SOMEONE}(?:'s| is| are|'re)? {_DOING}\b")
_LEANS = re.compile(
    rf"\b{_THING}\b|\b(?:colou?r|shade|tone|hue)s?\b.*\b(?:of|as|on|with|to|from)\b|"
    r"\b(?:match\w*|goes? with)\b.*\b(?:the|her|his|their|that)\b|\b(?:same|similar)\b.*\b(?:colou?r|shade|tone|hue)\b|"
    r"\bwhat (?:the|she|he|they|is)\b|\b(?:wear|hold|carry)(?:s|ing)\b|\b(?:worn|held)\b",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"\b(?P<relation>on top of|on which|in which|on the (?P<side>left|right)(?: hand)?(?: side)? of|"
    r"(?:to )?(?:the )?(?:immediate )?(?P<direction>left|right)(?: side)? of|next to|beside|besides|near|"
    r"close to|by|above|"
    r"over|below|under|underneath|beneath|behind|in front of|inside|within|between|on|in|at)\b "
    r"(?:the |an? |his |her )?(?P<anchor>.+)"
)
#: What a phrase says a thing is used as, and how much that counts; the first that fits decides.
_USES: tuple[tuple[str, str, float], ...] = (
    (r"\bhold|\bheld\b|\bhands?\b|\bcarr(?:y|ies)", "held", 1.5),
    (r"\b(?:in|inside) which\b|\bcontain", "container", 2.0),
    (r"\bon which\b.*\b(?:sit|seat)", "seat", 2.0),
    (r"\b(?:up)?on which\b|\bbelow\b|\bunder\b", "support", 2.0),
    (r"\bwall\b", "hanging", 1.0),
    (r"\bon the (?:side )?(?:table|plate|desk|bed)\b|\bin the (?:bowl|cup|glass|basket|box|plate)\b", "held", 1.0),
)
_WORN = re.compile(r"\bwear|\bworn\b")
_COLOUR_COUNTS, _WORN_COUNTS, _BACKDROP_COUNTS, _NUMBER_COUNTS = 2.0, 3.0, -1.5, 0.5
#: With less than this, a thing is as good as any other.
_ENOUGH = 1.5


def leans_on_picture(message: str) -> bool:
    """Whether a message may be about things in a picture, so that it is worth looking at it.

    >>> leans_on_picture("a towel in the colour of the girl's jacket"), leans_on_picture("in red")
    (True, False)
    """
    return _LEANS.search(message) is not None


def thing_at(phrase: str, concepts: Sequence[Concept], topic: str = "", *, guess: bool = False) -> str | None:
    """The noun that a phrase such as "the thing on the table" stands for, or None when the picture does not tell.

    Args:
        phrase: What was said.
        concepts: What the picture shows.
        topic: What was searched for: it is known, and so not what is asked about.
        guess: Give the likeliest noun even when little speaks for it.
    """
    phrase = phrase.lower()
    said = _colours_said(phrase)
    if not _WORN.search(phrase):
        found = _RELATION.search(re.sub(rf"^.*?\b{_THING}\b", "", phrase))
        placed = _at_place(found, _fitting(concepts, said), concepts) if found else None
        if placed:
            return placed
    scores = _scores(phrase, concepts, topic, said)
    if not scores:
        return None
    best = max(scores, key=lambda noun: (scores[noun], noun))
    return best if guess or scores[best] >= _ENOUGH else None


def _colours_said(phrase: str) -> set[str]:
    return {colours()[word] for word in re.findall(r"[a-z-]+", phrase) if word in colours()}


def _has_colour(concept: Concept, wanted: set[str]) -> bool:
    return bool(wanted & {colours()[word] for word in colour_words(concept)})


def _fitting(concepts: Sequence[Concept], wanted: set[str]) -> list[Concept]:
    """The things among the concepts, of the colours that were said if any."""
    passed = roles()["part"] | roles()["people"]
    kept = [c for c in concepts if singular(c.noun) not in passed and c.noun not in passed]
    return [c for c in kept if _has_colour(c, wanted)] if wanted else kept


def _scores(phrase: str, concepts: Sequence[Concept], topic: str, said: set[str]) -> dict[str, float]:
    """How well each noun fits what is said of the thing, without knowing where things are."""
    mentioned = {singular(word) for word in (*re.findall(r"[a-z]+", phrase), *topic.lower().split())}
    counts = Counter(singular(concept.noun) for concept in _fitting(concepts, set()))
    scores: dict[str, float] = {}
    for noun, count in counts.items():
        if not noun or noun in mentioned:
            continue
        score = _NUMBER_COUNTS * math.log1p(count) + _use_counts(phrase, noun)
        score += _BACKDROP_COUNTS if noun in roles()["backdrop"] else 0
        if said and any(singular(c.noun) == noun and _has_colour(c, said) for c in concepts):
            score += _COLOUR_COUNTS
        scores[noun] = score
    return scores


def _use_counts(phrase: str, noun: str) -> float:
    if _WORN.search(phrase):
        body = next((part for part in _BODY if re.search(rf"\b{part}s?\b|\b{_BODY[part]}\b", phrase)), "worn")
        return _WORN_COUNTS if noun in {singular(name) for name in roles()[body]} else 0.0
    for pattern, role, weight in _USES:
        if re.search(pattern, phrase):
            return weight if noun in roles()[role] else 0.0
    return 0.0


#: Parts of the body that things are worn on, with another form of the word.
_BODY = {
    "head": "head",
    "foot": "feet",
    "eye": "eyes",
    "face": "face",
    "neck": "neck",
    "wrist": "wrist",
    "finger": "finger",
}
_BODY |= {
    "ear": "ears",
    "waist": "waist",
    "shoulder": "shoulder",
    "leg": "legs",
    "hand": "hands",
    "top": "top",
    "back": "back",
}


def _middle(concept: Concept) -> tuple[float, float]:
    left, top, right, bottom = concept.box or (0, 0, 1, 1)
    return (left + right) / 2, (top + bottom) / 2


def _gap(one: Concept, other: Concept) -> float:
    """The distance between two boxes; 0 when they touch."""
    if one.box is None or other.box is None:
        return 1.0
    dx = max(one.box[0] - other.box[2], other.box[0] - one.box[2], 0)
    dy = max(one.box[1] - other.box[3], other.box[1] - one.box[3], 0)
    return math.hypot(dx, dy)


def _inside(one: Concept, other: Concept) -> bool:
    """Whether the middle of one thing lies within the other."""
    x, y = _middle(one)
    return other.box is not None and other.box[0] <= x <= other.box[2] and other.box[1] <= y <= other.box[3]


def _at_place(found: re.Match[str], things: Sequence[Concept], concepts: Sequence[Concept]) -> str | None:
    """The thing at a place that is said in relation to another one, where boxes are known."""
    nouns = nouns_in(found["anchor"])
    anchors = [c for noun in nouns[:2] for c in concepts if same_thing(noun, c.noun) >= 0.5 and c.box is not None]
    if not anchors:
        return None
    anchor = anchors[0]
    others = [c for c in things if c.box is not None and c.noun != anchor.noun and c.noun not in roles()["backdrop"]]
    others = [c for c in others if _relates(c, anchor, found["side"] or found["direction"], found["relation"])]
    return min(others, key=lambda c: _gap(c, anchor)).noun if others else None


def _relates(thing: Concept, anchor: Concept, side: str | None, relation: str) -> bool:
    x, y = _middle(thing)
    left, _, right, _ = anchor.box or (0, 0, 1, 1)
    middle = _middle(anchor)[1]
    if side:
        return x < left if side == "left" else x > right
    if relation in ("above", "over"):
        return y < middle
    if relation in ("below", "under", "underneath", "beneath"):
        return y > middle
    if relation in ("on", "on top of"):
        return _gap(thing, anchor) < 0.02 and y < middle
    if relation in ("in", "inside", "within"):
        return _inside(thing, anchor)
    return not _inside(thing, anchor)
