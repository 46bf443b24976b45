"""Hats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visavis.demo.cloth import Fold
from visavis.demo.garments.tailor import Tailor
from visavis.demo.geometry import curve, ellipse, symmetric


def cut_hat(tailor: Tailor) -> None:
    """Draw a hat of the look's kind."""
    _KINDS[tailor.look.kind](tailor)


def _cap(tailor: Tailor) -> None:
    dome = curve((-66, 40), (-70, -10, -46, -58, 4, -60), (50, -58, 68, -18, 66, 34), (20, 48, -30, 48, -66, 40))
    tailor.part(dome, roundness=14, lift=0)
    for line in (curve((2, -60), (26, -40, 30, 0, 26, 43)), curve((0, -60), (-30, -40, -36, 0, -34, 44))):
        tailor.seam(line, width=1.1, strength=0.35)
    tailor.part(ellipse(2, -61, 6, 3.4), tailor.cloth.plain(), roundness=2, lift=1)
    visor = curve(
        (-20, 40), (20, 22, 66, 26), (104, 34, 122, 54), (124, 62, 112, 60), (70, 48, 20, 56), (-10, 58, -20, 40)
    )
    tailor.part(visor, tailor.cloth.plain(), roundness=6, lift=4)
    for up in (4, 9):
        tailor.seam(
            curve((-4, 44 - up * 0.4), (30, 34 - up * 0.5, 64, 36 - up * 0.5), (94, 40, 112 - up, 53 - up * 0.3)),
            stitched=True,
            strength=0.3,
        )
    tailor.logo(-4, -6, 38)


def _beanie(tailor: Tailor) -> None:
    dome = symmetric(curve((0, -62), (44, -62, 66, -24, 66, 40), (0, 52)))
    ribs = [Fold(curve((at * 64, 44), (at * 60, -20, at * 16, -62)), 7, 2.2) for at in np.linspace(-0.95, 0.95, 11)]
    tailor.part(dome, lay=tailor.fan(-190, -20), folds=ribs, roundness=13, lift=0)
    cuff = symmetric(curve((0, 26), (40, 26, 68, 18), (72, 44, 69, 60), (40, 70, 0, 70)))
    bands = [
        Fold(curve((at * 68, 68 - 8 * abs(at)), (at * 68, 20 - 2 * abs(at))), 6, 2.4)
        for at in np.linspace(-0.95, 0.95, 17)
    ]
    tailor.part(cuff, tailor.cloth.plain(), folds=bands, roundness=6, lift=3)
    tailor.part(_fluff(tailor, 0, -72, 19), tailor.cloth.plain(), roundness=9, lift=2.5)
    tailor.logo(0, -10, 36)


def _fluff(tailor: Tailor, x: float, y: float, radius: float) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    jitter = radius * np.array([tailor.random.uniform(0.9, 1.08) for _ in angle])
    return np.stack([x + jitter * np.cos(angle), y + jitter * np.sin(angle)], axis=1)


def _band(tailor: Tailor, half: float, top: float, bottom: float, sag: float) -> None:
    colour = tailor.look.second_colour if tailor.has("band") else None
    outline = symmetric(
        curve(
            (0, top + sag),
            (half * 0.6, top + sag, half - 1, top),
            (half + 2, bottom),
            (half * 0.6, bottom + sag, 0, bottom + sag),
        )
    )
    tailor.part(outline, tailor.cloth.plain(colour), roundness=3, lift=1.2, shade=1 if colour else 0.86)


def _sun_hat(tailor: Tailor) -> None:
    tailor.part(ellipse(0, 34, 130, 38, 60), lay=tailor.fan(-120, 0), roundness=9, lift=0)
    tailor.seam(ellipse(0, 33, 122, 33, 60), stitched=True, strength=0.25)
    crown = symmetric(curve((0, -52), (40, -52, 54, -30, 58, 22), (50, 42, 20, 44, 0, 44)))
    tailor.part(crown, roundness=14, lift=5)
    _band(tailor, 57, 6, 24, 18)
    tailor.logo(0, -20, 40)


def _fedora(tailor: Tailor) -> None:
    brim = curve(
        (-122, 22),
        (-100, 44, -40, 58, 0, 58),
        (40, 58, 100, 44, 122, 22),
        (100, 28, 66, 14),
        (-66, 14),
        (-100, 28, -122, 22),
    )
    tailor.part(brim, roundness=6, lift=0)
    crown = curve(
        (-64, 34),
        (-62, -10, -52, -46),
        (-44, -64, -22, -62),
        (-6, -52, 6, -52, 22, -62),
        (44, -64, 52, -46),
        (62, -10, 64, 34),
        (30, 46, -30, 46, -64, 34),
    )
    dents = [
        Fold(curve((-10, -56), (-20, -36, -34, -16)), 10, -3.5),
        Fold(curve((10, -56), (20, -36, 34, -16)), 10, -3.5),
    ]
    tailor.part(crown, folds=dents, roundness=12, lift=3)
    _band(tailor, 62, 10, 30, 11)
    tailor.logo(0, -18, 38)


def _bucket(tailor: Tailor) -> None:
    brim = symmetric(curve((0, 6), (58, 4), (78, 30, 100, 58), (60, 76, 0, 78)))
    tailor.part(brim, lay=tailor.fan(-120, 0), roundness=9, lift=0)
    for step in (0.35, 0.6, 0.85):
        half = curve((58 + 38 * step, 6 + 50 * step), (40, 22 + 52 * step, 0, 24 + 54 * step))
        tailor.seam(np.concatenate([half, half[::-1] * (-1, 1)]), stitched=True, strength=0.28)
    crown = symmetric(curve((0, -58), (34, -58, 46, -54), (54, -20, 60, 10), (40, 24, 0, 25)))
    tailor.part(crown, roundness=10, lift=3)
    tailor.seam(symmetric(curve((0, -50), (30, -50, 45, -48)))[:13], strength=0.2)
    for side in (-1, 1):
        tailor.ink([ellipse(side * 42, 2, 2.2, 2.2, 16)], (0.25, 0.24, 0.22), 0.9)
    tailor.logo(0, -16, 38)


_KINDS: dict[str, Callable[[Tailor], None]] = {
    "baseball cap": _cap,
    "beanie": _beanie,
    "sun hat": _sun_hat,
    "fedora": _fedora,
    "bucket hat": _bucket,
}
