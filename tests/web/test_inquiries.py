"""Questions in a browser: answers, pictures side by side, and readings as buttons."""

from __future__ import annotations

from collections.abc import Callable

from browsing import Server, address, say, shot, wait_for_turn
from playwright.sync_api import Page, expect

OpenPage = Callable[..., Page]
ASKED = 'clarify "I am not sure what you mean. Which of these?" {"take #2": "select #2", "nothing blue": "avoid blue"}'


def test_pictures_side_by_side(page: Page) -> None:
    say(page, "random 8")
    say(page, "compare #1 #2")
    table = page.get_by_role("table", name="Pictures side by side")
    expect(table.locator("thead img")).to_have_count(2)
    expect(table.locator("thead th").first).to_contain_text("#1")
    pane, second = page.locator(".history").bounding_box(), table.locator("thead img").nth(1).bounding_box()
    assert pane is not None
    assert second is not None
    assert second["x"] + second["width"] <= pane["x"] + pane["width"], "both pictures fit beside each other"
    shot(page, "inquiries-compare")
    expect(table).not_to_contain_text("T00:00")  # dates as a person reads them
    say(page, "describe #1")  # it changes no picture, and its answer is seen all the same
    expect(page.locator("#turn-3 .reply")).to_be_in_viewport()


def test_a_long_answer_is_shown_from_its_beginning_and_keeps_its_pictures(open_page: OpenPage, server: Server) -> None:
    page = open_page(1280, 520)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    say(page, "random 8")
    say(page, "compare #1 #2 #3")
    table = page.get_by_role("table", name="Pictures side by side")
    expect(page.locator("#turn-2 .said")).to_be_in_viewport(ratio=1)
    first = table.locator("thead img").first
    expect(first).to_be_in_viewport()
    page.locator(".history").hover()
    page.mouse.wheel(0, 150)
    page.wait_for_function("() => document.querySelector('.history').scrollTop > 0")
    table.locator("tbody tr").nth(3).scroll_into_view_if_needed()
    expect(first).to_be_in_viewport(ratio=0.9)


def test_a_question_does_not_hide_the_answer_above_it(open_page: OpenPage, server: Server) -> None:
    page = open_page(1280, 520)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    for text in ("random 8", "describe #1", "describe #2"):
        say(page, text)
    say(page, ASKED)
    expect(page.get_by_label("A question for you")).to_be_visible()
    reply, card = page.locator("#turn-4 .reply").bounding_box(), page.locator(".talk-foot").bounding_box()
    assert reply is not None
    assert card is not None
    assert reply["y"] + reply["height"] <= card["y"] + 1


def test_a_picture_is_described_and_the_wall_stays(page: Page) -> None:
    say(page, "random 8")
    before = page.locator(".tile").count()
    say(page, "describe #1")
    expect(page.locator("#turn-2 .reply")).to_contain_text("#1: ")
    assert page.locator(".tile").count() == before


def test_readings_are_buttons_that_send_their_commands(page: Page, server: Server) -> None:
    say(page, "random 8")
    talk = address(page).rsplit("/", 1)[-1].split("?")[0]
    page.request.post(f"{server.url}/api/v1/conversations/{talk}/commands", data={"commands": [ASKED]})
    page.reload()
    question = page.get_by_label("A question for you")
    expect(question.get_by_role("button")).to_have_count(2)
    shot(page, "inquiries-readings")
    question.get_by_role("button", name="take picture 2").click()
    wait_for_turn(page, 3)
    expect(page.locator("#turn-3 .understood")).to_contain_text("picture 2 in hand")
    expect(question).to_have_count(0)


def test_readings_are_offered_to_those_who_want_no_questions(page: Page) -> None:
    say(page, "random 8")
    say(page, "questions off")
    say(page, ASKED)
    expect(page.get_by_label("A question for you").get_by_role("button")).to_have_count(2)
    page.get_by_role("button", name="More", exact=True).click()
    switch = page.get_by_role("switch", name="Ask me questions")
    expect(switch).not_to_be_checked()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="New conversation").click()
    page.get_by_role("button", name="More", exact=True).click()
    expect(switch).to_be_checked()  # it was said for that conversation


def test_pictures_that_were_selected_are_compared_without_their_ids(page: Page) -> None:
    say(page, "random 8")
    page.get_by_role("button", name="Select pictures").click()
    for index in range(3):
        page.locator(f'.tile-open[data-index="{index}"]').click()
    page.get_by_role("toolbar").get_by_role("button", name="Compare").click()
    wait_for_turn(page, 2)
    expect(page.get_by_role("status").first).to_contain_text("What differs")
    assert "id:" not in (page.locator("body").text_content() or "")


def test_an_answer_is_shown_whole(page: Page) -> None:
    say(page, "random 8")
    say(page, "chat help")
    hidden = page.locator("#turn-2 .reply").evaluate("reply => reply.scrollHeight - reply.clientHeight")
    assert hidden <= 1, "the answer is folded"
    expect(page.locator("#turn-2 .reply")).not_to_contain_text("““")


def test_conditions_in_a_question_are_said_in_words(page: Page) -> None:
    say(page, "search dress")
    say(page, "filter price < 1")
    question = page.get_by_label("A question for you")
    expect(question).to_contain_text("price under 1")
    expect(question).not_to_contain_text("<")
    expect(page.locator(".nothing")).to_contain_text("price under 1")
    expect(page.locator(".nothing")).not_to_contain_text("<")


def test_a_reading_that_saves_a_picture_downloads_it(page: Page) -> None:
    say(page, "search dress")
    say(
        page,
        'clarify "Which of these?" {"take #2 and download it": "select #2 ; export \\"picture.png\\"", "x": "more"}',
    )
    offered = page.locator(".kind-readings").get_by_role("button")
    expect(offered.first).to_have_text("take picture 2 and download it")
    with page.expect_download() as saved:
        offered.first.click()
    assert saved.value.suggested_filename
    wait_for_turn(page, 3)
    expect(page.locator("#composer")).to_have_value("")
    expect(page.locator(".turn.current .reply")).to_contain_text("to be downloaded")


def test_what_is_not_told_leads_to_the_filters_that_there_are(page: Page) -> None:
    say(page, "search dress")
    say(page, "values size")
    ways = page.get_by_role("group", name="What you could do instead")
    expect(ways.get_by_role("button")).to_contain_text(["All filters"])
    ways.get_by_role("button", name="colour", exact=True).click()
    expect(page.locator(".facet", has=page.get_by_role("heading", name="colour", exact=True))).to_be_in_viewport()
    shot(page, "ways-on")
    say(page, "select #1")
    say(page, "ask where is this")
    ways.get_by_role("button", name="Open the picture").click()
    expect(page.locator("dialog.large[open]")).to_be_visible()


def test_a_condition_that_may_be_dropped_is_a_matter_of_yes_and_no(page: Page) -> None:
    say(page, "search dress")
    say(page, "filter price < 1")
    card = page.get_by_role("region", name="A question for you")
    expect(card).to_contain_text("Shall I drop")
    expect(card.get_by_role("button")).to_have_text(["yes", "no"])
