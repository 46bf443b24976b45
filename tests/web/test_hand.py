"""The picture in hand: what words make of it is seen at once, every step leads back, doubts are asked about."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from browsing import Server, say, settle, shot, turns, wait_for_turn
from playwright.sync_api import Locator, Page, Route, expect


@pytest.fixture
def steps(page: Page) -> Locator:
    """The steps of the first bag, which is taken in hand."""
    say(page, "search bag")
    say(page, "select #1")
    return page.locator(".hand-step")


def test_an_edit_in_words_is_seen_large_and_each_step_leads_back(page: Page, steps: Locator) -> None:
    look = page.locator(".hand-picture img").last
    expect(steps).to_have_text(["original"])
    before = look.get_attribute("src")
    say(page, "adjust_attr brightness 20")
    say(page, "grayscale")
    expect(steps).to_have_text(["original", "brightness +20", "black and white"])
    expect(steps.last).to_have_attribute("aria-current", "step")
    assert look.get_attribute("src") != before
    assert look.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    shot(page, "hand")
    steps.nth(1).click()
    expect(steps).to_have_text(["original", "brightness +20"])
    wait_for_turn(page, 5)
    steps.first.click()
    expect(steps).to_have_text(["original"])
    expect(look).to_have_attribute("src", before or "")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(steps).to_have_text(["original", "brightness +20"])


def test_a_step_among_several_of_one_message_can_be_gone_back_to(page: Page, steps: Locator) -> None:
    say(page, "adjust_attr brightness 20 ; flip horizontal")
    expect(steps).to_have_text(["original", "brightness +20", "mirrored"])
    steps.nth(1).click()
    expect(steps).to_have_text(["original", "brightness +20"])


def test_quick_edits_do_what_words_do(page: Page, steps: Locator) -> None:
    quick = page.get_by_role("group", name="Quick edits")
    quick.get_by_role("button", name="Turn left").click()
    expect(steps).to_have_text(["original", "turned left"])
    quick.get_by_role("button", name="Warmer").click()
    expect(steps).to_have_text(["original", "turned left", "warmth +20"])
    expect(page.locator("#turn-4 .said")).to_have_text("warmth +20")  # not the command
    expect(quick.get_by_role("button", name="Warmer")).not_to_have_attribute("title", re.compile("adjust"))
    wait_for_turn(page, 4)
    say(page, "repeat next 2")
    for index in (0, 1):  # what was edited comes first; the other results follow, the bag in hand among them
        expect(page.locator(f'.tile:has([data-index="{index}"]) .tile-badge')).to_be_visible()


def test_before_and_after_in_the_hand(page: Page, steps: Locator) -> None:
    compare = page.locator(".hand").get_by_role("button", name="Compare with the original")
    expect(compare).to_have_count(0)  # nothing to compare yet
    say(page, "adjust_attr brightness 20")
    compare.click()
    line = page.locator(".hand").get_by_role("slider", name="Before and after")
    line.fill("80")
    expect(page.locator(".hand .divider")).to_have_attribute("style", "left: 80%;")
    compare.click()
    expect(line).to_have_count(0)
    expect(steps).to_have_count(2)


def test_a_question_about_an_edit_is_asked_where_it_was_said(page: Page, steps: Locator) -> None:
    page.get_by_role("button", name="All edits").click()
    page.get_by_label("Say what should change").fill("image_cutout on zebra")
    page.keyboard.press("Enter")
    card = page.locator("dialog .question")
    expect(card).to_contain_text("zebra")
    marked = page.get_by_role("img", name="with what was found marked").last
    assert marked.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    settle(page)
    shot(page, "edit-question")
    card.get_by_role("button", name="no", exact=True).click()
    expect(card).to_have_count(0)
    expect(page.locator("dialog [role=status]").first).to_contain_text("leave it")
    expect(page.locator(".steps .kept")).to_have_count(0)
    page.get_by_label("Say what should change").fill("image_cutout on zebra")
    page.keyboard.press("Enter")
    card.get_by_role("button", name="yes", exact=True).click()
    expect(page.locator(".steps .kept > span")).to_have_text("cut out zebra")
    page.keyboard.press("Escape")
    expect(steps).to_have_text(["original", "cut out zebra"])


def test_a_step_that_was_kept_can_be_left_in_the_edit_bar(page: Page, steps: Locator) -> None:
    say(page, "adjust_attr brightness 20")
    say(page, "grayscale")
    page.get_by_role("button", name="All edits").click()
    kept = page.locator(".steps .kept > span")
    expect(kept).to_have_text(["brightness +20", "black and white"])
    page.get_by_role("button", name="Back to before black and white").click()
    expect(kept).to_have_text(["brightness +20"])
    page.get_by_role("button", name="Back to before brightness +20").click()
    expect(kept).to_have_count(0)
    page.keyboard.press("Escape")
    expect(steps).to_have_text(["original"])


def test_an_edit_in_doubt_is_shown_when_it_is_asked_for(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(lenient=True)
    page.goto(f"{server.url}/c/wardrobe")
    say(page, "search bag")
    say(page, "select #1")
    page.get_by_role("button", name="All edits").click()

    def doubt(route: Route) -> None:
        if route.request.post_data_json["confirmed"]:
            return route.continue_()
        error = {"code": "unsure", "message": "I am not sure what the subject is.", "remedy": "", "request_id": ""}
        return route.fulfill(status=422, json={"error": error, "question": error["message"]})

    page.route("**/preview", doubt)
    page.get_by_role("button", name="Cut out the subject").click()
    asked = page.get_by_role("alert").filter(has_text="I am not sure")
    asked.get_by_role("button", name="Show what was found").click()
    page.get_by_role("toolbar", name="Correct what is marked").get_by_role("button", name="Done").click()
    page.wait_for_selector(".trial")
    expect(asked).to_have_count(0)
    page.get_by_role("button", name="Discard").click()
    page.get_by_role("button", name="Cut out the subject").click()
    asked.get_by_role("button", name="Leave it").click()
    expect(page.locator(".steps .draft")).to_have_count(0)
    expect(asked).to_have_count(0)


def test_what_is_asked_about_is_marked_in_the_hand_and_can_be_answered_on_a_phone(
    open_page: Callable[..., Page], server: Server
) -> None:
    page = open_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    say(page, "search bag")
    say(page, "select #1 ; image_cutout on zebra")
    for place in (".hand-marked", ".question .doubt"):
        assert page.locator(place).evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    settle(page)
    shot(page, "hand-doubt-phone")
    no = page.locator(".talk .question").get_by_role("button", name="no", exact=True)
    expect(no).to_be_in_viewport(ratio=1)
    no.tap()
    expect(page.locator(".hand-marked")).to_have_count(0)


def test_the_hand_on_a_phone_leaves_room_for_the_wall(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    say(page, "search bag")
    say(page, "select #1 ; adjust_attr brightness 20")
    steps = page.locator(".hand-step")
    expect(steps).to_have_text(["original", "brightness +20"])
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    shot(page, "hand-phone")
    page.get_by_role("button", name="Fold the picture in hand").tap()
    expect(page.locator(".hand-look")).to_have_count(0)
    expect(steps.last).to_be_visible()
    page.get_by_role("button", name="Show the picture in hand").tap()
    expect(page.locator(".hand-look")).to_be_visible()
    assert turns(page) >= 2
