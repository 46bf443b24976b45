"""The browser's Back, on a phone a gesture: it closes what is open, the topmost first, before it leaves a page."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from browsing import Server, address, say
from playwright.sync_api import Locator, Page, expect

OpenPage = Callable[..., Page]
PHONE = {"has_touch": True, "is_mobile": True}


@dataclass(frozen=True)
class Layer:
    """Something that opens over the page: how, what is seen of it then, and how else than with Back it is closed."""

    open: Callable[[Page], object]
    seen: str
    close: Callable[[Page], object]


def button(name: str, *, exact: bool = True) -> Callable[[Page], None]:
    """Press a button, by its name."""

    def press(page: Page) -> None:
        page.get_by_role("button", name=name, exact=exact).first.click()

    return press


def escape(page: Page) -> None:
    """Press Escape."""
    page.keyboard.press("Escape")


def press(selector: str) -> Callable[[Page], None]:
    """Press what a selector finds."""
    return lambda page: page.locator(selector).first.click()


def back(page: Page) -> None:
    """Go back as the browser's button does, from within the page: so it comes after what the page did before."""
    page.evaluate("() => history.back()")


def compare(page: Page) -> None:
    """Compare two pictures."""
    press("button[aria-label='Select pictures']")(page)
    page.locator(".tile-open").nth(0).click()
    page.locator(".tile-open").nth(1).click()
    button("Compare")(page)


LAYERS = {
    "help": Layer(lambda page: page.keyboard.press("?"), "dialog.help", escape),
    "sheet": Layer(press(".sheet-handle"), ".talk.raised", press(".sheet-handle")),
    "albums": Layer(button("Albums"), ".views-panel", escape),
    "filters": Layer(press(".facets-button"), ".facets", button("Close the filters")),
    "chip": Layer(press(".chip-more"), ".chip-menu", press(".tile-offer")),
    "selection": Layer(button("Select pictures"), ".selection-bar", button("Let go of the selection")),
    "picture": Layer(press(".tile-open"), "dialog.large", button("Close")),
    "favourites": Layer(
        press(".favourites-button"), ".favourites-button[aria-pressed=true]", press(".wall-title .link")
    ),
}


@pytest.fixture
def phone(open_page: OpenPage, server: Server) -> Page:
    """A conversation on a phone, opened from the list of collections."""
    page = open_page(390, 844, **PHONE)
    page.goto(server.url)
    page.locator(".card").click()
    page.wait_for_selector(".tile.loaded")
    say(page, "search dress")
    return page


def is_at(page: Page, url: str) -> None:
    """Wait until the page is at an address, and as one sees it there."""
    page.wait_for_function("url => location.href === url", arg=url)


def leads_to_the_list(page: Page) -> None:
    """One more step back leaves the conversation for where it was opened from."""
    back(page)
    expect(page.get_by_role("heading", name="Where shall we look?")).to_be_visible()


@pytest.mark.parametrize("name", LAYERS)
def test_back_closes_what_is_open(phone: Page, name: str) -> None:
    layer, url = LAYERS[name], address(phone)
    layer.open(phone)
    expect(phone.locator(layer.seen)).to_be_visible()
    back(phone)
    expect(phone.locator(layer.seen)).to_have_count(0)
    is_at(phone, url)
    expect(phone.locator(".chip")).to_have_count(1)
    leads_to_the_list(phone)


@pytest.mark.parametrize("name", LAYERS)
def test_what_is_closed_otherwise_leaves_no_step(phone: Page, name: str) -> None:
    layer, url = LAYERS[name], address(phone)
    for _ in range(2):
        layer.open(phone)
        expect(phone.locator(layer.seen)).to_be_visible()
        layer.close(phone)
        expect(phone.locator(layer.seen)).to_have_count(0)
        is_at(phone, url)
        phone.wait_for_function("() => !history.state?.over?.length")
    leads_to_the_list(phone)


@pytest.mark.parametrize("name", ["help", "sheet", "filters", "selection", "picture", "favourites"])
def test_a_reload_with_something_open_leaves_no_step(phone: Page, name: str) -> None:
    LAYERS[name].open(phone)
    expect(phone.locator(LAYERS[name].seen)).to_be_visible()
    phone.reload()
    phone.wait_for_selector(".tile, .nothing")
    if name in ("picture", "favourites"):
        back(phone)  # these come again
    expect(phone.locator(LAYERS[name].seen)).to_have_count(0)
    phone.wait_for_function("() => !history.state?.over?.length")
    expect(phone.locator(".chip")).to_have_count(1)
    leads_to_the_list(phone)


def test_going_forward_opens_no_menu(phone: Page) -> None:
    url = address(phone)
    for name in ("help", "filters"):
        LAYERS[name].open(phone)
        expect(phone.locator(LAYERS[name].seen)).to_be_visible()
        back(phone)
        expect(phone.locator(LAYERS[name].seen)).to_have_count(0)
        phone.evaluate("() => history.forward()")
        phone.wait_for_function("() => !history.state?.over?.length")
        expect(phone.locator(LAYERS[name].seen)).to_have_count(0)
        is_at(phone, url)
    leads_to_the_list(phone)


def test_the_topmost_closes_first(phone: Page) -> None:
    url = address(phone)
    LAYERS["sheet"].open(phone)
    phone.get_by_role("button", name="Conversations").click()
    phone.get_by_role("button", name=re.compile("^Delete ")).first.click()
    order = [
        phone.get_by_role("alertdialog"),
        phone.get_by_label("Conversations", exact=True).and_(phone.locator(".popover")),
    ]
    order.append(phone.locator(".talk.raised"))
    for at, layer in enumerate(order):
        expect(layer).to_be_visible()
        back(phone)
        expect(layer).to_have_count(0)
        for below in order[at + 1 :]:
            expect(below).to_be_visible()
    is_at(phone, url)
    leads_to_the_list(phone)


def test_a_menu_that_leads_elsewhere_is_no_step_of_its_own(phone: Page) -> None:
    url = address(phone)
    LAYERS["sheet"].open(phone)
    phone.get_by_role("button", name="More", exact=True).click()
    phone.get_by_role("button", name="Keyboard").click()
    expect(phone.locator("dialog.help")).to_be_visible()
    back(phone)
    expect(phone.locator("dialog.help")).to_have_count(0)
    expect(phone.locator(".popover")).to_have_count(0)
    phone.get_by_role("button", name="New conversation").click()
    expect(phone.locator(".welcome")).to_be_visible()
    back(phone)  # the sheet lies over the new page as well
    expect(phone.locator(".talk.raised")).to_have_count(0)
    assert address(phone) != url
    back(phone)
    is_at(phone, url)
    expect(phone.locator(".chip")).to_have_count(1)
    leads_to_the_list(phone)


def test_a_conversation_that_begins_under_a_sheet_stays(open_page: OpenPage, server: Server) -> None:
    page = open_page(390, 844, **PHONE)
    page.goto(server.url)
    page.locator(".card").click()
    page.wait_for_selector(".tile.loaded")
    LAYERS["sheet"].open(page)
    say(page, "search hat")
    begun = address(page)
    back(page)
    expect(page.locator(".talk.raised")).to_have_count(0)
    is_at(page, begun)
    expect(page.locator(".chip")).to_have_count(1)
    leads_to_the_list(page)


def test_back_closes_a_comparison(phone: Page) -> None:
    url = address(phone)
    compare(phone)
    expect(phone.locator(".side-by-side")).to_be_visible()
    back(phone)
    expect(phone.locator(".side-by-side")).to_have_count(0)
    is_at(phone, url)
    leads_to_the_list(phone)


def test_back_on_the_first_page(own_server: Server, open_page: OpenPage) -> None:
    page = open_page(390, 844, **PHONE)
    page.goto(f"{own_server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    LAYERS["sheet"].open(page)
    page.get_by_role("link", name="visavis: all collections").click()
    layers: list[tuple[Callable[[Page], object], Locator]] = [
        (button("Delete the collection wardrobe"), page.get_by_role("alertdialog")),
        (button("Another collection"), page.get_by_label("Choose a folder")),
        (lambda page: page.keyboard.press("?"), page.locator("dialog.help")),
    ]
    for open_it, seen in layers:
        open_it(page)
        expect(seen).to_be_visible()
        back(page)
        expect(seen).to_have_count(0)
        expect(page.get_by_role("heading", name="Where shall we look?")).to_be_visible()
    back(page)
    is_at(page, f"{own_server.url}/c/wardrobe")
    expect(page.locator(".tile.loaded").first).to_be_visible()


def test_back_closes_a_picture_of_a_shared_page(phone: Page, open_page: OpenPage, server: Server) -> None:
    conversation = address(phone).rsplit("/", 1)[1]
    shared = phone.request.post(f"{server.url}/api/v1/conversations/{conversation}/share").json()
    guest = open_page(390, 844, **PHONE)
    guest.goto(server.url)
    guest.goto(f"{server.url}/s/{shared['token']}")
    guest.locator(".tile-open").first.click()
    expect(guest.locator(".shared-picture")).to_be_visible()
    back(guest)
    expect(guest.locator(".shared-picture")).to_have_count(0)
    expect(guest.locator(".tile").first).to_be_visible()
    back(guest)
    is_at(guest, f"{server.url}/")


def test_steps_side_by_side_close_with_back(page: Page) -> None:
    say(page, "search hat")
    say(page, "search skirt")
    url = address(page)
    page.locator("#turn-1").hover()
    page.locator("#turn-1").get_by_role("button", name="Compare").click()
    expect(page.locator("dialog.compare")).to_be_visible()
    back(page)
    expect(page.locator("dialog.compare")).to_have_count(0)
    is_at(page, url)


def test_filters_beside_the_pictures_are_a_part_of_the_page(open_page: OpenPage, server: Server) -> None:
    page = open_page()
    page.goto(server.url)
    page.locator(".card").click()
    page.locator(".facets-button").click()
    expect(page.locator(".facets")).to_be_visible()
    leads_to_the_list(page)
