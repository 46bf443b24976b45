"""The curves in docs/papers are those that the tool draws from the figures beside them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "papers" / "figures.json"
pytestmark = pytest.mark.skipif(not FIGURES.is_file(), reason="the documents are not here")


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("paper_plots", ROOT / "tools" / "paper_plots.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_plots_are_drawn_from_the_figures(tool):
    for name, plot in json.loads(FIGURES.read_text("utf-8"))["plots"].items():
        drawn = tool.svg(plot["title"], plot["x"], plot["curves"], (plot["across"], plot["up"]))
        assert (ROOT / "docs" / "images" / f"papers-{name}.svg").read_text("utf-8") == drawn, name


def test_the_ticks_hold_both_ends(tool):
    for low, high in ((0.0, 100.0), (26.3, 92.6), (36.2, 346.4), (5.0, 5.0)):
        ticks = tool._ticks(low, high)
        assert ticks[0] <= low
        assert ticks[-1] >= high
        assert 2 <= len(ticks) <= 9
