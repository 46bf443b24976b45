"""Skirts."""

from __future__ import annotations

import numpy as np

from visavis.demo.cloth import Fold, fanned, upright
from visavis.demo.garments.dresses import wavy_hem
from visavis.demo.garments.parts import add_belt, add_slant_pockets
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import add_lace
from visavis.demo.geometry import curve, flip, symmetric

_HEMS = {"mini": 92.0, "knee-length": 142.0, "midi": 196.0, "maxi": 262.0}


def cut_skirt(tailor: Tailor) -> None:
    """A skirt on a waistband: narrow, flared or pleated."""
    look = tailor.look
    hem = _HEMS[look.length]
    folds, lay = [], fanned(-95.0, 0.0)
    if look.fit == "pencil":
        lay = upright
        edge = curve((40, hem), (20, hem + 4, 0, hem + 4))
        half = curve((0, 2), (33, 0), (36, 18, 47, 30, 48, 52), (48, 80, 43, hem - 10, 40, hem))
        folds = tailor.drapes(-36, 36, 20, hem, 3, height=1.8)
    else:
        width = 50 + hem * (0.34 if look.fit == "A-line" else 0.42)
        edge = wavy_hem(tailor, width, hem, 9)
        half = curve((0, 2), (33, 0), (42, 24, width - 8, hem - 50, width, hem))
        if look.fit == "A-line":
            folds = tailor.drapes(-30, 30, 10, hem, 6, height=3.6, spread=width / 33)
        else:
            folds = _pleats(width, hem)
    tailor.part(symmetric(np.concatenate([half, edge])), lay=lay, folds=folds, roundness=9)
    if look.fit == "pleated":
        for at in np.linspace(-1, 1, 15)[1:-1]:
            tailor.seam(curve((at * 33, 3), (at * width, hem + 8 * (1 - at**2))), width=1.0, strength=0.28)
    band = symmetric(curve((0, -4), (20, -4, 32.5, -7), (34, 4), (20, 8, 0, 8)))
    tailor.part(band, roundness=3, lift=1.5)
    _add_details(tailor, hem, np.concatenate([edge, flip(edge)]))


def _pleats(width: float, hem: float) -> list[Fold]:
    spots = (np.linspace(-1, 1, 15)[:-1] + np.linspace(-1, 1, 15)[1:]) / 2
    return [Fold(curve((at * width, hem + 10), (at * 33, 0)), width / 9, 4.0) for at in spots]


def _add_details(tailor: Tailor, hem: float, edge: np.ndarray) -> None:
    if tailor.has("lace"):
        add_lace(tailor, edge - (0, 1), 5)
    if tailor.has("pockets"):
        add_slant_pockets(tailor, 46 if tailor.look.fit == "pencil" else 50, 14)
    if tailor.has("buttons"):
        tailor.seam(curve((4, 8), (4, hem + 2)), strength=0.3)
        tailor.buttons([(0, float(y)) for y in np.arange(16, hem - 4, 17.0)], 2.7)
    if tailor.has("belt"):
        add_belt(tailor, -1, 34.5, 10)
    tailor.logo(0 if tailor.look.fit != "pencil" else 14, hem * 0.5, 40)
