"""Answers as they come: results first, then reasons, then the question; and what is shown when they fail."""

from __future__ import annotations

import json

from browsing import say, shot, turns, wait_for_turn, wall
from playwright.sync_api import Page, Route, expect

#: The answer to a first message says where its conversation is.
BEGUN = {"content-type": "text/event-stream", "location": f"/api/v1/conversations/{'0' * 32}"}


def events(*pairs: tuple[str, object]) -> str:
    """A stream as the server writes it."""
    return ": working\n\n" + "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in pairs)


def test_results_hang_before_the_answer_is_complete(lenient_page: Page) -> None:
    id = wall(lenient_page)[3]
    result = {
        "id": id,
        "score": 0.5,
        "because": [],
        "width": 384,
        "height": 512,
        "caption": "the only one",
        "edited": False,
    }
    early = events(("turn", {"number": 1}), ("results", {"results": [result]}))
    lenient_page.route("**/messages", lambda route: route.fulfill(body=early, headers=BEGUN))
    lenient_page.route("**/health", lambda route: route.abort())  # away for good: what was shown must stay
    lenient_page.fill("#composer", "just one")
    lenient_page.press("#composer", "Enter")
    lenient_page.wait_for_function("() => document.querySelectorAll('.tile').length === 1")
    assert wall(lenient_page) == [id]
    expect(lenient_page.locator(".answering")).to_be_visible()
    shot(lenient_page, "one-result")


def test_what_was_hung_early_is_taken_down_when_the_answer_fails(page: Page) -> None:
    say(page, "search hat")
    hats = wall(page)
    result = {"id": hats[3], "score": 0.5, "because": [], "width": 384, "height": 512, "caption": "", "edited": False}
    error = {"error": {"code": "storage", "message": "There is no room left.", "remedy": "Make some."}}
    body = events(("turn", {"number": 2}), ("results", {"results": [result]}), ("error", error))
    page.route("**/messages", lambda route: route.fulfill(body=body, content_type="text/event-stream"))
    page.fill("#composer", "refine red")
    page.press("#composer", "Enter")
    expect(page.get_by_role("alert")).to_contain_text("There is no room left.")
    expect(page.locator("#composer")).to_have_value("refine red")
    page.wait_for_function("n => document.querySelectorAll('.tile').length >= n", arg=len(hats))
    assert wall(page)[: len(hats)] == hats


def test_a_question_between_two_pictures(page: Page) -> None:
    left, right = wall(page)[:2]
    options = [
        {"label": "the left one", "say": "the left one", "count": 7, "picture": left},
        {"label": "the right one", "say": "the right one", "count": 4, "picture": right},
    ]

    def ask(route: Route) -> None:
        answer = route.fetch(headers={**route.request.headers, "accept": "application/json"})
        (turn,) = answer.json()["turns"]
        turn["question"] = {"text": "Which is nearer to what you mean?", "kind": "compare", "options": options}
        place = {"location": answer.headers["location"]}
        route.fulfill(body=events(("done", {"turn": turn})), headers={**BEGUN, **place})

    page.route("**/messages", ask)
    say(page, "search dress")
    expect(page.locator(".question .answer img")).to_have_count(2)
    shot(page, "question-compare")
    page.unroute("**/messages")
    page.locator(".question .answer").first.click()
    wait_for_turn(page, 2)
    expect(page.locator("#turn-2 .said")).to_have_text("the left one")
    expect(page.locator("#composer"), "the focus is not lost with the button").to_be_focused()


def test_a_refusal_is_told_in_its_own_words_and_the_message_stays(page: Page) -> None:
    error = {"error": {"code": "overloaded", "message": "Too many are asking just now.", "remedy": "Try again soon."}}
    page.route("**/messages", lambda route: route.fulfill(body=events(("error", error)), headers=BEGUN))
    page.fill("#composer", "search hat")
    page.press("#composer", "Enter")
    expect(page.get_by_role("alert")).to_contain_text("Too many are asking just now. Try again soon.")
    expect(page.locator("#composer")).to_have_value("search hat")
    shot(page, "refused")
    assert turns(page) == 0


def test_the_first_message_is_one_request(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    say(page, "search hat")
    assert [url.split("/api/v1")[1] for url in asked if not url.endswith("/more") and "/more?" not in url] == [
        "/collections/wardrobe/messages"
    ]
    say(page, "refine red")
    assert sum(url.endswith("/messages") for url in asked) == 2
    page.reload()
    wait_for_turn(page, 2)
