"""Sleeves: short and long, with creases and a hem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visavis.demo.cloth import Cloth, Fold, tilted
from visavis.demo.garments.tailor import Tailor
from visavis.demo.garments.torso import Torso
from visavis.demo.geometry import Outline, curve, flip


@dataclass(frozen=True)
class SleeveCut:
    """The right sleeve: its start, its angle from upright, length and width at the end."""

    start: Outline
    degrees: float
    length: float
    cuff: float

    @property
    def along(self) -> Outline:
        """The unit vector from shoulder to wrist."""
        return np.array([np.sin(np.radians(self.degrees)), np.cos(np.radians(self.degrees))])

    @property
    def across(self) -> Outline:
        """The unit vector from the outer to the inner edge."""
        return np.array([-self.along[1], self.along[0]])

    def at(self, down: float, inwards: float) -> Outline:
        """Return a point by its distance from the shoulder and from the outer edge."""
        return self.start + self.along * down + self.across * inwards


def sleeve_cut(tailor: Tailor, torso: Torso, loose: float) -> SleeveCut:
    """Return a short or a long sleeve, wider for a loose fit."""
    random = tailor.random
    bare_shoulder = torso.neckline == "off-shoulder"
    if torso.sleeves == "short":
        length = 40 + random.uniform(-3, 6) + 8 * loose - (10 if bare_shoulder else 0)
        return SleeveCut(torso.sleeve_start, random.uniform(34, 44), length, 35 + 8 * loose)
    length = 150 + random.uniform(-5, 5) - (20 if bare_shoulder else 0)
    degrees = random.uniform(11, 18) + 2 * loose
    return SleeveCut(torso.sleeve_start, degrees, length, 18 + 6 * loose)


def _outline(torso: Torso, cut: SleeveCut) -> Outline:
    """Return the right sleeve, extended a little under the body."""
    end, inner = cut.at(cut.length, 0), cut.at(cut.length, cut.cuff)
    pit = np.array([torso.armpit_width - 1, torso.armpit + 2])
    bend = pit + (inner - pit) * 0.5 + cut.across * 2
    return curve(
        (cut.start[0] - 14, cut.start[1] - 3),
        (*(cut.start - (1, 0.6)), *cut.at(9, -0.5)),
        (*cut.at(cut.length * 0.5, -3), *end),
        (*((end + inner) / 2 + cut.along * 1.5), *inner),
        (*bend, *pit),
        (pit[0] - 14, pit[1] - 8),
    )


def add_sleeves(tailor: Tailor, torso: Torso, cut: SleeveCut, cloth: Cloth | None = None) -> None:
    """Draw both sleeves."""
    outline = _outline(torso, cut)
    hem = np.array([cut.at(cut.length - 4, 0.5), cut.at(cut.length - 4, cut.cuff - 0.5)])
    for side in (1, -1):
        folds = [Fold(fold.line * (side, 1), fold.width, fold.height) for fold in _creases(tailor, cut)]
        lay = tilted(cut.degrees * side, side * cut.start[0], cut.start[1])
        tailor.part(outline if side == 1 else flip(outline), cloth, lay=lay, folds=folds, roundness=6)
        tailor.seam(hem * (side, 1), stitched=True, width=0.6, strength=0.25)


def _creases(tailor: Tailor, cut: SleeveCut) -> list[Fold]:
    """Return creases at the elbow and the wrist, and one long ridge along the arm."""
    random = tailor.random
    folds = []
    for spot in (0.2, 0.42, 0.5, 0.58, 0.85) if cut.length > 80 else (0.35, 0.7):
        width = 32 - (32 - cut.cuff) * spot
        down = cut.length * (spot + random.uniform(-0.03, 0.03))
        near = cut.at(down + random.uniform(-7, 7), width * random.uniform(0, 0.3))
        far = cut.at(down + random.uniform(-7, 7), width * random.uniform(0.7, 1))
        line = np.linspace(near, far, 6)
        folds.append(Fold(line if random.random() < 0.5 else line[::-1], random.uniform(4, 7), random.uniform(1, 2)))
    folds.append(Fold(np.linspace(cut.at(cut.length * 0.9, 14), cut.at(cut.length * 0.1, 14), 6), 8, 1.6))
    return folds


def add_cuffs(tailor: Tailor, cut: SleeveCut) -> None:
    """Draw buttoned cuffs at the end of long sleeves."""
    top, end, width = cut.length - 13, cut.length + 1, cut.cuff + 1
    box = np.array([cut.at(*corner) for corner in ((top, -0.8), (end, -0.8), (end, width), (top, width))])
    for side in (1, -1):
        tailor.part(box * (side, 1), lay=tilted(cut.degrees * side), roundness=2.5, lift=1.2)
        x, y = cut.at(cut.length - 6, cut.cuff * 0.3) * (side, 1)
        tailor.buttons([(float(x), float(y))], 1.8)
