"""Words that stand for many things, and what they stand for: "no animals" must also mean "no dogs"."""

from __future__ import annotations

import re

_PEOPLE = "a person|people|a man|a woman|a child|a crowd|a player|a boy"
_ANIMALS = "an animal|animals|a dog|a cat|a bird|a horse|cows|sheep|a bear|an elephant|a wild animal|a fish"
_VEHICLES = "vehicles|a car|a bus|a truck|a motorcycle|a bicycle|a train|a boat|an airplane"
_FOOD = "food|a meal|fruit|vegetables|a cake|a sandwich|pizza|a plate of food"
_FURNITURE = "furniture|a chair|a table|a sofa|a bed|a shelf"
_PLANTS = "plants|flowers|trees|a potted plant|leaves|grass"
_BUILDINGS = "buildings|a house|a skyscraper|a church|a city street"
_CLOTHES = "clothes|a shirt|trousers|a dress|a jacket|shoes"

_STAND_FOR = {
    **dict.fromkeys(("people", "person", "persons", "human", "humans", "anybody", "anyone", "somebody"), _PEOPLE),
    **dict.fromkeys(("animal", "animals", "pets", "wildlife"), _ANIMALS),
    **dict.fromkeys(("vehicle", "vehicles", "traffic"), _VEHICLES),
    **dict.fromkeys(("food", "meal", "meals"), _FOOD),
    "furniture": _FURNITURE,
    **dict.fromkeys(("plant", "plants", "vegetation", "greenery"), _PLANTS),
    **dict.fromkeys(("building", "buildings", "architecture", "houses"), _BUILDINGS),
    **dict.fromkeys(("clothes", "clothing"), _CLOTHES),
}


def things_of(text: str) -> tuple[str, ...]:
    """What the words stand for; themselves where they stand for no kind of things.

    >>> things_of("a red car")
    ('a red car',)
    >>> things_of("clothes")
    ('clothes', 'a shirt', 'trousers', 'a dress', 'a jacket', 'shoes')
    """
    word = re.sub(r"^(any|all|the|a|an|other)\s+", "", text.strip().lower())
    return tuple(_STAND_FOR.get(word, text.strip()).split("|"))


def descriptions_of(text: str) -> tuple[str, ...]:
    """How a picture that shows this would be described, in as many ways as the words stand for.

    >>> descriptions_of("a red car")
    ('a photo of a red car',)
    >>> len(descriptions_of("any people"))
    8
    """
    return tuple(f"a photo of {thing}" for thing in things_of(text))
