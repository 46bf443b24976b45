"""Edits in words, crops by a box, and two tabs that talk about the same thing."""

from __future__ import annotations

import re

from browsing import address, say, shot, wait_for_turn
from playwright.sync_api import Page, expect


def edits_of(page: Page) -> list[str]:
    """The commands that made the picture that is open."""
    id = address(page).split("picture=")[-1]
    return page.evaluate("id => fetch(`/api/v1/collections/wardrobe/pictures/${id}`).then(it => it.json())", id)[
        "edits"
    ]


def test_an_edit_said_in_front_of_a_picture(page: Page) -> None:
    say(page, "search bag")
    page.locator(".tile-open").nth(1).click()
    page.wait_for_selector("dialog.large[open]")
    before = address(page)
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_label("Say what should change").fill("grayscale")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != before)
    expect(page.locator(".steps .kept > span")).to_have_text("black and white")
    page.keyboard.press("Escape")
    # Taking the picture in hand and editing it are two turns of the conversation.
    wait_for_turn(page, 3)
    expect(page.locator("#turn-3 .said")).to_have_text("grayscale")
    expect(page.locator(".turns > .turn")).to_have_count(2)  # of which the story tells the one that was said


def try_brightness(page: Page) -> None:
    """Find a bag, open it and try an edit without keeping it."""
    say(page, "search bag")
    page.locator(".tile-open").first.click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("slider", name="Brightness").fill("30")
    expect(page.locator(".steps .draft > span")).to_have_text("brightness +30")


def test_what_was_tried_is_kept_when_the_picture_is_closed(page: Page) -> None:
    try_brightness(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")  # the first one leaves the slider
    expect(page.locator(".notice")).to_contain_text("Kept: brightness +30")
    wait_for_turn(page, 2)
    page.locator(".notice").get_by_role("button", name="Undo").click()
    wait_for_turn(page, 3)


def test_what_was_tried_is_kept_before_the_words_that_follow(page: Page) -> None:
    try_brightness(page)
    page.get_by_label("Say what should change").fill("grayscale")
    page.keyboard.press("Enter")
    expect(page.locator(".steps .kept > span")).to_have_text(["brightness +30", "black and white"])


def test_a_crop_after_a_turn_is_in_the_turned_picture(page: Page) -> None:
    say(page, "search hat")
    page.locator(".tile-open").first.click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("button", name="Rotate left").click()
    page.wait_for_selector(".trial")
    page.get_by_role("button", name="Select a part").click()
    page.get_by_role("button", name="Crop", exact=True).click()
    expect(page.locator(".steps .draft > span")).to_have_text(["turned left", "cropped"])
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".steps .kept")).to_have_count(2)
    expect(page.locator(".steps .draft")).to_have_count(0)
    assert edits_of(page) == ["rotate 90", "crop 128 96 384 288"]
    shot(page, "cropped")


def test_a_box_is_moved_from_inside_and_sized_by_its_corner(page: Page) -> None:
    page.locator(".tile-open").first.click()
    page.wait_for_selector(".full.loaded")
    page.get_by_role("button", name="Select a part").click()
    bounds = page.locator(".box-layer").bounding_box()
    assert bounds is not None

    def drag(*ends: tuple[float, float]) -> None:
        (x1, y1), (x2, y2) = ((bounds["x"] + x * bounds["width"], bounds["y"] + y * bounds["height"]) for x, y in ends)
        page.mouse.move(x1, y1)
        page.mouse.down()
        page.mouse.move(x2, y2, steps=3)
        page.mouse.up()

    drag((0.5, 0.5), (0.4, 0.6))  # the box is the middle half
    expect(page.locator(".box")).to_have_attribute("style", near(15, 35, 50, 50))
    drag((0.65, 0.85), (0.75, 0.65))
    expect(page.locator(".box")).to_have_attribute("style", near(15, 35, 60, 30))
    page.get_by_role("button", name="Crop", exact=True).click()
    expect(page.locator(".steps .draft > span")).to_have_text("cropped")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".steps .kept")).to_have_count(1)
    (edit,) = edits_of(page)
    assert re.fullmatch(r"crop \d+ \d+ \d+ \d+", edit)


def near(*parts: int) -> re.Pattern[str]:
    """The style of a box at these percentages, a pixel more or less."""
    about = [rf"({part - 1}\.\d+|{part}(\.\d+)?)" for part in parts]
    return re.compile(rf"left: {about[0]}%; top: {about[1]}%; width: {about[2]}%; height: {about[3]}%")


def test_keys_are_heard_after_a_button_has_gone(page: Page) -> None:
    page.locator(".tile-open").first.click()
    page.wait_for_selector(".full.loaded")
    page.keyboard.press("e")
    page.get_by_role("slider", name="Brightness").fill("20")
    page.get_by_role("button", name="Keep", exact=True).click()  # and is disabled by that, with the focus in it
    expect(page.locator(".steps .kept")).to_have_count(1)
    page.keyboard.press("c")
    expect(page.locator("dialog").get_by_role("slider", name="Before and after")).to_be_visible()


def test_an_edit_that_cannot_be_previewed_says_why(page: Page) -> None:
    say(page, "search coat")
    page.locator(".tile-open").first.click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.route("**/preview", lambda route: route.fulfill(status=200, body="no picture", content_type="image/webp"))
    page.get_by_role("slider", name="Sepia").fill("20")
    expect(page.get_by_role("alert")).to_contain_text("preview could not be made")
    page.unroute("**/preview")
    page.get_by_role("slider", name="Sepia").fill("30")
    page.wait_for_selector(".trial")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_two_tabs_do_not_overwrite_each_other(lenient_page: Page) -> None:
    say(lenient_page, "search shirt")
    other = lenient_page.context.new_page()
    other.goto(address(lenient_page))
    wait_for_turn(other, 1)
    say(other, "refine white")
    lenient_page.fill("#composer", "refine black")
    lenient_page.press("#composer", "Enter")
    expect(lenient_page.get_by_role("alert")).to_be_visible()
    expect(lenient_page.locator("#turn-2 .said")).to_have_text("refine white")
    expect(lenient_page.locator("#composer")).to_have_value("refine black")
    lenient_page.press("#composer", "Enter")
    wait_for_turn(lenient_page, 3)
    other.close()


def test_what_is_not_surely_found_is_shown_before_it_is_agreed_to(page: Page) -> None:
    say(page, "search dress")
    say(page, "select #1 ; image_cutout on zebra")
    doubt = page.locator(".question img.doubt")
    expect(doubt).to_be_visible()
    assert doubt.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    shot(page, "edit-doubt")
    page.locator(".question").get_by_role("button", name="no", exact=True).click()
    expect(doubt).to_have_count(0)


def test_a_crop_keeps_its_shape_and_looks_travel(page: Page) -> None:
    say(page, "search bag")
    page.locator(".tile-open").first.click()
    page.wait_for_selector(".full.loaded")
    page.keyboard.press("b")
    page.get_by_label("Shape of the box").select_option("16:9")
    expect(page.locator(".box .handle")).to_have_count(8)
    box = page.locator(".box").bounding_box()
    assert box is not None
    assert abs(box["width"] / box["height"] - 16 / 9) < 0.05
    page.get_by_role("button", name="Crop", exact=True).click()
    expect(page.locator(".steps .draft > span")).to_have_text("cropped")
    page.get_by_role("button", name="Black and white", exact=True).first.click()
    expect(page.locator(".steps .draft > span")).to_have_count(3)
    expect(page.get_by_role("img", name="Histogram")).to_be_visible()
    shot(page, "edit-look")
    page.get_by_role("button", name="Copy these edits").click()
    expect(page.locator(".notice").last).to_contain_text("The crop stays behind")
    page.get_by_role("button", name="Discard").click()
    page.get_by_role("button", name="Paste edits").click()
    expect(page.locator(".steps .draft > span")).to_have_text(["black and white", "contrast +15"])
    page.get_by_role("button", name="Discard").click()
    page.get_by_role("button", name="Larger").click()
    expect(page.locator(".zoom-now")).to_have_text("1.5 ×")
    page.keyboard.press("Escape")

    # The same on several pictures at once: one step of the story.
    page.get_by_role("button", name="Select pictures").click()
    for index in (1, 2):
        page.locator(".tile-open").nth(index).click()
    page.get_by_role("toolbar").get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="Paste the copied edits").click()
    wait_for_turn(page, 3)
    expect(page.locator(".turns > .turn")).to_have_count(2)
    expect(page.locator(".turn.current .strip img")).to_have_count(2)


def test_the_mask_of_an_edit_is_shown_and_corrected(page: Page) -> None:
    say(page, "search bag")
    page.locator(".tile-open").first.click()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("button", name="Cut out the subject").click()
    page.get_by_role("button", name="Show and correct what is marked").click()
    page.wait_for_selector(".mask-tint")
    bar = page.get_by_role("toolbar", name="Correct what is marked")
    expect(bar).to_contain_text("sure that this is the main thing")
    bar.get_by_role("button", name="Brush").click()
    bounds = page.locator(".mask-layer").bounding_box()
    assert bounds is not None
    page.mouse.move(bounds["x"] + 0.1 * bounds["width"], bounds["y"] + 0.1 * bounds["height"])
    page.mouse.down()
    page.mouse.move(bounds["x"] + 0.3 * bounds["width"], bounds["y"] + 0.1 * bounds["height"], steps=4)
    page.mouse.up()
    expect(bar).to_contain_text("The main thing, corrected by you.")
    shot(page, "mask")
    bar.get_by_role("button", name="Take the last mark back").click()
    expect(bar).to_contain_text("sure that this is")
    # Without a mouse: the arrows move, Enter marks.
    page.locator(".mask-layer").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(bar).to_contain_text("corrected by you")
    page.keyboard.press("Escape")  # leaves the mask, not the picture
    page.wait_for_selector(".trial")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".steps .kept > span")).to_have_text("cut out subject")
    assert edits_of(page) == ["image_cutout on subject marked +30:520,500"]
    page.get_by_role("button", name="Correct what is marked: cut out subject").click()
    expect(bar).to_contain_text("corrected by you")


def test_what_a_waiting_edit_would_touch_is_corrected_from_the_question(page: Page) -> None:
    say(page, "search bag")
    say(page, "select #1 ; remove zebra")
    page.locator(".talk .question").get_by_role("button", name="correct what is marked").click()
    bar = page.get_by_role("toolbar", name="Correct what is marked")
    expect(bar).to_contain_text("% sure that this is “zebra”")
    bar.get_by_role("button", name="From nothing").click()
    expect(bar.get_by_role("button", name="Done")).to_be_disabled()
    bar.get_by_role("button", name="Brush").click()
    page.locator(".mask-layer").click(position={"x": 40, "y": 40})
    expect(bar).to_contain_text("Only what you marked.")
    bar.get_by_role("button", name="Done").click()
    page.wait_for_selector(".trial")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".steps .kept > span")).to_have_text("without what is marked")


def test_sliders_show_what_a_look_is_made_of(page: Page) -> None:
    page.locator(".tile-open").first.click()
    page.wait_for_selector(".full.loaded")
    page.keyboard.press("e")
    page.get_by_role("button", name="Vivid", exact=True).click()
    saturation = page.get_by_role("slider", name="Saturation")
    expect(saturation).to_have_value("25")
    expect(page.get_by_role("slider", name="Contrast")).to_have_value("12")
    saturation.fill("40")
    expect(page.locator(".steps .draft > span")).to_have_text(["saturation +40", "contrast +12"])
    saturation.press("+")  # which is no key of a slider
    expect(page.locator(".zoom-now")).to_have_text("1.5 ×")
    page.get_by_role("button", name="Discard").click()
    expect(saturation).to_have_value("0")


def test_what_is_downloaded_is_what_is_seen(page: Page) -> None:
    page.locator(".tile-open").first.click()
    page.wait_for_selector(".full.loaded")
    page.keyboard.press("e")
    page.get_by_role("button", name="Negative", exact=True).click()
    expect(page.locator(".steps .draft > span")).to_have_text("negative")
    original = address(page).split("picture=")[-1]
    with page.expect_download() as started:
        page.get_by_role("link", name="Download in full size").click()
    assert original not in started.value.url
    wait_for_turn(page, 1)
    assert edits_of(page) == ["invert"]


def test_before_and_after_show_the_same_place_of_a_cropped_picture(page: Page) -> None:
    say(page, "search bag")
    say(page, "select #1 ; crop 10 20 110 80 ; grayscale")
    compare = page.get_by_role("button", name="Compare with the original")
    compare.click()
    shape = "one => one.complete && one.naturalWidth / one.naturalHeight"
    before = page.locator(".before-after img")
    expect(before).to_be_visible()
    page.wait_for_function("() => document.querySelector('.before-after img').complete")
    assert abs(before.evaluate(shape) - 100 / 60) < 0.05
    page.get_by_role("button", name="Open the picture in hand").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Before and after").click()
    expect(page.locator("dialog .before-after img")).to_be_visible()
    assert abs(page.locator("dialog .before-after img").evaluate(shape) - 100 / 60) < 0.05
    shot(page, "before-after-crop")


def test_undo_and_redo_in_the_editor_are_about_its_picture(page: Page) -> None:
    say(page, "search bag")
    say(page, "search dress")
    page.locator(".tile-open").first.click()
    page.get_by_role("button", name="Edit", exact=True).click()
    back = page.get_by_role("button", name="One step back", exact=True)
    forth = page.get_by_role("button", name="One step forth", exact=True)
    expect(back).to_be_disabled()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo").click()
    wait_for_turn(page, 3)
    page.locator(".tile-open").first.click()
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(forth).to_be_disabled()  # what could be brought again is a search
    page.keyboard.press("Control+Shift+z")
    page.get_by_label("Say what should change").fill("grayscale")
    page.keyboard.press("Enter")
    kept = page.locator(".steps .kept > span")
    expect(kept).to_have_text("black and white")
    back.click()
    expect(kept).to_have_count(0)
    forth.click()
    expect(kept).to_have_text("black and white")
