"""The torso and sleeves of a garment: shoulders, necklines, creases, hems; for dresses, tops, shirts and coats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visavis.demo.canvas import Outline, curve, ellipse, flip, ribbon, shifted, symmetric
from visavis.demo.cloth import Cloth, Fold, tilted
from visavis.demo.garments.tailor import Tailor

Point = tuple[float, float]
#: How far the shoulder's outer end lies below its inner one.
_DROP = 11.0


@dataclass(frozen=True)
class Torso:
    """Measures from the middle outwards and from the shoulder's inner end (y = 0) downwards."""

    neckline: str
    sleeves: str
    neck_width: float = 19
    shoulder: float = 50
    armpit: Point = (47, 56)
    waist: Point = (43, 112)
    hem: Point = (48, 168)
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
            return np.array([self.armpit[0] + 1, 27.0])
        return np.array([self.shoulder, _DROP])


def front(torso: Torso) -> Outline:
    """Return the outline of the front piece."""
    return symmetric(np.concatenate([_upper_edge(torso), _side(torso)]))


def _upper_edge(torso: Torso) -> Outline:
    """Return the line from the middle of the neckline out to the armpit, right half."""
    if torso.neckline == "off-shoulder":
        return curve((0, 36), (28, 36, torso.armpit[0] + 2, 25), torso.armpit)
    if torso.sleeves == "straps":
        middle = curve((0, 46), (12, 38, 25, 24)) if torso.neckline == "V-neck" else curve((0, 33), (22, 32), (26, 25))
        return np.concatenate([middle, curve((28, 25), (31, 46, 38, 52, *torso.armpit))])
    if torso.bare:
        outer, inset = (max(torso.shoulder - 12, torso.neck_half + 7), _DROP - 3), 7
    else:
        # The corner is hidden under the sleeve's rounded shoulder.
        outer, inset = (torso.shoulder - 4, _DROP - 0.5), 2
    armhole = curve(
        outer, (outer[0] - inset, torso.armpit[1] * 0.5, outer[0] - inset, torso.armpit[1] * 0.85, *torso.armpit)
    )
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
    (pit_x, pit_y), (waist_x, waist_y), (hem_x, hem_y) = torso.armpit, torso.waist, torso.hem
    upper, lower = (waist_y - pit_y) * 0.42, (hem_y - waist_y) * 0.42
    return curve(
        torso.armpit,
        (pit_x - 1, pit_y + upper, waist_x, waist_y - upper, waist_x, waist_y),
        (waist_x, waist_y + lower, hem_x, hem_y - lower, hem_x, hem_y),
        (hem_x * 0.5, hem_y + torso.hem_drop, 0, hem_y + torso.hem_drop),
    )


def hem_line(torso: Torso, up: float = 5) -> Outline:
    """Return the stitched line of the hem."""
    low = torso.hem[1] + torso.hem_drop - up
    half = curve((torso.hem[0] - 0.5, torso.hem[1] - up), (torso.hem[0] * 0.5, low, 0, low))
    return np.concatenate([half, flip(half)])


def add_back(tailor: Tailor, torso: Torso, cloth: Cloth | None = None) -> None:
    """Draw the inside of the back, visible through the neck opening."""
    cloth = cloth or tailor.cloth.plain()
    half, depth = torso.neck_half, torso.neck_depth
    if torso.neckline == "off-shoulder":
        outline = symmetric(curve((0, 30), (28, 30, torso.armpit[0], 26), (torso.armpit[0] - 2, 50), (0, 56)))
    elif torso.sleeves == "straps":
        outline = symmetric(curve((0, 42), (20, 42, 31, 46), (torso.armpit[0] - 6, torso.armpit[1]), (30, 74), (0, 74)))
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
    pit = np.array([torso.armpit[0] - 1, torso.armpit[1] + 2])
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
    width = torso.armpit[0] + 7
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
