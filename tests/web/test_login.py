"""Where keys are asked for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from browsing import Server, say, shot
from homes import copy_home
from playwright.sync_api import Page, expect


def key_for(home: Path, name: str, role: str) -> str:
    """A new user's key."""
    command = [sys.executable, "-c", "from visavis.cli import main; main()", "user", "add", name, "--role", role]
    said = subprocess.run([*command, "--home", str(home)], capture_output=True, text=True, check=True).stdout
    return max(said.split(), key=len)


def test_a_key_opens_the_page_that_was_asked_for(
    wardrobe: Path, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    home = tmp_path / "home"
    copy_home(wardrobe, home)
    key = key_for(home, "anna", "read")
    with Server(home, "--keys") as server:
        page = open_page(lenient=True)
        page.goto(f"{server.url}/c/wardrobe")
        shot(page, "login")
        page.get_by_label("Your key").fill("wrong")
        page.get_by_role("button", name="Come in").click()
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("Your key").fill(key)
        page.get_by_role("button", name="Come in").click()
        page.wait_for_selector(".tile.loaded")
        say(page, "search hat")
        # Who may only read is offered nothing that would be refused.
        page.locator(".tile-open").first.click()
        expect(page.get_by_role("button", name="Edit", exact=True)).to_have_count(0)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="More", exact=True).click()
        expect(page.get_by_text("Share a link")).to_have_count(0)
        page.get_by_text("Sign out").click()
        expect(page.get_by_label("Your key")).to_be_visible()
        page.goto("about:blank")
