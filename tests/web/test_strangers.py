"""What people who came for the first time stumbled over, and must not stumble over again."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import Server, address, say, shot, wait_for_turn
from playwright.sync_api import Page, expect

from visavis.demo import draw_catalogue


def open_first(page: Page) -> None:
    """Open the first picture of the wall, large."""
    page.locator(".tile-open").first.click()
    page.wait_for_selector(".full.loaded")


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag on the picture, in parts of its sides."""
    at = page.locator(".box-layer").bounding_box()
    assert at is not None
    for step, (x, y) in enumerate((start, end)):
        page.mouse.move(at["x"] + x * at["width"], at["y"] + y * at["height"], steps=1 + 3 * step)
        if step == 0:
            page.mouse.down()
    page.mouse.up()


def click_words(page: Page, turn: int) -> None:
    """Click on what was said in a turn of a shared conversation."""
    at = page.locator(".turn .said").nth(turn).bounding_box()
    assert at is not None
    page.mouse.click(at["x"] + 20, at["y"] + at["height"] / 2)


def test_a_collection_is_called_as_one_likes_and_what_is_suggested_is_said(
    empty_server: Server, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    draw_catalogue(tmp_path / "pictures", count=3, seed=5)
    page = open_page()
    page.route("**/suggestions", lambda route: route.fulfill(json={"messages": ["search red hat"]}))
    page.goto(empty_server.url)
    page.get_by_label("Path of a folder").fill(str(tmp_path / "pictures"))
    page.keyboard.press("Enter")
    name, begin = page.get_by_label("Call it"), page.get_by_role("button", name="Index this folder")
    expect(begin).to_contain_text("3 pictures")
    name.fill(" ")
    begin.click()
    expect(page.get_by_role("alert").filter(has_text="Give it a name.")).to_be_visible()
    expect(name).to_be_focused()
    shot(page, "no-name")
    name.fill("My Holiday 2023")
    begin.click()
    expect(page.get_by_role("heading", name="My Holiday 2023 is ready")).to_be_visible()
    page.get_by_role("button", name="search red hat").click()  # which is said, and not only written
    wait_for_turn(page, 1)
    expect(page.locator(".turn .said")).to_have_text("search red hat")
    expect(page.locator(".place-name")).to_have_text("My Holiday 2023")
    assert "/c/my-holiday-2023/" in address(page)


@pytest.mark.parametrize("path", ["/s/wrong", "/c/wardrobe/deadbeef", "/c/nosuch", "/nosuchpage", f"/s/{'a' * 40}"])
def test_a_wrong_link_says_so_and_leads_on(open_page: Callable[..., Page], server: Server, path: str) -> None:
    page = open_page(lenient=True)
    page.goto(server.url + path)
    expect(page.get_by_role("heading", name="This link no longer works")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text(re.compile("pattern|visavis index|openapi"))
    page.get_by_role("link", name="To all collections").click()
    expect(page.locator(".card").first).to_be_visible()


def test_the_key_for_a_download_is_about_the_picture_on_the_screen(page: Page) -> None:
    say(page, "search bag")
    say(page, "select #1 ; adjust_attr brightness 20")
    page.locator(".tile-open").nth(2).click()
    page.wait_for_selector(".full.loaded")
    shown = address(page).split("picture=")[-1]
    with page.expect_download() as started:
        page.keyboard.press("d")
    assert shown in started.value.url


def test_a_shared_conversation_shows_its_edits(page: Page) -> None:
    say(page, "search bag")
    say(page, "select #1 ; grayscale")
    edited = page.evaluate("() => document.querySelector('.turn.current .strip img').src.match(/[0-9a-f]{32}/)[0]")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Share a link to look at").click()
    expect(page.get_by_role("note")).to_contain_text("visavis serve --host 0.0.0.0")
    page.goto(page.get_by_label("Link to this conversation").input_value())
    expect(page.locator(".turn.current .said")).to_have_text("select #1 ; grayscale")
    first = page.locator(".tile").first
    expect(first.locator("img")).to_have_attribute("src", re.compile(edited))
    expect(page.locator(".shared-hand")).to_contain_text("black and white")
    click_words(page, 0)  # and not only a dot
    expect(page.locator(".turn").first).to_have_class(re.compile("current"))
    expect(first.locator("img")).not_to_have_attribute("src", re.compile(edited))
    click_words(page, 1)
    shot(page, "shared-edits")
    first.locator(".tile-open").click()
    large = page.locator(".shared-picture img")
    expect(large).to_have_attribute("src", re.compile(edited))
    with page.expect_download() as started:
        page.get_by_role("link", name="Download as it is shown").click()
    assert started.value.suggested_filename.endswith(".webp")
    shot(page, "shared-large")


def test_enter_crops_and_a_box_that_was_placed_comes_back(page: Page) -> None:
    open_first(page)
    page.keyboard.press("e")
    drag(page, (0.2, 0.2), (0.7, 0.6))
    placed = page.locator(".box").get_attribute("style")
    drag(page, (0.85, 0.9), (0.95, 0.98))  # beside it
    expect(page.locator(".box")).to_have_attribute("style", placed or "")
    picture, tools = page.locator(".frame-large").bounding_box(), page.locator(".box-tools").bounding_box()
    assert picture is not None
    assert tools is not None
    assert tools["y"] >= picture["y"] + picture["height"], "its tools lie below the picture"
    shot(page, "crop-bar")
    page.keyboard.press("Escape")
    expect(page.locator(".box")).to_have_count(0)
    page.get_by_role("button", name="Bring it back").click()
    expect(page.locator(".box")).to_have_attribute("style", placed or "")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.get_by_role("button", name="Bring it back").click()
    expect(page.locator(".box")).to_have_attribute("style", placed or "")
    page.locator(".stage").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".steps .draft > span")).to_have_text("cropped")


def test_an_opened_picture_waits_for_a_server_that_is_away(own_server: Server, open_page: Callable[..., Page]) -> None:
    page = open_page(lenient=True)
    page.goto(f"{own_server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    page.locator(".tile-open").first.click()  # what shows pictures is loaded now
    expect(page.locator("dialog[open] .frame-large")).to_be_visible()
    page.keyboard.press("Escape")
    own_server.stop(kill=True)
    page.locator(".tile-open").nth(8).click()
    expect(page.get_by_text("The picture comes when the server is back.")).to_be_visible()
    expect(page.get_by_text("cannot be read")).to_have_count(0)
    shot(page, "away-large")
    own_server.start()
    page.wait_for_selector(".full.loaded")
    expect(page.locator(".large .file")).to_be_visible()


def test_sliders_and_the_picture_keep_their_place(page: Page) -> None:
    open_first(page)
    page.keyboard.press("e")
    slider = page.get_by_role("slider", name="Contrast")
    expect(slider).to_be_visible()

    def places() -> list[float]:
        boxes = slider.bounding_box(), page.locator(".frame-large").bounding_box()
        return [value for box in boxes if box is not None for value in box.values()]

    before = places()
    assert len(before) == 8
    for name in ("Contrast", "Brightness", "Highlights", "Shadows"):
        page.get_by_role("slider", name=name).fill("20")
    expect(page.locator(".steps .draft")).to_have_count(4)
    expect(page.get_by_role("button", name="Before and after")).to_be_visible()
    assert places() == pytest.approx(before, abs=1), "but for the end of the movement that opens the picture"
    shot(page, "sliders-stay")


def test_the_wheel_zooms_where_it_points_and_a_double_click_toggles(page: Page) -> None:
    open_first(page)
    frame, now = page.locator(".frame-large"), page.locator(".zoom-now")
    at = frame.bounding_box()
    assert at is not None
    x, y = at["x"] + 0.3 * at["width"], at["y"] + 0.7 * at["height"]

    def part() -> tuple[float, float]:
        box = frame.bounding_box()
        assert box is not None
        return (x - box["x"]) / box["width"], (y - box["y"]) / box["height"]

    page.mouse.move(x, y)
    for _ in range(3):
        page.mouse.wheel(0, -300)
    expect(now).to_contain_text("×")
    page.wait_for_function("width => document.querySelector('.frame-large').offsetWidth > width * 3", arg=at["width"])
    assert part() == pytest.approx((0.3, 0.7), abs=0.1), "but for where there was nothing to scroll yet"
    before = part()[0]
    page.mouse.down()  # a drag moves what is larger than its room
    page.mouse.move(x + 60, y, steps=3)
    page.mouse.up()
    expect(page.locator(".box")).to_have_count(0)
    assert part()[0] < before
    page.mouse.dblclick(x, y)
    expect(now).to_have_text("fit")
    page.mouse.dblclick(x, y)
    expect(now).to_contain_text("×")


def test_the_hand_is_small_closes_and_stays_away_from_albums(page: Page) -> None:
    say(page, "search bag")
    say(page, "select #1 ; ask how much is it")
    expect(page.locator(".hand")).to_have_count(0)  # it was only asked about
    say(page, "grayscale")
    hand = page.locator(".hand")
    expect(hand).to_be_visible()
    at, wall = hand.bounding_box(), page.locator(".board").bounding_box()
    assert at is not None
    assert wall is not None
    assert at["height"] < wall["height"] / 3
    shot(page, "hand-small")
    page.locator(".favourites-button").click()
    expect(page.locator(".wall-title h1")).to_be_visible()
    expect(hand).to_have_count(0)
    page.locator(".favourites-button").click()
    expect(hand).to_be_visible()
    page.get_by_role("button", name="Put the picture in hand away").click()
    expect(hand).to_have_count(0)
    say(page, "adjust_attr brightness 10")
    expect(hand).to_be_visible()


def test_a_comparison_closes_with_escape(page: Page) -> None:
    say(page, "search bag")
    say(page, "compare #1 #2")
    expect(page.locator(".side-by-side")).to_be_visible()
    page.keyboard.press("Escape")  # leaves the field
    page.keyboard.press("Escape")
    expect(page.locator(".side-by-side")).to_have_count(0)


def test_questions_are_switched_off_for_one_conversation(page: Page) -> None:
    switch = page.get_by_role("switch", name="Ask me questions")
    say(page, "search bag")
    page.get_by_role("button", name="More", exact=True).click()
    switch.uncheck()
    wait_for_turn(page, 2)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="New conversation").click()
    page.get_by_role("button", name="More", exact=True).click()
    expect(switch).to_be_checked()


def test_one_types_at_once_and_walks_from_there_to_the_pictures(page: Page) -> None:
    expect(page.locator("#composer")).to_be_focused()
    page.keyboard.type("search hat")
    page.keyboard.press("Enter")
    wait_for_turn(page, 1)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".tile-open").first).to_be_focused()
    page.evaluate("() => document.activeElement.blur()")
    page.get_by_role("link", name="To the pictures").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tile-open").first).to_be_focused()


def test_filters_that_were_cleared_leave_no_earlier_wish(page: Page) -> None:
    say(page, "search dress")
    say(page, "filter price < 60")
    say(page, "filter price < 50")
    page.locator(".facets-button").click()
    page.get_by_role("button", name="clear all").click()
    wait_for_turn(page, 4)
    expect(page.locator(".chip")).to_have_count(1)
    expect(page.locator(".brief-over")).to_have_count(0)
