"""Tops, T-shirts and shirts with a collar."""

from __future__ import annotations

import numpy as np

from visavis.demo.cloth import tilted
from visavis.demo.garments.details import add_chest_pocket, add_lace, add_neckline
from visavis.demo.garments.sleeves import add_cuffs, add_sleeves, sleeve_cut
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import Torso, add_back, add_neck_trim, front, hem_line
from visavis.demo.geometry import Outline, curve, flip, symmetric


def cut_t_shirt(tailor: Tailor) -> None:
    """Draw a T-shirt with a ribbed neckband."""
    look = tailor.look
    loose = {"slim": 0.0, "regular": 0.4, "oversized": 1.0}[look.fit]
    torso = Torso(
        look.neckline,
        look.sleeves,
        neck_width=tailor.vary(19),
        shoulder=tailor.vary(47 + 14 * loose, 0.03),
        armpit_width=44 + 16 * loose,
        armpit=52 + 12 * loose,
        waist_width=38 + 24 * loose,
        waist=108,
        hem_width=tailor.vary(43 + 19 * loose, 0.03),
        hem=tailor.vary(160 + 6 * loose),
    )
    accent = tailor.cloth.plain(look.second_colour) if tailor.has("contrast sleeves") else None
    add_back(tailor, torso)
    add_sleeves(tailor, torso, sleeve_cut(tailor, torso, loose), accent)
    folds = tailor.pulls(torso.armpit_width, torso.armpit, 45) + tailor.drapes(-40, 40, 90, torso.hem, 4)
    tailor.part(front(torso), folds=folds, roundness=9)
    add_neck_trim(tailor, torso, cloth=accent)
    tailor.seam(hem_line(torso), stitched=True, width=0.6, strength=0.25)
    if tailor.has("pockets"):
        add_chest_pocket(tailor, 21, 52)
    tailor.logo(0, torso.neck_depth + 44, 46)


def cut_top(tailor: Tailor) -> None:
    """Draw a top: cropped or down to the hips, with any neckline."""
    look = tailor.look
    loose = 1.0 if look.fit == "loose" else 0.0
    cropped = look.length == "cropped"
    hem = 100.0 if cropped else tailor.vary(158)
    torso = Torso(
        look.neckline,
        look.sleeves,
        neck_width=tailor.vary(19),
        shoulder=45 + 3 * loose,
        armpit_width=42 + 4 * loose,
        armpit=54,
        waist_width=(36 if cropped else 34) + 14 * loose,
        waist=84 if cropped else 104,
        hem_width=tailor.vary((36 if cropped else 42) + 18 * loose, 0.03),
        hem=hem,
    )
    add_back(tailor, torso)
    if not torso.bare:
        add_sleeves(tailor, torso, sleeve_cut(tailor, torso, 0.5 * loose))
    folds = tailor.pulls(torso.armpit_width, torso.armpit, 30)
    folds += tailor.drapes(-38, 38, 60, hem, 6 if loose else 3, height=2.6 if loose else 1.6)
    tailor.part(front(torso), folds=folds, roundness=8)
    add_neckline(tailor, torso, 2.4)
    if tailor.has("lace"):
        add_lace(tailor, hem_line(torso, 1))
    else:
        tailor.seam(hem_line(torso), stitched=True, width=0.6, strength=0.25)
    if tailor.has("buttons"):
        _add_button_row(tailor, torso.front_top, hem, 4 if cropped else 6)
    tailor.logo(0, 72 if cropped else 78, 36 if cropped else 42)


def _add_button_row(tailor: Tailor, top: float, hem: float, count: int) -> None:
    tailor.seam(curve((3.8, top + 1), (3.8, hem + 3)))
    tailor.buttons([(0, float(y)) for y in np.linspace(top + 8, hem - 8, count)], 2.6)


def cut_shirt(tailor: Tailor) -> None:
    """Draw a buttoned shirt."""
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
    """Draw two collar leaves that meet at the throat."""
    stand = symmetric(curve((0, 3), (12, 2, 17, -7), (19, 1), (10, 16, 0, 17)))
    tailor.part(stand, roundness=2, lift=0, shade=0.8)
    leaf: Outline = curve((0.5, 15), (9, 8, 16.5, -8), (21, -4, 22, 2), (17, 18, 14, 27), (6, 23, 0.5, 15))
    for side in (1, -1):
        tailor.part(leaf if side == 1 else flip(leaf), lay=tilted(30 * side), roundness=2.5, lift=2)
        inner = curve((2.6, 15.6), (8, 21, 13, 24.4), (16, 16, 20, 2))
        tailor.seam(inner * (side, 1), stitched=True, width=0.6, strength=0.3)
