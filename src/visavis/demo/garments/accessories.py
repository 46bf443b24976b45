"""Bags and hats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visavis.demo.canvas import curve, ellipse, flip, ribbon, symmetric
from visavis.demo.cloth import Cloth, Fold
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import rounded_box

_METAL = Cloth("mustard", gloss=1, grain=0)


def cut_bag(tailor: Tailor) -> None:
    """Draw a bag of the look's kind."""
    _BAG_KINDS[tailor.look.kind](tailor)


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


_BAG_KINDS: dict[str, Callable[[Tailor], None]] = {
    "tote bag": _tote,
    "shoulder bag": _shoulder_bag,
    "backpack": _backpack,
    "clutch": _clutch,
}


def cut_hat(tailor: Tailor) -> None:
    """Draw a hat of the look's kind."""
    _HAT_KINDS[tailor.look.kind](tailor)


def _cap(tailor: Tailor) -> None:
    dome = curve((-66, 40), (-70, -10, -46, -58, 4, -60), (50, -58, 68, -18, 66, 34), (20, 48, -30, 48, -66, 40))
    tailor.part(dome, roundness=14, lift=0)
    for line in (curve((2, -60), (26, -40, 30, 0, 26, 43)), curve((0, -60), (-30, -40, -36, 0, -34, 44))):
        tailor.seam(line, width=1.1, strength=0.35)
    tailor.part(ellipse(2, -61, 6, 3.4), tailor.cloth.plain(), roundness=2, lift=1)
    visor = curve(
        (-20, 40), (20, 22, 66, 26), (104, 34, 122, 54), (124, 62, 112, 60), (70, 48, 20, 56), (-10, 58, -20, 40)
    )
    tailor.part(visor, tailor.cloth.plain(), roundness=6, lift=4)
    for up in (4, 9):
        tailor.seam(
            curve((-4, 44 - up * 0.4), (30, 34 - up * 0.5, 64, 36 - up * 0.5), (94, 40, 112 - up, 53 - up * 0.3)),
            stitched=True,
            strength=0.3,
        )
    tailor.logo(-4, -6, 38)


def _beanie(tailor: Tailor) -> None:
    dome = symmetric(curve((0, -62), (44, -62, 66, -24, 66, 40), (0, 52)))
    ribs = [Fold(curve((at * 64, 44), (at * 60, -20, at * 16, -62)), 7, 2.2) for at in np.linspace(-0.95, 0.95, 11)]
    tailor.part(dome, lay=tailor.fan(-190, -20), folds=ribs, roundness=13, lift=0)
    cuff = symmetric(curve((0, 26), (40, 26, 68, 18), (72, 44, 69, 60), (40, 70, 0, 70)))
    bands = [
        Fold(curve((at * 68, 68 - 8 * abs(at)), (at * 68, 20 - 2 * abs(at))), 6, 2.4)
        for at in np.linspace(-0.95, 0.95, 17)
    ]
    tailor.part(cuff, tailor.cloth.plain(), folds=bands, roundness=6, lift=3)
    tailor.part(_fluff(tailor, 0, -72, 19), tailor.cloth.plain(), roundness=9, lift=2.5)
    tailor.logo(0, -10, 36)


def _fluff(tailor: Tailor, x: float, y: float, radius: float) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    jitter = radius * np.array([tailor.random.uniform(0.9, 1.08) for _ in angle])
    return np.stack([x + jitter * np.cos(angle), y + jitter * np.sin(angle)], axis=1)


def _band(tailor: Tailor, half: float, top: float, bottom: float, sag: float) -> None:
    colour = tailor.look.second_colour if tailor.has("band") else None
    outline = symmetric(
        curve(
            (0, top + sag),
            (half * 0.6, top + sag, half - 1, top),
            (half + 2, bottom),
            (half * 0.6, bottom + sag, 0, bottom + sag),
        )
    )
    tailor.part(outline, tailor.cloth.plain(colour), roundness=3, lift=1.2, shade=1 if colour else 0.86)


def _sun_hat(tailor: Tailor) -> None:
    tailor.part(ellipse(0, 34, 130, 38, 60), lay=tailor.fan(-120, 0), roundness=9, lift=0)
    tailor.seam(ellipse(0, 33, 122, 33, 60), stitched=True, strength=0.25)
    crown = symmetric(curve((0, -52), (40, -52, 54, -30, 58, 22), (50, 42, 20, 44, 0, 44)))
    tailor.part(crown, roundness=14, lift=5)
    _band(tailor, 57, 6, 24, 18)
    tailor.logo(0, -20, 40)


def _fedora(tailor: Tailor) -> None:
    brim = curve(
        (-122, 22),
        (-100, 44, -40, 58, 0, 58),
        (40, 58, 100, 44, 122, 22),
        (100, 28, 66, 14),
        (-66, 14),
        (-100, 28, -122, 22),
    )
    tailor.part(brim, roundness=6, lift=0)
    crown = curve(
        (-64, 34),
        (-62, -10, -52, -46),
        (-44, -64, -22, -62),
        (-6, -52, 6, -52, 22, -62),
        (44, -64, 52, -46),
        (62, -10, 64, 34),
        (30, 46, -30, 46, -64, 34),
    )
    dents = [
        Fold(curve((-10, -56), (-20, -36, -34, -16)), 10, -3.5),
        Fold(curve((10, -56), (20, -36, 34, -16)), 10, -3.5),
    ]
    tailor.part(crown, folds=dents, roundness=12, lift=3)
    _band(tailor, 62, 10, 30, 11)
    tailor.logo(0, -18, 38)


def _bucket(tailor: Tailor) -> None:
    brim = symmetric(curve((0, 6), (58, 4), (78, 30, 100, 58), (60, 76, 0, 78)))
    tailor.part(brim, lay=tailor.fan(-120, 0), roundness=9, lift=0)
    for step in (0.35, 0.6, 0.85):
        half = curve((58 + 38 * step, 6 + 50 * step), (40, 22 + 52 * step, 0, 24 + 54 * step))
        tailor.seam(np.concatenate([half, half[::-1] * (-1, 1)]), stitched=True, strength=0.28)
    crown = symmetric(curve((0, -58), (34, -58, 46, -54), (54, -20, 60, 10), (40, 24, 0, 25)))
    tailor.part(crown, roundness=10, lift=3)
    tailor.seam(symmetric(curve((0, -50), (30, -50, 45, -48)))[:13], strength=0.2)
    for side in (-1, 1):
        tailor.ink([ellipse(side * 42, 2, 2.2, 2.2, 16)], (0.25, 0.24, 0.22), 0.9)
    tailor.logo(0, -16, 38)


_HAT_KINDS: dict[str, Callable[[Tailor], None]] = {
    "baseball cap": _cap,
    "beanie": _beanie,
    "sun hat": _sun_hat,
    "fedora": _fedora,
    "bucket hat": _bucket,
}
