"""The little English that questions need: articles, plurals, lists."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SOUNDS_LIKE_CONSONANT = ("uni", "use", "eu", "one", "ukulele")
_SOUNDS_LIKE_VOWEL = ("hour", "heir", "honest")
_PLURALS = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "goose": "geese", "ox": "oxen", "leaf": "leaves", "knife": "knives", "loaf": "loaves",
    "shelf": "shelves", "wolf": "wolves", "calf": "calves", "scarf": "scarves", "half": "halves", "sheep": "sheep",
    "fish": "fish", "deer": "deer", "moose": "moose", "salmon": "salmon", "aircraft": "aircraft", "dice": "dice",
    "potato": "potatoes", "tomato": "tomatoes", "mango": "mangoes", "cactus": "cacti", "lady": "ladies",
}  # fmt: skip
_FRAME = re.compile(r"^(?:(?:in|on|at|by|under|near|inside|outside) )?(?:(?:an?|the) )?")
_SINGULARS = {plural: singular for singular, plural in _PLURALS.items()}


def with_article(noun: str) -> str:
    """``dog`` -> ``a dog``, ``apple`` -> ``an apple``."""
    lowered = noun.lower()
    vowel = lowered.startswith(tuple("aeiou")) and not lowered.startswith(_SOUNDS_LIKE_CONSONANT)
    return f"{'an' if vowel or lowered.startswith(_SOUNDS_LIKE_VOWEL) else 'a'} {noun}"


def bare(phrase: str) -> str:
    """A phrase as it is refused: ``in a kitchen`` -> ``kitchen``, as in "no kitchen"."""
    return _FRAME.sub("", phrase) or phrase


def plural(noun: str) -> str:
    """``dog`` -> ``dogs``; of a phrase, its last word (``bunch of bananas`` -> ``bunches of bananas``)."""
    head, of, rest = noun.partition(" of ")
    words = head.split(" ")
    words[-1] = _plural_word(words[-1])
    return " ".join(words) + of + rest


def singular(word: str) -> str:
    """``dogs`` -> ``dog``; a word that is no plural stays."""
    if word in _SINGULARS:
        return _SINGULARS[word]
    if word.endswith("ies") and len(word) > 4 and not word.endswith(("kies", "vies")):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")) and len(word) > 4 and word != "shoes":
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def listed(items: Sequence[str], word: str = "or") -> str:
    """``red``, ``red or blue``, ``red, blue or green``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def sentence(text: str) -> str:
    """With a capital at its start."""
    return text[:1].upper() + text[1:]


def _plural_word(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    return word + "s"
