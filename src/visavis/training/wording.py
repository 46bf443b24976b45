"""What is done to captions before they are learned: noun chunks, hard negatives, sentences out of labels."""

from __future__ import annotations

import random
import re

COLOURS = "black white red blue green yellow orange purple pink brown grey gray gold silver beige".split()
COUNTS = ["one", "two", "three", "four", "five", "six"]
_SWAPS: tuple[tuple[str, ...], ...] = (
    tuple(COLOURS),
    tuple(COUNTS),
    ("man", "woman", "boy", "girl"),
    ("small", "large"),
    ("young", "old"),
    ("dog", "cat", "horse", "cow", "sheep", "bird", "elephant", "bear", "zebra", "giraffe"),
    ("car", "bus", "train", "truck", "motorcycle", "bicycle", "boat", "airplane"),
    ("sitting", "standing", "walking", "running", "lying"),
    ("inside", "outside"),
    ("above", "below", "under"),
    ("striped", "checked", "dotted", "floral", "plain"),
    ("short", "long"),
    ("day", "night"),
    ("street", "beach", "kitchen", "bathroom", "field", "room"),
    ("pizza", "sandwich", "cake", "salad", "banana", "apple"),
    ("table", "bed", "couch", "bench", "desk"),
)
_FAMILY = {word: family for family in _SWAPS for word in family}

#: Words that end a chunk: what is left between them is close to a noun phrase, which is all that is needed.
_BREAKS = frozenset(
    "a an the this that these those some of on in at with and or is are was were be being has have having to from by"
    " for near next under over above below behind beside between into onto through while as its his her their it he she"
    " they there who which very up down out off around along across against front top side sitting standing walking"
    " riding holding laying lying looking playing wearing eating flying parked sits stands rides holds lays looks plays"
    " wears eats flies filled covered made sit stand ride hold lay look play wear eat fly".split()
)


def chunks(caption: str) -> list[str]:
    """The parts of a caption that name things, e.g. ``red umbrella``, ``wet street``."""
    words = re.findall(r"[a-z]+", caption.lower())
    found: list[list[str]] = [[]]
    for word in words:
        if word in _BREAKS:
            found.append([])
        else:
            found[-1].append(word)
    return [" ".join(part) for part in found if 0 < len(part) <= 4 and len(part[-1]) > 2]


def hard_negative(caption: str, chance: random.Random) -> str | None:
    """The caption with one telling word exchanged (a colour, a count, a thing), or None when it has none."""
    words = caption.split()
    places = [i for i, word in enumerate(words) if word.lower().strip(".,") in _FAMILY]
    if not places:
        return None
    place = chance.choice(places)
    old = words[place].lower().strip(".,")
    words[place] = chance.choice([word for word in _FAMILY[old] if word != old])
    return " ".join(words)


_TEMPLATES = (
    "a photo of {}",
    "a picture of {}",
    "{}",
    "a close-up photo of {}",
    "an image of {}",
    "there is {} in the picture",
    "a photo of the {0}",
)


def label_sentences(names: list[str]) -> tuple[str, ...]:
    """A class's names (synonyms) as captions."""
    sentences = []
    for name in names:
        article = "an" if name[:1].lower() in "aeiou" else "a"
        plural = name.endswith("s") and not name.endswith("ss")
        for template in _TEMPLATES:
            bare = template in ("{}", "a photo of the {0}")
            sentences.append(template.format(name if bare or plural else f"{article} {name}"))
    return tuple(dict.fromkeys(sentences))
