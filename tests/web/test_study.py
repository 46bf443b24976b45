"""A person looks for a picture: consent, messages, five pictures each time, an end, and all of it deleted."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable

from browsing import Server, shot
from playwright.sync_api import Page, expect


def begin(page: Page, server: Server) -> str:
    page.goto(f"{server.url}/study/wardrobe")
    start = page.get_by_role("button", name="Begin")
    expect(start).to_be_disabled()  # not without consent
    page.get_by_label("I agree to that").check()
    start.click()
    expect(page.get_by_alt_text("The picture to find")).to_be_visible()
    return str(page.evaluate("() => location.pathname.split('/').pop()"))


def tell(page: Page, text: str, number: int) -> None:
    page.get_by_role("textbox").fill(text)
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".study-said li")).to_have_count(number)


def test_a_study_from_consent_to_its_end(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page()
    page.goto(f"{server.url}/study/wardrobe")
    expect(page.get_by_role("button", name="Begin")).to_be_disabled()
    shot(page, "study-consent")
    begin(page, server)
    tell(page, "search red dress", 1)
    expect(page.locator(".study-picture")).to_have_count(5)
    shot(page, "study")
    page.reload()  # nothing is lost
    expect(page.locator(".study-said li")).to_have_count(1)
    for number in range(2, 6):
        tell(page, "search blue hat", number)
    expect(page.get_by_role("textbox")).to_have_count(0)
    page.get_by_role("button", name="It is not there").click()
    expect(page.locator(".study-end")).to_contain_text("not found this time")
    page.get_by_role("button", name="Another one").click()
    expect(page.get_by_role("button", name="Begin")).to_be_disabled()


def test_what_was_kept_can_be_deleted(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(390, 780)
    id = begin(page, server)
    tell(page, "search shoes", 1)
    shot(page, "study-phone")
    with urllib.request.urlopen(f"{server.url}/api/v1/studies/{id}", timeout=30) as answer:
        assert len(json.load(answer)["turns"]) == 1
    page.get_by_role("button", name="Delete what was kept of this").click()
    expect(page.get_by_role("button", name="Begin")).to_be_visible()
    with urllib.request.urlopen(f"{server.url}/api/v1/studies/export?collection=wardrobe", timeout=30) as answer:
        assert "search shoes" not in answer.read().decode()
