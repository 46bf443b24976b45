"""Make the pictures of docs/matching.md from real searches in the demo shop, which visavis draws itself.

    python tools/match_pictures.py [--home HOME]

Without a home it draws and indexes the demo's 1,000 things first and keeps them in out/demo.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis import open_collection
from visavis.api import Collection, FoundPicture
from visavis.demo import showcase
from visavis.demo.sheet import SheetRow, contact_sheet
from visavis.search.probability import MATCH
from visavis.search.request import SearchRequest
from visavis.types import FloatArray, Wish

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
COUNT = 1000
#: A text that is true of some things in the shop, and one that is true of none.
THERE, ABSENT = "a dress with flowers", "pyjamas"
SHOWN, COLUMNS, CARD = 25, 7, (104, 139)

Floats = NDArray[np.float64]
WIDTH, LEFT, RIGHT = 720, 48, 20
#: Top and bottom of the two plots, which share the axis of similarity.
CURVES, POINTS = (48, 218), (262, 412)
HEIGHT = 456
LOWEST, HIGHEST, STEP = -0.3, 0.35, 0.1
SMOOTH = 0.012
GREY, BLUE, ORANGE = "#9a9a9a", "#0072b2", "#d55e00"
TEXT = 'font-family="system-ui, sans-serif" font-size="12" fill="#444"'


# -- a search as it is shown ---------------------------------------------------------------------------


def strip(shop: Collection, text: str) -> tuple[list[SheetRow], int]:
    """The rows of a search, what matches before what is less similar; and how many pictures match."""
    found = shop.search(text, k=SHOWN)
    matching = [one for one in found.results if one.match]
    others = [one for one in found.results if not one.match]
    heading = f"{text}   {found.matches} pictures match"
    return [*_rows(shop, heading, matching), *_rows(shop, "less similar", others)], found.matches


def _rows(shop: Collection, heading: str, found: Sequence[FoundPicture]) -> list[SheetRow]:
    rows = []
    for start in range(0, len(found), COLUMNS):
        some = found[start : start + COLUMNS]
        pictures = [shop.open_image(one.picture.id) for one in some]
        rows.append(SheetRow("" if start else heading, pictures, [_caption(one) for one in some]))
    return rows


def _caption(one: FoundPicture) -> str:
    known = one.picture.attributes
    return f"{one.probability:.0%}  {known['colour']} {known['pattern']}"


# -- from similarity to probability --------------------------------------------------------------------


@dataclass(frozen=True)
class ScoredText:
    """A text, and the similarity and probability of every picture."""

    text: str
    similarities: Floats
    probabilities: Floats


def scored(shop: Collection, text: str) -> ScoredText:
    """Search for a text as a person would, and keep the scores of all pictures."""
    found = shop.search(text, k=len(shop), all_copies=True).results
    part = shop.engine.retriever.plan(SearchRequest(wishes=(Wish("1.1", "want", text, 1),))).parts[0]
    vectors = _vectors(shop, [one.picture.id for one in found])
    chances = np.array([one.probability for one in found], np.float64)
    return ScoredText(text, (vectors @ part.vector).astype(np.float64), chances)


def ordinary(shop: Collection) -> Floats:
    """What any text scores here: each general description with each picture."""
    ids = [one.picture.id for one in shop.search(THERE, k=len(shop), all_copies=True).results]
    return (_vectors(shop, ids) @ shop.engine.probes.T).ravel().astype(np.float64)


def _vectors(shop: Collection, ids: Sequence[str]) -> FloatArray:
    found = shop.store.vectors(ids)
    return np.stack([found[id] for id in ids])


def _across(similarity: float) -> float:
    return LEFT + (similarity - LOWEST) / (HIGHEST - LOWEST) * (WIDTH - LEFT - RIGHT)


def _density(values: Floats, places: Floats) -> Floats:
    """How many of the values lie around each place; the area is one."""
    counts, edges = np.histogram(values, bins=400, range=(LOWEST - 0.2, HIGHEST + 0.2))
    middles = (edges[:-1] + edges[1:]) / 2
    bells = np.exp(-0.5 * ((places[:, None] - middles) / SMOOTH) ** 2)
    return np.asarray(bells @ counts / (len(values) * SMOOTH * np.sqrt(2 * np.pi)), np.float64)


def plot(any_text: Floats, texts: Sequence[tuple[ScoredText, str]]) -> str:
    """Two plots over one axis, as SVG: how often each similarity occurs, and what it means for each text.

    Args:
        any_text: What any text scores.
        texts: Texts with their colours.
    """
    places = np.linspace(LOWEST, HIGHEST, 131)
    curves = [_density(any_text, places), *(_density(one.similarities, places) for one, _ in texts)]
    highest = max(float(curve.max()) for curve in curves)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' role="img"><title>From similarity to probability</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *_axes(),
    ]
    for curve, colour in zip(curves, [GREY, *(colour for _, colour in texts)], strict=True):
        line = " ".join(
            f"{_across(place):.1f},{_down(height / highest, CURVES):.1f}"
            for place, height in zip(places.tolist(), curve.tolist(), strict=True)
        )
        area = f"{LEFT},{CURVES[1]} {line} {WIDTH - RIGHT},{CURVES[1]}"
        shade = 0.3 if colour == GREY else 0.08
        parts.append(f'<polygon points="{area}" fill="{colour}" fill-opacity="{shade}"/>')
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
    for one, colour in texts:
        # Many pictures lie on the same pixel, and one circle stands for all of them.
        corners = {
            (round(_across(similarity)), round(_down(chance, POINTS)))
            for similarity, chance in zip(one.similarities.tolist(), one.probabilities.tolist(), strict=True)
            if similarity >= LOWEST
        }
        circles = "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in sorted(corners))
        parts.append(f'<g fill="{colour}" fill-opacity="0.55">{circles}</g>')
    names = [("any description", GREY), *((f"“{one.text}”", colour) for one, colour in texts)]
    for number, (name, colour) in enumerate(names):
        y = CURVES[0] + 10 + 18 * number
        parts.append(f'<rect x="{LEFT + 12}" y="{y - 9}" width="11" height="11" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + 29}" y="{y + 1}" {TEXT}>{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _down(share: float, edges: tuple[int, int]) -> float:
    return edges[1] - share * (edges[1] - edges[0])


def _axes() -> list[str]:
    line = _down(MATCH, POINTS)
    parts = [
        f'<text x="{LEFT}" y="24" {TEXT} font-weight="600">How similar the shop\'s pictures are to a text</text>',
        f'<text x="{LEFT}" y="{POINTS[0] - 12}" {TEXT} font-weight="600">'
        "How likely the text is true of each picture</text>",
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{line}" y2="{line}" stroke="#444" stroke-dasharray="5 4"/>',
        f'<text x="{LEFT + 12}" y="{line - 6}" {TEXT}>from here on a picture matches</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" {TEXT} text-anchor="middle">similarity</text>',
    ]
    parts += [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{bottom}" y2="{bottom}" stroke="#999"/>'
        for _, bottom in (CURVES, POINTS)
    ]
    for share, label in ((0.0, "0"), (MATCH, "50 %"), (1.0, "100 %")):
        y = _down(share, POINTS) + 4
        parts.append(f'<text x="{LEFT - 6}" y="{y}" {TEXT} text-anchor="end">{label}</text>')
    for place in np.arange(LOWEST, HIGHEST, STEP).tolist():
        where = f'x="{_across(place):.1f}" y="{POINTS[1] + 17}"'
        parts.append(f'<text {where} {TEXT} text-anchor="middle">{round(place, 1) + 0.0:g}</text>')
    return parts


def main() -> None:
    """Make them both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, default=ROOT / "out" / "demo", help="where the demo shop is, or is made")
    home: Path = parser.parse_args().home
    showcase.index_pictures(home, showcase.draw_pictures(home, COUNT)).close()
    with open_collection(showcase.COLLECTION, home) as shop:
        rows, matches = strip(shop, THERE)
        contact_sheet(rows, CARD).save(IMAGES / "matches.webp", quality=86, method=6)
        there, absent = scored(shop, THERE), scored(shop, ABSENT)
        drawn = plot(ordinary(shop), [(there, BLUE), (absent, ORANGE)])
        (IMAGES / "match-scores.svg").write_text(drawn, "utf-8")
    print(f"{THERE}: {matches} match")
    for one in (there, absent):
        best, matching = one.similarities.max(), int((one.probabilities >= MATCH).sum())
        print(f"{one.text}: best similarity {best:.2f}, {matching} of {len(one.probabilities)} match")
    for name in ("matches.webp", "match-scores.svg"):
        print(f"docs/images/{name}\t{(IMAGES / name).stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
