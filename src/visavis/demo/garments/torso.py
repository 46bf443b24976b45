"""The torso of a garment: shoulders and necklines; shared by dresses, tops, shirts and coats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visavis.demo.cloth import Cloth, Fold
from visavis.demo.garments.tailor import Tailor
from visavis.demo.geometry import Outline, curve, ellipse, flip, ribbon, symmetric


@dataclass(frozen=True)
class Torso:
    """Measures from the middle outwards and from the shoulder's inner end (y = 0) downwards."""

    neckline: str
    sleeves: str
    neck_width: float = 19
    shoulder: float = 50
    drop: float = 11
    armpit_width: float = 47
    armpit: float = 56
    waist_width: float = 43
    waist: float = 112
    hem_width: float = 48
    hem: float = 168
    hem_drop: float = 4

    @property
    def bare(self) -> bool:
        """Whether there is no sleeve, so that the armhole is cut deeper."""
        return self.sleeves in ("sleeveless", "straps")

    @property
    def neck_depth(self) -> float:
        """The depth of the front neckline below the shoulders."""
        depths = {"round": 20, "V-neck": 46, "square": 30, "boat": 9, "high": 5, "collar": 16, "lapels": 62}
        return depths.get(self.neckline, 20)

    @property
    def neck_half(self) -> float:
        """Half the width of the neck opening."""
        return {"boat": 31.0, "high": 16.0, "square": 24.0}.get(self.neckline, self.neck_width)

    @property
    def front_top(self) -> float:
        """The top of the front's middle: buttons are below it."""
        if self.neckline == "off-shoulder":
            return 48
        if self.sleeves == "straps":
            return 46 if self.neckline == "V-neck" else 33
        return self.neck_depth

    @property
    def sleeve_start(self) -> Outline:
        """The start of the right sleeve's outer edge."""
        if self.neckline == "off-shoulder":
            return np.array([self.armpit_width + 1, 27.0])
        return np.array([self.shoulder, self.drop])


def front(torso: Torso) -> Outline:
    """Return the outline of the front piece."""
    return symmetric(np.concatenate([_upper_edge(torso), _side(torso)]))


def _upper_edge(torso: Torso) -> Outline:
    """Return the line from the middle of the neckline out to the armpit, right half."""
    armpit = (torso.armpit_width, torso.armpit)
    if torso.neckline == "off-shoulder":
        return curve((0, 36), (28, 36, torso.armpit_width + 2, 25), armpit)
    if torso.sleeves == "straps":
        middle = curve((0, 46), (12, 38, 25, 24)) if torso.neckline == "V-neck" else curve((0, 33), (22, 32), (26, 25))
        return np.concatenate([middle, curve((28, 25), (31, 46, 38, 52, *armpit))])
    if torso.bare:
        outer, inset = (max(torso.shoulder - 12, torso.neck_half + 7), torso.drop - 3), 7
    else:
        # The corner is hidden under the sleeve's rounded shoulder.
        outer, inset = (torso.shoulder - 4, torso.drop - 0.5), 2
    armhole = curve(outer, (outer[0] - inset, torso.armpit * 0.5, outer[0] - inset, torso.armpit * 0.85, *armpit))
    return np.concatenate([neck_edge(torso), armhole])


def neck_edge(torso: Torso) -> Outline:
    """Return the line from the middle of the front neckline to the shoulder's inner end, right half."""
    half, depth = torso.neck_half, torso.neck_depth
    match torso.neckline:
        case "V-neck" | "lapels":
            return curve((0, depth), (half * 0.62, depth * 0.4, half, 0))
        case "square":
            return curve((0, depth), (half - 4, depth), (half - 2, depth * 0.5, half, 0))
        case _:
            return curve((0, depth), (half * 0.7, depth, half * 0.98, depth * 0.55, half, 0))


def _side(torso: Torso) -> Outline:
    """Return the line from the armpit over the waist to the middle of the hem, right half."""
    upper, lower = (torso.waist - torso.armpit) * 0.42, (torso.hem - torso.waist) * 0.42
    waist = torso.waist_width
    return curve(
        (torso.armpit_width, torso.armpit),
        (torso.armpit_width - 1, torso.armpit + upper, waist, torso.waist - upper, waist, torso.waist),
        (waist, torso.waist + lower, torso.hem_width, torso.hem - lower, torso.hem_width, torso.hem),
        (torso.hem_width * 0.5, torso.hem + torso.hem_drop, 0, torso.hem + torso.hem_drop),
    )


def hem_line(torso: Torso, up: float = 5) -> Outline:
    """Return the stitched line of the hem."""
    low = torso.hem + torso.hem_drop - up
    half = curve((torso.hem_width - 0.5, torso.hem - up), (torso.hem_width * 0.5, low, 0, low))
    return np.concatenate([half, flip(half)])


def add_back(tailor: Tailor, torso: Torso, cloth: Cloth | None = None) -> None:
    """Draw the inside of the back, visible through the neck opening."""
    cloth = cloth or tailor.cloth.plain()
    half, depth = torso.neck_half, torso.neck_depth
    if torso.neckline == "off-shoulder":
        outline = symmetric(curve((0, 30), (28, 30, torso.armpit_width, 26), (torso.armpit_width - 2, 50), (0, 56)))
    elif torso.sleeves == "straps":
        outline = symmetric(curve((0, 42), (20, 42, 31, 46), (torso.armpit_width - 6, torso.armpit), (30, 74), (0, 74)))
        for side in (-1, 1):
            strap = curve((side * 27, 47), (side * 24, 10, side * 22, -7))
            tailor.part(ribbon(strap, 3.2), cloth, roundness=1.2, lift=0, shade=0.7)
    else:
        collar = ((half * 0.7, 5, half, -1), (half + 5, 3), (half + 2, depth + 6), (0, depth + 8))
        outline = symmetric(curve((0, 5), *collar))
    tailor.part(outline, cloth, roundness=4, lift=0, shade=0.66)


def add_straps(tailor: Tailor) -> None:
    """Draw the front of two thin shoulder straps."""
    for side in (-1, 1):
        strap = curve((side * 26.6, 29), (side * 27, 10, side * 22, -7))
        tailor.part(ribbon(strap, 3.6), tailor.cloth.plain(), roundness=1.2, lift=1)


def add_neck_trim(tailor: Tailor, torso: Torso, width: float = 3.2, cloth: Cloth | None = None) -> None:
    """Draw a knitted band around the neck opening, or a roll collar for a high neck."""
    cloth = cloth or tailor.cloth.plain()
    if torso.neckline == "high":
        _add_roll_collar(tailor, torso.neck_half, cloth)
        return
    edge = neck_edge(torso)
    line = np.concatenate([flip(edge)[:-1], edge])
    tailor.part(ribbon(line, width), cloth, roundness=1.5, lift=1)


def _add_roll_collar(tailor: Tailor, half: float, cloth: Cloth) -> None:
    collar = symmetric(
        curve((0, -15), (half - 4, -15, half - 2, -13.5), (half + 1, -8, half + 2, 1), (half * 0.6, 8, 0, 8))
    )
    ribs = [Fold(curve((x, 7), (x * 0.9, -15)), 2.2, 0.7) for x in np.linspace(-half + 2, half - 2, 11)]
    tailor.part(collar, cloth, folds=ribs, roundness=4.5, lift=1.5)
    tailor.ink([ellipse(0, -13.4, half - 3.5, 1.7)], (0.05, 0.05, 0.06), 0.5, 0.5)
    tailor.seam(curve((-half + 0.5, -6), (0, -3.2, half - 0.5, -6)), width=1, strength=0.25)
