"""What becomes of a kept edit: it hangs, opens, downloads and goes on being edited in its picture's place."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from zipfile import ZipFile

from browsing import Server, address, say, shot, turns, wait_for_turn
from PIL import Image
from playwright.sync_api import Locator, Page, expect


def open_editor(page: Page, index: int = 0) -> None:
    page.locator(f'.tile-open[data-index="{index}"]').click()
    page.wait_for_selector(".full.loaded")
    page.get_by_role("button", name="Edit", exact=True).click()


def kept_notice(page: Page, warmth: int) -> Locator:
    """Make the first picture warmer and close it; the notice that says so."""
    open_editor(page)
    page.get_by_role("slider", name="Warmth").fill(str(warmth))
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    notice = page.locator(".notice", has_text=f"Kept: warmth +{warmth}")
    expect(notice).to_be_visible()
    return notice


def picture_of(page: Page) -> str:
    """The id of the picture that is open."""
    return re.sub(r".*picture=", "", address(page))


#: Notices that nobody dismisses stay, however slow the machine is.
PATIENT_NOTICES = "(set => { setTimeout = (f, ms, ...more) => ms === 9000 ? 0 : set(f, ms, ...more) })(setTimeout)"


def test_a_notice_takes_back_its_own_step_or_goes(page: Page) -> None:
    page.add_init_script(PATIENT_NOTICES)
    page.reload()
    page.wait_for_selector(".tile.loaded")
    notice = kept_notice(page, 80)
    page.get_by_role("button", name="New conversation").click()
    expect(notice).to_have_count(0)
    notice = kept_notice(page, 60)
    say(page, "search hat")
    expect(notice).to_have_count(0)


def test_what_is_told_can_be_read_and_pressed_while_a_picture_is_open(page: Page) -> None:
    say(page, "search bag")
    open_editor(page)
    page.get_by_role("slider", name="Contrast").fill("60")
    page.get_by_role("button", name="Copy these edits").click()
    expect(page.locator("dialog .notice", has_text="Copied: contrast +60")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    notice = page.locator("dialog .notice", has_text="Kept: contrast +60")
    expect(notice).to_be_visible()
    shot(page, "notice-over-picture")
    done = turns(page)
    notice.get_by_role("button", name="Undo").click()
    wait_for_turn(page, done + 1)
    expect(page.locator("dialog.large[open]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".tile-badge")).to_have_count(0)


def test_pictures_that_were_edited_together_are_downloaded_as_they_are_seen(page: Page) -> None:
    say(page, "search dress")
    page.get_by_role("button", name="Select pictures").click()
    for index in (0, 1, 3):
        page.locator(f'.tile-open[data-index="{index}"]').click()
    bar = page.get_by_role("toolbar", name="Selected pictures")
    bar.get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="Black and white").click()
    expect(page.locator(".notice")).to_contain_text("3 pictures edited")
    expect(page.locator(".tile-badge")).to_have_count(3)
    expect(bar).to_contain_text("3 selected")
    page.wait_for_function("() => !document.querySelector('.tile.loading, .tile.broken')")
    shot(page, "edited-together")
    with page.expect_download() as packed:
        bar.get_by_role("button", name="Download").click()
    with ZipFile(packed.value.path()) as files:
        names = files.namelist()
        assert len(names) == 3
        for name in names:
            colours = Image.open(BytesIO(files.read(name))).convert("HSV").getchannel("S").getextrema()
            assert colours[1] < 12, f"{name} is in colour"


def test_a_kept_edit_is_there_when_its_picture_is_opened_again(page: Page) -> None:
    say(page, "search coat")
    open_editor(page)
    original = picture_of(page)
    page.get_by_role("slider", name="Contrast").fill("60")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".notice")).to_contain_text("Kept")
    page.reload()
    page.wait_for_selector("dialog.large[open] .full.loaded")
    page.get_by_role("button", name="Previous").click()
    switch = page.get_by_role("group", name="Which version to show")
    expect(switch.get_by_role("button", name="Edited")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(page.locator(".steps .kept > span")).to_have_text("contrast +60")
    expect(page.get_by_role("slider", name="Contrast")).to_have_value("60")
    shot(page, "edited-again")
    edited = picture_of(page)
    assert edited != original
    switch.get_by_role("button", name="Original").click()
    expect(page.get_by_role("slider", name="Contrast")).to_have_value("0")
    assert picture_of(page) == original
    switch.get_by_role("button", name="Edited").click()
    expect(page.get_by_role("slider", name="Contrast")).to_have_value("60")
    page.keyboard.press("Escape")
    expect(page.locator(f'.tile:has([data-picture="{original}"]) .tile-badge')).to_be_visible()
    page.locator(f'[data-picture="{original}"]').click()
    expect(switch).to_be_visible()
    assert picture_of(page) == edited


def test_a_slider_changes_the_step_that_it_shows(page: Page) -> None:
    say(page, "search hat")
    open_editor(page)
    page.get_by_role("slider", name="Contrast").fill("60")
    page.get_by_role("slider", name="Sepia").fill("40")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".steps .kept > span")).to_have_text(["contrast +60", "sepia 40"])
    slider = page.get_by_role("slider", name="Contrast")
    expect(slider).to_have_value("60")
    slider.fill("20")
    expect(page.locator(".steps .draft > span")).to_have_text("contrast +20")
    page.wait_for_selector(".trial")
    page.get_by_role("button", name="Back to contrast +60", exact=True).click()
    expect(slider).to_have_value("60")
    expect(page.locator(".steps .draft")).to_have_count(0)
    slider.fill("-30")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".steps .kept > span")).to_have_text(["contrast -30", "sepia 40"])
    page.get_by_role("slider", name="Contrast").fill("0")
    page.get_by_role("slider", name="Sepia").fill("0")
    page.wait_for_selector(".trial")  # the picture without any of its steps
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".steps")).to_contain_text("Nothing is changed yet")


def test_the_newest_of_many_steps_is_in_sight(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page()
    page.goto(f"{server.url}/c/wardrobe")
    page.wait_for_selector(".tile.loaded")
    open_editor(page)
    for name in ("Brightness", "Contrast", "Saturation", "Warmth", "Sepia", "Vignette", "Blur"):
        page.get_by_role("slider", name=name, exact=True).fill("20")
    expect(page.locator(".steps .draft")).to_have_count(7)
    inside = "([row, list]) => row.getBoundingClientRect().bottom <= list.getBoundingClientRect().bottom + 1"
    rows = page.locator(".steps li").all()
    assert page.evaluate(inside, [rows[-1].element_handle(), page.locator(".steps ol").element_handle()])
    shot(page, "many-steps")
    page.get_by_role("button", name="Discard").click()
