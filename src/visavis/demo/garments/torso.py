"""The upper half of a body: shoulders, necklines, sleeves; shared by dresses, tops, shirts and coats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visavis.demo.cloth import Cloth, Fold, tilted
from visavis.demo.garments.tailor import Tailor
from visavis.demo.geometry import Outline, curve, ellipse, flip, ribbon, shifted, symmetric


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
        """How far the front neckline falls below the shoulders."""
        depths = {"round": 20, "V-neck": 46, "square": 30, "boat": 9, "high": 5, "collar": 16}
        return depths.get(self.neckline, 20)

    @property
    def neck_half(self) -> float:
        """Half the width of the neck opening."""
        return {"boat": 31.0, "high": 15.0, "square": 24.0}.get(self.neckline, self.neck_width)


def front(torso: Torso) -> Outline:
    """The outline of the front piece."""
    return symmetric(np.concatenate([_upper_edge(torso), _side(torso)]))


def _upper_edge(torso: Torso) -> Outline:
    """From the middle of the neckline out to the armpit, right half."""
    armpit = (torso.armpit_width, torso.armpit)
    if torso.neckline == "off-shoulder":
        return curve((0, 36), (28, 36, torso.armpit_width + 2, 25), armpit)
    if torso.sleeves == "straps":
        top = 25.0
        middle = (
            curve((0, 46), (12, 36, 24, top)) if torso.neckline == "V-neck" else curve((0, 33), (22, 32), (26, top))
        )
        return np.concatenate([middle, curve((27, top), (30, 48, 38, 53, *armpit))])
    outer = (torso.shoulder - (12 if torso.bare else 0), torso.drop - (2 if torso.bare else 0))
    inset = 9 if torso.bare else 5
    armhole = curve(outer, (outer[0] - inset, torso.armpit * 0.5, outer[0] - inset, torso.armpit * 0.85, *armpit))
    return np.concatenate([neck_edge(torso), armhole])


def neck_edge(torso: Torso) -> Outline:
    """From the middle of the front neckline to the shoulder's inner end, right half."""
    half, depth = torso.neck_half, torso.neck_depth
    match torso.neckline:
        case "V-neck":
            return curve((0, depth), (half * 0.62, depth * 0.4, half, 0))
        case "square":
            return curve((0, depth), (half - 4, depth), (half - 2, depth * 0.5, half, 0))
        case _:
            return curve((0, depth), (half * 0.7, depth, half * 0.98, depth * 0.55, half, 0))


def _side(torso: Torso) -> Outline:
    return curve(
        (torso.armpit_width, torso.armpit),
        (
            torso.armpit_width - 1,
            torso.armpit + 20,
            torso.waist_width,
            torso.waist - 24,
            torso.waist_width,
            torso.waist,
        ),
        (torso.waist_width + 1, torso.waist + 25, torso.hem_width, torso.hem - 25, torso.hem_width, torso.hem),
        (torso.hem_width * 0.5, torso.hem + torso.hem_drop, 0, torso.hem + torso.hem_drop),
    )


def add_back(tailor: Tailor, torso: Torso, cloth: Cloth | None = None) -> None:
    """The inside of the back, seen through the neck opening."""
    cloth = cloth or tailor.cloth.plain()
    if torso.neckline == "off-shoulder":
        outline = symmetric(curve((0, 30), (28, 30, torso.armpit_width, 26), (torso.armpit_width - 2, 50), (0, 56)))
    elif torso.sleeves == "straps":
        outline = symmetric(curve((0, 44), (26, 43, torso.armpit_width - 2, torso.armpit - 6), (30, 74), (0, 74)))
        for side in (-1, 1):
            strap = curve((side * 26, 47), (side * 25, 10, side * 24, -4))
            tailor.part(ribbon(strap, 3.4), cloth, roundness=1.2, lift=0, shade=0.72)
    else:
        half = torso.neck_half
        outline = symmetric(
            curve(
                (0, 5),
                (half * 0.7, 5, half, -1),
                (half + 5, 3),
                (half + 2, torso.neck_depth + 6),
                (0, torso.neck_depth + 8),
            )
        )
    tailor.part(outline, cloth, roundness=4, lift=0, shade=0.68)


def add_straps(tailor: Tailor) -> None:
    """The front of two thin shoulder straps."""
    for side in (-1, 1):
        strap = curve((side * 26, 27), (side * 26, 10, side * 24, -5))
        tailor.part(ribbon(strap, 3.6), tailor.cloth.plain(), roundness=1.2, lift=1)


def add_neck_trim(tailor: Tailor, torso: Torso, width: float = 3.2, cloth: Cloth | None = None) -> None:
    """A knitted band around the neck opening, or a standing collar for a high neck."""
    cloth = cloth or tailor.cloth.plain()
    if torso.neckline == "high":
        half = torso.neck_half
        collar = symmetric(
            curve((0, -14), (half - 3, -14, half - 1, -12), (half - 1, -6, half + 1, 1), (half * 0.6, 9, 0, 9))
        )
        tailor.part(collar, cloth, roundness=4, lift=1.5)
        tailor.ink([ellipse(0, -12.6, half - 2.5, 2.2)], (0.05, 0.05, 0.06), 0.45, 0.6)
        return
    edge = neck_edge(torso)
    line = np.concatenate([flip(edge)[:-1], edge])
    tailor.part(ribbon(line, width), cloth, roundness=1.5, lift=1)


def sleeve(torso: Torso, degrees: float, length: float, cuff: float) -> Outline:
    """The right sleeve, reaching a little under the body."""
    start = (
        np.array([torso.shoulder, torso.drop])
        if torso.neckline != "off-shoulder"
        else np.array([torso.armpit_width + 1, 27])
    )
    along = np.array([np.sin(np.radians(degrees)), np.cos(np.radians(degrees))])
    across = np.array([-along[1], along[0]])
    end, inner = start + along * length, start + along * length + across * cuff
    pit = np.array([torso.armpit_width - 1, torso.armpit + 2])
    bulge = start + along * length * 0.45 - across * 3
    bend = pit + (inner - pit) * 0.5 + across * 2
    return curve(
        (start[0] - 12, start[1] - 2.4),
        tuple(start),
        (*bulge, *end),
        (*((end + inner) / 2 + along * 1.5), *inner),
        (*bend, *pit),
        (pit[0] - 14, pit[1] - 8),
    )


@dataclass(frozen=True)
class SleeveCut:
    """How a sleeve hangs: its angle, length and width at the end."""

    degrees: float
    length: float
    cuff: float


def sleeve_cut(tailor: Tailor, torso: Torso, loose: float) -> SleeveCut:
    """A short or a long sleeve, wider for a loose fit."""
    random = tailor.random
    if torso.sleeves == "short":
        length = 40 + random.uniform(-3, 5) + 8 * loose - (10 if torso.neckline == "off-shoulder" else 0)
        return SleeveCut(random.uniform(36, 44), length, 36 + 8 * loose)
    length = 150 + random.uniform(-4, 4) - (20 if torso.neckline == "off-shoulder" else 0)
    return SleeveCut(random.uniform(14, 19) + 2 * loose, length, 18 + 6 * loose)


def add_sleeves(tailor: Tailor, torso: Torso, cut: SleeveCut, cloth: Cloth | None = None) -> None:
    """Both sleeves, with creases at the elbow and a hem."""
    outline = sleeve(torso, cut.degrees, cut.length, cut.cuff)
    along = np.array([np.sin(np.radians(cut.degrees)), np.cos(np.radians(cut.degrees))])
    across = np.array([-along[1], along[0]])
    start = (
        np.array([torso.shoulder, torso.drop])
        if torso.neckline != "off-shoulder"
        else np.array([torso.armpit_width + 1, 27])
    )
    hem = start + along * (cut.length - 4)
    hem_line = np.array([hem, hem + across * cut.cuff])
    for side in (1, -1):
        folds = _creases(tailor, start, along, across, cut)
        turn = [Fold(fold.line * (side, 1), fold.width, fold.height) for fold in folds]
        tailor.part(
            outline if side == 1 else flip(outline),
            cloth,
            lay=tilted(cut.degrees * side, side * start[0], start[1]),
            folds=turn,
            roundness=6,
        )
        tailor.seam(hem_line * (side, 1), stitched=True, width=0.6, strength=0.25)


def _creases(tailor: Tailor, start: Outline, along: Outline, across: Outline, cut: SleeveCut) -> list[Fold]:
    random = tailor.random
    folds = []
    spots = (0.2, 0.42, 0.5, 0.58, 0.85) if cut.length > 80 else (0.35, 0.7)
    for spot in spots:
        width = 32 - (32 - cut.cuff) * spot
        at = start + along * cut.length * (spot + random.uniform(-0.03, 0.03))
        near, far = at + across * width * random.uniform(0, 0.3), at + across * width * random.uniform(0.7, 1)
        line = np.linspace(near + along * random.uniform(-7, 7), far + along * random.uniform(-7, 7), 6)
        folds.append(Fold(line if random.random() < 0.5 else line[::-1], random.uniform(4, 7), random.uniform(1, 2)))
    side = start + across * 14
    folds.append(Fold(np.linspace(side + along * cut.length * 0.9, side + along * cut.length * 0.1, 6), 8, 1.6))
    return folds


def hem_line(torso: Torso, up: float = 5) -> Outline:
    """Where the hem is stitched."""
    half = curve(
        (torso.hem_width - 0.5, torso.hem - up),
        (torso.hem_width * 0.5, torso.hem + torso.hem_drop - up, 0, torso.hem + torso.hem_drop - up),
    )
    return np.concatenate([half, flip(half)])


def lace_edge(line: Outline, size: float = 5) -> list[Outline]:
    """Scallops along a line."""
    steps = np.hypot(*np.diff(line, axis=0).T)
    travelled = np.concatenate([[0], np.cumsum(steps)])
    spots = np.linspace(0, travelled[-1], max(int(travelled[-1] / (size * 1.5)), 3) + 1)
    return [
        ellipse(np.interp(s, travelled, line[:, 0]), np.interp(s, travelled, line[:, 1]), size, size, 18) for s in spots
    ]


def add_lace(tailor: Tailor, line: Outline, size: float = 5) -> None:
    """A scalloped band of lace with a hole in every scallop, along a line."""
    cloth = Cloth("white" if tailor.look.colour != "white" else "beige", grain=1.0)
    scallops = lace_edge(line, size)
    for scallop in scallops:
        middle = scallop.mean(axis=0)
        holes = tuple(
            shifted(
                ellipse(0, 0, size * 0.17, size * 0.17, 10), *(middle + size * 0.55 * np.array([np.cos(a), np.sin(a)]))
            )
            for a in np.arange(6) * np.pi / 3
        )
        tailor.part(scallop, cloth, holes=holes, roundness=1.2, lift=0.8)
    tailor.part(ribbon(line, size * 0.5), cloth, roundness=1, lift=0.6)
