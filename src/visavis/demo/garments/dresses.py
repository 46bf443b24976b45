"""Dresses, skirts and trousers."""

from __future__ import annotations

import numpy as np

from visavis.demo.canvas import Outline, curve, flip, symmetric
from visavis.demo.cloth import Fold, Lay, upright
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import (
    Torso,
    add_back,
    add_belt,
    add_lace,
    add_neckline,
    add_slant_pockets,
    add_sleeves,
    front,
    sleeve_cut,
)

_HEMS = {"mini": 188.0, "knee-length": 238.0, "midi": 290.0, "maxi": 350.0}
_WAIST = 100.0
_TROUSER_HEMS = {"knee-length": 150.0, "cropped": 226.0, "full-length": 285.0}
_CROTCH = 78.0
#: Half distance of the hem's middle from the axis, and the hem's width, at full length.
_LEGS = {"slim": (27.0, 22.0), "straight": (29.0, 34.0), "wide-leg": (40.0, 58.0)}


def cut_dress(tailor: Tailor) -> None:
    """Draw a dress: a bodice, and a skirt that is tight, wide or one piece with the bodice."""
    look = tailor.look
    hem = tailor.vary(_HEMS[look.length], 0.02)
    loose = look.fit == "loose"
    torso = Torso(
        look.neckline,
        look.sleeves,
        neck_width=tailor.vary(19),
        shoulder=45,
        armpit=(42, 54),
        waist=(47 if loose else 33, _WAIST if not loose else 120),
        hem=(58 if loose else 34, hem if loose else _WAIST + 2),
        hem_drop=3,
    )
    add_back(tailor, torso)
    if not torso.bare:
        add_sleeves(tailor, torso, sleeve_cut(tailor, torso, 0.2))
    if loose:
        tailor.part(
            front(torso), folds=tailor.drapes(-52, 52, 70, hem, 6, height=3) + tailor.pulls(42, 54, 36), roundness=9
        )
        edge = curve((58, hem), (29, hem + 3, 0, hem + 3))
    else:
        bodice = front(torso)
        skirt, edge = _add_skirt(tailor, hem, bodice)
        tailor.part(bodice, folds=tailor.pulls(42, 54, 32), sewn_to=(skirt,), roundness=8, lift=0.8)
        tailor.seam(curve((-33.5, _WAIST + 2), (0, _WAIST + 8, 33.5, _WAIST + 2)), width=1, strength=0.35)
    add_neckline(tailor, torso, 2.2)
    _add_details(tailor, torso, hem, np.concatenate([edge, flip(edge)]))


def _add_skirt(tailor: Tailor, hem: float, bodice: Outline) -> tuple[Outline, Outline]:
    """Draw the skirt under the bodice; returns its outline and the right half of its hem."""
    if tailor.look.fit == "fitted":
        edge = curve((39, hem), (20, hem + 4, 0, hem + 4))
        hips = ((33, _WAIST + 12, 44, _WAIST + 24, 45, _WAIST + 48), (46, _WAIST + 80, 41, hem - 10, 39, hem))
        outline = symmetric(np.concatenate([curve((0, _WAIST - 4), (32, _WAIST - 4), *hips), edge]))
        folds = tailor.drapes(-34, 34, _WAIST + 20, hem, 3, height=1.8)
        tailor.part(outline, folds=folds, sewn_to=(bodice,), roundness=10)
        return outline, edge
    width = tailor.vary(44 + 0.31 * (hem - _WAIST), 0.08)
    edge = wavy_hem(tailor, width, hem, 10)
    side = curve((0, _WAIST - 4), (32, _WAIST - 4), (40, _WAIST + 20, width - 8, hem - 60, width, hem))
    outline = symmetric(np.concatenate([side, edge]))
    folds = tailor.drapes(-30, 30, _WAIST, hem, 8, height=4, spread=width / 34)
    tailor.part(outline, lay=tailor.fan(_WAIST - 95, _WAIST), folds=folds, sewn_to=(bodice,), roundness=9)
    return outline, edge


def wavy_hem(tailor: Tailor, width: float, y: float, sag: float) -> Outline:
    """Return the right half of a swinging hem, from the side to the middle."""
    x = np.linspace(width, 0, 40)
    phase = tailor.random.uniform(0, 6)
    swing = 2.6 * np.sin(x / 7.5 + phase) * (x / width + 0.3)
    return np.stack([x, y + sag * (1 - (x / width) ** 2) + swing], axis=1)


def _add_details(tailor: Tailor, torso: Torso, hem: float, edge: Outline) -> None:
    look = tailor.look
    if tailor.has("lace"):
        add_lace(tailor, edge - (0, 3))
    if tailor.has("pockets"):
        add_slant_pockets(tailor, {"loose": 46, "fitted": 42, "flared": 46}[look.fit], _WAIST + 22)
    if tailor.has("buttons"):
        top = torso.front_top
        bottom = min(hem - 14, _WAIST + 90)
        tailor.seam(curve((3.2, top + 1), (3.2, bottom + 8)), strength=0.25)
        spots = np.arange(top + 9, bottom, 15.0)
        tailor.buttons([(0, float(y)) for y in spots if not (tailor.has("belt") and abs(y - _WAIST) < 10)], 2.6)
    if tailor.has("belt"):
        add_belt(tailor, _WAIST - 1, 34.5)
    top = torso.front_top
    tailor.logo(0, (top + _WAIST) / 2 + 1, min(40, (_WAIST - 8 - top) * 0.8))


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
_SKIRT_WAIST = 33.0
_PLEATS = np.linspace(-1, 1, 15)


def cut_skirt(tailor: Tailor) -> None:
    """Draw a skirt on a waistband: narrow, flared or pleated."""
    hem = tailor.vary(_SKIRT_HEMS[tailor.look.length], 0.03)
    edge = _add_pencil(tailor, hem) if tailor.look.fit == "pencil" else _add_wide(tailor, hem)
    band = symmetric(curve((0, -4), (20, -4, 32.5, -7), (34, 4), (20, 8, 0, 8)))
    tailor.part(band, roundness=2.5, lift=1.5)
    _add_skirt_details(tailor, hem, np.concatenate([edge, flip(edge)]))


def _add_pencil(tailor: Tailor, hem: float) -> Outline:
    edge = curve((40, hem), (20, hem + 4, 0, hem + 4))
    hip = min(52, hem * 0.45)
    half = curve(
        (0, 2), (_SKIRT_WAIST, 0), (36, hip * 0.4, 47, hip * 0.6, 48, hip), (48, hip + 28, 43, hem - 10, 40, hem)
    )
    _add_panel(tailor, half, edge, upright, tailor.drapes(-36, 36, 20, hem, 3, height=1.8))
    tailor.seam(curve((-13, 8), (-14, 28)), width=0.8, strength=0.25)
    tailor.seam(curve((13, 8), (14, 28)), width=0.8, strength=0.25)
    return edge


def _add_wide(tailor: Tailor, hem: float) -> Outline:
    pleated = tailor.look.fit == "pleated"
    width = tailor.vary(48 + hem * (0.27 if pleated else 0.22))
    edge = wavy_hem(tailor, width, hem, 8)
    half = curve((0, 2), (_SKIRT_WAIST, 0), (41, hem * 0.2, width - 6, hem * 0.66, width, hem))
    apex = -_SKIRT_WAIST * hem / (width - _SKIRT_WAIST)  # where the sides would meet
    if pleated:
        middles = (_PLEATS[:-1] + _PLEATS[1:]) / 2
        folds = [Fold(curve((at * width, hem + 10), (at * _SKIRT_WAIST, 0)), width / 9, 4.0) for at in middles]
    else:
        folds = tailor.drapes(-30, 30, 10, hem, 6, height=3.6, spread=width / _SKIRT_WAIST)
    _add_panel(tailor, half, edge, tailor.fan(apex, 0), folds)
    if pleated:
        for at in _PLEATS[1:-1]:
            tailor.seam(curve((at * _SKIRT_WAIST, 3), (at * width, hem + 8 * (1 - at**2))), width=1.0, strength=0.3)
    return edge


def _add_panel(tailor: Tailor, half: Outline, edge: Outline, lay: Lay, folds: list[Fold]) -> None:
    tailor.part(symmetric(np.concatenate([half, edge])), lay=lay, folds=folds, roundness=9)


def _add_skirt_details(tailor: Tailor, hem: float, edge: Outline) -> None:
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
