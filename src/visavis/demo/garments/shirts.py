"""Shirts with a collar and a row of buttons."""

from __future__ import annotations

import numpy as np

from visavis.demo.cloth import tilted
from visavis.demo.garments.parts import add_chest_pocket
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import Torso, add_back, add_sleeves, front, hem_line, sleeve_cut
from visavis.demo.geometry import Outline, curve, flip, symmetric


def cut_shirt(tailor: Tailor) -> None:
    """A buttoned shirt."""
    look = tailor.look
    loose = {"slim": 0.0, "regular": 0.4, "oversized": 1.0}[look.fit]
    torso = Torso(
        "collar",
        look.sleeves,
        neck_width=17,
        shoulder=48 + 12 * loose,
        armpit_width=45 + 13 * loose,
        armpit=54 + 10 * loose,
        waist_width=37 + 24 * loose,
        waist=110,
        hem_width=43 + 18 * loose,
        hem=164 + 6 * loose,
        hem_drop=12,
    )
    add_back(tailor, torso)
    cut = sleeve_cut(tailor, torso, loose)
    add_sleeves(tailor, torso, cut)
    if look.sleeves == "long":
        _add_cuffs(tailor, torso, cut.degrees, cut.length, cut.cuff)
    folds = tailor.pulls(torso.armpit_width, torso.armpit, 44) + tailor.drapes(-42, 42, 80, torso.hem, 5)
    tailor.part(front(torso), folds=folds, roundness=9)
    tailor.seam(hem_line(torso, 3.5), stitched=True, width=0.6, strength=0.25)
    placket = symmetric(
        curve((0, torso.neck_depth - 2), (5, torso.neck_depth - 4), (5, torso.hem + 9), (0, torso.hem + 11))
    )
    tailor.part(placket, roundness=1.5, lift=1)
    add_collar(tailor)
    tailor.buttons([(0, float(y)) for y in np.linspace(torso.neck_depth + 6, torso.hem - 12, 7)], 2.3)
    if tailor.has("pockets"):
        add_chest_pocket(tailor, 23, 50)
    tailor.logo(24, 58, 20)


def add_collar(tailor: Tailor) -> None:
    """Two collar leaves that meet at the throat."""
    stand = symmetric(curve((0, 3), (12, 2, 17, -7), (19, 1), (10, 16, 0, 17)))
    tailor.part(stand, roundness=2, lift=0, shade=0.8)
    leaf: Outline = curve((0.5, 15), (9, 8, 16.5, -8), (21, -4, 22, 2), (17, 18, 14, 27), (6, 23, 0.5, 15))
    for side in (1, -1):
        tailor.part(leaf if side == 1 else flip(leaf), lay=tilted(30 * side), roundness=2.5, lift=2)
        inner = curve((2.6, 15.6), (8, 21, 13, 24.4), (16, 16, 20, 2))
        tailor.seam(inner * (side, 1), stitched=True, width=0.6, strength=0.3)


def _add_cuffs(tailor: Tailor, torso: Torso, degrees: float, length: float, width: float) -> None:
    along = np.array([np.sin(np.radians(degrees)), np.cos(np.radians(degrees))])
    across = np.array([-along[1], along[0]])
    top = np.array([torso.shoulder, torso.drop]) + along * (length - 13) - across * 0.5
    box = np.array([top, top + along * 14, top + along * 14.5 + across * (width + 1), top + across * (width + 1.5)])
    for side in (1, -1):
        tailor.part(box * (side, 1), lay=tilted(degrees * side), roundness=2.5, lift=1.2)
        at = (top + along * 7 + across * width * 0.3) * (side, 1)
        tailor.buttons([(float(at[0]), float(at[1]))], 1.6)
