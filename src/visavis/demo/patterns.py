"""Prints on cloth: the share of the second colour at every point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visavis.demo.canvas import Outline, Plane, curve, ellipse, symmetric


@dataclass(frozen=True)
class Print:
    """A pattern and its measures.

    Attributes:
        pattern: One of the patterns that cover the whole cloth; ``plain`` and ``logo`` cover nothing.
        period: The distance of its repeats, in cloth units.
        share: The second colour's share of a repeat, 0..1.
        upright: Whether stripes run from top to bottom.
        variant: Any number; it varies the rotation of flowers and the weave of checks.
    """

    pattern: str
    period: float = 16
    share: float = 0.4
    upright: bool = False
    variant: int = 0


def coverage(design: Print, u: Plane, v: Plane, pixel: float) -> Plane | None:
    """Return the second colour's share at cloth coordinates ``u`` (across) and ``v`` (along); None when there is none.

    Args:
        design: The print.
        u: Coordinate across the cloth.
        v: Coordinate along the cloth.
        pixel: The width of a pixel in cloth units; edges are anti-aliased over that distance.
    """
    match design.pattern:
        case "striped":
            return _stripes(u if design.upright else v, design.period, design.share, pixel)
        case "checked":
            return _checks(design, u, v, pixel)
        case "dotted":
            return _dots(design, u, v, pixel)
        case "floral":
            return _flowers(design, u, v, pixel)
        case _:
            return None


def _edge(inside: Plane, pixel: float) -> Plane:
    return np.asarray(np.clip(inside / np.float32(pixel) + np.float32(0.5), 0, 1), np.float32)


def _stripes(along: Plane, period: float, share: float, pixel: float) -> Plane:
    phase = np.abs(np.mod(along, period) - period / 2)
    return _edge(np.float32(period * share / 2) - phase.astype(np.float32), pixel)


def _checks(design: Print, u: Plane, v: Plane, pixel: float) -> Plane:
    """Return gingham (bands that mix where they do not cross), a chessboard, or a thin window-pane grid."""
    kind = ("gingham", "gingham", "chessboard", "window pane")[design.variant % 4]
    share = {"gingham": 0.44, "chessboard": 0.5, "window pane": 0.22}[kind]
    across = _stripes(u, design.period, share, pixel)
    along = _stripes(v, design.period, share, pixel)
    if kind == "gingham":
        return np.asarray((across + along) * np.float32(0.5), np.float32)
    if kind == "chessboard":
        return np.asarray(across + along - 2 * across * along, np.float32)
    return np.maximum(across, along)


def _cells(u: Plane, v: Plane, period: float) -> tuple[Plane, Plane, Plane, Plane]:
    """Return offsets from the middle of a brick-laid cell, and the cell's numbers."""
    row = np.floor(v / period)
    moved = u + (row % 2) * (period / 2)
    column = np.floor(moved / period)
    return (
        (moved - (column + 0.5) * period).astype(np.float32),
        (v - (row + 0.5) * period).astype(np.float32),
        column,
        row,
    )


def _dots(design: Print, u: Plane, v: Plane, pixel: float) -> Plane:
    x, y, _, _ = _cells(u, v, design.period)
    return _edge(np.float32(design.period * (0.16 + 0.25 * design.share)) - np.hypot(x, y), pixel)


def _flowers(design: Print, u: Plane, v: Plane, pixel: float) -> Plane:
    x, y, column, row = _cells(u, v, design.period)
    turn = np.sin(column * 12.9898 + row * 78.233 + design.variant).astype(np.float32) * 43758.5
    turn -= np.floor(turn)
    x = x + (turn - 0.5) * np.float32(0.28 * design.period)
    y = y + (np.mod(turn * 7.31, 1) - 0.5) * np.float32(0.28 * design.period)
    radius, angle = np.hypot(x, y), np.arctan2(y, x) + turn * 6
    size = np.float32(0.36 * design.period) * (0.75 + 0.35 * np.mod(turn * 3.7, 1))
    petals = size * (0.55 + 0.45 * np.abs(np.cos(2.5 * angle)))
    heart = _edge(radius - 0.22 * size, pixel)  # the middle shows the cloth
    return np.asarray(_edge(petals - radius, pixel) * heart, np.float32)


def emblem(name: str) -> list[Outline]:
    """Return the outline of a logo, one unit high around the origin."""
    match name:
        case "star":
            angle = np.arange(10) * np.pi / 5 - np.pi / 2
            radius = np.where(np.arange(10) % 2 == 0, 0.55, 0.24)
            return [np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)]
        case "heart":
            half = curve((0, -0.24), (0.1, -0.52, 0.52, -0.5, 0.5, -0.12), (0.48, 0.14, 0.12, 0.3, 0, 0.5))
            return [symmetric(half)]
        case "moon":
            outer, inner = ellipse(0, 0, 0.5, 0.5), ellipse(0.2, -0.08, 0.4, 0.4)
            return [_crescent(outer, inner)]
        case "lightning bolt":
            return [
                np.array([(0.12, -0.55), (-0.34, 0.08), (-0.04, 0.08), (-0.14, 0.55), (0.34, -0.12), (0.03, -0.12)])
            ]
        case "mountain":
            peaks = [(-0.62, 0.4), (-0.14, -0.42), (0.1, -0.04), (0.24, -0.22), (0.62, 0.4)]
            return [np.array(peaks)]
        case _:
            return _anchor()


def _crescent(outer: Outline, inner: Outline) -> Outline:
    """Return a circle with a smaller one cut out of its right side."""
    centre, radius = inner.mean(axis=0), 0.4
    kept = outer[np.hypot(*(outer - centre).T) >= radius]
    order = np.argsort(np.mod(np.arctan2(kept[:, 1], kept[:, 0]) + 0.5, 2 * np.pi))
    kept = kept[order]
    bite = inner[np.hypot(*inner.T) <= 0.5]
    bite = bite[np.argsort(np.mod(np.arctan2(*(bite - centre).T[::-1]) + 0.5, 2 * np.pi))]
    return np.concatenate([kept, bite[::-1]])


def _anchor() -> list[Outline]:
    shaft = np.array([(-0.05, -0.3), (0.05, -0.3), (0.05, 0.45), (-0.05, 0.45)])
    bar = np.array([(-0.24, -0.2), (0.24, -0.2), (0.24, -0.1), (-0.24, -0.1)])
    arms = symmetric(curve((0, 0.55), (0.3, 0.5, 0.44, 0.14), (0.34, 0.14), (0.26, 0.38, 0, 0.42)))
    return [shaft, bar, arms, ellipse(0, -0.4, 0.13, 0.13)]
