"""Shoes, as a pair seen from the side with the toes to the right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visavis.demo.canvas import Outline, curve, ellipse, ribbon, shifted
from visavis.demo.cloth import Cloth, Fold
from visavis.demo.garments.tailor import Tailor

Offset = tuple[float, float]


def cut_shoes(tailor: Tailor) -> None:
    """Draw two shoes of the look's kind, one a little behind the other."""
    draw = _KINDS[tailor.look.kind]
    for x, y in ((-22.0, -38.0), (12.0, 0.0)):
        tailor.ground(x - 84, x + 92, y + 54)
        draw(tailor, (x, y))


def _sole_cloth(tailor: Tailor, fallback: str) -> Cloth:
    colour = tailor.look.second_colour if tailor.has("contrast soles") else fallback
    return Cloth(colour, grain=0.2, gloss=0.25)


def _place(
    tailor: Tailor,
    at: Offset,
    outline: Outline,
    cloth: Cloth | None = None,
    *,
    roundness: float = 5,
    lift: float = 1.5,
    shade: float = 1.0,
    folds: list[Fold] | None = None,
) -> None:
    moved = [Fold(shifted(f.line, *at), f.width, f.height) for f in folds or []]
    tailor.part(shifted(outline, *at), cloth, roundness=roundness, lift=lift, shade=shade, folds=moved)


def _sneaker(tailor: Tailor, at: Offset) -> None:
    upper = curve(
        (-82, 30),
        (-86, 0, -80, -26),
        (-70, -34, -58, -28),
        (-46, -22, -34, -30),
        (-24, -24, 4, -6),
        (26, 4, 60, 2, 80, 14),
        (92, 22, 92, 34),
        (0, 40),
        (-82, 34),
    )
    inside = curve((-80, -24), (-70, -34, -58, -28), (-46, -22, -34, -30), (-46, -14, -62, -14), (-76, -16, -80, -24))
    _place(tailor, at, upper, roundness=8)
    _place(tailor, at, inside, tailor.cloth.plain(), shade=0.5, lift=0, roundness=3)
    toe = curve((58, 4), (84, 8, 93, 24), (93, 36), (64, 38), (52, 22, 58, 4))
    _place(tailor, at, toe, tailor.cloth.plain(), roundness=5, lift=1)
    heel = curve((-84, 0), (-66, 2, -62, 30), (-84, 34), (-88, 14, -84, 0))
    _place(tailor, at, heel, tailor.cloth.plain(), roundness=3, lift=1)
    for k in range(5):
        x, y = -28 + k * 11.5, -24 + k * 7.2
        tailor.part(
            shifted(ribbon(curve((x - 5, y + 10), (x, y + 2, x + 9, y - 2)), 3.4), *at),
            Cloth("white", grain=0.4),
            roundness=1.2,
            lift=1,
        )
    sole = curve((-87, 26), (0, 36, 95, 28), (98, 40, 92, 46), (0, 50, -84, 46), (-92, 40, -87, 26))
    _place(tailor, at, sole, _sole_cloth(tailor, "white"), roundness=3.5, lift=2)
    tailor.seam(shifted(curve((-86, 40), (0, 45, 94, 40)), *at), strength=0.2)
    _logo(tailor, at, -20, 16, 24)


def _boot(tailor: Tailor, at: Offset) -> None:
    upper = curve(
        (-70, 40),
        (-76, 16, -71, -4),
        (-68, -30, -70, -66),
        (-44, -73, -10, -67),
        (-10, -40, -4, -20),
        (4, -6, 34, -2),
        (62, 4, 74, 18),
        (82, 30, 80, 42),
        (0, 44),
        (-70, 42),
    )
    folds = [
        Fold(curve((-64, -8), (-36, -18, -8, -14)), 8, 2.4),
        Fold(curve((-66, 4), (-36, -2, 4, -4)), 7, 2.2),
        Fold(curve((8, 34), (14, 10, 30, 2)), 6, 1.4),
    ]
    _place(tailor, at, upper, roundness=10, folds=folds)
    opening = curve((-70, -66), (-44, -73, -10, -67), (-40, -60, -70, -66))
    _place(tailor, at, opening, tailor.cloth.plain(), shade=0.45, lift=0, roundness=2)
    tailor.seam(shifted(curve((-68, -59), (-40, -53, -11, -60)), *at), stitched=True)
    gore = curve((-50, -59), (-26, -60), (-28, -34, -34, -14), (-44, -14), (-50, -36, -50, -59))
    elastic = Cloth("black" if tailor.look.colour != "black" else "grey", grain=1)
    _place(tailor, at, gore, elastic, roundness=2, lift=0.5)
    sole = curve((-72, 38), (0, 44, 82, 39), (85, 48, 80, 51), (20, 53, -22, 51), (-24, 60), (-70, 60), (-72, 38))
    _place(tailor, at, sole, _sole_cloth(tailor, "black"), roundness=3, lift=1.5)
    _logo(tailor, at, 2, 18, 25)


def _line(tailor: Tailor, at: Offset, inside: Outline) -> None:
    """Draw the visible inside of a low shoe, in a colour that differs from the outside."""
    lining = tailor.cloth.plain("beige" if tailor.look.colour != "beige" else "brown")
    _place(tailor, at, inside, lining, lift=0, roundness=3, shade=0.85)


def _heel(tailor: Tailor, at: Offset) -> None:
    stiletto = curve((-72, -14), (-50, -6), (-58, 20, -62, 60), (-70, 60), (-70, 20, -80, -4))
    _place(tailor, at, stiletto, tailor.cloth.plain(), roundness=3, lift=1)
    inside = curve((-70, -36), (-40, -30, -6, 14), (20, 34, 48, 34), (30, 44), (-30, 20), (-66, -10))
    _line(tailor, at, inside)
    upper = curve(
        (-78, -34),
        (-74, -42, -66, -40),
        (-60, -16, -30, 8),
        (-6, 30, 40, 22),
        (64, 26, 88, 44),
        (94, 54, 84, 58),
        (30, 60, -4, 44),
        (-36, 24, -52, 2),
        (-66, -4, -80, -6),
        (-86, -22, -78, -34),
    )
    _place(tailor, at, upper, roundness=7, lift=2)
    sole = curve((-8, 44), (24, 58, 90, 54), (90, 61, 80, 61), (20, 62, -8, 44))
    _place(tailor, at, sole, Cloth("black" if tailor.look.colour != "black" else "brown"), roundness=1.5, lift=0.5)
    _logo(tailor, at, 48, 40, 20)


def _sandal(tailor: Tailor, at: Offset) -> None:
    insole = "beige" if tailor.look.colour not in ("beige", "white") else "brown"
    _place(tailor, at, ribbon(_ankle(0, np.pi), 8), shade=0.6, lift=0, roundness=2.5)  # the far side of the strap
    for x0, x1, top in ((-8, 26, 4), (40, 70, 16)):
        far = curve((x0 + 4, 34), (x0 + 8, top - 2, x1 + 4, top - 2, x1 + 4, 34))
        _place(tailor, at, far, tailor.cloth.plain(), shade=0.55, lift=0, roundness=3)
    sole = curve((-84, 32), (-40, 30, 0, 36), (50, 42, 90, 34), (97, 42, 90, 50), (0, 55, -78, 54), (-90, 46, -84, 32))
    _place(tailor, at, sole, Cloth(insole, grain=0.8), roundness=4, lift=2)
    tailor.seam(shifted(curve((-86, 41), (0, 46, 93, 41)), *at), width=1.4, strength=0.35)
    counter = curve((-82, 36), (-90, 8, -83, -20), (-74, -20, -66, -16), (-62, 10, -50, 37))
    _place(tailor, at, counter, roundness=4, lift=1.5)
    for x0, x1, top in ((-16, 24, 2), (34, 68, 15)):
        near = curve((x0, 39), (x0 + 2, top, (x0 + x1) / 2 - 2, top), (x1 - 4, top, x1 + 6, 40), (x1 - 18, 42, x0, 39))
        _place(tailor, at, near, roundness=5, lift=1.8)
        edge = curve((x0 + 4, 37), (x0 + 6, top + 4, (x0 + x1) / 2 - 1, top + 4))
        tailor.seam(shifted(edge, *at), stitched=True, width=0.7, strength=0.35)
    _place(tailor, at, ribbon(_ankle(np.pi, 2 * np.pi), 8), roundness=2.5, lift=1.5)
    buckle = shifted(ellipse(-34, -9, 6, 6), *at)
    hole = shifted(ellipse(-34, -9, 3.3, 3.3), *at)
    tailor.part(buckle, Cloth("mustard", gloss=1, grain=0), holes=(hole,), roundness=1.2, lift=1)
    _logo(tailor, at, 5, 20, 22)


def _ankle(start: float, end: float) -> Outline:
    """Return half of the ankle strap: the upper half is behind, the lower one in front."""
    angle = np.linspace(start, end, 20)
    return np.stack([-51 + 29 * np.cos(angle), -18 - 9 * np.sin(angle)], axis=1)


def _flat(tailor: Tailor, at: Offset) -> None:
    inside = curve((-76, 8), (-40, 4, 10, 18), (40, 26), (20, 36), (-60, 36))
    _line(tailor, at, inside)
    upper = curve(
        (-84, 10),
        (-80, 0, -72, 2),
        (-60, 24, -20, 26),
        (14, 28, 34, 10),
        (60, 8, 84, 26),
        (96, 38, 86, 46),
        (0, 50, -80, 46),
        (-92, 30, -84, 10),
    )
    _place(tailor, at, upper, roundness=8, lift=2)
    sole = curve((-84, 44), (0, 50, 90, 43), (88, 51, 0, 53), (-70, 53, -84, 44))
    _place(tailor, at, sole, Cloth("black" if tailor.look.colour != "black" else "brown"), roundness=1.5, lift=0.5)
    for side in (-1, 1):
        bow = curve(
            (42, 13),
            (42 + side * 8, 3, 42 + side * 17, 6),
            (42 + side * 18, 14, 42 + side * 15, 22),
            (42 + side * 6, 20, 42, 13),
        )
        _place(tailor, at, bow, tailor.cloth.plain(), roundness=2.5, lift=1.5)
    _place(tailor, at, ellipse(42, 13, 4, 4.5), tailor.cloth.plain(), roundness=2, lift=1)
    _logo(tailor, at, 62, 32, 18)


def _loafer(tailor: Tailor, at: Offset) -> None:
    upper = curve(
        (-80, 42),
        (-86, 10, -80, -18),
        (-72, -24, -60, -16),
        (-30, -6, -14, -14),
        (6, -10, 40, 0),
        (78, 6, 88, 28),
        (90, 40, 84, 44),
        (0, 46),
        (-80, 44),
    )
    _place(tailor, at, upper, roundness=8)
    inside = curve((-80, -16), (-72, -24, -60, -16), (-30, -6, -14, -14), (-40, 4, -62, -4), (-76, -8, -80, -16))
    _place(
        tailor,
        at,
        inside,
        tailor.cloth.plain("beige" if tailor.look.colour != "beige" else "brown"),
        shade=0.7,
        lift=0,
        roundness=3,
    )
    apron = curve((-6, 2), (30, 6, 60, 12), (76, 20, 70, 26), (30, 22, -2, 18))
    tailor.seam(shifted(apron, *at), width=1.4, strength=0.4)
    strap = curve((-16, -14), (4, -12, 14, -6), (8, 12, 0, 34), (-14, 34, -20, 32), (-10, 8, -16, -14))
    _place(tailor, at, strap, tailor.cloth.plain(), roundness=3, lift=1.8)
    tailor.ink([shifted(curve((-6, -2), (5, 1), (3, 7), (-7, 4)), *at)], (0.03, 0.03, 0.03), 0.5)
    sole = curve((-82, 40), (0, 46, 90, 38), (92, 46, 86, 50), (20, 52, -34, 50), (-36, 58), (-82, 58), (-82, 40))
    _place(
        tailor,
        at,
        sole,
        _sole_cloth(tailor, "black" if tailor.look.colour != "black" else "brown"),
        roundness=2.5,
        lift=1.2,
    )
    _logo(tailor, at, -46, 20, 22)


def _logo(tailor: Tailor, at: Offset, x: float, y: float, size: float) -> None:
    tailor.logo(at[0] + x, at[1] + y, size)


_KINDS: dict[str, Callable[[Tailor, Offset], None]] = {
    "sneakers": _sneaker,
    "ankle boots": _boot,
    "high heels": _heel,
    "sandals": _sandal,
    "ballet flats": _flat,
    "loafers": _loafer,
}
