"""axe finds nothing to complain about, in light and in dark, in every state that a person meets."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import Server, say, settle
from playwright.sync_api import Page, expect

WEB = Path(__file__).resolve().parents[2] / "web"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, from what npm installed."""
    script = WEB / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("axe-core comes by npm, and there is none here")
        done = subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=WEB, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"npm could not install axe-core: {done.stderr[-300:]}")
    return script.read_text(encoding="utf-8")


def complaints(page: Page, axe: str) -> list[str]:
    """What axe has to say, one line a rule."""
    settle(page)  # colours are judged when nothing fades any more
    page.evaluate(axe)
    found = page.evaluate("rules => axe.run({runOnly: rules, resultTypes: ['violations']})", RULES)
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
        for one in found["violations"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_state(open_page: Callable[..., Page], server: Server, axe: str, scheme: str) -> None:
    page = open_page(color_scheme=scheme, reduced_motion="reduce")
    page.goto(server.url)
    page.wait_for_selector(".card")
    states = {"home": complaints(page, axe)}
    page.get_by_role("button", name="Another collection").click()
    page.wait_for_selector(".crumbs")
    states["first run"] = complaints(page, axe)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    states["browsing"] = complaints(page, axe)
    say(page, "search red dress")
    say(page, "avoid stripes")
    say(page, "select #1 ; rotate 90")
    states["talking"] = complaints(page, axe)
    page.get_by_role("button", name="Filters").click()
    page.wait_for_selector(".facet-value")
    states["filters"] = complaints(page, axe)
    page.keyboard.press("Escape")
    expect(page.locator(".popover")).to_have_count(0)
    page.locator(".chip").first.get_by_role("button", name="Change").click()
    page.wait_for_selector(".chip-menu")
    states["chip"] = complaints(page, axe)
    page.keyboard.press("Escape")
    expect(page.locator(".popover")).to_have_count(0)
    page.locator(".tile-open").first.click()
    page.wait_for_selector(".full.loaded")
    states["picture"] = complaints(page, axe)
    page.get_by_role("button", name="Edit", exact=True).click()
    page.wait_for_selector(".field")
    states["editing"] = complaints(page, axe)
    page.get_by_role("button", name="Cut out the subject").click()
    page.get_by_role("button", name="Show and correct what is marked").click()
    page.wait_for_selector(".mask-tint")
    page.get_by_role("button", name="Brush").click()
    states["mask"] = complaints(page, axe)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Discard").click()
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.get_by_role("button", name="Select pictures").click()
    page.locator(".tile-open").nth(1).click()
    page.get_by_role("toolbar").get_by_role("button", name="Album").click()
    page.wait_for_selector(".selection-panel")
    states["selection"] = complaints(page, axe)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Let go of the selection").click()
    page.get_by_role("button", name="Albums").click()
    page.wait_for_selector(".views-panel")
    states["albums"] = complaints(page, axe)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("dialog.help[open]")
    states["help"] = complaints(page, axe)
    assert {state: said for state, said in states.items() if said} == {}


def test_a_phone(open_page: Callable[..., Page], server: Server, axe: str) -> None:
    page = open_page(390, 844, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    say(page, "search hat")
    page.locator(".sheet-handle").tap()
    page.wait_for_selector(".talk.raised")
    assert complaints(page, axe) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map(travels: Server, open_page: Callable[..., Page], axe: str, scheme: str) -> None:
    page = open_page(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{travels.url}/c/travels")
    page.wait_for_selector(".tile.loaded")
    page.get_by_role("button", name="Map", exact=True).click()
    page.wait_for_selector(".map-dot")
    assert complaints(page, axe) == []
    for _ in range(8):  # until all lie on one spot
        page.get_by_role("button", name="Further away").click()
    assert complaints(page, axe) == []
    page.locator(".map-dot").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.get_by_role("heading", name="From the map")).to_be_visible()


def test_changes_are_announced(page: Page) -> None:
    say(page, "search hat")
    expect(page.locator("[aria-live=polite]").first).to_contain_text("pictures")


def test_motion_is_reduced_on_request(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(reduced_motion="reduce")
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    seconds = "parseFloat(getComputedStyle(document.querySelector('.tile img')).transitionDuration)"
    page.wait_for_function(f"() => {seconds} < 0.01")
    assert page.evaluate(seconds) < 0.01


def test_a_study(open_page: Callable[..., Page], server: Server, axe: str) -> None:
    page = open_page(reduced_motion="reduce")
    page.goto(f"{server.url}/study/wardrobe")
    page.get_by_label("I agree to that").check()
    states = {"consent": complaints(page, axe)}
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("textbox").fill("search red dress")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".study-picture")).to_have_count(5)
    states["looking"] = complaints(page, axe)
    assert {name: found for name, found in states.items() if found} == {}
