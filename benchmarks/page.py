"""The web app in a real browser with 10,000 pictures: page load, time to the first results, smoothness of the wall.

    python benchmarks/page.py                               # draws and indexes 10,000 pictures first (long, kept)
    python benchmarks/page.py --home HOME --collection NAME # a collection that is there already

Times are taken inside the page, by its own clock. The aim is results within 300 ms of pressing Enter and of opening
the page, and a wall that scrolls through 10,000 results without long frames. The cost of scrolling is also reported
as processor time a frame, of browser, server and the driver between them, which depends less on other processes.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from pathlib import Path

import psutil
from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from browsing import CHROMIUM_FLAGS, Server, turns

OUT = Path("out/page.json")
AIM_MS = 300.0
MESSAGES = ["a red one", "something striped", "with a blue background", "two people", "not so dark", "a dog", "food"]

#: Records when Enter is pressed, when the results are painted, when their pictures are loaded, and the end.
WATCH = """(turns) => {
  performance.clearMarks();
  const marks = window.marks = {};
  document.querySelector('#composer').addEventListener('keydown', (event) => {
    if (event.key === 'Enter') marks.enter = performance.now();
  }, {once: true, capture: true});
  let hung = 0;
  const look = () => {
    const now = performance.now();
    hung += performance.getEntriesByName('visavis:results').length > 0;
    if (hung > 1) marks.results ??= now;
    if (hung > 1 && !document.querySelector('.tile.loading')) marks.loaded ??= now;
    const there = Number(document.querySelector('.turns').dataset.latest) >= turns;
    if (marks.enter && there && !document.querySelector('.answering')) marks.done ??= now;
    if (!marks.done || !marks.loaded) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""

#: Scrolls down continuously, and records the time of every frame.
SCROLL = """async ([pixels, wanted]) => {
  const wall = document.querySelector('.wall');
  const frames = [];
  let most = 0, missing = 0, last = performance.now(), still = 0;
  for (;;) {
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames.push(now - last);
    last = now;
    const tiles = document.getElementsByClassName('tile').length;
    most = Math.max(most, tiles);
    missing += document.getElementsByClassName('loading').length / tiles;
    const before = wall.scrollTop;
    wall.scrollTop += pixels;
    still = wall.scrollTop === before ? still + 1 : 0;
    const reached = Math.max(0, ...[...document.querySelectorAll('.tile-open')].map((one) => +one.dataset.index));
    if (reached >= wanted - 1 || still > 600) {
      return {frames, most, missing: missing / frames.length, reached: reached + 1};
    }
  }
}"""


def opening(page: Page, url: str) -> dict[str, float]:
    """Load the page and wait for visible pictures."""
    page.goto(url, wait_until="commit")
    page.wait_for_function("() => document.querySelector('.tile.loaded')")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
    return page.evaluate(
        """() => ({
          first_paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
          pictures: window.firstPicture,
        })"""
    )


def answering(page: Page, text: str) -> dict[str, float]:
    """Send a message and time its results."""
    count = turns(page)
    page.evaluate(WATCH, count + 1)
    page.fill("#composer", text)
    page.press("#composer", "Enter")
    page.wait_for_function("() => window.marks.done && window.marks.loaded")
    marks = page.evaluate("() => window.marks")
    return {name: marks[name] - marks["enter"] for name in ("results", "loaded", "done")}


def processor_seconds() -> float:
    """Return the processor time of the browser and the server so far."""
    times = [process.cpu_times() for process in psutil.Process().children(recursive=True)]
    return sum(time.user + time.system for time in times)


def measure(server: Server, collection: str, results: int, rounds: int) -> dict[str, object]:
    """Run all measurements in one browser."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("There is no Chromium here: apt-get install chromium.")
    url = f"{server.url}/c/{collection}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        cold, warm = [], []
        for _ in range(rounds):
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            context.add_init_script(
                "document.addEventListener('load', (event) => { if (event.target.closest?.('.tile'))"
                " window.firstPicture ??= performance.now(); }, true);"
            )
            page = context.new_page()
            cold.append(opening(page, url))
            warm.append(opening(page, url))
            context.close()
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        opening(page, url)
        answers = [answering(page, text) for text in MESSAGES]
        page.evaluate("() => localStorage.setItem('visavis.row', '120')")
        page.reload()
        page.wait_for_function("() => document.querySelector('.tile.loaded')")
        used = processor_seconds()
        scrolled = page.evaluate(SCROLL, [60, results])  # 3,600 pixels a second
        used = processor_seconds() - used
        heap = page.evaluate("() => performance.memory?.usedJSHeapSize ?? 0") / 1e6
        browser.close()
    return {"cold": cold, "warm": warm, "answers": answers, "scroll": scrolled, "used": used, "heap_mb": heap}


def middle(rows: list[dict[str, float]], name: str) -> float:
    """Return the median of one column."""
    return statistics.median(row[name] for row in rows)


def worst(rows: list[dict[str, float]], name: str) -> float:
    """Return the largest value of one column."""
    return max(row[name] for row in rows)


def report(raw: dict, pictures: int) -> dict[str, object]:
    """Return the summary figures."""
    frames = sorted(raw["scroll"]["frames"][5:])
    part = lambda share: frames[min(len(frames) - 1, int(len(frames) * share))]  # noqa: E731
    return {
        "pictures": pictures,
        "load_cold_ms": {
            "first_paint": middle(raw["cold"], "first_paint"),
            "pictures": middle(raw["cold"], "pictures"),
        },
        "load_warm_ms": {
            "first_paint": middle(raw["warm"], "first_paint"),
            "pictures": middle(raw["warm"], "pictures"),
        },
        "answer_ms": {name: middle(raw["answers"], name) for name in ("results", "loaded", "done")},
        "answer_worst_ms": {name: worst(raw["answers"], name) for name in ("results", "loaded", "done")},
        "scroll": {
            "results": raw["scroll"]["reached"],
            "frames": len(frames),
            "mean_ms": statistics.mean(frames),
            "p50_ms": part(0.5),
            "p95_ms": part(0.95),
            "p99_ms": part(0.99),
            "longest_ms": frames[-1],
            "over_50_ms": sum(frame > 50 for frame in frames) / len(frames),
            "processor_ms": 1000 * raw["used"] / len(raw["scroll"]["frames"]),
            "missing": raw["scroll"]["missing"],
            "most_tiles": raw["scroll"]["most"],
            "heap_mb": raw["heap_mb"],
        },
    }


def show(figures: dict) -> None:
    """Print the figures as a table."""
    table = Table(title=f"The page with {figures['pictures']:,} pictures", title_justify="left")
    for heading in ("what", "ms", "aim"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    aim = f"< {AIM_MS:.0f}"
    table.add_row("page opened, nothing cached: first paint", f"{figures['load_cold_ms']['first_paint']:.0f}", "")
    table.add_row("page opened, nothing cached: first pictures", f"{figures['load_cold_ms']['pictures']:.0f}", aim)
    table.add_row("page opened again: first pictures", f"{figures['load_warm_ms']['pictures']:.0f}", aim)
    table.add_row("message: results on the wall", f"{figures['answer_ms']['results']:.0f}", aim)
    table.add_row("message: their pictures loaded", f"{figures['answer_ms']['loaded']:.0f}", "")
    table.add_row("message: reasons and question there", f"{figures['answer_ms']['done']:.0f}", "")
    table.add_row("message, slowest: results on the wall", f"{figures['answer_worst_ms']['results']:.0f}", "")
    scroll = figures["scroll"]
    table.add_row(f"frame while scrolling {scroll['results']:,} results: median", f"{scroll['p50_ms']:.1f}", "16.7")
    table.add_row("... mean", f"{scroll['mean_ms']:.1f}", "")
    table.add_row("... 95 of 100 are shorter than", f"{scroll['p95_ms']:.1f}", "33.4")
    table.add_row("... the longest", f"{scroll['longest_ms']:.1f}", "")
    table.add_row("... processor time of a frame, all processes", f"{scroll['processor_ms']:.1f}", "")
    console = Console()
    console.print(table)
    console.print(
        f"At most {scroll['most_tiles']} tiles at a time, {scroll['missing']:.0%} of them without their picture yet; "
        f"{scroll['heap_mb']:.0f} MB of heap at the end."
    )


def drawn(count: int) -> tuple[Path, str]:
    """Create a home with this many drawn pictures; kept, because drawing and encoding take minutes."""
    from visavis import open_collection
    from visavis.demo import draw_catalogue

    home = Path("out/page-home").absolute()
    draw_catalogue(home / "drawn", count=count, seed=3)
    with open_collection("page", home, create=True) as collection:
        collection.index(home / "drawn" / "catalogue.jsonl")
    return home, "page"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a home with a collection; without it one is drawn")
    parser.add_argument("--collection", default="page")
    parser.add_argument("--pictures", type=int, default=10_000, help="how many to draw")
    parser.add_argument("--results", type=int, default=10_000, help="how many results to scroll through")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    home, collection = (given.home.absolute(), given.collection) if given.home else drawn(given.pictures)
    with Server(home) as server:
        from urllib.request import urlopen

        with urlopen(f"{server.url}/api/v1/collections/{collection}/wall?limit=1") as answer:
            pictures = json.load(answer)["total"]
        figures = report(measure(server, collection, min(given.results, pictures), given.rounds), pictures)
    show(figures)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
