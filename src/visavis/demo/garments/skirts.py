"""Skirts."""

from __future__ import annotations

import numpy as np

from visavis.demo.cloth import Fold, Lay, upright
from visavis.demo.garments.dresses import wavy_hem
from visavis.demo.garments.parts import add_belt, add_slant_pockets
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.trims import add_lace
from visavis.demo.geometry import Outline, curve, flip, symmetric

_HEMS = {"mini": 84.0, "knee-length": 136.0, "midi": 190.0, "maxi": 258.0}
_WAIST = 33.0
_PLEATS = np.linspace(-1, 1, 15)


def cut_skirt(tailor: Tailor) -> None:
    """A skirt on a waistband: narrow, flared or pleated."""
    hem = tailor.vary(_HEMS[tailor.look.length], 0.03)
    edge = _add_pencil(tailor, hem) if tailor.look.fit == "pencil" else _add_wide(tailor, hem)
    band = symmetric(curve((0, -4), (20, -4, 32.5, -7), (34, 4), (20, 8, 0, 8)))
    tailor.part(band, roundness=2.5, lift=1.5)
    _add_details(tailor, hem, np.concatenate([edge, flip(edge)]))


def _add_pencil(tailor: Tailor, hem: float) -> Outline:
    edge = curve((40, hem), (20, hem + 4, 0, hem + 4))
    hip = min(52, hem * 0.45)
    half = curve((0, 2), (_WAIST, 0), (36, hip * 0.4, 47, hip * 0.6, 48, hip), (48, hip + 28, 43, hem - 10, 40, hem))
    _lay_down(tailor, half, edge, upright, tailor.drapes(-36, 36, 20, hem, 3, height=1.8))
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
    _lay_down(tailor, half, edge, tailor.fan(apex, 0), folds)
    if pleated:
        for at in _PLEATS[1:-1]:
            tailor.seam(curve((at * _WAIST, 3), (at * width, hem + 8 * (1 - at**2))), width=1.0, strength=0.3)
    return edge


def _lay_down(tailor: Tailor, half: Outline, edge: Outline, lay: Lay, folds: list[Fold]) -> None:
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
