"""Shirts with a collar and a row of buttons."""

from __future__ import annotations

import numpy as np

from visavis.demo.cloth import tilted
from visavis.demo.garments.parts import add_chest_pocket
from visavis.demo.garments.sleeves import add_cuffs, add_sleeves, sleeve_cut
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import Torso, add_back, front, hem_line
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
        hem=tailor.vary(164 + 6 * loose, 0.04),
        hem_drop=12,
    )
    add_back(tailor, torso)
    cut = sleeve_cut(tailor, torso, loose)
    add_sleeves(tailor, torso, cut)
    if look.sleeves == "long":
        add_cuffs(tailor, cut)
    folds = tailor.pulls(torso.armpit_width, torso.armpit, 44) + tailor.drapes(-42, 42, 80, torso.hem, 5)
    tailor.part(front(torso), folds=folds, roundness=9)
    tailor.seam(hem_line(torso, 3.5), stitched=True, width=0.6, strength=0.25)
    placket = symmetric(
        curve((0, torso.neck_depth - 2), (5, torso.neck_depth - 4), (5, torso.hem + 9), (0, torso.hem + 11))
    )
    tailor.part(placket, roundness=1.5, lift=1)
    add_collar(tailor)
    tailor.buttons([(0, float(y)) for y in np.linspace(torso.neck_depth + 6, torso.hem - 12, 7)], 2.6)
    if tailor.has("pockets"):
        add_chest_pocket(tailor, 23, 50)
    tailor.logo(25, 60, 25)


def add_collar(tailor: Tailor) -> None:
    """Two collar leaves that meet at the throat."""
    stand = symmetric(curve((0, 3), (12, 2, 17, -7), (19, 1), (10, 16, 0, 17)))
    tailor.part(stand, roundness=2, lift=0, shade=0.8)
    leaf: Outline = curve((0.5, 15), (9, 8, 16.5, -8), (21, -4, 22, 2), (17, 18, 14, 27), (6, 23, 0.5, 15))
    for side in (1, -1):
        tailor.part(leaf if side == 1 else flip(leaf), lay=tilted(30 * side), roundness=2.5, lift=2)
        inner = curve((2.6, 15.6), (8, 21, 13, 24.4), (16, 16, 20, 2))
        tailor.seam(inner * (side, 1), stitched=True, width=0.6, strength=0.3)
