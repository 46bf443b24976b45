"""Draw the curves of docs/papers by turn, from the figures that the trainings and the benches printed.

python tools/paper_plots.py            # docs/papers/figures.json -> docs/images/papers-*.svg
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"
FIGURES = DOCS / "papers" / "figures.json"
WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 52, 220, 40, 44
#: Colours that differ for the colour-blind too (Okabe and Ito), one a curve.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000")
_TEXT = 'font-family="system-ui, sans-serif" font-size="12" fill="#444"'


def svg(title: str, x: Sequence[float], curves: Mapping[str, Sequence[float]], labels: tuple[str, str]) -> str:
    """Curves over the same places, as an SVG picture.

    Args:
        title: Stands above.
        x: The places.
        curves: A value for each place, by name.
        labels: What the two axes mean.
    """
    low = min(min(values) for values in curves.values())
    high = max(max(values) for values in curves.values())
    ticks = _ticks(low, high)
    low, high = ticks[0], ticks[-1]

    def across(value: float) -> float:
        return LEFT + (value - x[0]) / (x[-1] - x[0]) * (WIDTH - LEFT - RIGHT)

    def down(value: float) -> float:
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="22" {_TEXT} font-weight="600">{escape(title)}</text>',
    ]
    for tick in ticks:
        line = f'y1="{down(tick):.1f}" x2="{WIDTH - RIGHT}" y2="{down(tick):.1f}" stroke="#ddd"'
        parts.append(f'<line x1="{LEFT}" {line}/>')
        parts.append(f'<text x="{LEFT - 6}" y="{down(tick) + 4:.1f}" {_TEXT} text-anchor="end">{tick:g}</text>')
    for place in x:
        where = f'x="{across(place):.1f}" y="{HEIGHT - BOTTOM + 16}"'
        parts.append(f'<text {where} {_TEXT} text-anchor="middle">{place:g}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" {_TEXT} text-anchor="middle">{escape(labels[0])}</text>')
    parts.append(f'<text x="{LEFT}" y="36" {_TEXT}>{escape(labels[1])}</text>')
    for number, (name, values) in enumerate(curves.items()):
        colour, dashes = COLOURS[number % len(COLOURS)], ' stroke-dasharray="5 3"' if number >= len(COLOURS) else ""
        points = " ".join(f"{across(place):.1f},{down(value):.1f}" for place, value in zip(x, values, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        y = TOP + 10 + 18 * number
        start = WIDTH - RIGHT + 12
        parts.append(f'<line x1="{start}" y1="{y}" x2="{start + 18}" y2="{y}" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{start + 24}" y="{y + 4}" {_TEXT}>{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers that hold both ends."""
    step = next(
        size for power in range(-3, 7) for size in (10**power, 2 * 10**power, 5 * 10**power) if (high - low) / size <= 6
    )
    first = int(low // step)
    last = int(-(-high // step))
    return [round(step * number, 6) for number in range(first, max(last, first + 1) + 1)]


def main() -> None:
    """Draw every plot that the figures name."""
    plots: dict[str, Any] = json.loads(FIGURES.read_text("utf-8"))["plots"]
    for name, plot in plots.items():
        drawn = svg(plot["title"], plot["x"], plot["curves"], (plot["across"], plot["up"]))
        (DOCS / "images" / f"papers-{name}.svg").write_text(drawn, "utf-8")


if __name__ == "__main__":
    main()
