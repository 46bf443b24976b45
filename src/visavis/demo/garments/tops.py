"""Tops and T-shirts."""

from __future__ import annotations

import numpy as np

from visavis.demo.garments.parts import add_chest_pocket
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import (
    Torso,
    add_back,
    add_lace,
    add_neck_trim,
    add_sleeves,
    add_straps,
    front,
    hem_line,
    neck_edge,
    sleeve_cut,
)
from visavis.demo.geometry import curve, flip


def cut_t_shirt(tailor: Tailor) -> None:
    """A T-shirt with a ribbed neckband."""
    look = tailor.look
    loose = {"slim": 0.0, "regular": 0.4, "oversized": 1.0}[look.fit]
    torso = Torso(
        look.neckline,
        look.sleeves,
        shoulder=47 + 14 * loose,
        armpit_width=44 + 16 * loose,
        armpit=52 + 14 * loose,
        waist_width=36 + 26 * loose,
        waist=108,
        hem_width=42 + 20 * loose,
        hem=160 + 8 * loose,
    )
    accent = tailor.cloth.plain(look.second_colour) if tailor.has("contrast sleeves") else None
    add_back(tailor, torso)
    add_sleeves(tailor, torso, sleeve_cut(tailor, torso, loose), accent)
    tailor.part(
        front(torso),
        folds=tailor.pulls(torso.armpit_width, torso.armpit, 45) + tailor.drapes(-40, 40, 90, torso.hem, 4),
        roundness=9,
    )
    add_neck_trim(tailor, torso, cloth=accent)
    tailor.seam(hem_line(torso), stitched=True, width=0.6, strength=0.25)
    if tailor.has("pockets"):
        add_chest_pocket(tailor, 21, 52)
    tailor.logo(0, torso.neck_depth + 44, 44)


def cut_top(tailor: Tailor) -> None:
    """A top: cropped or down to the hips, with any neckline."""
    look = tailor.look
    loose = 1.0 if look.fit == "loose" else 0.0
    hem = 98.0 if look.length == "cropped" else 158.0
    torso = Torso(
        look.neckline,
        look.sleeves,
        shoulder=45 + 3 * loose,
        armpit_width=42 + 4 * loose,
        armpit=54,
        waist_width=34 + 14 * loose,
        waist=min(100, hem - 12),
        hem_width=(36 if look.length == "cropped" else 42) + 18 * loose,
        hem=hem,
    )
    add_back(tailor, torso)
    if not torso.bare:
        add_sleeves(tailor, torso, sleeve_cut(tailor, torso, 0.5 * loose))
    folds = tailor.pulls(torso.armpit_width, torso.armpit, 30)
    folds += tailor.drapes(-38, 38, 60, hem, 6 if loose else 3, height=2.6 if loose else 1.6)
    tailor.part(front(torso), folds=folds, roundness=8)
    if look.sleeves == "straps":
        add_straps(tailor)
    elif look.neckline == "off-shoulder":
        add_frill(tailor, torso)
    else:
        add_neck_trim(tailor, torso, 2.2)
    if tailor.has("lace"):
        add_lace(tailor, hem_line(torso, -1), 5)
    else:
        tailor.seam(hem_line(torso), stitched=True, width=0.6, strength=0.25)
    if tailor.has("buttons"):
        top = {"off-shoulder": 44.0}.get(
            look.neckline, (46 if look.neckline == "V-neck" else 33) if look.sleeves == "straps" else torso.neck_depth
        )
        spots = np.linspace(top + 9, hem - 10, 4 if look.length == "cropped" else 6)
        tailor.seam(curve((3.5, top + 1), (3.5, hem + 3)))
        tailor.buttons([(0, float(y)) for y in spots])
    tailor.logo(0, 74, 38)


def add_frill(tailor: Tailor, torso: Torso) -> None:
    """The gathered edge of an off-shoulder neckline."""
    width = torso.armpit_width + 6
    upper = curve((0, 34), (28, 34, width, 23))
    lower = curve((width + 3, 38), (width * 0.75, 50, width * 0.5, 46), (width * 0.25, 44, 0, 51))
    half = np.concatenate([upper, lower])
    tailor.part(
        np.concatenate([half, flip(half)]), folds=tailor.drapes(-width, width, 28, 50, 9, height=1.6), roundness=3
    )


def neck_line(torso: Torso) -> np.ndarray:
    """The whole front neckline from left to right."""
    edge = neck_edge(torso)
    return np.concatenate([flip(edge)[:-1], edge])
