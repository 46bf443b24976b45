"""Favourites, selections, albums, and the order of a shop."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from browsing import PICTURES, Server, say, shot, wait_for_turn, wall
from playwright.sync_api import Page, Route, expect


def test_a_shop_shows_prices_and_sorts_by_them(page: Page) -> None:
    expect(page.locator(".tile-price").first).to_have_text(re.compile(r"€"))
    page.get_by_label("Order").select_option("price asc")
    page.wait_for_function("() => document.querySelector('.tile-price')?.textContent.match(/[0-9]+/)[0] < 25")
    say(page, "search dress")
    best = wall(page)
    page.get_by_label("Order").select_option("price desc")
    wait_for_turn(page, 2)
    assert wall(page) != best
    expect(page.get_by_label("Order").locator("option:checked")).to_have_text("Price, high first")
    page.get_by_label("Order").select_option("none")
    wait_for_turn(page, 3)
    assert wall(page)[:12] == best[:12]


def test_a_selection_becomes_an_album_and_a_file(page: Page, tmp_path: Path) -> None:
    page.get_by_role("button", name="Select pictures").click()
    page.locator(".tile-open").nth(0).click()
    page.locator(".tile-open").nth(2).click(modifiers=["Shift"])
    bar = page.get_by_role("toolbar", name="Selected pictures")
    expect(bar).to_contain_text("3 selected")
    with page.expect_download() as started:
        bar.get_by_role("button", name="Download").click()
    started.value.save_as(tmp_path / "some.zip")
    assert len(zipfile.ZipFile(tmp_path / "some.zip").namelist()) == 3
    bar.get_by_role("button", name="Album").click()
    page.get_by_label("Name of a new album").fill("For summer")
    page.keyboard.press("Enter")
    expect(page.locator(".notice")).to_contain_text("For summer")
    shot(page, "selection")
    page.get_by_role("button", name="Let go of the selection").click()
    page.get_by_role("button", name="Albums").click()
    page.get_by_role("button", name="For summer").click()
    expect(page.get_by_label("Name of this album")).to_have_value("For summer")
    expect(page.locator(".tile")).to_have_count(3)
    page.get_by_role("button", name="delete this album").click()
    page.get_by_role("button", name="yes, delete it").click()
    expect(page.get_by_role("heading", name="wardrobe")).to_be_visible()


def test_the_heart_is_a_favourite_and_stays(page: Page, server: Server) -> None:
    tile = page.locator(".tile").first
    tile.hover()
    with page.expect_response("**/favourites"):
        tile.get_by_role("button", name="Add to the wishlist").click()
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    expect(page.locator(".tile").first.locator(".tile-heart")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".turns")).to_have_attribute("data-latest", "0")  # nothing was searched for
    page.get_by_role("button", name="Albums").click()
    page.locator(".views-panel").get_by_role("button", name="Wishlist").click()
    expect(page.locator(".tile")).to_have_count(1)
    page.get_by_role("button", name="back to all pictures").click()
    say(page, "search dress")
    page.locator(".favourites-button").click()
    expect(page.locator(".tile")).to_have_count(1)
    expect(page.locator(".chip"), "wishes do not count among what was chosen by hand").to_have_count(0)
    expect(page.locator(".facets-button")).to_be_disabled()
    page.get_by_role("button", name="back to what was found").click()
    expect(page.locator(".chip")).to_have_count(1)


def test_a_collection_is_deleted_after_a_question(own_server: Server, open_page) -> None:
    page = open_page()
    page.goto(own_server.url)
    page.get_by_role("button", name="Delete the collection wardrobe").click()
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Delete the collection wardrobe").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("heading", name="Find the picture by talking about it.")).to_be_visible()


def test_pictures_that_were_edited_at_once_are_one_step_back(page: Page) -> None:
    page.get_by_role("button", name="Select pictures").click()
    page.locator(".tile-open").nth(0).click()
    page.locator(".tile-open").nth(2).click(modifiers=["Shift"])
    bar = page.get_by_role("toolbar", name="Selected pictures")
    bar.get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="Black and white").click()
    expect(page.locator(".notice")).to_contain_text("3 pictures edited")
    wait_for_turn(page, 3)
    expect(page.locator(".hand")).to_be_visible()
    page.locator(".notice").get_by_role("button", name="Undo").click()
    wait_for_turn(page, 4)
    expect(page.locator(".hand")).to_have_count(0)  # none of the three is left
    page.get_by_role("button", name="Redo").click()
    wait_for_turn(page, 5)
    expect(page.locator(".hand")).to_be_visible()


def test_a_heart_is_among_the_favourites_at_once(travels: Server, open_page: Callable[..., Page]) -> None:
    page = open_page()
    late: list[Route] = []
    page.route("**/albums", lambda route: late.append(route))  # asked before the heart was clicked, answered after it
    page.route("**/favourites", lambda route: late.append(route))  # and the heart itself is slow
    page.goto(f"{travels.url}/c/travels")
    page.wait_for_selector(".tile.loaded")
    page.locator(".tile").nth(1).hover()
    page.locator(".tile-heart").first.click()
    asked = late[0]
    asked.fulfill(json={"albums": [], "favourites": []})
    page.locator(".favourites-button").click()
    expect(page.locator(".favourites-button")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".tile")).to_have_count(1)
    expect(page.locator(".tile-heart")).to_have_attribute("aria-pressed", "true")


def test_an_order_is_called_by_its_words_everywhere(page: Page) -> None:
    say(page, "search dress")
    page.get_by_label("Order").select_option("price asc")
    wait_for_turn(page, 2)
    expect(page.locator(".chip.kind-sort")).to_contain_text("price, low first")
    expect(page.locator(".turn.current")).to_contain_text("price, low first")
    page.locator("#turn-1").hover()
    page.locator("#turn-1").get_by_role("button", name="Compare").click()
    expect(page.get_by_label("Right step").locator("option")).to_have_text(["search dress", "price, low first"])


def test_favourites_and_the_map_have_an_address(travels: Server, open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(f"{travels.url}/c/travels")
    page.wait_for_selector(".tile.loaded")
    page.locator(".tile").nth(1).hover()
    with page.expect_response("**/favourites"):
        page.locator(".tile-heart").first.click()
    page.locator(".favourites-button").click()
    expect(page.locator(".tile")).to_have_count(1)
    page.reload()
    expect(page.locator(".favourites-button")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".tile")).to_have_count(1)
    page.go_back()
    expect(page.locator(".tile")).to_have_count(4)
    page.get_by_role("button", name="Map").click()
    page.reload()
    expect(page.locator("dialog.map")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.map")).to_have_count(0)
    page.get_by_role("button", name="Select pictures").click()
    page.get_by_role("button", name="Select all 4").click()
    expect(page.get_by_role("toolbar", name="Selected pictures")).to_contain_text("4 selected")


def test_a_product_looks_alike_wherever_it_is_opened(page: Page) -> None:
    def opened() -> str:
        page.locator(".tile-open").first.click()
        told = page.locator(".large-side .caption").inner_text(), page.locator(".about-price").inner_text()
        page.keyboard.press("Escape")
        return " ".join(told)

    title = page.locator(".tile-title").first.inner_text()
    assert title in opened()
    say(page, "search dress")
    assert page.locator(".tile-title").first.inner_text() in opened()
    say(page, "filter price < 30")
    say(page, "filter price < 40")
    expect(page.locator(".brief-over .link")).to_have_text("1 earlier wish")
    say(page, "reset")
    expect(page.locator(".brief-over")).to_have_count(0)


def test_the_second_one_is_the_second_that_hangs(own_server: Server, open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(f"{own_server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    everything = wall(page)
    say(page, "select #2")  # nothing was looked for yet: the whole collection hangs
    expect(page.locator(".hand-picture img").last).to_have_attribute("src", re.compile(everything[1]))
    say(page, "search bag")
    for index in (2, 0):
        tile = page.locator(f'.tile:has([data-index="{index}"])')
        tile.hover()
        with page.expect_response("**/favourites"):
            tile.get_by_role("button", name="Add to the wishlist").click()
    page.get_by_role("button", name="Wishlist", exact=True).click()
    expect(page.locator(".tile")).to_have_count(2)
    hung = wall(page)
    expect(page.locator(".hand")).to_have_count(0)
    say(page, "select #2 ; grayscale")
    edited = page.locator('.tile:has([data-index="1"])')
    expect(edited.locator(".tile-badge")).to_be_visible()  # the album stays, and shows what became of it
    expect(page.locator(".hand-step")).to_have_text(["original", "black and white"])
    say(page, "describe #1")
    assert wall(page) == hung
    shot(page, "album-message")
    say(page, "search dress")
    expect(page.locator(".tile")).not_to_have_count(2)


def test_select_all_is_all_of_the_list(page: Page) -> None:
    everything = page.get_by_role("button", name=re.compile("^ ?Select all"))
    assert (
        int(
            page.evaluate(
                "() => fetch('/api/v1/collections/wardrobe/wall?limit=1').then(it => it.json()).then(it => it.total)"
            )
        )
        == PICTURES
    )
    page.get_by_role("button", name="Select pictures").click()
    expect(everything).to_have_text(re.compile(f"all {PICTURES}"))
    everything.click()
    bar = page.get_by_role("toolbar", name="Selected pictures")
    expect(bar).to_contain_text(f"{PICTURES} selected")
    expect(everything).to_have_count(0)
