"""Trousers."""

from __future__ import annotations

from visavis.demo.cloth import Fold
from visavis.demo.garments.parts import add_belt, add_slant_pockets
from visavis.demo.garments.tailor import Tailor
from visavis.demo.geometry import Outline, curve, flip, symmetric

_HEMS = {"knee-length": 150.0, "cropped": 226.0, "full-length": 285.0}
_CROTCH = 78.0
#: Half distance of the hem's middle from the axis, and the hem's width, at full length.
_LEGS = {"slim": (27.0, 22.0), "straight": (29.0, 34.0), "wide-leg": (40.0, 58.0)}


def cut_trousers(tailor: Tailor) -> None:
    """Two legs on a waistband."""
    look = tailor.look
    hem = _HEMS[look.length]
    leg = _leg(look.fit, hem)
    for side in (-1, 1):
        tailor.part(leg if side == 1 else flip(leg), folds=_creases(tailor, side, look.fit, hem), roundness=8, lift=1.5)
        middle, width = _measures(look.fit, hem)
        edge = curve((side * (middle - width / 2), hem - 4), (side * (middle + width / 2), hem - 4))
        tailor.seam(edge, stitched=True, width=0.6, strength=0.3)
    tailor.seam(curve((0, 8), (0.5, 40, 0, _CROTCH)), width=1.1, strength=0.4)
    tailor.seam(curve((7, 8), (8, 34, 0.5, 46)), stitched=True, width=0.7, strength=0.35)
    band = symmetric(curve((0, -3), (20, -3, 35, -6), (36, 5), (20, 9, 0, 9)))
    tailor.part(band, roundness=3, lift=1.5)
    if tailor.has("pockets"):
        add_slant_pockets(tailor, 41, 10)
    if tailor.has("belt"):
        add_belt(tailor, 0, 36, 9)
    else:
        tailor.buttons([(0, 2.6)], 2.2)
    tailor.logo(27, 70, 22)


def _measures(fit: str, hem: float) -> tuple[float, float]:
    middle, width = _LEGS[fit]
    down = (hem - _CROTCH) / (285 - _CROTCH)
    return 23 + (middle - 23) * down, 42 + (width - 42) * down


def _leg(fit: str, hem: float) -> Outline:
    middle, width = _measures(fit, hem)
    outer, inner = middle + width / 2, middle - width / 2
    return curve(
        (-1, 2),
        (34, 0),
        (38, 18, 44, 34, 44.5, 60),
        (45, 110, outer, hem - 70, outer, hem),
        (middle, hem + 3, inner, hem),
        (inner, hem - 70, 3, _CROTCH + 40, 1, _CROTCH),
        (-1, _CROTCH - 4),
    )


def _creases(tailor: Tailor, side: int, fit: str, hem: float) -> list[Fold]:
    random = tailor.random
    middle, width = _measures(fit, hem)
    folds = [Fold(curve((side * middle, hem + 4), (side * 24, 60)), 9 if fit == "wide-leg" else 6, 1.8)]
    for spot in (0.0, 0.06, 0.5, 0.93):
        y = _CROTCH + (hem - _CROTCH) * (spot + random.uniform(0, 0.05))
        x0, x1 = 4 + (middle - width / 2 - 4) * spot, 42
        slope = random.uniform(6, 16)
        folds.append(
            Fold(
                curve((side * x0, y), (side * (x0 + x1) / 2, y + slope * 0.2, side * x1 * 0.85, y - slope)),
                6,
                random.uniform(1.2, 2.2),
            )
        )
    return folds
