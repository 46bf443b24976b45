"""What is sewn to an edge: lace, and the frill of an off-shoulder neckline."""

from __future__ import annotations

import numpy as np

from visavis.demo.cloth import Cloth
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import Torso
from visavis.demo.geometry import Outline, curve, ellipse, flip, ribbon, shifted


def add_lace(tailor: Tailor, edge: Outline, size: float = 5) -> None:
    """A band of lace along an edge: scallops with eyelets, hanging from a ribbon with a row of small holes."""
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
    """Points on a line at equal distances of about ``gap``."""
    travelled = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    count = max(round(travelled[-1] / gap), 3)
    spots = (np.arange(count) + 0.5) * travelled[-1] / count
    return [(float(np.interp(s, travelled, line[:, 0])), float(np.interp(s, travelled, line[:, 1]))) for s in spots]


def add_frill(tailor: Tailor, torso: Torso) -> None:
    """The gathered edge of an off-shoulder neckline."""
    width = torso.armpit_width + 7
    upper = curve((0, 33), (28, 33, width - 4, 24), (width + 2, 27, width + 3, 36))
    lower = curve((width + 2, 40), (width * 0.75, 53, width * 0.5, 49), (width * 0.25, 46, 0, 53))
    half = np.concatenate([upper, lower])
    folds = tailor.drapes(-width, width, 26, 52, 11, height=1.5)
    tailor.part(np.concatenate([half, flip(half)]), folds=folds, roundness=3.5)
