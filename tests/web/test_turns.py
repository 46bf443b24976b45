"""The story of a conversation: clicks are told together, a step back only moves the mark."""

from __future__ import annotations

import re
from collections.abc import Callable

from browsing import Server, first_row, say, shot, turns, wait_for_turn
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
    expect(page.locator(".turn.current .clicked")).to_contain_text(re.compile(r"^in \S+( \S+)? or \S+"))
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


def test_questions_are_switched_off_and_on(page: Page) -> None:
    say(page, "search dress")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_label("Ask me questions").uncheck()
    wait_for_turn(page, 2)
    expect(page.locator(".turn.current .clicked")).to_contain_text("no more questions")
    page.reload()
    page.wait_for_selector(".tile.loaded")
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_label("Ask me questions")).not_to_be_checked()
    page.get_by_label("Ask me questions").check()
    wait_for_turn(page, 3)


def test_a_message_that_is_not_understood_leaves_something_to_tap(page: Page) -> None:
    say(page, "search dress")
    say(page, "chat nonsense")
    page.get_by_role("button", name="Start over").click()
    wait_for_turn(page, 3)
    expect(page.locator(".chip")).to_have_count(0)


#: A job that runs, tells its progress, and is done; the collection grows meanwhile.
PROGRESS = 'event: progress\ndata: {"done": 40, "total": 72, "rate": 5, "left_seconds": null, "failed": 0}\n\n'


def test_indexing_is_seen_inside_the_collection(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page()
    counts = iter((40, *[72] * 20))
    job = {
        "id": "0" * 32,
        "collection": "wardrobe",
        "state": "running",
        "folder": "",
        "progress": {"done": 1, "failed": 0},
    }
    events = iter((PROGRESS, PROGRESS + "event: done\ndata: {}\n\n"))
    page.route("**/api/v1/jobs", lambda route: route.fulfill(json={"jobs": [job]}))
    page.route(
        "**/api/v1/jobs/*/events",
        lambda route: route.fulfill(body=next(events), headers={"Content-Type": "text/event-stream"}),
    )
    page.route(
        "**/api/v1/collections/wardrobe",
        lambda route: route.fulfill(json={"name": "wardrobe", "pictures": next(counts)}),
    )
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    expect(page.get_by_role("button", name="32 more pictures arrived: show them")).to_be_visible()
    say(page, "search dress")  # which looks at all of them
    expect(page.locator(".arrivals")).to_have_count(0)


def test_a_picture_in_the_brief_is_shown_and_not_numbered(page: Page) -> None:
    say(page, "search dress")
    say(page, "like #2")
    expect(page.locator(".chip.kind-like img")).to_be_visible()
    expect(page.locator(".chip.kind-like")).to_contain_text("like this one")
    expect(page.locator("#turn-2 .reply")).not_to_contain_text("turn")
    page.locator(".tile").first.hover()
    expect(page.locator(".tile").first).not_to_contain_text("turn")


def test_the_pictures_of_a_turn_are_those_that_fit(page: Page) -> None:
    say(page, "filter price < 30")
    say(page, "search hat")
    fitting = page.locator("#turn-2 .strip img").count()
    told = int(re.search(r"\d+", page.locator("#turn-2 .reply").inner_text())[0])  # type: ignore[index]
    assert fitting == min(told, 5)


def test_tools_of_a_turn_hide_no_word(page: Page) -> None:
    say(page, "search dress")
    say(page, "refine with a message that is long enough to fill the whole line of the history")
    page.locator("#turn-2 .reply").hover()
    tools = page.locator("#turn-2 .turn-tools")
    expect(tools).to_have_css("opacity", "1")
    above, said = tools.bounding_box(), page.locator("#turn-2 .said").bounding_box()
    assert above is not None
    assert said is not None
    assert above["y"] + above["height"] <= said["y"] + 6
