"""Bags."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visavis.demo.cloth import Cloth
from visavis.demo.garments.details import rounded_box
from visavis.demo.garments.tailor import Tailor
from visavis.demo.geometry import curve, ellipse, flip, ribbon, symmetric

_METAL = Cloth("mustard", gloss=1, grain=0)


def cut_bag(tailor: Tailor) -> None:
    """Draw a bag of the look's kind."""
    _KINDS[tailor.look.kind](tailor)


def _strap_cloth(tailor: Tailor) -> Cloth:
    return tailor.cloth.plain(tailor.look.second_colour if tailor.has("contrast straps") else None)


def _tote(tailor: Tailor) -> None:
    strap = _strap_cloth(tailor)
    tailor.ground(-76, 76, 144)
    top = -tailor.vary(62, 0.2)
    handle = curve((-30, 6), (-30, top + 14, -22, top, 0, top), (22, top, 30, top + 14, 30, 6))
    tailor.part(ribbon(handle - (0, 7), 8), strap, roundness=2.5, lift=0, shade=0.75)
    inside = symmetric(curve((0, -5), (50, -4, 68, 0), (60, 8), (0, 10)))
    tailor.part(inside, tailor.cloth.plain(), roundness=3, lift=0, shade=0.5)
    body = symmetric(curve((0, 4), (40, 4, 68, 0), (72, 60, 78, 132), (77, 142, 66, 143), (30, 146, 0, 146)))
    tailor.part(body, folds=tailor.drapes(-60, 60, 20, 140, 4, height=2), roundness=10, lift=1.5)
    tailor.seam(curve((-68, 9), (0, 13, 68, 9)), stitched=True, strength=0.4)
    if tailor.has("pockets"):
        tailor.part(rounded_box(-36, 64, 72, 58, 8), roundness=3, lift=1.6)
        tailor.seam(rounded_box(-33, 67, 66, 52, 7), stitched=True, strength=0.4)
    tailor.part(ribbon(handle, 8), strap, roundness=2.5, lift=2)
    for side in (-1, 1):
        tailor.part(rounded_box(side * 30 - 5.5, 2, 11, 26, 3), strap, roundness=2, lift=1.2)
        tailor.part(ellipse(side * 30, 20, 2.2, 2.2, 16), _METAL, roundness=1, lift=0.6)
    tailor.logo(0, 80, 54)


def _shoulder_bag(tailor: Tailor) -> None:
    tailor.ground(-74, 74, 95)
    top = -tailor.vary(90, 0.2)
    strap = curve((-62, 10), (-66, top + 36, -40, top, 0, top), (40, top, 66, top + 36, 62, 10))
    tailor.part(ribbon(strap, 7), _strap_cloth(tailor), roundness=2.2, lift=0)
    body = symmetric(curve((0, 0), (50, 0), (66, 0, 70, 14), (76, 70), (77, 92, 58, 94), (0, 97)))
    tailor.part(body, roundness=12, lift=2)
    flap = symmetric(curve((0, -4), (52, -4), (68, -4, 70, 10), (72, 34), (70, 54, 46, 56), (0, 60)))
    tailor.part(flap, roundness=8, lift=3.5)
    inner = curve((66, 8), (68, 34), (66, 50, 45, 52), (0, 56))
    tailor.seam(np.concatenate([inner, flip(inner)]), stitched=True, strength=0.4)
    for side in (-1, 1):
        tailor.part(
            ellipse(side * 62, 8, 6.5, 6.5), _METAL, holes=(ellipse(side * 62, 8, 3.8, 3.8),), roundness=1.2, lift=1
        )
    tailor.part(rounded_box(-8, 48, 16, 18, 4), _METAL, roundness=2.5, lift=1.6)
    tailor.part(ellipse(0, 57, 2.6, 2.6, 16), Cloth("brown", gloss=1), roundness=1, lift=0.3)
    tailor.logo(-36, 26, 30)


def _backpack(tailor: Tailor) -> None:
    strap = _strap_cloth(tailor)
    width = tailor.vary(1)
    tailor.ground(-62 * width, 62 * width, 155)
    for side in (-1, 1):
        band = curve((26, 12), (62, -6, 88, 40, 84, 92), (82, 122, 66, 138, 46, 142)) * (side, 1)
        tailor.part(ribbon(band, 15, 8), strap, roundness=3.5, lift=0, shade=0.92)
        edge = curve((side * 30, 14), (side * 62, -1, side * 82, 40, side * 78, 92))
        tailor.seam(edge, stitched=True, strength=0.35)
    tailor.part(ribbon(curve((-15, 0), (-14, -20, 14, -20, 15, 0)), 6), strap, roundness=2, lift=0)
    body = symmetric(curve((0, -4), (44, -4, 58, 16, 60, 50), (64, 110, 62, 134), (62, 152, 44, 154), (0, 157)))
    tailor.part(body * (width, 1), folds=tailor.drapes(-50, 50, 20, 150, 3, height=1.4), roundness=13, lift=2)
    zip_line = curve((-53, 66), (-52, 20, -36, 9, 0, 9), (36, 9, 52, 20, 53, 66)) * (width, 1)
    tailor.seam(zip_line, width=2, strength=0.55)
    tailor.seam(zip_line * (1.04, 1) - (0, 4), stitched=True, width=0.7)
    if tailor.has("pockets"):
        pocket = symmetric(curve((0, 80), (38, 80), (46, 80, 47, 90), (49, 132), (48, 144, 36, 145), (0, 147)))
        tailor.part(pocket, roundness=7, lift=2.6)
        tailor.seam(curve((-40, 93), (0, 96, 40, 93)), width=2, strength=0.55)
        tailor.part(rounded_box(34, 93, 4, 13, 1.5), _METAL, roundness=1, lift=0.8)
    tailor.part(rounded_box(50 * width, 62, 4, 13, 1.5), _METAL, roundness=1, lift=0.8)
    tailor.logo(0, 84, 50)


def _clutch(tailor: Tailor) -> None:
    tailor.ground(-90, 90, 97)
    body = symmetric(curve((0, 0), (76, 0), (88, 0, 90, 10), (92, 84), (92, 96, 80, 97), (0, 99)))
    tailor.part(body, roundness=10)
    flap = symmetric(curve((0, -3), (78, -3), (90, -2, 91, 10), (80, 22), (0, 66)))
    tailor.part(flap, roundness=7, lift=3.5)
    tailor.seam(symmetric(curve((0, 1), (84, 1), (78, 20), (0, 60))), stitched=True, strength=0.35)
    tailor.part(ellipse(0, 58, 7, 7), _METAL, roundness=3, lift=1.5)
    tailor.logo(0, 26, 30)


_KINDS: dict[str, Callable[[Tailor], None]] = {
    "tote bag": _tote,
    "shoulder bag": _shoulder_bag,
    "backpack": _backpack,
    "clutch": _clutch,
}
