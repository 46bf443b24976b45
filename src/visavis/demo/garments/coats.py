"""Coats."""

from __future__ import annotations

import numpy as np

from visavis.demo.cloth import tilted
from visavis.demo.garments.details import add_belt, add_patch_pockets
from visavis.demo.garments.sleeves import SleeveCut, add_sleeves
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import Torso, front
from visavis.demo.geometry import curve, ellipse, flip, symmetric

_HEMS = {"short": 162.0, "knee-length": 232.0, "long": 296.0}
#: The edge of the overlapping front lies a little beside the middle.
_EDGE = -7.0


def cut_coat(tailor: Tailor) -> None:
    """Draw a buttoned coat with lapels or a stand collar."""
    look = tailor.look
    loose = {"fitted": 0.0, "straight": 0.5, "oversized": 1.0}[look.fit]
    torso = _measures(tailor, loose)
    if tailor.has("hood"):
        _add_hood(tailor)
    lining = symmetric(curve((0, -8), (13, -8, 18, -1), (24, 40), (0, torso.neck_depth + 8)))
    tailor.part(lining, tailor.cloth.plain(), roundness=4, lift=0, shade=0.5)
    cut = SleeveCut(torso.sleeve_start, tailor.random.uniform(11, 16) + 2 * loose, 154, 25 + 7 * loose)
    add_sleeves(tailor, torso, cut)
    folds = tailor.drapes(-50, 50, 100, torso.hem, 6, height=2.6) + tailor.pulls(torso.armpit_width, torso.armpit, 40)
    tailor.part(front(torso), folds=folds, roundness=9)
    _add_front_edge(tailor, torso)
    (_add_lapels if look.neckline == "lapels" else _add_stand_collar)(tailor)
    if tailor.has("pockets"):
        add_patch_pockets(tailor, 31 + 6 * loose, 124, 25 + 3 * loose, min(30, torso.hem - 132))
    if tailor.has("belt"):
        add_belt(tailor, 110, torso.waist_width + 1.5, 10)
    _add_buttons(tailor, torso)
    tailor.logo(28 + 3 * loose, 68, 24)


def _measures(tailor: Tailor, loose: float) -> Torso:
    length = tailor.look.length
    return Torso(
        tailor.look.neckline,
        "long",
        neck_width=18,
        shoulder=tailor.vary(52 + 12 * loose, 0.03),
        armpit_width=47 + 12 * loose,
        armpit=58 + 8 * loose,
        waist_width=38 + 23 * loose,
        waist=110,
        hem_width=tailor.vary(52 + 14 * loose + (6 if length != "short" else -3), 0.04),
        hem=tailor.vary(_HEMS[length], 0.02),
        hem_drop=3,
    )


def _add_front_edge(tailor: Tailor, torso: Torso) -> None:
    """Draw the overlapping front: a furrow with its shadow, and a row of stitches beside it."""
    top, bottom = torso.neck_depth - 2, torso.hem + 2.5
    tailor.ink([curve((_EDGE - 5, top), (_EDGE, top), (_EDGE, bottom), (_EDGE - 4, bottom))], (0, 0, 0), 0.22, 1.6)
    tailor.seam(curve((_EDGE, top), (_EDGE, bottom)), width=1.2, strength=0.45)
    tailor.seam(curve((_EDGE + 3, top + 4), (_EDGE + 3, bottom)), stitched=True, width=0.6, strength=0.25)


def _add_lapels(tailor: Tailor) -> None:
    for side in (-1, 1):
        lapel = curve((16, -2), (25, 12), (34, 27), (25, 32), (14, 52, -3, 70), (1, 44, 12, 2))
        collar = curve((11, -10), (18, -9, 22, -4), (33, 16), (26, 24), (16, 12, 9, -5))
        tailor.part(lapel if side == 1 else flip(lapel), lay=tilted(-18 * side), roundness=2.5, lift=2.2)
        tailor.part(collar if side == 1 else flip(collar), lay=tilted(35 * side), roundness=2.5, lift=1.8)


def _add_stand_collar(tailor: Tailor) -> None:
    back = symmetric(curve((0, -13), (12, -13, 15, -11), (18, 2), (0, 6)))
    tailor.part(back, tailor.cloth.plain(), roundness=2, lift=0, shade=0.55)
    for side in (-1, 1):
        leaf = curve((2, -8), (9, -12, 16, -14), (19, -6, 21, 3), (12, 17, 0, 21), (-1, 8, 2, -8))
        tailor.part(leaf if side == 1 else flip(leaf), roundness=2.5, lift=1.5)
        tailor.seam(curve((3.6, -5.5), (10, -10, 14.8, -11)) * (side, 1), stitched=True, width=0.6, strength=0.25)


def _add_buttons(tailor: Tailor, torso: Torso) -> None:
    top = torso.neck_depth + (12 if torso.neckline == "lapels" else 10)
    bottom = min(torso.hem - 18, 196)
    spots = [float(y) for y in np.linspace(top, bottom, 4 if torso.neckline == "lapels" else 6)]
    tailor.buttons([(0, y) for y in spots if not (tailor.has("belt") and abs(y - 113) < 11)], 3.6)


def _add_hood(tailor: Tailor) -> None:
    outline = symmetric(curve((0, -50), (24, -50, 37, -34, 37, -14), (37, 4, 28, 12, 20, 15), (0, 20)))
    tailor.part(outline, folds=tailor.drapes(-28, 28, -44, 10, 4), roundness=8, lift=0)
    inside = symmetric(curve((0, -39), (17, -39, 26, -28, 26, -11), (25, 2, 15, 10), (0, 12)))
    tailor.part(inside, tailor.cloth.plain(), roundness=6, lift=0, shade=0.5)
    tailor.ink([ellipse(0, -10, 15, 18)], (0.02, 0.02, 0.03), 0.3, 6)
    rim = curve((0, -39), (17, -39, 26, -28, 26, -11), (25, 2, 15, 10))
    tailor.seam(np.concatenate([flip(rim), rim]), width=1.2, strength=0.3)
