"""Drawing primitives: parts of cloth, seams, buttons, logos. Each has an outline and paints itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from visavis.demo.canvas import Canvas, Outline, ellipse, ribbon, shifted
from visavis.demo.cloth import Cloth, Fold, Lay, dyed, light_on, lit, relief_of, rgb, upright, weave


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
