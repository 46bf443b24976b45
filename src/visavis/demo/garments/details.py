"""Details that several garments share: pockets, belts, button rows, lace and frills."""

from __future__ import annotations

import numpy as np

from visavis.demo.canvas import Outline, curve, ellipse, flip, ribbon, shifted
from visavis.demo.cloth import Cloth
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import Torso, add_neck_trim, add_straps


def add_chest_pocket(tailor: Tailor, x: float, y: float, size: float = 11) -> None:
    """Draw a patch pocket on the chest."""
    half = curve((0, 0), (size, 0), (size, size * 1.9), (0, size * 2.4))
    outline = shifted(np.concatenate([half, flip(half)]), x, y)
    tailor.part(outline, roundness=2, lift=1.2)
    tailor.seam(shifted(curve((-size, 3.2), (size, 3.2)), x, y), strength=0.35)
    inner = curve(
        (-size + 1.4, 4), (-size + 1.4, size * 1.8), (0, size * 2.2), (size - 1.4, size * 1.8), (size - 1.4, 4)
    )
    tailor.seam(shifted(inner, x, y), stitched=True, width=0.6, strength=0.3)


def add_slant_pockets(tailor: Tailor, x: float, y: float, length: float = 26) -> None:
    """Draw two pocket openings on the hips."""
    for side in (-1, 1):
        line = curve((side * (x - 12), y), (side * (x - 5), y + length * 0.5, side * (x + 1), y + length))
        tailor.seam(line, width=1.6, strength=0.55)
        tailor.seam(shifted(line, -side * 2.2, 0.6), stitched=True, width=0.6, strength=0.35)


def add_patch_pockets(tailor: Tailor, x: float, y: float, width: float, height: float, *, flap: bool = True) -> None:
    """Draw two large pockets with flaps."""
    for side in (-1, 1):
        box = _rounded(side * x - width / 2, y, width, height)
        tailor.part(box, roundness=2.5, lift=1.6)
        tailor.seam(_rounded(side * x - width / 2 + 1.8, y + 1.8, width - 3.6, height - 3.6), stitched=True, width=0.6)
        if flap:
            tailor.part(_rounded(side * x - width / 2 - 1, y - 2, width + 2, height * 0.36), roundness=2, lift=2)


def add_belt(tailor: Tailor, y: float, half: float, width: float = 9) -> None:
    """Draw a belt in the second colour with a metal buckle."""
    cloth = Cloth(tailor.look.second_colour, gloss=0.6, grain=0.3)
    line = curve((half, y), (half * 0.5, y + 3, 0, y + 3))
    middle = np.concatenate([line, flip(line)[1:]])
    tailor.part(
        np.concatenate([middle - (0, width / 2), np.add(middle, (0, width / 2))[::-1]]), cloth, roundness=2, lift=2
    )
    outer, inner = (
        _rounded(-7.5, y + 3 - width * 0.72, 15, width * 1.44),
        _rounded(-4.6, y + 3 - width * 0.4, 9.2, width * 0.8),
    )
    tailor.part(outer, Cloth("mustard", gloss=1, grain=0), holes=(inner,), roundness=1.4, lift=1)
    tailor.part(_rounded(-1, y + 2.2, 9, 1.8), Cloth("mustard", gloss=1, grain=0), roundness=0.8, lift=0.6)


def _rounded(x: float, y: float, width: float, height: float, radius: float | None = None) -> Outline:
    r = min(width, height) * 0.22 if radius is None else radius
    return curve(
        (x + r, y), (x + width - r, y), (x + width, y, x + width, y + r), (x + width, y + height - r),
        (x + width, y + height, x + width - r, y + height), (x + r, y + height), (x, y + height, x, y + height - r),
        (x, y + r), (x, y, x + r, y), steps=6,
    )  # fmt: skip


rounded_box = _rounded


def add_lace(tailor: Tailor, edge: Outline, size: float = 5) -> None:
    """Draw a band of lace along an edge: scallops with eyelets, hanging from a ribbon with a row of small holes."""
    cloth = Cloth("white" if tailor.look.colour != "white" else "beige", grain=0.8)
    line = shifted(edge, 0, size * 0.3)
    centres = _along(line, size * 1.5)
    scallops = [ellipse(x, y + size * 0.55, size * 0.86, size, 18) for x, y in centres]
    rings = (np.arange(5) * 0.7 + 0.17) * np.pi / 2
    eyelets = [
        ellipse(x + size * 0.5 * np.cos(a), y + size * (0.6 + 0.52 * np.sin(a)), size * 0.15, size * 0.15, 8)
        for x, y in centres
        for a in rings - 0.28
    ]
    middles = [ellipse(x, y + size * 0.45, size * 0.2, size * 0.26, 10) for x, y in centres]
    pinholes = [ellipse(x, y - size * 0.38, size * 0.13, size * 0.13, 8) for x, y in _along(line, size * 0.75)]
    band = ribbon(shifted(line, 0, -size * 0.3), size * 1.1)
    tailor.part(band, cloth, more=tuple(scallops), holes=(*eyelets, *middles, *pinholes), roundness=1.4, lift=1)


def _along(line: Outline, gap: float) -> list[tuple[float, float]]:
    """Return points on a line at equal distances of about ``gap``."""
    travelled = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    count = max(round(travelled[-1] / gap), 3)
    spots = (np.arange(count) + 0.5) * travelled[-1] / count
    return [(float(np.interp(s, travelled, line[:, 0])), float(np.interp(s, travelled, line[:, 1]))) for s in spots]


def add_frill(tailor: Tailor, torso: Torso) -> None:
    """Draw the gathered edge of an off-shoulder neckline."""
    width = torso.armpit_width + 7
    upper = curve((0, 33), (28, 33, width - 4, 24), (width + 2, 27, width + 3, 36))
    lower = curve((width + 2, 40), (width * 0.75, 53, width * 0.5, 49), (width * 0.25, 46, 0, 53))
    half = np.concatenate([upper, lower])
    folds = tailor.drapes(-width, width, 26, 52, 11, height=1.5)
    tailor.part(np.concatenate([half, flip(half)]), folds=folds, roundness=3.5)


def add_neckline(tailor: Tailor, torso: Torso, trim: float) -> None:
    """Finish the top edge of a garment with straps, with a frill, or with a trim of this width."""
    if tailor.look.sleeves == "straps":
        add_straps(tailor)
    elif tailor.look.neckline == "off-shoulder":
        add_frill(tailor, torso)
    else:
        add_neck_trim(tailor, torso, trim)
