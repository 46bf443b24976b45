"""A real server with a small drawn collection, and Debian's Chromium to look at it.

`VISAVIS_TEST_SLOW_BROWSER=6` makes the browser's processor six times slower: what passes only on a quick machine, or
by luck, fails then.

A test that fails is tried once more, since a browser's timing is not ours to order; the run's last lines say which
were, and such a test is to be mended all the same.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import CHROMIUM_FLAGS, PATIENCE_SECONDS, SHOTS, Server, make_home
from homes import copy_home

from visavis import open_collection
from visavis.demo import draw_catalogue

pytest.importorskip("playwright", reason="playwright is not installed")

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

SLOWER = float(os.environ.get("VISAVIS_TEST_SLOW_BROWSER", "1"))
expect.set_options(timeout=PATIENCE_SECONDS * 1000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each browser test be tried a second time."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def wardrobe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the collection "wardrobe"; made once, shared by all processes of a test run."""
    folder = tmp_path_factory.getbasetemp()
    return make_home((folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "wardrobe")


@pytest.fixture(scope="session")
def server(wardrobe: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a copy of that home."""
    home = tmp_path_factory.mktemp("served") / "home"
    copy_home(wardrobe, home)
    with Server(home) as running:
        yield running


@pytest.fixture
def own_server(wardrobe: Path, tmp_path: Path) -> Iterator[Server]:
    """A server of one's own, to stop and start again."""
    copy_home(wardrobe, tmp_path / "home")
    with Server(tmp_path / "home") as running:
        yield running


@pytest.fixture
def empty_server(tmp_path: Path) -> Iterator[Server]:
    """A server that knows no pictures yet."""
    with Server(tmp_path / "home") as running:
        yield running


@pytest.fixture
def travels(tmp_path: Path) -> Iterator[Server]:
    """Pictures that know where they were taken, on both sides of the date line; and products without prices."""
    draw_catalogue(tmp_path / "pictures", count=4, seed=3)
    listed = tmp_path / "pictures" / "catalogue.jsonl"
    rows = [json.loads(line) for line in listed.read_text().splitlines()]
    for row, longitude in zip(rows, (178.0, 179.5, -179.0, -172.0), strict=True):
        row["attributes"] = {"latitude": -17.0, "longitude": longitude}
    listed.write_text("\n".join(map(json.dumps, rows)))
    with open_collection("travels", tmp_path / "home", create=True) as collection:
        collection.index(listed)
    for number, row in enumerate(rows):
        row["attributes"] = {"title": f"Coat {number}", "articleType": "Coats", "taken": f"201{number}-05-02T10:00:00"}
        row["attributes"] |= {"camera": f"NIKON D{number}", "season": ("Summer", "Winter")[number % 2]}
    listed.write_text("\n".join(map(json.dumps, rows)))
    with open_collection("coats", tmp_path / "home", create=True) as collection:
        collection.index(listed)
    with Server(tmp_path / "home") as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, where there is one."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium here (apt-get install chromium)")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield running
        running.close()


def slow_down(page: Page) -> None:
    """Give a page a slower processor."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


@pytest.fixture
def open_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Opens pages; one that wrote an error to its console fails its test, and its last sight is kept."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def new_page(width: int = 1280, height: int = 800, *, lenient: bool = False, **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(PATIENCE_SECONDS * 1000)
        contexts.append(context)
        if SLOWER > 1:
            context.on("page", slow_down)
        page = context.new_page()
        if not lenient:
            page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield new_page
    SHOTS.mkdir(parents=True, exist_ok=True)
    for number, context in enumerate(contexts):
        for page in context.pages:
            page.screenshot(path=SHOTS / f"{request.node.name}-{number}.png")
        context.close()
    assert complaints == [], "the page complained on its console"


def shows_wardrobe(page: Page, server: Server) -> Page:
    """The page, when it shows the collection."""
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    return page


@pytest.fixture
def page(open_page: Callable[..., Page], server: Server) -> Page:
    """A desktop page that shows the collection."""
    return shows_wardrobe(open_page(), server)


@pytest.fixture
def lenient_page(open_page: Callable[..., Page], server: Server) -> Page:
    """The same page, for a test in which something fails: its console may say so."""
    return shows_wardrobe(open_page(lenient=True), server)
