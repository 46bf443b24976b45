"""The story of a conversation: clicks are told together, a step back only moves the mark."""

from __future__ import annotations

import re

from browsing import first_row, say, shot, turns, wait_for_turn
from playwright.sync_api import Page, expect


def test_clicks_on_filters_are_one_step_and_back_moves_the_mark(page: Page) -> None:
    say(page, "search dress")
    dresses = first_row(page)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    colours = page.locator(".facet", has_text="Colour").first.locator(".facet-value:enabled")
    for number in (2, 3):
        colours.nth(number - 2).click()
        wait_for_turn(page, number)
    expect(page.locator(".turns > .turn")).to_have_count(2)
    expect(page.locator(".turn.current .clicked")).to_contain_text(re.compile(r"^colour: \S+ or \S+"))
    shot(page, "story-clicks")

    page.locator("#turn-1 .strip").click()
    wait_for_turn(page, 4)
    assert first_row(page) == dresses
    expect(page.locator(".turns > .turn")).to_have_count(2)
    expect(page.locator("#turn-1")).to_have_class(re.compile("current"))
    expect(page.locator("#turn-3")).to_have_class(re.compile("aside"))


def test_a_new_description_can_be_combined_with_one_tap(page: Page) -> None:
    say(page, "search dress")
    say(page, "search red")
    expect(page.locator(".chip")).to_have_count(1)
    page.get_by_role("button", name="Combine with “dress” instead").click()
    wait_for_turn(page, 3)
    expect(page.locator(".chip")).to_have_count(2)
    expect(page.locator(".turns > .turn")).to_have_count(2)
    page.get_by_role("button", name="Look for “red” alone instead").click()
    wait_for_turn(page, 4)
    expect(page.locator(".chip")).to_have_count(1)
    assert turns(page) == 4
