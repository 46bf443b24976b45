"""Conversations for others: files and links."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import httpx
from kept_turns import keep
from serving import ids, say, start_talk

from visavis.conversation.memory import Memory
from visavis.conversation.turns import Turn
from visavis.server.services import rendering


class Page(HTMLParser):
    """What a page holds."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data):
        self.words.append(data)


def test_the_turns_of_an_exported_conversation_can_be_read(client, talk):
    turn = say(client, talk, "red")
    say(client, talk, "no blue")
    answer = client.get(f"/conversations/{talk}/export")
    assert "attachment" in answer.headers["content-disposition"]
    turns = [Turn.from_json(one) for one in answer.json()["turns"]]
    assert [one.message for one in turns] == ["red", "no blue"]
    assert [result.id for result in turns[0].results] == ids(turn)


def test_an_exported_page_stands_alone_and_runs_nothing(client, talk):
    evil = '<script>alert("x")</script><img src=x onerror=alert(1)>'
    client.post(f"/conversations/{talk}/commands", json={"commands": ["search red"], "message": f"red {evil}"})
    client.patch(f"/conversations/{talk}", json={"name": evil})
    answer = client.get(f"/conversations/{talk}/export", params={"format": "html"})
    assert answer.headers["content-type"].startswith("text/html")
    page = Page(answer.text)
    assert "script" not in page.tags
    assert page.links
    assert all(link.startswith("data:image/webp;base64,") for link in page.links)
    assert any(evil in words for words in page.words)  # shown as it was said, not carried out
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', answer.text)
    assert policy
    assert "default-src &#x27;none&#x27;" in policy[1]
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_link_shows_one_conversation_and_nothing_else(keyed):
    with keyed.client("write") as client, keyed.client() as anybody:
        talk, other = start_talk(client), start_talk(client)
        shown = ids(say(client, talk, "red"))
        client.post(f"/conversations/{talk}/commands", json={"commands": ["fewer 3"]})
        hidden = say(client, other, "go on")  # nothing is shown in it
        link = client.post(f"/conversations/{talk}/share").json()
        assert link["url"].endswith(f"/s/{link['token']}")
        read = anybody.get(f"/shared/{link['token']}").json()
        assert read == client.get(f"/conversations/{talk}").json()
        assert anybody.get(f"/shared/{link['token']}/thumbnail/{shown[0]}").headers["content-type"] == "image/webp"
        assert hidden["number"] == 1
        every = client.get("/collections/colours/wall", params={"limit": 500}).json()["pictures"]
        unseen = next((one["id"] for one in every if one["id"] not in shown), None)
        if unseen:
            assert anybody.get(f"/shared/{link['token']}/thumbnail/{unseen}").status_code == 404
        assert anybody.get(f"/collections/colours/pictures/{shown[0]}/thumbnail").status_code == 401
        assert anybody.get(f"/shared/{'x' * 32}").status_code == 404
        assert httpx.get(f"{keyed.url}/s/{link['token']}").status_code == 200
        assert client.delete(f"/conversations/{talk}/share").status_code == 204
        assert anybody.get(f"/shared/{link['token']}").status_code == 404


def test_a_forgotten_conversation_takes_its_links_along(keyed):
    with keyed.client("write") as client, keyed.client() as anybody:
        talk = start_talk(client)
        say(client, talk, "red")
        token = client.post(f"/conversations/{talk}/share").json()["token"]
        client.delete(f"/conversations/{talk}")
        assert anybody.get(f"/shared/{token}").status_code == 404


def test_a_link_to_what_was_forgotten_elsewhere_leads_nowhere(start):
    with start() as running, running.client() as client:
        opened = running.app.state.services.collections.open("colours")
        memory = Memory(opened.catalogue)
        kept = memory.start("on the command line")
        opened.assistant.reply(kept, "red")
        token = client.post(f"/conversations/{kept.id}/share").json()["token"]
        assert len(client.get(f"/shared/{token}").json()["turns"]) == 1
        memory.delete(kept)
        assert client.get(f"/shared/{token}").status_code == 404


def test_a_damaged_collection_hides_no_conversation_of_the_others(start):
    with start() as running, running.client() as client:
        client.post("/collections", json={"name": "a-damaged-one"})
        talk = Memory(running.app.state.services.collections.open("colours").catalogue).start("from the command line")
        running.app.state.services.collections.open("colours").assistant.reply(talk, "red")
        home = running.settings.home
        (catalogue,) = (home / "collections" / "a-damaged-one").glob("*.sqlite")
    for file in catalogue.parent.glob(f"{catalogue.name}*"):
        file.unlink()
    catalogue.write_bytes(b"no database" * 1000)
    with start(home=home) as running, running.client() as client:
        assert client.get("/collections/a-damaged-one").status_code == 507
        assert len(client.get(f"/conversations/{talk.id}").json()["turns"]) == 1


def long_talk(running, turns: int) -> str:
    """The id of a conversation with so many turns."""
    opened = running.app.state.services.collections.open("colours")
    memory = Memory(opened.catalogue)
    talk = memory.start()
    first = opened.assistant.reply(talk, "red")
    return keep(memory, [replace(first, number=number) for number in range(1, turns + 1)]).id


def test_a_long_conversation_comes_in_parts(start, monkeypatch):
    with start() as running, running.client() as client:
        talk = long_talk(running, 130)
        token = client.post(f"/conversations/{talk}/share").json()["token"]
        shown = client.get(f"/shared/{token}").json()["turns"][0]["results"][0]["id"]
        monkeypatch.setattr(Memory, "load", None)  # nobody reads all of it
        for path in (f"/shared/{token}", f"/conversations/{talk}"):
            found = client.get(path).json()
            assert ([turn["number"] for turn in found["turns"]], found["total"]) == (list(range(111, 131)), 130)
            earlier = client.get(path, params={"before": 111, "limit": 50}).json()["turns"]
            assert [turn["number"] for turn in earlier] == list(range(61, 111))
            assert client.get(path, params={"before": 5}).json()["turns"][-1]["number"] == 4
            assert client.get(path, params={"before": 1}).json()["turns"] == []
            assert client.get(path, params={"limit": 51}).status_code == 422
        assert client.get(f"/shared/{token}/thumbnail/{shown}").status_code == 200
        assert client.get(f"/shared/{token}/thumbnail/{'0' * 32}").status_code == 404
        page = httpx.get(f"{running.url}/c/colours/{talk}")
        assert page.status_code == 200
        assert '"number":111,' in page.text
        assert '"number":110,' not in page.text
        assert len(client.get(f"/conversations/{talk}/export").json()["turns"]) == 130


def test_an_exported_page_holds_so_many_bytes_of_thumbnails_and_no_more(start, monkeypatch):
    with start() as running, running.client() as client:
        talk = long_talk(running, 30)
        whole = Page(client.get(f"/conversations/{talk}/export", params={"format": "html"}).text)
        monkeypatch.setattr(rendering, "_EXPORTED_BYTES", 1)
        page = Page(client.get(f"/conversations/{talk}/export", params={"format": "html"}).text)
    assert len(page.links) * 30 == len(whole.links)  # those of the first turn
    assert page.tags.count("article") == whole.tags.count("article") == 30
