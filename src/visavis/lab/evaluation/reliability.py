"""Whether probabilities prove true: the expected calibration error, and a plot of said against true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_BINS = 10
_COLOURS = ("#2563eb", "#d97706", "#059669", "#7c3aed")

Floats = NDArray[np.float64]
#: The mean probability said, the share that is true, and how many.
Bin = tuple[float, float, int]


def expected_error(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """Expected calibration error over ten bins of equal width."""
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    parts = [(bins == at) for at in range(_BINS) if (bins == at).any()]
    return float(sum(part.mean() * abs(chances[part].mean() - truth[part].mean()) for part in parts))


def reliability(chances: Floats, truth: NDArray[np.bool_]) -> list[Bin]:
    """Said and true for each of ten bins that has any."""
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    parts = [bins == at for at in range(_BINS) if (bins == at).any()]
    return [(round(float(chances[p].mean()), 3), round(float(truth[p].mean()), 3), int(p.sum())) for p in parts]


def reliability_plot(curves: Mapping[str, Sequence[Bin]], file: Path) -> None:
    """Draw said against true as an SVG, a line for each name."""
    side, edge = 320, 46
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side + 2 * edge} {side + 2 * edge}"'
        ' font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="100%" height="100%" fill="white"/><rect x="{edge}" y="{edge}" width="{side}" height="{side}"'
        ' fill="none" stroke="#999"/>',
        f'<line x1="{edge}" y1="{edge + side}" x2="{edge + side}" y2="{edge}" stroke="#999" stroke-dasharray="4"/>',
        f'<text x="{edge + side / 2}" y="{side + 2 * edge - 10}" text-anchor="middle">probability said</text>',
        f'<text x="14" y="{edge + side / 2}" text-anchor="middle" transform="rotate(-90 14 {edge + side / 2})">'
        "share that is true</text>",
    ]
    for place, (name, bins) in enumerate(curves.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        points = [(edge + said * side, edge + (1 - true) * side) for said, true, _ in bins]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        lines.append(f'<text x="{edge + 12}" y="{edge + 20 + 16 * place}" fill="{colour}">{name}</text>')
    file.write_text("\n".join([*lines, "</svg>\n"]), encoding="utf-8")
