"""A garment under construction: its cloth, its random numbers, and its marks, which paint themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

import numpy as np

from visavis.demo.canvas import Canvas, Outline, curve, ellipse, ribbon, shifted
from visavis.demo.cloth import (
    Cloth,
    Fold,
    Lay,
    Print,
    dyed,
    emblem,
    fanned,
    light_on,
    lit,
    relief_of,
    rgb,
    upright,
    weave,
)
from visavis.demo.vocabulary import Look, colour_distance

#: Repeats of the prints as a share of the drawing's height of 400.
_PERIODS = {"striped": (15, 24), "dotted": (17, 24), "floral": (26, 36), "checked": (18, 28)}
#: Colours of buttons; each garment gets the one with most contrast to both of its colours.
_BUTTONS = ("white", "black", "mustard")


class GarmentMark(Protocol):
    """Anything that can be painted."""

    def outlines(self) -> Sequence[Outline]:
        """Return its outlines, to measure a drawing."""
        ...

    def paint(self, canvas: Canvas, repeat: float) -> None:
        """Paint it; prints are enlarged by ``repeat``."""
        ...


@dataclass(frozen=True)
class ClothPart:
    """A piece of cloth with shading, folds and a shadow on what is under it."""

    outline: Outline
    cloth: Cloth
    lay: Lay = upright
    folds: tuple[Fold, ...] = ()
    holes: tuple[Outline, ...] = ()
    more: tuple[Outline, ...] = ()
    sewn_to: tuple[Outline, ...] = ()
    roundness: float = 7
    lift: float = 2.5
    shade: float = 1.0
    seed: int = 0

    def outlines(self) -> Sequence[Outline]:
        """Return the outline and its additions."""
        return [self.outline, *self.more]

    def paint(self, canvas: Canvas, repeat: float) -> None:
        """Paint the shadow, then the shaded cloth over it."""
        mask = canvas.mask([self.outline, *self.more], self.holes)
        if mask is None:
            return
        scale = canvas.view.scale
        if self.lift:
            shadow = mask.softened(self.lift * scale, self.lift * scale * 0.4, self.lift * scale)
            canvas.darken(shadow, 0.42)
        body = canvas.mask([self.outline, *self.sewn_to]) if self.sewn_to else mask
        assert body is not None
        relief = relief_of(canvas, mask, body, self.folds, self.roundness, self.seed)
        light = light_on(relief, scale) * weave(mask, self.cloth.grain, self.seed)
        if self.shade != 1:
            light *= np.float32(self.shade)
        colour = dyed(self.cloth, canvas, mask, self.lay, relief, repeat)
        canvas.paint(mask, lit(colour, light, self.cloth.gloss))


@dataclass(frozen=True)
class Seam:
    """A seam in the cloth: a dark furrow with a light lip, or a row of stitches."""

    line: Outline
    width: float = 0.9
    strength: float = 0.35
    stitched: bool = False

    def outlines(self) -> Sequence[Outline]:
        """Return none: a seam never extends the silhouette."""
        return []

    def paint(self, canvas: Canvas, repeat: float) -> None:  # noqa: ARG002
        """Paint the furrow and its lip."""
        shapes = _dashes(self.line, self.width) if self.stitched else [ribbon(self.line, self.width)]
        for offset, colour, share in ((0.0, 0.0, 1.0), (self.width, 1.0, 0.45)):
            mask = canvas.mask([shifted(shape, offset * 0.6, offset) for shape in shapes])
            if mask is not None:
                canvas.paint(mask, (colour, colour, colour), self.strength * share)


@dataclass(frozen=True)
class Button:
    """A round button with a rim, two holes and a small shadow."""

    x: float
    y: float
    radius: float
    colour: str

    def outlines(self) -> Sequence[Outline]:
        """Return none: buttons lie on cloth."""
        return []

    def paint(self, canvas: Canvas, repeat: float) -> None:  # noqa: ARG002
        """Paint shadow, rim, face, highlight and holes."""
        ink = rgb(self.colour)
        for dx, dy, size, colour, opacity in (
            (0.5, 0.9, 1.12, 0 * ink, 0.4),
            (0, 0, 1.0, ink * 0.72, 1),
            (-0.1, -0.1, 0.8, ink * 0.92 + 0.06, 1),
            (-0.3, 0.05, 0.16, ink * 0.3, 0.9),
            (0.3, 0.05, 0.16, ink * 0.3, 0.9),
        ):
            outline = ellipse(
                self.x + dx * self.radius, self.y + dy * self.radius, size * self.radius, size * self.radius, 20
            )
            mask = canvas.mask([outline])
            if mask is not None:
                canvas.paint(mask, np.clip(colour, 0, 1), opacity)


@dataclass(frozen=True)
class Ink:
    """Flat shapes in one colour with the shading of the cloth below: a logo, an eyelet, a label."""

    shapes: tuple[Outline, ...]
    colour: tuple[float, float, float] | str
    opacity: float = 1.0
    blur: float = 0
    outside: bool = field(default=False)

    def outlines(self) -> Sequence[Outline]:
        """Return its shapes, when they are part of the silhouette."""
        return self.shapes if self.outside else []

    def paint(self, canvas: Canvas, repeat: float) -> None:  # noqa: ARG002
        """Paint the shapes."""
        mask = canvas.mask(self.shapes)
        if mask is not None:
            colour = rgb(self.colour) if isinstance(self.colour, str) else self.colour
            soft = mask.softened(self.blur * canvas.view.scale) if self.blur else mask
            canvas.paint(soft, colour, self.opacity)


def _dashes(line: Outline, width: float) -> list[Outline]:
    """Cut the line into short stitches of equal length."""
    travelled = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    stitch = width * 3.2
    starts = np.arange(0, travelled[-1] - stitch, stitch * 1.6)
    if not len(starts):
        return [ribbon(line, width)]
    ends = [
        np.stack([np.interp(spots, travelled, line[:, axis]) for axis in (0, 1)], axis=1)
        for spots in (starts, starts + stitch)
    ]
    along = ends[1] - ends[0]
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.maximum(np.hypot(*along.T), 1e-9)[:, None] * width / 2
    corners = np.stack([ends[0] + normal, ends[1] + normal, ends[1] - normal, ends[0] - normal], axis=1)
    return list(corners)


class Tailor:
    """Collects the marks of one garment."""

    def __init__(self, look: Look, random: Random, *, grain: float = 0.5, gloss: float = 0.2) -> None:
        self.look = look
        self.random = random
        self.marks: list[GarmentMark] = []
        low, high = _PERIODS.get(look.pattern, (20, 20))
        design = Print(
            look.pattern,
            period=random.uniform(low, high),
            share=random.uniform(0.34, 0.46),
            upright=random.random() < 0.35,
            variant=random.randrange(1000),
        )
        self.cloth = Cloth(look.colour, look.second_colour, design, grain, gloss)

    def has(self, detail: str) -> bool:
        """Return whether the look has this detail."""
        return detail in self.look.details

    def vary(self, measure: float, share: float = 0.06) -> float:
        """Vary a measure a little at random."""
        return measure * self.random.uniform(1 - share, 1 + share)

    def fan(self, apex: float, waist: float) -> Lay:
        """Return the mapping of flared cloth: stripes and checks spread with it, dots and flowers keep their shape."""
        return fanned(apex, waist, spread=self.look.pattern in ("striped", "checked"))

    def ground(self, x0: float, x1: float, y: float) -> None:
        """Draw the shadow on the floor under a standing item."""
        middle, half = (x0 + x1) / 2, (x1 - x0) / 2
        self.ink([ellipse(middle, y, half, half * 0.09)], (0.08, 0.07, 0.07), 0.30, 5)
        self.ink([ellipse(middle, y - 1, half * 0.93, half * 0.03)], (0.04, 0.04, 0.04), 0.35, 1.6)

    def part(
        self,
        outline: Outline,
        cloth: Cloth | None = None,
        *,
        lay: Lay = upright,
        folds: list[Fold] | None = None,
        holes: tuple[Outline, ...] = (),
        more: tuple[Outline, ...] = (),
        sewn_to: tuple[Outline, ...] = (),
        roundness: float = 7,
        lift: float = 2.5,
        shade: float = 1.0,
    ) -> None:
        """Add a piece of cloth on top."""
        seed = self.random.randrange(2**31)
        own = (outline, cloth or self.cloth, lay, tuple(folds or ()))
        self.marks.append(ClothPart(*own, holes, more, sewn_to, roundness, lift, shade, seed))

    def seam(self, line: Outline, *, width: float = 0.8, strength: float = 0.3, stitched: bool = False) -> None:
        """Add a seam."""
        self.marks.append(Seam(line, width, strength, stitched))

    def buttons(self, points: list[tuple[float, float]], radius: float = 2.4, colour: str | None = None) -> None:
        """Add buttons with enough contrast to the cloth."""
        own = [c for c in (self.look.colour, self.look.second_colour) if c]
        ink = colour or max(_BUTTONS, key=lambda button: min(colour_distance(button, c) for c in own))
        self.marks.extend(Button(x, y, radius, ink) for x, y in points)

    def ink(
        self, shapes: list[Outline], colour: tuple[float, float, float] | str, opacity: float = 1, blur: float = 0
    ) -> None:
        """Add flat shapes."""
        self.marks.append(Ink(tuple(shapes), colour, opacity, blur))

    def logo(self, x: float, y: float, size: float) -> None:
        """Add the look's logo in the second colour, when it has one."""
        if self.look.pattern == "logo":
            self.ink([shifted(shape * size, x, y) for shape in emblem(self.look.logo)], self.look.second_colour, 0.97)

    def drapes(
        self, x0: float, x1: float, y0: float, y1: float, count: int, *, height: float = 2.2, spread: float = 1.0
    ) -> list[Fold]:
        """Return folds that hang from ``y0`` to ``y1``, widening by ``spread``."""
        folds = []
        for at in np.linspace(x0, x1, count + 2)[1:-1]:
            top, bottom = at + self.random.uniform(-3, 3), at * spread + self.random.uniform(-4, 4)
            start = y0 + (y1 - y0) * self.random.uniform(0, 0.4)
            line = curve((bottom, y1 + 3), (bottom, (y0 + y1) / 2, top, start))
            folds.append(Fold(line, self.random.uniform(6, 11), height * self.random.uniform(0.6, 1.3)))
        return folds

    def pulls(self, x: float, y: float, length: float) -> list[Fold]:
        """Return creases from both armpits inwards and down."""
        folds = []
        for side in (-1, 1):
            for _ in range(2):
                dx, dy = self.random.uniform(0.3, 0.75) * length, self.random.uniform(0.5, 1.0) * length
                start = (side * (x - 1), y + self.random.uniform(-4, 6))
                line = curve(start, (side * (x - dx * 0.3), y + dy * 0.7, side * (x - dx), y + dy))
                folds.append(Fold(line, self.random.uniform(4, 7), self.random.uniform(1.0, 2.0)))
        return folds
