"""Everything without a mouse."""

from __future__ import annotations

from collections.abc import Callable

from browsing import Server, say, shot, wait_for_turn
from playwright.sync_api import Page, expect


def test_a_search_and_an_edit_without_a_mouse(page: Page) -> None:
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.locator("#composer")).to_be_focused()
    page.keyboard.type("search striped skirt")
    page.keyboard.press("Enter")
    wait_for_turn(page, 1)
    page.keyboard.press("Escape")

    page.locator(".tile-open[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.activeElement.dataset.index === '1'")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.activeElement.dataset.index > 1")
    shot(page, "keyboard-wall")
    chosen = page.evaluate("() => document.activeElement.dataset.picture")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog.large[open]")
    page.wait_for_url(lambda url: chosen in url)

    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: chosen not in url)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(lambda url: chosen in url)
    page.keyboard.press("e")
    page.get_by_label("Contrast").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".steps .draft > span")).to_have_text("contrast +3")
    page.keyboard.press("Control+z")
    expect(page.locator(".steps .draft")).to_have_count(0)

    page.keyboard.press("b")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_role("button", name="Search inside")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator(f"[data-picture='{chosen}']"), "the focus comes back to where it was").to_be_focused()

    page.keyboard.press("l")
    wait_for_turn(page, 2)
    page.keyboard.press("Control+z")
    wait_for_turn(page, 3)


def test_chips_by_keys(page: Page) -> None:
    say(page, "search red top")
    chip = page.locator(".chip-main").first
    chip.focus()
    page.keyboard.press("+")
    wait_for_turn(page, 2)
    expect(page.locator(".chip-weight")).to_have_text("×1.5")
    page.locator(".chip-main").first.focus()
    page.keyboard.press("p")
    wait_for_turn(page, 3)
    page.locator(".chip-main").first.focus()
    page.keyboard.press("Delete")
    wait_for_turn(page, 4)
    expect(page.locator(".chip")).to_have_count(0)


def test_help_theme_and_new_conversation(page: Page) -> None:
    page.keyboard.press("Escape")  # leaves the field, where one begins
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    shot(page, "keys")
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    page.wait_for_selector(".tile.loaded")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    say(page, "search coat")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.wait_for_selector(".welcome")
    expect(page.locator(".turns > .turn")).to_have_count(0)


def test_the_far_end_of_the_wall(page: Page) -> None:
    say(page, "search shoes")
    page.locator(".tile-open[tabindex='0']").focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.activeElement.dataset.index > 10")
    page.keyboard.press("Home")
    page.wait_for_function("() => document.activeElement.dataset.index === '0'")
    assert page.evaluate("document.activeElement.dataset.index") == "0"


def test_filters_without_a_mouse(page: Page) -> None:
    page.locator(".tile-open").first.focus()
    page.keyboard.press("f")
    page.wait_for_selector(".facet")
    expect(page.locator(".facets")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator(".facet-value").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".facets")).to_have_count(0)
    expect(page.locator(".facets-button")).to_be_focused()


def test_retrievers_are_for_those_who_want_commands(page: Page) -> None:
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More").click()
    expect(page.get_by_text("Ask me questions")).to_be_visible()
    expect(page.get_by_text("Ranked by")).to_have_count(0)
    page.get_by_role("switch", name="Show the commands").check()
    expect(page.get_by_text("Ranked by")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("checkbox", name="Show the commands")).to_be_checked()


def test_undo_works_from_the_empty_message_field(page: Page) -> None:
    say(page, "search bag")
    say(page, "refine red")
    page.locator("#composer").focus()
    page.keyboard.press("Control+z")
    wait_for_turn(page, 3)
    expect(page.locator(".chip")).to_have_count(1)
    page.keyboard.type("something")
    page.keyboard.press("Control+z")  # the typing is taken back, and nothing else
    page.fill("#composer", "")
    page.keyboard.press("Control+Shift+z")
    wait_for_turn(page, 4)
    expect(page.locator(".chip")).to_have_count(2)


def test_what_was_not_sent_stays_with_its_collection(travels: Server, open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(f"{travels.url}/c/travels")
    page.wait_for_selector(".tile.loaded")
    page.fill("#composer", "a boat by")

    def go(name: str) -> None:
        page.locator(".place").click()
        page.locator(".head-panel").get_by_role("button", name=name).click()

    go("coats")
    expect(page.locator("#composer")).to_have_value("")
    page.fill("#composer", "a warm")
    go("travels")
    expect(page.locator("#composer")).to_have_value("a boat by")
