"""The same on a phone, and on a very wide screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browsing import Server, address, first_row, say, settle, shot, wait_for_turn
from playwright.sync_api import Page, expect

#: A finger that wipes over the picture, from one part of its width to another.
WIPE = """([from, to]) => {
  const layer = document.querySelector('.box-layer');
  const {left, top, width, height} = layer.getBoundingClientRect();
  const finger = {bubbles: true, pointerId: 1, pointerType: 'touch', clientY: top + height / 2};
  const at = (x) => ({...finger, clientX: left + x * width});
  layer.setPointerCapture = () => undefined;
  layer.dispatchEvent(new PointerEvent('pointerdown', at(from)));
  layer.dispatchEvent(new PointerEvent('pointermove', at((from + to) / 2)));
  layer.dispatchEvent(new PointerEvent('pointerup', at(to)));
}"""


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window, once everything has its place."""
    settle(page)
    return page.evaluate("() => document.documentElement.scrollWidth - innerWidth")


@pytest.mark.parametrize("width", [360, 390])
def test_a_conversation_on_a_phone(open_page: Callable[..., Page], server: Server, width: int) -> None:
    page = open_page(width, 780, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    assert overflow(page) <= 0
    say(page, "search yellow dress with a very long description that does not fit on one line of a phone")
    assert overflow(page) <= 0
    shot(page, f"phone-{width}-wall")
    page.locator(".sheet-handle").tap()
    expect(page.locator(".turns")).to_be_visible()
    shot(page, f"phone-{width}-talk")
    page.locator(".sheet-handle").tap()
    page.locator(".tile-open").first.tap()
    page.wait_for_selector("dialog.large[open] .full.loaded")
    assert overflow(page) <= 0
    shot(page, f"phone-{width}-picture")
    first = address(page)
    page.evaluate(WIPE, [0.8, 0.3])
    page.wait_for_url(lambda url: url != first)
    page.evaluate(WIPE, [0.3, 0.8])
    page.wait_for_url(first)
    page.get_by_role("button", name="Select a part").tap()
    expect(page.get_by_role("button", name="Search inside")).to_be_visible()
    page.get_by_role("button", name="Cancel the box").tap()
    page.get_by_role("button", name="More like this").first.tap()
    wait_for_turn(page, 2)


def test_hearts_can_be_tapped_without_a_pointer_that_hovers(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    page.wait_for_load_state("networkidle")  # the favourites of tests before have arrived
    heart = page.locator(".tile-heart").first
    before = heart.get_attribute("aria-pressed")
    heart.tap()
    expect(heart).to_have_attribute("aria-pressed", "false" if before == "true" else "true")
    heart.tap()
    expect(heart).to_have_attribute("aria-pressed", str(before))


def test_wishes_have_a_row_of_their_own_on_a_phone(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    say(page, "search yellow dress")
    say(page, "filter price < 90")
    for chip in page.locator(".chip").all():
        expect(chip).to_be_in_viewport(ratio=1)
    expect(page.locator(".chip").last).to_contain_text("price under 90")
    bounds = page.locator(".brief").bounding_box()
    assert bounds is not None
    assert bounds["width"] > 350


def test_wishes_can_be_read_and_tapped_on_a_phone_that_lies(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(844, 390, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    wishes = ["search yellow dress", "filter price < 90", "avoid stripes"]
    for number, wish in enumerate(wishes, 1):
        say(page, wish)
        chip = page.locator(".chip").nth(number - 1)
        expect(chip).to_be_in_viewport(ratio=1)
        bounds = chip.bounding_box()
        assert bounds is not None
        assert min(bounds["width"], bounds["height"]) >= 36
    page.locator(".chip-more").first.tap()
    menu = page.locator(".chip-menu")
    menu.get_by_role("button", name="Remove").tap()  # nothing lies over it
    wait_for_turn(page, 4)


def test_the_newest_wish_is_in_sight_and_its_menu_moves_nothing(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    for wish in ("search yellow dress", "filter price < 90", "avoid stripes"):
        say(page, wish)
    newest = page.locator(".chip").last
    expect(newest).to_contain_text("no stripes")
    expect(newest).to_be_in_viewport(ratio=1)
    expect(page.locator(".brief[data-more~=before]"), "a hint at those before it").to_be_visible()

    def places() -> list[object]:
        settle(page)
        return [page.locator(one).first.bounding_box() for one in (".chip:last-child", ".tile")]

    before = places()
    newest.locator(".chip-more").tap()
    expect(page.locator(".chip-menu")).to_be_in_viewport(ratio=1)
    assert places() == before
    page.keyboard.press("Escape")
    say(page, "filter price < 60")
    expect(page.locator(".brief-over")).to_have_text("1 earlier wish")
    heights = [one.bounding_box() for one in page.locator(".brief > li").all()]
    assert {one and one["height"] <= 40 for one in heights} == {True}, "nothing in the row wraps"


@pytest.fixture
def phone(open_page: Callable[..., Page], server: Server) -> Page:
    """A phone that shows the collection."""
    page = open_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    return page


def test_a_selection_hides_no_picture_and_no_button(phone: Page) -> None:
    phone.get_by_role("button", name="Select pictures").tap()
    for number in (0, 1):
        phone.locator(".tile-open").nth(number).tap()
    bar = phone.get_by_role("toolbar", name="Selected pictures")
    expect(bar.get_by_role("button", name="Compare")).to_be_visible()
    shot(phone, "phone-selection")
    tops = [one.bounding_box() for one in bar.locator("> .button, .selection-acts .button").all()]
    assert len({round(box["y"]) for box in tops if box}) == 2, "two rows"
    for check in phone.locator(".tile.selected .tile-check").all():
        assert check.evaluate(
            "one => { const {x, y, width, height} = one.getBoundingClientRect();"
            " return one.closest('.tile').contains(document.elementFromPoint(x + width / 2, y + height / 2)); }"
        ), "the bar lies on it"
    phone.get_by_role("button", name="Albums").tap()
    phone.locator(".views-panel").get_by_text("Select pictures to save").tap()  # nothing lies over the menu
    phone.keyboard.press("Escape")
    bar.get_by_role("button", name="Album").tap()
    save = bar.get_by_role("button", name="Save")
    expect(save).to_be_in_viewport(ratio=1)
    phone.get_by_label("Name of a new album").fill("Two of them")
    save.tap()
    expect(phone.locator(".notice")).to_contain_text("Two of them")


def test_an_answer_in_words_is_read_whole(phone: Page) -> None:
    say(phone, "search dress")
    say(phone, "how many hats are there?")
    told = phone.locator(".sheet-line")
    expect(told).to_contain_text("in the whole collection")
    assert told.evaluate("one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight")
    shot(phone, "phone-answer")
    told.tap()  # a longer one would be read in the conversation
    expect(phone.locator("#turn-2 .reply")).to_be_in_viewport()


def test_a_question_leaves_the_pictures_in_sight(phone: Page) -> None:
    kinds = ", ".join(
        f'"a {kind} of the kind that I like": "search {kind}"' for kind in ("hat", "bag", "skirt", "dress")
    )
    say(phone, f'clarify "Which of these do you mean by that?" {{{kinds}}}')
    question = phone.locator(".question")
    shot(phone, "phone-question")
    bounds = question.bounding_box()
    assert bounds is not None
    assert bounds["height"] < 844 / 6
    question.get_by_role("button", name="a dress").scroll_into_view_if_needed()
    expect(question.get_by_role("button", name="a dress")).to_be_in_viewport(ratio=1)
    phone.locator(".favourites-button").tap()
    expect(question).to_be_hidden()
    phone.locator(".favourites-button").tap()
    expect(question).to_be_visible()
    phone.get_by_role("button", name="Select pictures").tap()
    expect(question).to_be_hidden()
    phone.get_by_role("button", name="Let go of the selection").tap()
    question.get_by_role("button", name="Not now").tap()
    expect(question).to_be_hidden()
    phone.locator(".sheet-handle").tap()
    question.get_by_role("button", name="a bag").tap()
    wait_for_turn(phone, 2)


def test_what_is_compared_stands_beside_each_other(phone: Page) -> None:
    say(phone, "search dress")
    say(phone, "compare #1 #2")
    figures = phone.locator(".side-by-side figure")
    expect(figures).to_have_count(2)
    settle(phone)
    shot(phone, "phone-comparison")
    left, right = (
        figure.evaluate("one => [...one.querySelectorAll('dd')].map(cell => cell.getBoundingClientRect().y)")
        for figure in figures.all()
    )
    assert left
    assert left == right
    for price in phone.locator(".side-by-side div", has_text="price").locator("dd").all():
        expect(price).to_be_in_viewport(ratio=1)
    phone.get_by_role("button", name="Close the comparison").tap()
    expect(phone.locator(".sheet-line")).to_contain_text("dress")
    expect(phone.locator(".sheet-line")).not_to_contain_text("differs")


def test_fingers_find_what_they_aim_at(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    say(page, "search hat")
    settle(page)
    for selector in (".composer .icon-button", ".chip-main", ".sheet-handle", ".facets-button"):
        box = page.locator(selector).first.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 36, selector


def test_small_things_are_hit_by_fingers_nearby(phone: Page) -> None:
    say(phone, "search hat")
    settle(phone)
    heart = phone.locator(".tile-heart").first
    assert heart.evaluate(
        "heart => { const {x, y, width, height} = heart.getBoundingClientRect(); const reach = 19;"
        " return [[-reach, 0], [reach, 0], [0, -reach], [0, reach]].every(([by, down]) =>"
        " document.elementFromPoint(x + width / 2 + by, y + height / 2 + down)?.closest('.tile-heart') === heart); }"
    )
    phone.locator(".sheet-handle").tap()
    for tool in phone.locator(".turn-tools button").all():
        box = tool.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 40


def test_two_fingers_zoom_the_picture_and_not_the_page(phone: Page) -> None:
    phone.locator(".tile-open").first.tap()
    phone.wait_for_selector("dialog.large[open] .full.loaded")
    settle(phone)
    shown = address(phone)
    stage = phone.locator(".stage").bounding_box()
    assert stage is not None
    middle = stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2
    touch = phone.context.new_cdp_session(phone)

    def fingers(kind: str, *apart: int) -> None:
        points = [{"x": middle[0] + by, "y": middle[1], "id": number} for number, by in enumerate(apart)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", -20)
    fingers("touchStart", -20, 20)
    for reach in range(25, 105, 5):
        fingers("touchMove", -reach, reach)
    fingers("touchEnd", -100)
    fingers("touchMove", 100)  # the finger that stays is no wipe
    fingers("touchEnd")
    expect(phone.locator(".zoom-now")).to_have_text("5.0 ×")
    assert phone.evaluate("() => visualViewport.scale") == 1
    assert address(phone) == shown
    shot(phone, "phone-pinched")


def test_a_shared_conversation_folds(phone: Page, open_page: Callable[..., Page], server: Server) -> None:
    say(phone, "search dress")
    conversation = address(phone).rsplit("/", 1)[1]
    shared = phone.request.post(f"{server.url}/api/v1/conversations/{conversation}/share").json()
    guest = open_page(390, 844, has_touch=True, is_mobile=True)
    guest.goto(f"{server.url}/s/{shared['token']}")
    guest.wait_for_selector(".tile.loaded")
    guest.get_by_role("button", name="Hide the conversation").tap()
    expect(guest.locator(".turns")).to_be_hidden()
    wall_box = guest.locator(".wall").bounding_box()
    assert wall_box is not None
    assert wall_box["height"] > 844 * 0.85
    cost = guest.locator(".tile-price").first.inner_text()
    guest.locator(".tile-open").first.tap()
    told = guest.locator(".shared-picture figcaption strong")
    expect(told).to_have_text(cost)
    settle(guest)
    expect(told).to_be_in_viewport(ratio=1)
    assert told.evaluate(
        "one => one.getBoundingClientRect().bottom <= one.closest('dialog').getBoundingClientRect().bottom"
    )
    shot(guest, "phone-shared")
    guest.get_by_role("button", name="Close").tap()
    guest.get_by_role("button", name="Show the conversation").tap()
    expect(guest.locator(".turns")).to_be_visible()


def test_a_phone_is_offered_no_keys_on_its_first_page(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(server.url)
    page.wait_for_selector(".card")
    expect(page.get_by_role("button", name="Keyboard")).to_be_hidden()
    page.keyboard.press("?")  # there is one after all
    box = page.locator(".help-commands input").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 18


def test_a_very_wide_screen(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(3440, 1440)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    say(page, "search skirts")
    assert len(first_row(page, 12)) == 12
    assert overflow(page) <= 0
    shot(page, "wide")


def test_nothing_jumps_while_pictures_load(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page()
    page.add_init_script(
        "window.shift = 0; new PerformanceObserver(list => { for (const one of list.getEntries())"
        " if (!one.hadRecentInput) window.shift += one.value; }).observe({type: 'layout-shift', buffered: true});"
    )
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    assert shifted_while_loading(page) < 0.1
    say(page, "search shoes")  # other pictures hang in other places, of course; from here on nothing moves
    page.evaluate("() => { window.shift = 0; }")
    assert shifted_while_loading(page) < 0.1


def shifted_while_loading(page: Page) -> float:
    """How much has moved by itself when all pictures are there."""
    page.wait_for_function("() => !document.querySelector('.tile.loading')")
    settle(page)
    return float(page.evaluate("() => window.shift"))


def test_what_was_found_is_seen_on_a_phone(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    say(page, "search skirt")
    expect(page.locator("#composer"), "its keyboard would lie over the pictures").not_to_be_focused()
    widest = page.locator(".tile").first.bounding_box()
    assert widest is not None
    assert widest["width"] > 130, "a title can be read"
    page.locator(".tile-open").first.tap()
    page.get_by_role("button", name="Edit", exact=True).tap()
    page.get_by_role("slider", name="Brightness").fill("-40")
    before, zoom = page.locator(".compare-toggle").bounding_box(), page.locator(".zoom").bounding_box()
    assert before is not None
    assert zoom is not None
    assert before["x"] + before["width"] <= zoom["x"], "the two lie over each other"
    page.get_by_role("button", name="Close").first.tap()
    notice = page.locator(".notice")
    expect(notice).to_contain_text("Kept")
    told, field = notice.bounding_box(), page.locator(".composer").bounding_box()
    assert told is not None
    assert field is not None
    assert told["y"] + told["height"] <= field["y"], "a notice hides the field"
