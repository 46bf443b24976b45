"""The page itself: what is put into it, for whom, and how its files are sent."""

from __future__ import annotations

import json
import re

import httpx
import pytest
from serving import ids, say, start_talk

from visavis.server.security import COOKIE
from visavis.server.services.web_app import InitialData


def put_in(page: str) -> dict:
    """What a page begins with."""
    found = re.search(r'<script type="application/json" id="opening">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1]) if found else {}


def test_a_page_has_what_it_would_ask_for(local, client):
    page = httpx.get(f"{local.url}/c/colours").text
    told = put_in(page)
    assert told["me"] == client.get("/me").json()
    assert told["collections"] == client.get("/collections").json()["collections"]
    wall = client.get("/collections/colours/wall?limit=60").json()
    assert told["wall"] == {"collection": "colours", **wall}
    assert f"/pictures/{wall['pictures'][0]['id']}/thumbnail?size=320" in page
    client.get("/collections/colours/suggestions")
    told = put_in(httpx.get(f"{local.url}/c/colours").text)
    assert told["suggestions"]["messages"] == client.get("/collections/colours/suggestions").json()["messages"]


def test_a_conversation_is_in_its_page(local, client, talk):
    turn = say(client, talk, "something red")
    page = httpx.get(f"{local.url}/c/colours/{talk}").text
    assert put_in(page)["conversation"] == client.get(f"/conversations/{talk}").json()
    assert f"/pictures/{ids(turn)[0]}/thumbnail" in page
    assert "conversation" not in put_in(httpx.get(f"{local.url}/c/another/{talk}").text)


@pytest.mark.parametrize("path", ["/c/none", f"/c/colours/{'0' * 32}", "/c/colours/1/2", "/s/token", "/c/%2e%2e/x"])
def test_what_is_not_there_is_left_to_the_page(local, path):
    answer = httpx.get(local.url + path)
    assert answer.status_code == 200
    assert not {"wall", "conversation"} & set(put_in(answer.text))


def test_a_wrong_address_is_told_by_the_page_to_a_person_and_as_data_to_a_program(local):
    seen = httpx.get(f"{local.url}/nosuchpage", headers={"Accept": "text/html,*/*"})
    assert seen.status_code == 404
    assert "<html" in seen.text
    told = httpx.get(f"{local.url}/nosuchpage", headers={"Accept": "application/json"})
    assert (told.status_code, told.json()["error"]["code"]) == (404, "not_found")


def test_nothing_is_put_in_for_strangers_and_nothing_of_others(keyed):
    with keyed.client("write") as client:
        talk = start_talk(client)
        say(client, talk, "something red")
    assert put_in(httpx.get(f"{keyed.url}/c/colours").text) == {}
    for name, mine in (("write", True), ("other", False)):
        with httpx.Client(base_url=keyed.url) as browser:
            browser.post("/api/v1/session", json={"key": keyed.keys[name]})
            assert COOKIE in browser.cookies
            told = put_in(browser.get(f"/c/colours/{talk}").text)
            assert told["me"]["user"] == name
            assert ("conversation" in told) is mine
    wrong = httpx.get(f"{keyed.url}/c/colours", cookies={COOKIE: "forged"})
    assert put_in(wrong.text) == {}


def test_nothing_that_people_wrote_ends_the_block():
    hostile = "</script><script>alert(1)</script><!--</body></head>"
    page = InitialData({"wall": hostile}, ['/x"><script>']).into(
        "<html lang=en><head></head><body>x</body></html>", None
    )
    assert put_in(page) == {"wall": hostile}
    assert page.count("<script") == 1


def test_the_theme_that_was_chosen_is_there_from_the_start(local):
    for theme in ("dark", "light"):
        assert f'data-theme="{theme}"' in httpx.get(local.url, cookies={"visavis-theme": theme}).text
    assert "data-theme" not in httpx.get(local.url, cookies={"visavis-theme": '"><script>'}).text


def test_files_are_compressed_and_asked_for_once(local):
    page = httpx.get(local.url).text
    script = re.search(r'src="(/assets/[^"]+\.js)"', page)[1]
    plain = httpx.get(local.url + script, headers={"Accept-Encoding": "identity"})
    packed = httpx.get(local.url + script, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content  # httpx unpacks it
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
    again = httpx.get(local.url + script, headers={"If-None-Match": plain.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_browsers_find_the_icon_where_they_look_for_it(local):
    answer = httpx.get(f"{local.url}/favicon.ico")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("image/svg")
