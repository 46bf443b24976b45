"""Make the pictures of the web app in docs/images, from the running app and a drawn collection.

    python tools/screenshots.py [--home HOME --collection NAME]

Without a home it draws and indexes 400 garments first and keeps them in out/shots. Needs Chromium.
"""

from __future__ import annotations

import argparse
import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from browsing import CHROMIUM_FLAGS, Server, say, turns, wait_for_turn  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDE = (1440, 900)
STORY = (1200, 750)
#: The animation is shown beside text, so it need not be larger.
STORY_SHOWN = (960, 600)


def drawn_home() -> Path:
    """A home with drawn garments; made once."""
    from visavis import open_collection
    from visavis.demo import draw_catalogue

    home = ROOT / "out" / "shots"
    draw_catalogue(home / "drawn", count=400, seed=5)
    with open_collection("wardrobe", home, create=True) as wardrobe:
        wardrobe.index(home / "drawn" / "catalogue.jsonl")
    return home


def keep(page: Page, name: str) -> None:
    """One picture, as WebP: a third of the size of PNG, and every browser and forge shows it."""
    page.wait_for_timeout(900)
    image = Image.open(io.BytesIO(page.screenshot()))
    image.convert("RGB").save(IMAGES / f"{name}.webp", quality=86, method=6)


def visit(browser: Browser, url: str, size: tuple[int, int], *, dark: bool = False, phone: bool = False) -> Page:
    """A fresh page that shows pictures."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        has_touch=phone,
        is_mobile=phone,
        device_scale_factor=2 if phone else 1,
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector(".tile.loaded")
    return page


def stills(browser: Browser, server: Server, collection: str) -> None:
    """The pictures of docs/web.md and the README."""
    page = visit(browser, f"{server.url}/c/{collection}", WIDE)
    keep(page, "web-browse")
    say(page, "a skirt")
    say(page, "with flowers")
    say(page, "no belt")
    page.locator(".tile").nth(3).hover()
    keep(page, "web-talk")
    talk = page.url
    page.mouse.move(900, 880)
    page.locator(".tile-open").nth(1).click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("slider", name="Warmth").fill("45")
    page.get_by_role("slider", name="Vignette").fill("60")
    page.wait_for_selector(".trial")
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Before and after").click()
    keep(page, "web-edit")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.locator("#turn-1").hover()
    page.get_by_role("button", name="Compare turn 1").click()
    keep(page, "web-compare")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    say(page, "the second one")
    say(page, "make it warmer")
    say(page, "turn it 5 degrees to the left")
    page.locator(".hand").get_by_role("button", name="Compare with the original").click()
    keep(page, "web-hand")
    page.context.close()
    keep(visit(browser, talk, WIDE, dark=True), "web-dark")
    keep(visit(browser, talk, (390, 844), phone=True), "web-phone")


class Film:
    """Frames and how long each is seen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[Image.Image] = []
        self.times: list[int] = []

    def hold(self, milliseconds: int) -> None:
        """What is to be seen now, for so long."""
        image = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        self.frames.append(image.resize(STORY_SHOWN, Image.Resampling.LANCZOS))
        self.times.append(milliseconds)

    def type(self, text: str) -> None:
        """Somebody types, presses Enter and waits."""
        field = self.page.locator("#composer")
        for end in range(3, len(text) + 3, 3):
            field.fill(text[:end])
            self.hold(90)
        before = turns(self.page)
        field.press("Enter")
        wait_for_turn(self.page, before + 1)
        self.page.wait_for_timeout(700)
        self.hold(1500)

    def save(self, file: Path) -> None:
        """As an animated WebP."""
        first, *rest = self.frames
        first.save(file, save_all=True, append_images=rest, duration=self.times, loop=0, quality=62, method=6)


def story(browser: Browser, server: Server, collection: str) -> None:
    """A short film: describe, refine, look at the effect of a wish, point, edit."""
    page = visit(browser, f"{server.url}/c/{collection}", STORY)
    page.wait_for_timeout(800)
    film = Film(page)
    film.hold(1100)
    film.type("a skirt")
    film.type("with flowers")
    film.type("no belt")
    page.locator(".chip-main").first.hover()
    page.wait_for_selector(".ribbon")
    page.wait_for_timeout(600)
    film.hold(1300)
    page.mouse.move(700, 740)
    page.wait_for_selector(".ribbon", state="detached")
    page.wait_for_timeout(500)
    page.locator(".tile").nth(2).hover()
    page.wait_for_timeout(400)
    film.hold(1000)
    before = turns(page)
    page.locator(".tile").nth(2).get_by_role("button", name="More like this").click()
    wait_for_turn(page, before + 1)
    page.wait_for_timeout(800)
    film.hold(1500)
    page.locator(".tile-open").first.click()
    page.wait_for_selector(".full.loaded")
    page.wait_for_timeout(500)
    film.hold(1300)
    page.get_by_role("button", name="Edit", exact=True).click()
    for warmth in (15, 30, 45, 60):
        page.get_by_role("slider", name="Warmth").fill(str(warmth))
        page.wait_for_function("() => document.querySelector('.trial') && !document.querySelector('.trying')")
        film.hold(160)
    film.hold(900)
    page.get_by_role("button", name="Before and after").click()
    for at in (50, 35, 20, 40, 60, 80):
        page.get_by_role("slider", name="Before and after").fill(str(at))
        page.wait_for_timeout(60)
        film.hold(170)
    film.hold(1600)
    film.save(IMAGES / "web-story.webp")
    page.context.close()


def main() -> None:
    """Make them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--collection", default="wardrobe")
    given = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("There is no Chromium here: apt-get install chromium.")
    with Server((given.home or drawn_home()).absolute()) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        stills(browser, server, given.collection)
        story(browser, server, given.collection)
        browser.close()
    for file in sorted(IMAGES.glob("web-*")):
        print(f"{file.relative_to(ROOT)}\t{file.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
