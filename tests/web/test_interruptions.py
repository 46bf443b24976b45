"""Nothing is lost when the page is reloaded or the server goes away."""

from __future__ import annotations

import time
from collections.abc import Callable

from browsing import PICTURES, Server, address, first_row, say, shot, wait_for_turn
from playwright.sync_api import Page, Route, expect


def test_a_reload_brings_everything_back(page: Page) -> None:
    say(page, "search blue bag")
    say(page, "avoid stripes")
    page.locator(".tile-open").nth(2).click()
    page.wait_for_selector("dialog.large[open]")
    shown = address(page)
    page.reload()
    page.wait_for_selector("dialog.large[open]")
    assert address(page) == shown
    page.keyboard.press("Escape")
    wait_for_turn(page, 2)
    expect(page.locator(".chip")).to_have_count(2)
    assert first_row(page)


def test_a_reload_in_the_middle_of_a_stream(page: Page) -> None:
    say(page, "search shirt")
    page.fill("#composer", "refine long sleeves")
    with page.expect_response("**/messages"):  # it has come in, and the answer has begun
        page.press("#composer", "Enter")
    page.reload()
    wait_for_turn(page, 2)
    expect(page.locator("#turn-2 .said")).to_have_text("refine long sleeves")
    expect(page.locator(".turns > .turn")).to_have_count(2)


def test_a_message_that_never_arrived_comes_back(lenient_page: Page) -> None:
    say(lenient_page, "search shirt")

    def lose(route: Route) -> None:
        route.abort("connectionreset")

    lenient_page.route("**/messages", lose)
    lenient_page.fill("#composer", "refine green")
    lenient_page.press("#composer", "Enter")
    expect(lenient_page.locator("#composer")).to_have_value("refine green")
    lenient_page.unroute("**/messages")
    lenient_page.get_by_role("button", name="Send again").click()
    wait_for_turn(lenient_page, 2)


def test_a_message_that_a_reload_cut_off_comes_back_soon(lenient_page: Page) -> None:
    say(lenient_page, "search shirt")
    lenient_page.route("**/messages", lambda route: None)  # it never leaves
    lenient_page.fill("#composer", "refine green")
    with lenient_page.expect_request("**/messages"):
        lenient_page.press("#composer", "Enter")
    lenient_page.reload()
    began = time.monotonic()
    expect(lenient_page.locator(".answering")).to_be_visible()
    expect(lenient_page.locator("#composer")).to_have_value("refine green")
    assert time.monotonic() - began < 20, "nobody waits half a minute for what never came"


def test_the_server_restarts_in_the_middle_of_a_conversation(
    own_server: Server, open_page: Callable[..., Page]
) -> None:
    page = open_page(lenient=True)
    page.goto(f"{own_server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    say(page, "search dress")
    say(page, "refine red")
    reds = first_row(page)
    own_server.stop(kill=True)
    page.fill("#composer", "avoid stripes")
    page.press("#composer", "Enter")
    page.wait_for_selector(".away")
    shot(page, "away")
    own_server.start()
    page.wait_for_selector(".away", state="detached")
    page.wait_for_selector(".answering", state="detached")
    # It was never heard, so it is back in the field: nothing is lost and nothing is said twice.
    expect(page.locator("#composer")).to_have_value("avoid stripes")
    assert first_row(page) == reds
    expect(page.locator(".broken")).to_have_count(0)
    page.press("#composer", "Enter")
    wait_for_turn(page, 3)
    page.reload()
    wait_for_turn(page, 3)


def test_an_unknown_conversation_says_so(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(lenient=True)
    page.goto(f"{server.url}/c/wardrobe/{'0' * 32}")
    expect(page.get_by_role("heading", name="This link no longer works")).to_be_visible()
    expect(page.get_by_role("link", name="To all collections")).to_be_visible()  # trying again would not help
    shot(page, "unknown")


def test_a_broken_picture_is_told_and_the_rest_stays(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(lenient=True)

    def spoil(route: Route) -> None:  # one picture in three, whenever it is asked for
        id = route.request.url.split("/pictures/")[1].split("/")[0]
        if int(id, 16) % 3:
            route.continue_()
        else:
            route.fulfill(status=404, body="")

    def leave_out(route: Route) -> None:  # and the same ones of those that come together
        found = route.fetch().json()
        route.fulfill(json={id: data for id, data in found.items() if int(id, 16) % 3})

    page.route("**/thumbnail?*", spoil)
    page.route("**/thumbnails?*", leave_out)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    page.wait_for_selector(".tile.broken")
    assert page.locator(".tile.loaded").count() > 0
    shot(page, "broken")


def test_pictures_that_cannot_come_together_come_one_by_one(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(lenient=True)
    page.route("**/thumbnails?*", lambda route: route.fulfill(status=503, body=""))
    page.goto(f"{server.url}/c/wardrobe")
    page.locator(".wall").evaluate("wall => wall.scrollTo(0, wall.scrollHeight)")
    page.wait_for_selector(f".tile.loaded [data-index='{PICTURES - 1}']")
    page.wait_for_function("() => !document.querySelector('.tile.loading')")
    assert page.locator(".tile.broken").count() == 0


def test_a_file_that_is_no_picture_does_not_take_the_page_away(page: Page) -> None:
    taken = page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(['words'], 'letter.txt', {type: 'text/plain'}));
          const event = new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data});
          return !document.body.dispatchEvent(event);
        }"""
    )
    assert taken
    expect(page.get_by_role("alert")).to_contain_text("not a picture")


def test_edits_and_hearts_wait_for_the_server(own_server: Server, open_page: Callable[..., Page]) -> None:
    page = open_page(lenient=True)
    page.goto(f"{own_server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    page.locator(".tile-open").first.click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("slider", name="brightness").fill("30")
    page.wait_for_selector(".trial")
    own_server.stop(kill=True)
    page.keyboard.press("Escape")
    page.wait_for_selector(".away")
    expect(page.locator(".answering")).to_contain_text("brightness +30")
    tile = page.locator(".tile").nth(3)
    tile.hover()
    heart = tile.locator(".tile-heart")
    heart.click()
    own_server.start()
    wait_for_turn(page, 1)
    expect(page.locator(".tile-badge")).to_have_count(1)
    expect(page.locator(".hand-step")).to_have_text(["original", "brightness +30"])
    expect(heart).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".notice", has_text="Kept")).to_be_visible()
    wait_for_heart = (
        "() => fetch('/api/v1/collections/wardrobe/albums').then(it => it.json()).then(it => it.favourites.length)"
    )
    page.wait_for_function(wait_for_heart)
    page.reload()
    page.wait_for_selector(".tile.loaded")
    expect(page.locator(".tile-heart[aria-pressed=true]")).to_have_count(1)
    assert len(page.locator("#turn-1").all()) == 1
    expect(page.locator(".turns > .turn")).to_have_count(1)  # kept once
