"""Coats."""

from __future__ import annotations

import numpy as np

from visavis.demo.garments.parts import add_belt, add_patch_pockets
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import SleeveCut, Torso, add_sleeves
from visavis.demo.geometry import Outline, curve, ellipse, flip, symmetric

_HEMS = {"short": 165.0, "knee-length": 232.0, "long": 292.0}


def cut_coat(tailor: Tailor) -> None:
    """A buttoned coat with lapels or a stand collar."""
    look = tailor.look
    hem = _HEMS[look.length]
    loose = {"fitted": 0.0, "straight": 0.5, "oversized": 1.0}[look.fit]
    torso = Torso(
        look.neckline,
        "long",
        neck_width=18,
        shoulder=52 + 12 * loose,
        armpit_width=47 + 12 * loose,
        armpit=58 + 8 * loose,
        waist_width=37 + 24 * loose,
        waist=112,
        hem_width=52 + 16 * loose + (6 if look.length != "short" else 0),
        hem=hem,
        hem_drop=3,
    )
    if tailor.has("hood"):
        _add_hood(tailor)
    tailor.part(
        symmetric(curve((0, -6), (14, -6, 18, -1), (24, 40), (0, 44))),
        tailor.cloth.plain(),
        roundness=4,
        lift=0,
        shade=0.55,
    )
    add_sleeves(tailor, torso, SleeveCut(tailor.random.uniform(13, 17) + 2 * loose, 152, 24 + 7 * loose))
    deep = 62.0 if look.neckline == "lapels" else 8.0
    folds = tailor.drapes(-50, 50, 100, hem, 6, height=2.6) + tailor.pulls(torso.armpit_width, torso.armpit, 40)
    left, right = _panels(torso, deep)
    tailor.part(left, folds=folds, roundness=9)
    tailor.part(right, folds=folds, roundness=9, lift=2)
    _add_collar(tailor, deep)
    if tailor.has("pockets"):
        add_patch_pockets(tailor, 31 + 6 * loose, 126, 26 + 3 * loose, min(30, hem - 136))
    if tailor.has("belt"):
        add_belt(tailor, 112, torso.waist_width + 1, 10)
    bottom = min(hem - 24, 190)
    spots = [
        float(y)
        for y in np.linspace(deep + 10, bottom, 4 if deep > 20 else 6)
        if not (tailor.has("belt") and abs(y - 114) < 9)
    ]
    tailor.buttons([(2.5, y) for y in spots], 3.4)
    tailor.logo(27, 66, 20)


def _panels(torso: Torso, deep: float) -> tuple[Outline, Outline]:
    """The two front pieces; the right one (as seen) overlaps."""
    half = curve(
        (torso.neck_half, 0),
        (torso.shoulder, torso.drop),
        (
            torso.shoulder - 5,
            torso.armpit * 0.5,
            torso.shoulder - 5,
            torso.armpit * 0.85,
            torso.armpit_width,
            torso.armpit,
        ),
        (
            torso.armpit_width - 1,
            torso.armpit + 20,
            torso.waist_width,
            torso.waist - 24,
            torso.waist_width,
            torso.waist,
        ),
        (torso.waist_width + 2, torso.waist + 30, torso.hem_width, torso.hem - 30, torso.hem_width, torso.hem),
        (torso.hem_width * 0.5, torso.hem + 3, 0, torso.hem + 3),
    )
    right = np.concatenate([half, curve((-5, torso.hem + 3), (-5, deep + 6), (torso.neck_half - 4, 2))])
    left = np.concatenate([half, curve((5, torso.hem + 3), (5, deep + 6), (torso.neck_half - 4, 2))])
    return flip(left), right


def _add_collar(tailor: Tailor, deep: float) -> None:
    for side in (-1, 1):
        if deep > 20:
            lapel = curve((16, -2), (24, 14), (33, 30), (24, 33), (12, 54, -4, deep + 6), (4, 30, 12, 2))
            collar = curve((12, -9), (19, -7, 23, -2), (31, 20), (24, 27, 22, 24), (14, 12, 9, -4))
            tailor.part(lapel if side == 1 else flip(lapel), roundness=3, lift=2.2)
            tailor.part(collar if side == 1 else flip(collar), roundness=3, lift=2)
        else:
            leaf = curve((0, 14), (-1, 0, 3, -13), (14, -16, 18, -8), (22, 4), (12, 12, 0, 14))
            tailor.part(leaf if side == 1 else flip(leaf), roundness=3, lift=2)


def _add_hood(tailor: Tailor) -> None:
    outline = symmetric(curve((0, -52), (22, -52, 34, -34, 34, -14), (34, 2, 26, 10, 20, 14), (0, 20)))
    tailor.part(outline, folds=tailor.drapes(-26, 26, -44, 10, 4), roundness=8, lift=0)
    inside = symmetric(curve((0, -42), (15, -42, 23, -30, 23, -13), (22, 0, 14, 8), (0, 12)))
    tailor.part(inside, tailor.cloth.plain(), roundness=6, lift=0, shade=0.55)
    tailor.ink([ellipse(0, -12, 13, 20)], (0.02, 0.02, 0.03), 0.25, 6)
