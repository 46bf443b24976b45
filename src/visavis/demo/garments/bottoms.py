"""Trousers and skirts."""

from __future__ import annotations

import numpy as np

from visavis.demo.cloth import Fold, Lay, upright
from visavis.demo.garments.details import add_belt, add_lace, add_slant_pockets
from visavis.demo.garments.dresses import wavy_hem
from visavis.demo.garments.tailor import Tailor
from visavis.demo.geometry import Outline, curve, flip, symmetric

_TROUSER_HEMS = {"knee-length": 150.0, "cropped": 226.0, "full-length": 285.0}
_CROTCH = 78.0
#: Half distance of the hem's middle from the axis, and the hem's width, at full length.
_LEGS = {"slim": (27.0, 22.0), "straight": (29.0, 34.0), "wide-leg": (40.0, 58.0)}


def cut_trousers(tailor: Tailor) -> None:
    """Draw two legs on a waistband."""
    look = tailor.look
    hem = _TROUSER_HEMS[look.length]
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


_SKIRT_HEMS = {"mini": 84.0, "knee-length": 136.0, "midi": 190.0, "maxi": 258.0}
_WAIST = 33.0
_PLEATS = np.linspace(-1, 1, 15)


def cut_skirt(tailor: Tailor) -> None:
    """Draw a skirt on a waistband: narrow, flared or pleated."""
    hem = tailor.vary(_SKIRT_HEMS[tailor.look.length], 0.03)
    edge = _add_pencil(tailor, hem) if tailor.look.fit == "pencil" else _add_wide(tailor, hem)
    band = symmetric(curve((0, -4), (20, -4, 32.5, -7), (34, 4), (20, 8, 0, 8)))
    tailor.part(band, roundness=2.5, lift=1.5)
    _add_details(tailor, hem, np.concatenate([edge, flip(edge)]))


def _add_pencil(tailor: Tailor, hem: float) -> Outline:
    edge = curve((40, hem), (20, hem + 4, 0, hem + 4))
    hip = min(52, hem * 0.45)
    half = curve((0, 2), (_WAIST, 0), (36, hip * 0.4, 47, hip * 0.6, 48, hip), (48, hip + 28, 43, hem - 10, 40, hem))
    _add_panel(tailor, half, edge, upright, tailor.drapes(-36, 36, 20, hem, 3, height=1.8))
    tailor.seam(curve((-13, 8), (-14, 28)), width=0.8, strength=0.25)
    tailor.seam(curve((13, 8), (14, 28)), width=0.8, strength=0.25)
    return edge


def _add_wide(tailor: Tailor, hem: float) -> Outline:
    pleated = tailor.look.fit == "pleated"
    width = tailor.vary(48 + hem * (0.27 if pleated else 0.22))
    edge = wavy_hem(tailor, width, hem, 8)
    half = curve((0, 2), (_WAIST, 0), (41, hem * 0.2, width - 6, hem * 0.66, width, hem))
    apex = -_WAIST * hem / (width - _WAIST)  # where the sides would meet
    if pleated:
        middles = (_PLEATS[:-1] + _PLEATS[1:]) / 2
        folds = [Fold(curve((at * width, hem + 10), (at * _WAIST, 0)), width / 9, 4.0) for at in middles]
    else:
        folds = tailor.drapes(-30, 30, 10, hem, 6, height=3.6, spread=width / _WAIST)
    _add_panel(tailor, half, edge, tailor.fan(apex, 0), folds)
    if pleated:
        for at in _PLEATS[1:-1]:
            tailor.seam(curve((at * _WAIST, 3), (at * width, hem + 8 * (1 - at**2))), width=1.0, strength=0.3)
    return edge


def _add_panel(tailor: Tailor, half: Outline, edge: Outline, lay: Lay, folds: list[Fold]) -> None:
    tailor.part(symmetric(np.concatenate([half, edge])), lay=lay, folds=folds, roundness=9)


def _add_details(tailor: Tailor, hem: float, edge: Outline) -> None:
    if tailor.has("lace"):
        add_lace(tailor, edge - (0, 3))
    if tailor.has("pockets"):
        add_slant_pockets(tailor, 41, 12)
    if tailor.has("buttons"):
        tailor.seam(curve((4.4, 8), (4.4, hem + 2)), strength=0.3)
        tailor.buttons([(0, float(y)) for y in np.arange(16, hem - 4, 17.0)], 3)
    if tailor.has("belt"):
        add_belt(tailor, -1, 34.5, 10)
    tailor.logo(0, hem * 0.55, 42)
