"""What the browser tests share: a small home, a server in a process of its own, and words for what a person does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from filelock import FileLock

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM_FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PICTURES = 72
#: How long to wait for what should come at once: a loaded machine is slow, not wrong.
PATIENCE_SECONDS = 60.0
#: The command line that is served: what a test writes as a command is read as one.
VISAVIS = Path(__file__).with_name("written_visavis.py")
#: Screenshots are kept here, one a test and more where a test asks for them.
SHOTS = Path(__file__).resolve().parents[2] / "out" / "web"


def make_home(folder: Path) -> Path:
    """Draw and index a few garments, once for however many processes ask."""
    from visavis import open_collection
    from visavis.demo import draw_catalogue

    home = folder / "home"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "done").exists():
            shutil.rmtree(home, ignore_errors=True)
            draw_catalogue(folder / "pictures", count=PICTURES, seed=11)
            with open_collection("wardrobe", home, create=True) as wardrobe:
                wardrobe.index(folder / "pictures" / "catalogue.jsonl")
            (folder / "done").touch()
    return home


class Server:
    """`visavis serve` in a process of its own."""

    def __init__(self, home: Path, *options: str) -> None:
        self.home = home
        self.options = options
        self.port = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Where it listens; the same after a restart."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [sys.executable, str(VISAVIS), "serve", "--no-open", *self.options]
        log = (self.home.parent / "server.log").open("a")
        self._process = subprocess.Popen(
            [*command, "--port", str(self.port), "--home", str(self.home)],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                break
        else:
            raise AssertionError(f"the server did not start: {(self.home.parent / 'server.log').read_text()}")
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.url}/api/v1/health", timeout=5).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the server does not answer")

    def stop(self, *, kill: bool = False) -> None:
        """Ask it to end, or take it away as a power cut would."""
        if self._process is None:
            return
        self._process.kill() if kill else self._process.terminate()
        try:
            self._process.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def turns(page: Page) -> int:
    """The number of the last turn; the history tells several clicks as one, and steps back not at all."""
    return int(page.locator(".turns").get_attribute("data-latest") or 0)


def say(page: Page, text: str) -> None:
    """Type a message, press Enter, and wait for the answer to be complete."""
    before = turns(page)
    page.fill("#composer", text)
    page.press("#composer", "Enter")
    wait_for_turn(page, before + 1)


def wait_for_turn(page: Page, number: int) -> None:
    """Until this many turns are answered and none is on its way."""
    page.wait_for_function(
        "n => Number(document.querySelector('.turns').dataset.latest) >= n && !document.querySelector('.answering')",
        arg=number,
    )


def wall(page: Page) -> list[str]:
    """The ids of the pictures on the wall, in their order."""
    return page.evaluate(
        "() => [...document.querySelectorAll('.tile-open')]"
        ".sort((a, b) => a.dataset.index - b.dataset.index).map(one => one.dataset.picture)"
    )


def first_row(page: Page, count: int = 5) -> list[str]:
    """The first pictures on the wall."""
    return wall(page)[:count]


def address(page: Page) -> str:
    """Where the page is, by its own word: the browser's hears of a step within a page a little later."""
    return str(page.evaluate("() => location.href"))


def settle(page: Page) -> None:
    """Until what glides or fades has arrived; what pulses for ever is not waited for."""
    page.wait_for_function(
        "() => !document.querySelector('.tiles.moving') && document.getAnimations().every(one =>"
        " one.playState !== 'running' || one.effect.getComputedTiming().iterations === Infinity)"
    )


def shot(page: Page, name: str) -> None:
    """Keep a picture of the page as it is, for whoever looks at the build."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    settle(page)
    page.screenshot(path=SHOTS / f"{name}.png")
