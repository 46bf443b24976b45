"""Curves over the rounds, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from visavis.errors import MissingExtraError


def plot_curves(
    folder: Path,
    name: str,
    curves: Mapping[str, Sequence[float]],
    *,
    title: str,
    label: str,
    percent: bool = True,
    first: int = 0,
    steps: str = "questions answered",
) -> list[Path]:
    """Draw one line a system over the rounds; the files are ``NAME.png`` and ``NAME.svg``.

    Args:
        folder: Where to.
        name: Of the files.
        curves: System -> values, one a round.
        title: Above the plot.
        label: Of the values.
        percent: Whether the values are shares.
        first: The number of the first round.
        steps: What the rounds are.
    """
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtraError("Drawing plots", "bench") from error
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for system, values in curves.items():
        shown = [100 * value for value in values] if percent else list(values)
        axes.plot(range(first, first + len(shown)), shown, marker="o", markersize=3.5, label=system)
    axes.set(title=title, xlabel=steps, ylabel=f"{label} (%)" if percent else label)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    files = [folder / f"{name}.{ending}" for ending in ("png", "svg")]
    for file in files:
        figure.savefig(file, dpi=130)
    plt.close(figure)
    return files
