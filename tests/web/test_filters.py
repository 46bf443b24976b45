"""The drawer of filters beside the results."""

from __future__ import annotations

from collections.abc import Callable

from browsing import Server, first_row, say, shot, wait_for_turn, wall
from playwright.sync_api import Page, expect


def names(page: Page, section: str) -> list[str]:
    """The values of a section, in their order."""
    return (
        page.locator(".facet", has=page.get_by_role("heading", name=section, exact=True))
        .locator(".facet-name")
        .all_inner_texts()
    )


def test_the_drawer_stays_beside_the_results_in_a_stable_order(page: Page) -> None:
    page.keyboard.press("Escape")  # leaves the field, where one begins
    page.keyboard.press("f")
    page.wait_for_selector(".facet")
    before = names(page, "Colour")
    navy = page.locator(".coloured .facet-value", has_text="navy").first
    expect(navy.locator(".swatch-dot")).to_have_css("background-color", "rgb(29, 43, 92)")
    shot(page, "filters")
    say(page, "search dress")
    dresses = wall(page)
    page.get_by_label("price to").fill("60")
    page.keyboard.press("Enter")
    wait_for_turn(page, 2)
    expect(page.get_by_label("price to")).to_have_value("60")
    left = names(page, "Colour")
    assert [name for name in before if name in left] == [name for name in left if name in before]
    cheap = wall(page)
    assert [id for id in dresses if id in cheap] == [id for id in cheap if id in dresses], "what stays keeps its order"
    assert first_row(page) != dresses[:5]
    page.get_by_role("button", name="clear all").click()
    wait_for_turn(page, 3)
    assert wall(page)[:12] == dresses[:12]
    page.reload()
    page.wait_for_selector(".facet")  # it is as it was left


def test_a_number_is_taken_once_it_is_complete(page: Page) -> None:
    say(page, "search bag")
    page.locator(".facets-button").click()
    lowest, highest = (page.get_by_role("spinbutton", name=f"price {end}") for end in ("from", "to"))
    chip = page.locator(".chip.kind-filter")
    lowest.click()
    page.keyboard.type("50")
    page.keyboard.press("Enter")
    wait_for_turn(page, 2)  # one for both digits
    expect(chip).to_have_text(["price from 50"])
    expect(lowest).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("150")
    page.keyboard.press("Tab")  # leaving the field will do
    wait_for_turn(page, 3)
    expect(chip).to_have_text(["price from 50", "price up to 150"])
    expect(lowest).to_have_value("50")
    lowest.fill("60")
    highest.fill("140")  # the one is applied while the other is typed
    page.get_by_role("button", name="Apply").click()
    expect(chip).to_have_text(["price from 60", "price up to 140"])
    lowest.fill("")
    page.keyboard.press("Enter")
    expect(chip).to_have_text(["price up to 140"])
    expect(highest).to_have_value("140")
    expect(page.locator(".chip")).to_have_count(2)  # none was struck out on the way


def test_what_took_the_photo_of_a_product_is_no_filter(travels: Server, open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(f"{travels.url}/c/coats")
    page.wait_for_selector(".tile.loaded")
    page.keyboard.press("Escape")  # leaves the field, where one begins
    page.keyboard.press("f")
    expect(page.get_by_role("heading", name="season")).to_be_visible()
    expect(page.get_by_role("heading", name="camera")).to_have_count(0)


def test_a_long_value_stays_in_the_drawer_with_its_count(page: Page) -> None:
    page.keyboard.press("Escape")  # leaves the field, where one begins
    page.keyboard.press("f")
    page.wait_for_selector(".facet")
    inside = """() => {
      const chip = document.querySelector('.facet-value');
      chip.querySelector('.facet-name').textContent = 'a very long value of an attribute '.repeat(3);
      const edge = document.querySelector('.facets').getBoundingClientRect().right;
      return chip.querySelector('.answer-count').getBoundingClientRect().right < edge;
    }"""
    assert page.evaluate(inside)


def test_on_a_phone_it_is_a_sheet(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(390, 844, has_touch=True)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    page.get_by_role("button", name="Filters").click()
    page.locator(".facet-value:enabled").first.click()
    wait_for_turn(page, 1)
    page.get_by_role("button", name="Close the filters").click()
    expect(page.locator(".facets")).to_have_count(0)
    expect(page.locator(".chip.kind-filter")).to_have_count(1)


def test_filters_that_are_told_in_one_line_are_left_by_one_step(page: Page) -> None:
    say(page, "search bag")
    page.locator(".facets-button").click()
    for number in (1, 2, 3):
        page.locator(".facet-value:enabled[aria-pressed=false]").first.click()
        wait_for_turn(page, 1 + number)
    line, dot = page.locator(".clicked"), page.locator(".turn.current")
    expect(line).to_have_count(1)
    expect(dot).to_have_count(1)
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_for_turn(page, 5)
    expect(page.locator(".chip.kind-filter")).to_have_count(0)
    expect(dot).to_have_attribute("id", "turn-1")
    page.get_by_role("button", name="Redo", exact=True).click()
    wait_for_turn(page, 6)
    expect(dot.locator(".clicked")).to_have_count(1)
    say(page, "undo")  # said, it takes back the last click alone
    expect(dot.locator(".clicked")).to_have_count(1)
    shot(page, "filters-undone")
