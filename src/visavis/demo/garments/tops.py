"""Tops, T-shirts, shirts with a collar, and coats."""

from __future__ import annotations

import numpy as np

from visavis.demo.canvas import Outline, curve, ellipse, flip, symmetric
from visavis.demo.cloth import tilted
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import (
    SleeveCut,
    Torso,
    add_back,
    add_belt,
    add_chest_pocket,
    add_cuffs,
    add_lace,
    add_neck_trim,
    add_neckline,
    add_patch_pockets,
    add_sleeves,
    front,
    hem_line,
    sleeve_cut,
)

_HEMS = {"short": 162.0, "knee-length": 232.0, "long": 296.0}
#: The edge of the overlapping front lies a little beside the middle.
_EDGE = -7.0


def cut_t_shirt(tailor: Tailor) -> None:
    """Draw a T-shirt with a ribbed neckband."""
    look = tailor.look
    loose = {"slim": 0.0, "regular": 0.4, "oversized": 1.0}[look.fit]
    torso = Torso(
        look.neckline,
        look.sleeves,
        neck_width=tailor.vary(19),
        shoulder=tailor.vary(47 + 14 * loose, 0.03),
        armpit=(44 + 16 * loose, 52 + 12 * loose),
        waist=(38 + 24 * loose, 108),
        hem=(tailor.vary(43 + 19 * loose, 0.03), tailor.vary(160 + 6 * loose)),
    )
    accent = tailor.cloth.plain(look.second_colour) if tailor.has("contrast sleeves") else None
    add_back(tailor, torso)
    add_sleeves(tailor, torso, sleeve_cut(tailor, torso, loose), accent)
    folds = tailor.pulls(*torso.armpit, 45) + tailor.drapes(-40, 40, 90, torso.hem[1], 4)
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
        armpit=(42 + 4 * loose, 54),
        waist=((36 if cropped else 34) + 14 * loose, 84 if cropped else 104),
        hem=(tailor.vary((36 if cropped else 42) + 18 * loose, 0.03), hem),
    )
    add_back(tailor, torso)
    if not torso.bare:
        add_sleeves(tailor, torso, sleeve_cut(tailor, torso, 0.5 * loose))
    folds = tailor.pulls(*torso.armpit, 30)
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
        armpit=(45 + 13 * loose, 54 + 10 * loose),
        waist=(37 + 24 * loose, 110),
        hem=(43 + 18 * loose, tailor.vary(164 + 6 * loose, 0.04)),
        hem_drop=12,
    )
    add_back(tailor, torso)
    cut = sleeve_cut(tailor, torso, loose)
    add_sleeves(tailor, torso, cut)
    if look.sleeves == "long":
        add_cuffs(tailor, cut)
    folds = tailor.pulls(*torso.armpit, 44) + tailor.drapes(-42, 42, 80, torso.hem[1], 5)
    tailor.part(front(torso), folds=folds, roundness=9)
    tailor.seam(hem_line(torso, 3.5), stitched=True, width=0.6, strength=0.25)
    placket = symmetric(
        curve((0, torso.neck_depth - 2), (5, torso.neck_depth - 4), (5, torso.hem[1] + 9), (0, torso.hem[1] + 11))
    )
    tailor.part(placket, roundness=1.5, lift=1)
    add_collar(tailor)
    tailor.buttons([(0, float(y)) for y in np.linspace(torso.neck_depth + 6, torso.hem[1] - 12, 7)], 2.6)
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
    folds = tailor.drapes(-50, 50, 100, torso.hem[1], 6, height=2.6) + tailor.pulls(*torso.armpit, 40)
    tailor.part(front(torso), folds=folds, roundness=9)
    _add_front_edge(tailor, torso)
    (_add_lapels if look.neckline == "lapels" else _add_stand_collar)(tailor)
    if tailor.has("pockets"):
        add_patch_pockets(tailor, 31 + 6 * loose, 124, 25 + 3 * loose, min(30, torso.hem[1] - 132))
    if tailor.has("belt"):
        add_belt(tailor, 110, torso.waist[0] + 1.5, 10)
    _add_buttons(tailor, torso)
    tailor.logo(28 + 3 * loose, 68, 24)


def _measures(tailor: Tailor, loose: float) -> Torso:
    length = tailor.look.length
    return Torso(
        tailor.look.neckline,
        "long",
        neck_width=18,
        shoulder=tailor.vary(52 + 12 * loose, 0.03),
        armpit=(47 + 12 * loose, 58 + 8 * loose),
        waist=(38 + 23 * loose, 110),
        hem=(tailor.vary(52 + 14 * loose + (6 if length != "short" else -3), 0.04), tailor.vary(_HEMS[length], 0.02)),
        hem_drop=3,
    )


def _add_front_edge(tailor: Tailor, torso: Torso) -> None:
    """Draw the overlapping front: a furrow with its shadow, and a row of stitches beside it."""
    top, bottom = torso.neck_depth - 2, torso.hem[1] + 2.5
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
    bottom = min(torso.hem[1] - 18, 196)
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
