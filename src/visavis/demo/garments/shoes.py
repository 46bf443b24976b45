"""Shoes, as a pair seen from the side with the toes to the right."""

from __future__ import annotations

from collections.abc import Callable

from visavis.demo.cloth import Cloth, Fold
from visavis.demo.garments.tailor import Tailor
from visavis.demo.geometry import Outline, curve, ellipse, ribbon, shifted

Offset = tuple[float, float]


def cut_shoes(tailor: Tailor) -> None:
    """Two shoes of the look's kind, one a little behind the other."""
    draw = _KINDS[tailor.look.kind]
    for offset in ((-26.0, -40.0), (14.0, 0.0)):
        draw(tailor, offset)


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
        (-66, 38),
        (-70, 0, -66, -66),
        (-44, -72, -16, -66),
        (-16, -30, -8, -12),
        (20, -2, 60, 0, 76, 16),
        (86, 28, 84, 40),
        (0, 42),
        (-66, 42),
    )
    folds = [Fold(curve((-60, -6), (-30, -14, -12, -6)), 7, 2.4), Fold(curve((-62, 6), (-30, 2, 0, 4)), 6, 2.2)]
    _place(tailor, at, upper, roundness=10, folds=folds)
    opening = curve((-66, -66), (-44, -72, -16, -66), (-40, -60, -66, -66))
    _place(tailor, at, opening, tailor.cloth.plain(), shade=0.45, lift=0, roundness=2)
    tailor.seam(shifted(curve((-64, -60), (-40, -55, -17, -60)), *at), stitched=True)
    gore = curve((-46, -58), (-30, -58), (-34, -30, -40, -16), (-46, -30, -46, -58))
    _place(
        tailor, at, gore, Cloth("black" if tailor.look.colour != "black" else "grey", grain=1), roundness=2, lift=0.5
    )
    sole = curve((-68, 38), (0, 44, 86, 38), (90, 46, 84, 50), (20, 52, -16, 50), (-18, 62), (-66, 62), (-68, 38))
    _place(tailor, at, sole, _sole_cloth(tailor, "black"), roundness=3, lift=1.5)
    _logo(tailor, at, -18, 14, 24)


def _heel(tailor: Tailor, at: Offset) -> None:
    stiletto = curve((-72, -14), (-50, -6), (-58, 20, -62, 60), (-70, 60), (-70, 20, -80, -4))
    _place(tailor, at, stiletto, tailor.cloth.plain(), roundness=3, lift=1)
    inside = curve((-70, -36), (-40, -30, -6, 14), (20, 34, 48, 34), (30, 44), (-30, 20), (-66, -10))
    _place(
        tailor,
        at,
        inside,
        tailor.cloth.plain("beige" if tailor.look.colour != "beige" else "brown"),
        lift=0,
        roundness=3,
        shade=0.85,
    )
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
    sole = curve((-82, 34), (-40, 28, 0, 36), (50, 42, 88, 34), (96, 42, 88, 52), (0, 56, -80, 52), (-90, 44, -82, 34))
    _place(
        tailor, at, sole, Cloth("brown" if tailor.look.colour != "brown" else "beige", grain=0.8), roundness=4, lift=2
    )
    foot = curve((-82, 34), (-40, 28, 0, 36), (50, 42, 88, 34), (40, 46, 0, 42), (-40, 38, -82, 34))
    _place(tailor, at, foot, Cloth("beige"), roundness=1, lift=0)
    back = curve((-78, 38), (-86, 0, -74, -30), (-66, -30), (-72, 0, -60, 36))
    _place(tailor, at, back, roundness=3)
    for line, width in (
        (curve((-74, -20), (-50, -34, -30, -24), (-20, -14, -24, 4, -34, 38)), 12),
        (curve((-6, 38), (6, 0, 28, 2), (46, 8, 50, 40)), 18),
        (curve((34, 40), (44, 12, 62, 14), (76, 18, 78, 40)), 16),
    ):
        _place(tailor, at, ribbon(line, width), roundness=4, lift=1.5)
    tailor.part(
        shifted(ellipse(-27, -12, 6, 6), *at),
        Cloth("mustard", gloss=1, grain=0),
        holes=(shifted(ellipse(-27, -12, 3.4, 3.4), *at),),
        roundness=1.2,
        lift=1,
    )
    _logo(tailor, at, 28, 12, 13)


def _flat(tailor: Tailor, at: Offset) -> None:
    inside = curve((-76, 8), (-40, 4, 10, 18), (40, 26), (20, 36), (-60, 36))
    _place(
        tailor,
        at,
        inside,
        tailor.cloth.plain("beige" if tailor.look.colour != "beige" else "brown"),
        lift=0,
        roundness=3,
        shade=0.85,
    )
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
