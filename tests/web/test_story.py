"""The whole story in a browser: search, refine, answer, go back, branch, point, edit, undo, export."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import (
    PATIENCE_SECONDS,
    PICTURES,
    Server,
    address,
    first_row,
    say,
    settle,
    shot,
    turns,
    wait_for_turn,
    wall,
)
from PIL import Image
from playwright.sync_api import Page, expect

from visavis import open_collection

#: A message that can be read in two ways, and how the app asks which is meant.
ASKED = (
    'clarify "Clockwise or anticlockwise?"'
    ' {"clockwise": "select #1 ; rotate 270", "anticlockwise": "select #1 ; rotate 90"}'
)

#: A picture comes to the page as if it was dropped or pasted.
HAND_OVER = """async ([event, field, address]) => {
  const data = new DataTransfer();
  data.items.add(new File([await (await fetch(address)).blob()], 'mine.jpg', {type: 'image/jpeg'}));
  const options = {bubbles: true, cancelable: true, [field]: data};
  document.body.dispatchEvent(event === 'drop' ? new DragEvent(event, options) : new ClipboardEvent(event, options));
}"""


def test_the_whole_story(page: Page, server: Server, tmp_path: Path) -> None:
    everything = first_row(page)

    say(page, "search dress")
    dresses = first_row(page)
    assert dresses != everything
    expect(page.locator(".chip")).to_have_count(1)
    shot(page, "story-1-search")

    say(page, "refine red")
    reds = first_row(page)
    assert turns(page) == 2
    expect(page.locator(".turn").last.locator(".strip img").first).to_be_visible()
    shot(page, "story-2-refined")

    # Back to the first turn with one click: what it showed hangs again, and nothing is erased.
    page.locator("#turn-1 .strip").click()
    wait_for_turn(page, 3)
    assert first_row(page) == dresses
    page.get_by_role("button", name="Undo").click()
    wait_for_turn(page, 4)
    assert first_row(page) == reds

    # More like the second one: a wish with a picture.
    page.wait_for_selector(".tiles:not(.moving)")
    second = page.locator(".tile:has([data-index='1'])")
    second.hover()
    second.get_by_role("button", name="More like this").click()
    wait_for_turn(page, 5)
    expect(page.locator(".chip.kind-like")).to_have_count(1)
    shot(page, "story-3-liked")

    # A branch is a conversation of its own.
    mother = address(page)
    page.locator("#turn-2").hover()
    page.locator("#turn-2").get_by_role("button", name="Branch from").click()
    page.wait_for_url(lambda url: url != mother)
    expect(page.locator(".turns")).to_have_attribute("data-latest", "2")
    say(page, "refine long sleeves")
    page.goto(mother)
    wait_for_turn(page, 5)

    edit_and_undo(page)
    export(page, tmp_path)


def edit_and_undo(page: Page) -> None:
    """Brighten a picture, keep it, look at before and after, take it back."""
    page.locator(".tile-open").first.click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_label("Brightness").fill("30")
    expect(page.locator(".steps .draft > span")).to_have_text("brightness +30")
    page.wait_for_selector(".trial")
    shot(page, "story-4-editing")
    original = address(page)
    page.get_by_role("button", name="Keep", exact=True).click()
    page.wait_for_url(lambda url: url != original)
    expect(page.locator(".steps .kept > span")).to_have_text("brightness +30")
    page.get_by_role("button", name="Before and after").click()
    page.get_by_label("Before and after").last.fill("20")
    shot(page, "story-5-before-after")
    page.get_by_role("button", name="One step back").click()
    page.wait_for_url(original)
    page.get_by_role("button", name="Close").click()
    expect(page.locator("dialog[open]")).to_have_count(0)


def export(page: Page, folder: Path) -> None:
    """Both forms of export, and a link to look at."""
    page.get_by_role("button", name="More", exact=True).click()
    with page.expect_download() as started:
        page.get_by_text("Export as data").click()
    started.value.save_as(folder / "talk.json")
    assert len(json.loads((folder / "talk.json").read_text())["turns"]) >= 7
    with page.expect_download() as started:
        page.get_by_text("Export as a page").click()
    started.value.save_as(folder / "talk.html")
    assert "data:image" in (folder / "talk.html").read_text(encoding="utf-8")
    page.get_by_text("Share a link").click()
    link = page.get_by_label("Link to this conversation").input_value()
    expect(page.get_by_text("Whoever has this link may look")).to_be_visible()
    expect(page.get_by_text("Only this computer can open it")).to_be_visible()
    guest = page.context.new_page()
    guest.goto(link)
    guest.wait_for_selector(".tile.loaded")
    expect(guest.locator("#composer")).to_have_count(0)
    assert guest.locator(".tile").first.bounding_box()["y"] < 80, "no blank band above the pictures"
    guest.locator(".tile-open").first.click()
    guest.wait_for_function("() => document.querySelector('.shared-picture img')?.naturalWidth > 0")
    guest.keyboard.press("Escape")
    guest.locator("#turn-1 .turn-show").click()
    shot(guest, "story-6-shared")
    guest.close()


def test_a_question_is_answered_with_a_click(page: Page) -> None:
    say(page, "search hat")
    say(page, ASKED)
    question = page.locator(".question")
    expect(question).to_contain_text("lockwise")
    shot(page, "question")
    question.get_by_role("button", name="anticlockwise").click()
    wait_for_turn(page, 3)
    expect(question).to_have_count(0)
    expect(page.locator("#turn-3 .understood")).to_contain_text("turned left")


def test_a_first_message_that_is_asked_back_about_leaves_the_wall(page: Page) -> None:
    """Nothing was asked for yet, so there is nothing that could not match."""
    everything = wall(page)
    say(page, 'clarify "Which do you mean?" {"a hat": "search hat", "a bag": "search bag"}')
    question = page.locator(".question")
    expect(question).to_contain_text("Which do you mean?")
    assert wall(page) == everything
    expect(page.get_by_role("heading", name="Nothing matches")).to_have_count(0)
    page.reload()
    page.wait_for_selector(".tile.loaded")
    assert first_row(page) == everything[:5]
    question.get_by_role("button", name="a hat").click()
    wait_for_turn(page, 2)
    expect(page.locator(".chip")).to_have_text(["hat"])


def test_the_brief_can_be_changed_and_previewed(page: Page) -> None:
    say(page, "search red dress")
    say(page, "avoid flowers")
    both = first_row(page, 20)
    avoid = page.locator(".chip.kind-avoid .chip-main")
    avoid.hover()
    page.wait_for_selector(".ribbon")
    shot(page, "preview")
    page.mouse.move(700, 700)
    page.wait_for_selector(".ribbon", state="detached")
    settle(page)
    assert first_row(page, 20) == both
    avoid.click()
    wait_for_turn(page, 3)
    expect(avoid).to_have_attribute("aria-checked", "false")
    page.locator(".chip").first.get_by_role("button", name="Change").click()
    page.get_by_role("button", name="Pin: keep it").click()
    wait_for_turn(page, 4)
    expect(page.locator(".chip.pinned")).to_have_count(1)
    page.locator(".chip").first.get_by_role("button", name="Change").click()
    page.get_by_role("button", name="Counts more").click()
    wait_for_turn(page, 5)
    expect(page.locator(".chip-weight")).to_have_text("×1.5")


def test_filters_narrow_the_wall(page: Page) -> None:
    page.get_by_role("button", name="Filters").click()
    first = page.locator(".facet-value").first
    shot(page, "filters")
    first.click()
    wait_for_turn(page, 1)
    expect(page.locator(".chip.kind-filter")).to_have_count(1)
    expect(page.locator(".facet-value[aria-pressed=true]")).to_have_count(1)
    page.locator(".facet-value[aria-pressed=true]").click()
    wait_for_turn(page, 2)
    expect(page.locator(".chip.kind-filter")).to_have_count(0)


def test_a_condition_that_nothing_meets(page: Page) -> None:
    say(page, "search dress ; filter price < 1")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    shot(page, "nothing")
    expect(page.locator(".question")).to_contain_text("price under 1")
    page.locator(".question").get_by_role("button", name="yes", exact=True).click()
    wait_for_turn(page, 2)
    expect(page.locator(".tile").first).to_be_visible()


def test_searching_with_a_picture_and_inside_one(page: Page, server: Server) -> None:
    id = wall(page)[0]
    picture = page.request.get(f"{server.url}/api/v1/collections/wardrobe/pictures/{id}/full").body()
    page.get_by_label("A picture to search with").set_input_files(
        {"name": "mine.jpg", "mimeType": "image/jpeg", "buffer": picture}
    )
    wait_for_turn(page, 1)
    assert id in first_row(page, 3)
    for number, (event, field) in enumerate([("drop", "dataTransfer"), ("paste", "clipboardData")]):
        page.evaluate(HAND_OVER, [event, field, f"/api/v1/collections/wardrobe/pictures/{id}/full"])
        wait_for_turn(page, 2 + number)
    page.locator(".tile-open").first.click()
    stage = page.locator(".box-layer")
    stage.wait_for()
    settle(page)
    area = stage.bounding_box()
    assert area is not None
    page.mouse.move(area["x"] + area["width"] * 0.3, area["y"] + area["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.7, area["y"] + area["height"] * 0.6, steps=4)
    page.mouse.up()
    shot(page, "box")
    page.get_by_role("button", name="Search inside").click()
    wait_for_turn(page, 4)
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_two_turns_side_by_side(page: Page) -> None:
    say(page, "search shirt")
    say(page, "refine blue")
    page.locator("#turn-1").hover()
    page.locator("#turn-1").get_by_role("button", name="Compare").click()
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".compare")).to_contain_text("in one of them only, framed")
    left, right = (page.locator(".side").nth(side).locator("li:not(.alone)").count() for side in (0, 1))
    assert left == right, "what both show has no frame"
    shot(page, "compare")


def test_conversations_are_renamed_resumed_and_deleted(page: Page) -> None:
    say(page, "search hat")
    page.get_by_label("Name of this conversation").fill("Hats for summer")
    page.press(".title", "Enter")  # and straight on: the list must know of it all the same
    page.get_by_role("button", name="New conversation").click()
    page.wait_for_selector(".welcome")
    page.get_by_role("button", name="Conversations").click()
    page.get_by_role("button", name="Hats for summer").first.click()
    wait_for_turn(page, 1)
    page.get_by_role("button", name="Conversations").click()
    shot(page, "conversations")
    page.get_by_role("button", name="Delete Hats for summer").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_selector(".welcome")
    expect(page.get_by_role("button", name="Hats for summer")).to_have_count(0)


def test_the_wall_goes_on_and_on(page: Page) -> None:
    say(page, "search bag")
    page.wait_for_function(  # a person who keeps turning the wheel
        "() => { const wall = document.querySelector('.wall'); wall.scrollTo(0, wall.scrollHeight);"
        " return [...document.querySelectorAll('.tile-open')].some(one => one.dataset.index > 65); }"
    )
    assert page.locator(".tile").count() < 72, "rows that cannot be seen should not exist"


def test_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Callable[..., Page], wardrobe: Path
) -> None:
    shutil.copytree(wardrobe.parent / "pictures", tmp_path / "user" / "Pictures" / "shop")
    (tmp_path / "user" / "Music").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    with Server(tmp_path / "home") as server:
        page = open_page()
        page.goto(server.url)
        expect(page.get_by_role("heading", level=1)).to_contain_text("talking")
        found = page.get_by_role("group", name="Folders with pictures")
        expect(found.get_by_role("button")).to_have_text([re.compile(r"Pictures/shop\s*72")])
        expect(page.get_by_role("button", name="Index this folder (72 pictures)")).to_be_enabled()
        shot(page, "first-run")
        page.get_by_label("Path of a folder").fill('"~/Music"')  # as a file manager copies it
        page.keyboard.press("Enter")
        expect(page.get_by_text("No pictures in this folder")).to_be_visible()
        expect(page.get_by_role("button", name="Index this folder"), "there is nothing to call").to_have_count(0)
        expect(page.get_by_label("Call it")).to_have_count(0)
        page.locator(".crumbs").get_by_text("user", exact=True).click()
        expect(page.locator(".folders")).to_contain_text("1 folder without pictures")
        found.get_by_role("button").click()
        page.get_by_role("button", name="Index this folder (72 pictures)").click()
        page.get_by_role("heading", name="is ready").wait_for(timeout=4 * PATIENCE_SECONDS * 1000)
        shot(page, "indexed")
        page.get_by_role("button", name="Begin").click()
        page.wait_for_selector(".tile.loaded")
        page.locator(".sample").first.click()
        wait_for_turn(page, 1)
        page.goto("about:blank")  # what it asks for again and again would be refused once the server is gone


def test_rows_that_are_scrolled_to_come_together(page: Page) -> None:
    """A request a row or more, not one a picture: that is what keeps the wall smooth."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/thumbnail" in request.url else None)
    page.wait_for_function("() => !document.querySelector('.tile.loading')")
    before = set(wall(page))
    page.locator(".wall").evaluate("wall => wall.scrollTo(0, wall.scrollHeight)")
    page.wait_for_selector(f".tile.loaded [data-index='{PICTURES - 1}']")
    page.wait_for_function("() => !document.querySelector('.tile.loading')")
    fresh = [id for id in wall(page) if id not in before]
    assert fresh
    assert all(any(id in url for url in asked) for id in fresh)
    assert len(asked) < len(fresh)
    assert all("/thumbnails?" in url for url in asked)


def test_pictures_that_are_added_are_counted_and_searched_again(
    own_server: Server, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    page = open_page()
    page.goto(f"{own_server.url}/c/wardrobe")
    say(page, "search blue")
    before = page.locator("#turn-1 .reply").inner_text()
    files = []
    for number in range(3):
        files.append(str(tmp_path / f"blue{number}.png"))
        Image.new("RGB", (90, 90), (0, 0, 200 + number)).save(files[-1])

    def add() -> None:
        page.get_by_role("button", name="More", exact=True).click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Add pictures to this collection").click()
        chooser.value.set_files(files)

    add()
    expect(page.locator(".notice").last).to_contain_text("3 pictures added.")
    page.get_by_role("button", name="3 more pictures arrived: search again").click()
    wait_for_turn(page, 2)
    expect(page.locator(".turn")).to_have_count(1)
    expect(page.locator("#turn-1 .reply")).to_contain_text("The collection has changed since")
    assert page.locator("#turn-1 .reply").inner_text() != before
    add()
    expect(page.locator(".notice").last).to_contain_text("3 were here already.")
    expect(page.locator(".arrivals")).to_have_count(0)


def test_the_list_shows_what_was_made_elsewhere_meanwhile(own_server: Server, open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.goto(own_server.url)
    expect(page.locator(".card")).to_have_count(1)
    with open_collection("coats", own_server.home, create=True):
        pass
    expect(page.locator(".card")).to_have_count(2)
