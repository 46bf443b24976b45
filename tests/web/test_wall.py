"""What hangs on the wall is never covered, clipped or left without a heading; what leads elsewhere is in sight."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browsing import Server, first_row, say, settle, shot, wait_for_turn
from playwright.sync_api import Locator, Page, expect


def bounds(part: Locator) -> dict[str, float]:
    """Where a part of the page is, when nothing moves any more."""
    settle(part.page)
    found = part.bounding_box()
    assert found is not None
    return {**found, "right": found["x"] + found["width"], "bottom": found["y"] + found["height"]}


def test_hovering_leaves_title_and_price_in_sight(page: Page) -> None:
    say(page, "search dress")
    tile = page.locator(".tile").first
    tile.hover()
    words = tile.locator(".tile-foot")
    expect(words).to_contain_text(tile.locator(".tile-title").inner_text())
    assert bounds(words)["bottom"] <= bounds(tile.locator(".tile-offer"))["y"]


def test_pictures_that_only_come_near_have_a_heading_in_every_order(page: Page) -> None:
    say(page, "search red dress")
    say(page, "filter price < 20")
    say(page, "sort price asc")
    expect(page.locator(".part-heading").first).to_contain_text("These come nearest")


def test_values_that_are_left_come_first_and_prices_fit_their_fields(page: Page) -> None:
    say(page, "search shoes")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Filters").click()
    page.wait_for_selector(".facet-value")
    shown = "() => [...document.querySelectorAll('.facet-value .answer-count')].map((one) => Number(one.textContent))"
    assert 0 not in page.evaluate(shown)
    category = page.locator(".facet", has=page.locator(".facet-fold")).first
    category.locator(".facet-fold").click()
    counts = [int(one) for one in category.locator(".answer-count").all_inner_texts()]
    assert counts[0] > 0, "what is not left comes last"
    assert counts[-1] == 0
    price = page.get_by_label("price to")
    price.fill("1234.99")
    price.press("Enter")
    page.wait_for_selector(".facet-range.active")  # its field is narrower, and its figures are bold
    assert price.evaluate("field => field.scrollWidth - field.clientWidth") <= 0
    shot(page, "filters-left")


def test_two_selected_pictures_are_compared(page: Page) -> None:
    say(page, "search dress")
    page.get_by_role("button", name="Select pictures").click()
    bar = page.get_by_role("toolbar", name="Selected pictures")
    page.locator(".tile-open").nth(0).click()
    expect(bar.get_by_role("button", name="Compare")).to_have_count(0)
    page.locator(".tile-open").nth(3).click()
    bar.get_by_role("button", name="Compare").click()
    wait_for_turn(page, 2)
    table = page.get_by_role("table", name="Pictures side by side")
    expect(table.locator("thead img")).to_have_count(2)
    expect(table.locator("thead")).to_contain_text("#4")
    large = page.get_by_role("region", name="The pictures side by side, large")
    expect(large.get_by_role("button", name="Open picture")).to_have_count(2)
    first, second = (bounds(large.locator("img").nth(at)) for at in (0, 1))
    assert first["right"] <= second["x"], "beside each other"
    assert min(first["height"], second["height"]) >= 180
    expect(large.locator("dt").first).to_have_text("title")
    assert all(
        re.search(r"\.\d\d$", one) for one in large.locator("div", has_text="price").locator("dd").all_inner_texts()
    )
    shot(page, "side-by-side")
    large.get_by_role("button", name="Close the comparison").click()
    expect(large).to_have_count(0)
    expect(bar).to_have_count(0)


def test_clicks_leave_no_gap_in_the_history_nor_on_the_shared_page(page: Page, server: Server) -> None:
    say(page, "search dress")
    best = first_row(page)
    parts = page.locator(".part-heading").all_inner_texts()
    assert parts in (["These come near"], ["These come nearest"])
    for order in ("price asc", "price desc"):
        page.get_by_label("Order").select_option(order)
        wait_for_turn(page, 2 + (order == "price desc"))
    page.get_by_role("button", name="Undo").click()
    wait_for_turn(page, 4)
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").first).to_have_text(re.compile("^search dress"))  # and no number before it
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Share a link to look at").click()
    link = page.get_by_label("Link to this conversation").input_value()
    page.goto(link)
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".branch-note")).to_have_text("Shared to look at. Choose a step to see what it showed.")
    page.get_by_role("button", name="Show: search dress").click()
    page.wait_for_function("id => document.querySelector('.tile-open')?.dataset.picture === id", arg=best[0])
    assert page.locator(".part-heading").all_inner_texts() == parts, "what only comes near is called so"


@pytest.mark.parametrize("width", [360, 390])
def test_the_tools_of_a_box_stay_on_the_screen_of_a_phone(
    open_page: Callable[..., Page], server: Server, width: int
) -> None:
    page = open_page(width, 780, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    page.locator(".tile-open").first.tap()
    page.wait_for_selector("dialog.large[open] .full.loaded")
    page.get_by_role("button", name="Select a part").tap()
    tools = page.locator(".box-tools")
    expect(tools.locator(".accent")).to_have_text("Search inside")
    page.get_by_role("button", name="Edit", exact=True).tap()
    expect(tools.locator(".accent")).to_have_text("Crop")  # who edits means to crop
    page.locator(".stage").focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    at = bounds(tools)
    assert at["x"] >= 0
    assert at["right"] <= width
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    assert bounds(tools)["right"] <= width
    shot(page, f"box-tools-{width}")


def test_favourites_and_the_map_are_one_click_away(travels: Server, open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(f"{travels.url}/c/travels")
    page.wait_for_selector(".tile.loaded")
    page.locator(".tile").first.hover()
    page.locator(".tile-heart").first.click()
    page.mouse.move(0, 0)
    hearts = page.locator(".favourites-button")
    hearts.click()
    expect(page.locator(".tile")).to_have_count(1)
    expect(hearts).to_have_attribute("aria-pressed", "true")
    hearts.click()
    expect(page.locator(".tile")).to_have_count(4)
    page.get_by_role("button", name="Map", exact=True).click()
    expect(page.locator(".map")).to_contain_text("4 pictures know where they were taken")
    dots = [bounds(dot)["x"] for dot in page.locator(".map-dot").all()]
    assert len(dots) > 1, "the map shows the surroundings of Fiji, not the whole world"
    for _ in range(8):
        page.get_by_role("button", name="Further away").click()
    wide = page.locator(".map-land").evaluate("land => land.getAttribute('d').split('M').length")
    assert wide > 150, "all coasts are drawn"
    shot(page, "map")


def test_products_without_prices_hang_with_their_titles(travels: Server, open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(f"{travels.url}/c/coats")
    page.wait_for_selector(".tile.loaded")
    expect(page.locator(".tile-title")).to_have_count(4)
    expect(page.locator(".tile-title").first).to_contain_text("Coat ")
    expect(page.locator(".part-heading")).to_have_count(0)  # when a product's photo was taken tells a buyer nothing
    expect(page.get_by_role("button", name="Wishlist")).to_be_visible()
    shot(page, "products-without-prices")


def test_a_price_stands_below_the_title_and_a_border_has_a_width(page: Page) -> None:
    say(page, "search dress")
    page.locator(".tile-open").first.click()
    page.wait_for_selector(".full.loaded")
    cost, why = page.locator(".about-price").bounding_box(), page.get_by_text("Why it is here").bounding_box()
    assert cost is not None
    assert why is not None
    assert cost["y"] < why["y"]
    expect(page.locator(".attributes dt", has_text="price")).to_have_count(0)
    page.get_by_role("button", name="Edit", exact=True).click()
    border = page.get_by_role("group", name="Border", exact=True)
    expect(border.get_by_role("slider", name="width")).to_be_visible()


def test_headings_scroll_with_the_pictures_and_nothing_makes_the_page_taller(
    travels: Server, open_page: Callable[..., Page]
) -> None:
    page = open_page(900, 460)
    page.goto(f"{travels.url}/c/coats")
    page.get_by_label("Order").select_option("taken desc")
    heading = page.locator(".part-heading").first
    expect(heading).to_contain_text("May")
    above = bounds(page.locator(".tile").first)["y"] - bounds(heading)["y"]
    assert page.locator(".part-heading").count() > 2
    page.locator(".wall").evaluate("wall => wall.scrollTop = 150")
    assert bounds(page.locator(".tile").first)["y"] - bounds(heading)["y"] == above
    tall = "() => Math.max(document.documentElement.scrollHeight, document.body.scrollHeight) - innerHeight"
    assert page.evaluate(tall) <= 0
    skip = page.get_by_role("link", name="To the message field")
    skip.focus()
    expect(skip).to_be_focused()
    skip.press("Enter")
    expect(page.locator("#composer")).to_be_focused()
    assert (
        page.evaluate("() => [scrollY, document.body.scrollTop, document.querySelector('#app').scrollTop]") == [0] * 3
    )
