"""The colours of a thing in a picture: those of the pixels in its outline, and not of what is around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visavis.errors import VisavisError
from visavis.types import Concept

if TYPE_CHECKING:
    from visavis.api import Collection

Floats = NDArray[np.float32]

#: Colours as people name them, each by some examples (sRGB).
_EXAMPLES: Mapping[str, tuple[tuple[int, int, int], ...]] = {
    "black": ((12, 12, 12), (38, 37, 38), (30, 30, 45), (45, 40, 34), (24, 32, 28)),
    "grey": ((85, 85, 87), (120, 120, 120), (155, 155, 157), (105, 113, 125), (130, 138, 150), (120, 112, 102)),
    "white": ((255, 255, 255), (225, 225, 225), (236, 230, 218), (205, 214, 228), (195, 195, 195)),
    "red": ((205, 25, 35), (150, 20, 30), (230, 65, 60), (105, 18, 22)),
    "orange": ((245, 130, 30), (225, 105, 35), (250, 160, 60)),
    "yellow": ((250, 220, 40), (225, 190, 60), (250, 235, 130), (200, 150, 40), (175, 125, 30), (190, 150, 75)),
    "green": ((40, 140, 50), (25, 80, 35), (125, 180, 75), (95, 115, 55), (55, 70, 38), (60, 130, 110)),
    "blue": ((30, 60, 180), (20, 32, 95), (70, 110, 200), (55, 88, 135)),
    "skyblue": ((135, 190, 235), (105, 165, 215), (90, 190, 215)),
    "purple": ((110, 40, 140), (70, 35, 95), (150, 105, 190), (95, 90, 160), (125, 120, 195)),
    "pink": ((245, 150, 180), (230, 90, 150), (250, 190, 200)),
    "brown": ((110, 65, 35), (150, 100, 60), (70, 45, 30), (185, 145, 105), (205, 175, 135), (125, 100, 75)),
}
_NAMES = tuple(_EXAMPLES)
#: What distances in lightness count, against those in colour.
_LIGHTNESS = 0.5
#: How much more a hue counts than black, white and grey, since it is what people name; brown is between.
_WORTH = {"black": 1.0, "grey": 0.9, "white": 1.0, "brown": 1.2}
_HUE = 1.6
#: A second colour is told from these shares on: of what counts, and where it may be a shade of the first.
_SECOND, _SHADE = 0.28, 0.4
#: Colours that are shade or light on one another.
_SHADES = (
    {"black", "grey"}, {"white", "grey"}, {"black", "brown"}, {"brown", "orange"}, {"blue", "skyblue"},
    {"blue", "purple"}, {"pink", "red"}, {"orange", "yellow"}, {"orange", "red"}, {"pink", "purple"},
    {"yellow", "brown"}, {"grey", "brown"}, {"grey", "blue"}, {"grey", "skyblue"}, {"white", "skyblue"},
    {"white", "pink"}, {"black", "blue"}, {"black", "green"}, {"brown", "red"}, {"yellow", "green"},
)  # fmt: skip
#: Black and white patches are told together from this share of each on, whatever lies between them.
_PIEBALD = 0.14
#: Below this confidence an outline is worth less than the patches that the seer saw.
_LEAST_SURE = 0.15
#: Outlines that are remembered: a person talks about few things.
_REMEMBERED = 64
#: The side of the copy that is looked at, and how much of an outline's rim is left out of it, in its pixels.
_SIDE, _RIM = 256, 2


@cache
def _examples() -> tuple[Floats, NDArray[np.intp]]:
    from visavis.editing.operations.recolour import oklab

    colours = [colour for own in _EXAMPLES.values() for colour in own]
    owners = [at for at, own in enumerate(_EXAMPLES.values()) for _ in own]
    lab = oklab(np.asarray(colours, np.float32) / np.float32(255))
    return lab * np.array([_LIGHTNESS, 1, 1], np.float32), np.asarray(owners, np.intp)


def shares_of(pixels: Floats) -> Mapping[str, float]:
    """What share of some pixels (sRGB, 0..1, ``[n, 3]``) has each colour.

    >>> shares_of(np.array([[1.0, 1.0, 1.0], [0.05, 0.05, 0.05]], np.float32))["white"]
    0.5
    """
    from visavis.editing.operations.recolour import oklab

    examples, owners = _examples()
    lab = oklab(pixels) * np.array([_LIGHTNESS, 1, 1], np.float32)
    nearest = owners[((lab[:, None] - examples) ** 2).sum(axis=-1).argmin(axis=1)]
    counted = np.bincount(nearest, minlength=len(_NAMES)) / max(1, len(pixels))
    return {name: float(share) for name, share in zip(_NAMES, counted, strict=True)}


def colours_told(shares: Mapping[str, float]) -> Sequence[str]:
    """The one or two colours that people would name, the clearest first."""
    if min(shares["black"], shares["white"]) >= _PIEBALD and _colourless(shares) > 1 - _SECOND:
        return sorted(("black", "white"), key=shares.__getitem__, reverse=True)
    worth = {name: share * _WORTH.get(name, _HUE) for name, share in shares.items()}
    total = sum(worth.values())
    first, second = sorted(worth, key=worth.__getitem__, reverse=True)[:2]
    least = _SHADE if {first, second} in _SHADES else _SECOND
    return [first, second] if worth[second] >= least * total else [first]


def _colourless(shares: Mapping[str, float]) -> float:
    return shares["black"] + shares["grey"] + shares["white"]


def colours_within(image: Image.Image, mask: Image.Image) -> Sequence[str]:
    """The colours of what a mask covers; none where it covers nothing.

    Args:
        image: The picture.
        mask: An ``L`` picture of the same size: 255 belongs to the thing.
    """
    from scipy import ndimage

    scale = min(1.0, _SIDE / max(image.size))
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    inside = np.asarray(mask.resize(size, Image.Resampling.BOX)) > 127
    core = ndimage.binary_erosion(inside, iterations=_RIM)
    chosen = core if core.sum() >= inside.sum() / 4 else inside
    if not chosen.any():
        return ()
    pixels = np.asarray(image.convert("RGB").resize(size, Image.Resampling.BOX), np.float32)[chosen]
    return colours_told(shares_of(pixels / np.float32(255)))


class ThingColours:
    """Tells the colours of things in the pictures of one collection; nothing is loaded before it is asked."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._outlined = lru_cache(_REMEMBERED)(self._look)

    def of(self, picture: str, concept: Concept) -> tuple[tuple[str, ...], float]:
        """The colours and materials of a thing, and how sure its outline is.

        Args:
            picture: The picture's id.
            concept: The thing, with the colours that the seer saw.
        """
        try:
            colours, sure = self._outlined(picture, concept.noun)
        except (OSError, VisavisError):  # a picture that cannot be opened; the talk goes on
            return concept.attributes, 0.0
        if not colours or sure < _LEAST_SURE:
            return concept.attributes, sure
        from visavis.search.seer import COLOUR_NAMES

        materials = tuple(told for told in concept.attributes if told not in COLOUR_NAMES)
        return (*colours, *materials), sure

    def _look(self, picture: str, noun: str) -> tuple[tuple[str, ...], float]:
        from visavis.editing.finding.locate import locate

        image = self._collection.small_image(picture)
        found = locate(image, noun, self._collection.encoder)
        return tuple(colours_within(image, found.mask)), found.confidence
