"""Dresses."""

from __future__ import annotations

import numpy as np

from visavis.demo.garments.details import add_belt, add_lace, add_neckline, add_slant_pockets
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import Torso, add_back, add_sleeves, front, sleeve_cut
from visavis.demo.geometry import Outline, curve, flip, symmetric

_HEMS = {"mini": 188.0, "knee-length": 238.0, "midi": 290.0, "maxi": 350.0}
_WAIST = 100.0


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
        armpit_width=42,
        armpit=54,
        waist_width=47 if loose else 33,
        waist=_WAIST if not loose else 120,
        hem_width=58 if loose else 34,
        hem=hem if loose else _WAIST + 2,
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
