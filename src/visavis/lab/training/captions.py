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


#: What is said of a thing, with its article as ``one`` and without as ``bare``; the first few for every synonym.
_TEMPLATES = (
    "a photo of {one}",
    "{bare}",
    "{one}",
    "a picture of {one}",
    "a photo of the {bare}",
    "there is {one} in the picture",
    "a close-up photo of {one}",
    "an image of {one}",
    "a picture of the {bare}",
    "the {bare}",
)
_WHITE_TEMPLATES = ("{bare} on white", "{one} on a white background")
_FOR_SYNONYMS = 5


def label_sentences(names: list[str], *, white: bool = False) -> tuple[str, ...]:
    """A class's names (synonyms, the usual one first) as captions; ``white`` where its pictures have no background."""
    sentences: list[str] = []
    for place, name in enumerate(names):
        article = "an" if name[:1].lower() in "aeiou" else "a"
        plural = name.endswith("s") and not name.endswith("ss")
        forms = _TEMPLATES if place == 0 else _TEMPLATES[:_FOR_SYNONYMS]
        one = name if plural else f"{article} {name}"
        sentences += [form.format(bare=name, one=one) for form in (*forms, *(_WHITE_TEMPLATES if white else ()))]
    return tuple(dict.fromkeys(sentences))


def product_descriptions(row: dict[str, str]) -> tuple[str, ...]:
    """Short descriptions out of the attributes of a product."""
    colour, article = row["baseColour"].lower(), row["articleType"].lower()
    wearer, usage = _WEARERS.get(row["gender"], "everyone"), row["usage"].lower()
    return (
        f"{colour} {article} for {wearer}",
        f"{usage} {article} in {colour} for {wearer}".strip(),
        f"a photo of {colour} {article}",
        f"{article} for {wearer}",
        f"{usage} {article}".strip(),
        f"{article} on white",
    )
