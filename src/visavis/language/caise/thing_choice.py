"""What speaks for each thing of a picture being "the object" that a draft leaves open."""

from __future__ import annotations

import math
import re
from collections import Counter

from visavis.language.caise.adapter import context_of
from visavis.language.caise.choosing import Features
from visavis.language.caise.colour_choice import plain_colour
from visavis.language.caise.drafts import Draft
from visavis.language.caise.records import Record
from visavis.language.concepts import singular
from visavis.language.lexicon import colours, roles

#: What is said of a thing, by which kinds of things are told apart.
_CUES = {
    name: re.compile(pattern)
    for name, pattern in {
        "head": r"\bheads?\b|\bhair",
        "wrist": r"\bwrist",
        "ear": r"\bears?\b",
        "eye": r"\beyes?\b",
        "neck": r"\bneck",
        "face": r"\bface|\bmouth|\bnose",
        "finger": r"\bfinger",
        "foot": r"\bfeet|\bfoot|\blegs?\b",
        "back": r"\bback\b",
        "shoulder": r"\bshoulder",
        "waist": r"\bwaist",
        "wear": r"\bwear|\bworn\b|\bwore",
        "hold": r"\bhold|\bheld|\bcarr(?:y|ies)|\bhands?\b",
        "in which": r"\b(?:in|inside|within) which\b|\bcontain",
        "on which": r"\bon which\b",
        "sit": r"\bsit|\bseat",
        "below": r"\bbelow\b|\bunder|\bbeneath",
        "wall": r"\bwall\b|\bhang",
        "table": r"\btable\b|\bdesk\b",
        "dish": r"\bplate\b|\bbowl\b|\bcup\b|\bglass\b",
        "eat": r"\beat|\bdrink|\bfood",
        "behind": r"\bbehind\b|\bbackground",
        "beside": r"\bside\b|\bleft\b|\bright\b|\bnext\b|\bbeside|\bnear",
        "top": r"\btop\b|\babove\b",
        "water": r"\bwater\b|\bsea\b|\bfloat",
        "air": r"\bfly|\bsky\b|\bair\b",
        "round": r"\bround\b|\bcircular",
        "colour": r"\bcolou?r",
        "use": r"\bused?\b",
        "several": r"\bobjects\b|\bthings\b",
    }.items()
}
_ROLES = {role: frozenset(map(singular, names)) for role, names in roles().items()}


def _cues(phrase: str) -> list[str]:
    return [name for name, pattern in _CUES.items() if pattern.search(phrase)] or ["none"]


def thing_candidates(record: Record, draft: Draft) -> list[tuple[str, str]]:
    """The things that can be meant: how they would be searched for, and their noun."""
    nouns = list(dict.fromkeys(concept.noun.lower() for concept in context_of(record).concepts))
    plain = [(noun, noun) for noun in nouns]
    colour = next((word for word in re.findall(r"[a-z-]+", draft.phrase.lower()) if word in colours()), None)
    return plain + [(f"{colour} {noun}", noun) for noun in nouns] if colour else plain


def thing_features(record: Record, draft: Draft) -> list[Features]:
    """The features of each candidate."""
    context, phrase = context_of(record), draft.phrase.lower()
    seen = [(singular(concept.noun.lower()), concept) for concept in context.concepts]
    counts, forms = Counter(noun for noun, _ in seen), Counter(concept.noun.lower() for _, concept in seen)
    first = {noun: at for at, (noun, _) in reversed(list(enumerate(seen)))}
    cues = _cues(phrase)
    said = {plain_colour(word) for word in re.findall(r"[a-z-]+", phrase) if word in colours()}
    spoken = {singular(word) for word in re.findall(r"[a-z]+", record.message.lower())}
    topic = {singular(word) for word in context.topic.split()}
    rows: list[Features] = []
    for text, noun in thing_candidates(record, draft):
        name, last = singular(noun), singular(noun.split()[-1])
        features = {
            "count": math.log1p(counts[name]),
            "share": counts[name] / len(seen),
            "once": float(counts[name] == 1),
            "place": first[name] / len(seen),
            "form": forms[noun] / counts[name],
            "plural": float(noun != name),
            "words": float(len(noun.split()) - 1),
            "spoken of": float(name in spoken or last in spoken),
            "topic": float(name in topic),
            "coloured": float(text != noun),
            f"noun {name}": 1.0,
        }
        if said:
            fits = any(plain_colour(word) in said for other, c in seen if other == name for word in c.attributes)
            features |= {"fits colour": float(fits), "other colour": float(not fits), "bare": float(text == noun)}
        features |= {f"noun {name} {cue}": 1.0 for cue in cues}
        for role, names in _ROLES.items():
            if name in names or last in names:
                features |= {f"role {role}": 1.0, **{f"role {role} {cue}": 1.0 for cue in cues}}
        rows.append(features)
    return rows
