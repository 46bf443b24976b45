"""Outlines: Bézier curves flattened to polygons, mirrored halves, ribbons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Outline = NDArray[np.float64]
Segment = Sequence[float]


def curve(start: tuple[float, float], *segments: Segment, steps: int = 12) -> Outline:
    """Return a line of segments: 2 numbers are a straight line, 4 a quadratic and 6 a cubic Bézier."""
    points = [np.array([start], dtype=float)]
    for segment in segments:
        controls = np.concatenate([points[-1][-1:], np.reshape(segment, (-1, 2))])
        points.append(_bezier(controls, 1 if len(controls) == 2 else steps))
    return np.concatenate(points)


def _bezier(controls: Outline, steps: int) -> Outline:
    t = np.linspace(0, 1, steps + 1)[1:, None]
    while len(controls) > 1 and controls.ndim == 2:
        controls = controls[:, None, :] * np.ones((1, len(t), 1))
    while len(controls) > 1:  # de Casteljau: stable and short
        controls = controls[:-1] * (1 - t) + controls[1:] * t
    flattened: Outline = controls[0]
    return flattened


def flip(points: ArrayLike) -> Outline:
    """Mirror at the axis x = 0, in reverse order so that it continues the other half."""
    return np.asarray(points, dtype=float)[::-1] * (-1, 1)


def symmetric(half: Outline) -> Outline:
    """Return a closed outline from its right half, given from top to bottom."""
    return np.concatenate([half, flip(half)])


def ribbon(line: ArrayLike, width: float, end_width: float | None = None) -> Outline:
    """Return a band along a line, tapering from ``width`` to ``end_width``."""
    points = np.asarray(line, dtype=float)
    along = np.gradient(points, axis=0)
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / length
    half = np.linspace(width, width if end_width is None else end_width, len(points))[:, None] / 2
    return np.concatenate([points + normal * half, (points - normal * half)[::-1]])


def ellipse(x: float, y: float, rx: float, ry: float, steps: int = 40) -> Outline:
    """Return an ellipse around a point."""
    angle = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    return np.stack([x + rx * np.cos(angle), y + ry * np.sin(angle)], axis=1)


def shifted(points: ArrayLike, x: float, y: float) -> Outline:
    """Translate points."""
    return np.add(points, (x, y))


def turned(points: ArrayLike, degrees: float, centre: tuple[float, float] = (0, 0)) -> Outline:
    """Rotate points around a centre."""
    angle = np.radians(degrees)
    matrix = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    turned_points: Outline = np.subtract(points, centre) @ matrix + centre
    return turned_points


def waved(points: Outline, amplitude: float, phase: float) -> Outline:
    """Bend smoothly, nowhere by more than about twice the amplitude."""
    x, y = points.T
    dx = np.sin(y / 37 + phase) + 0.5 * np.sin(x / 23 + y / 19 + 2 * phase)
    dy = np.sin(x / 41 + 3 * phase) + 0.5 * np.sin(x / 17 - y / 29 + phase)
    return points + amplitude * np.stack([dx, 0.6 * dy], axis=1)


def bounds(outlines: Sequence[Outline]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of several outlines together."""
    points = np.concatenate(outlines)
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    return float(left), float(top), float(right), float(bottom)
