"""Small things that several garments have: pockets, belts, button rows."""

from __future__ import annotations

import numpy as np

from visavis.demo.cloth import Cloth
from visavis.demo.garments.tailor import Tailor
from visavis.demo.geometry import Outline, curve, flip, shifted


def add_chest_pocket(tailor: Tailor, x: float, y: float, size: float = 11) -> None:
    """A patch pocket on the chest."""
    half = curve((0, 0), (size, 0), (size, size * 1.9), (0, size * 2.4))
    outline = shifted(np.concatenate([half, flip(half)]), x, y)
    tailor.part(outline, roundness=2, lift=1.2)
    tailor.seam(shifted(curve((-size, 3.2), (size, 3.2)), x, y), strength=0.35)
    inner = curve(
        (-size + 1.4, 4), (-size + 1.4, size * 1.8), (0, size * 2.2), (size - 1.4, size * 1.8), (size - 1.4, 4)
    )
    tailor.seam(shifted(inner, x, y), stitched=True, width=0.6, strength=0.3)


def add_slant_pockets(tailor: Tailor, x: float, y: float, length: float = 26) -> None:
    """Two pocket openings on the hips."""
    for side in (-1, 1):
        line = curve((side * (x - 12), y), (side * (x - 5), y + length * 0.5, side * (x + 1), y + length))
        tailor.seam(line, width=1.6, strength=0.55)
        tailor.seam(shifted(line, -side * 2.2, 0.6), stitched=True, width=0.6, strength=0.35)


def add_patch_pockets(tailor: Tailor, x: float, y: float, width: float, height: float, *, flap: bool = True) -> None:
    """Two large pockets with flaps."""
    for side in (-1, 1):
        box = _rounded(side * x - width / 2, y, width, height)
        tailor.part(box, roundness=2.5, lift=1.6)
        tailor.seam(_rounded(side * x - width / 2 + 1.8, y + 1.8, width - 3.6, height - 3.6), stitched=True, width=0.6)
        if flap:
            tailor.part(_rounded(side * x - width / 2 - 1, y - 2, width + 2, height * 0.36), roundness=2, lift=2)


def add_belt(tailor: Tailor, y: float, half: float, width: float = 9) -> None:
    """A belt in the second colour with a metal buckle."""
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
