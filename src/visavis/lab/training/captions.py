"""Captions for training: hard negatives, and sentences made of labels and attributes."""

from __future__ import annotations

import random

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
_WEARERS = {"Men": "men", "Women": "women", "Boys": "boys", "Girls": "girls"}
_FAMILY = {word: family for family in _SWAPS for word in family}


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


def product_descriptions(row: dict[str, str]) -> tuple[str, ...]:
    """Short descriptions out of the attributes of a product."""
    colour, article = row["baseColour"].lower(), row["articleType"].lower()
    wearer, usage = _WEARERS.get(row["gender"], "everyone"), row["usage"].lower()
    return (
        f"{colour} {article} for {wearer}",
        f"{usage} {article} in {colour} for {wearer}".strip(),
        f"a photo of {colour} {article}",
    )
