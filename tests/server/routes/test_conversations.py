"""A conversation over HTTP, from its first word to its end."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest
from serving import eventually, ids, read_events, say, start_talk

from visavis.conversation.memory import Memory
from visavis.errors import StorageError
from visavis.types import Question


def events(client, path, body):
    with client.stream("POST", path, json=body, headers={"Accept": "text/event-stream"}) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        return list(read_events(answer.iter_lines()))


def test_the_whole_story(client, talk):
    first = say(client, talk, "something red")
    assert first["number"] == 1
    assert first["results"][0]["caption"].startswith("all red")
    assert first["results"][0]["because"][0]["wish"] == "1.1"
    assert first["results"][0]["width"] > 0
    client.post(f"/conversations/{talk}/commands", json={"commands": ["avoid blue"]}).raise_for_status()
    back = say(client, talk, "go back to turn 1")
    assert ids(back) == ids(first)
    assert back["restores"] == 1
    rolled = client.post(f"/conversations/{talk}/rollback", json={"turn": 2}).json()
    assert [wish["label"] for wish in rolled["brief"]["wishes"]] == ["red", "no blue"]
    undone = client.post(f"/conversations/{talk}/undo").json()
    assert undone["can_redo"]
    redone = client.post(f"/conversations/{talk}/redo", json={"steps": 1}).json()
    assert ids(redone) == ids(rolled)
    whole = client.get(f"/conversations/{talk}").json()
    assert [turn["number"] for turn in whole["turns"]] == [1, 2, 3, 4, 5, 6]
    assert whole["turns"][0] == first


def test_a_stream_tells_results_then_reasons_then_the_question(client, talk):
    told = events(client, f"/conversations/{talk}/messages", {"text": "green"})
    assert [name for name, _ in told] == ["turn", "results", "reasons", "question", "done"]
    data = dict(told)
    assert data["turn"]["commands"] == ["search green"]
    assert all(not result["because"] for result in data["results"]["results"])
    turn = data["done"]["turn"]
    assert data["reasons"]["because"] == {result["id"]: result["because"] for result in turn["results"]}
    assert client.get(f"/conversations/{talk}").json()["turns"] == [turn]


class HeldQuestioner:
    """Looks for a question when it is told to."""

    depth = 60

    counts = False

    def __init__(self, fails=False):
        self.gate, self.fails = Event(), fails

    def ask(self, moment):
        assert self.gate.wait(60)
        if self.fails:
            raise StorageError("There is no room left.", "Make some.")
        return Question("Is it round?", (("yes", ""), ("no", "")))


@pytest.fixture
def held(start, monkeypatch, request):
    """A client of a server whose questions wait, and what they wait for."""
    questioner = HeldQuestioner(getattr(request, "param", False))
    monkeypatch.setattr("visavis.server.services.collections.default_questioner", lambda _: questioner)
    with start() as running, running.client() as client:
        yield client, questioner
        questioner.gate.set()


@contextmanager
def events_of(client, talk):
    """The events of the response to a message."""
    path, headers = f"/conversations/{talk}/messages", {"Accept": "text/event-stream"}
    with client.stream("POST", path, json={"text": "something green"}, headers=headers) as answer:
        yield read_events(answer.iter_lines())


def test_results_and_reasons_are_told_before_the_question_is_known(held):
    client, questioner = held
    talk = start_talk(client)
    with events_of(client, talk) as told:
        early = dict(next(told) for _ in range(3))
        assert list(early) == ["turn", "results", "reasons"]
        # The question is still being looked for, but what is shown is saved already.
        assert not questioner.gate.is_set()
        (saved,) = client.get(f"/conversations/{talk}").json()["turns"]
        assert [one["id"] for one in saved["results"]] == [one["id"] for one in early["results"]["results"]]
        assert saved["question"] is None
        questioner.gate.set()
        late = dict(told)
    assert list(late) == ["question", "done"]
    turn = late["done"]["turn"]
    assert turn["question"]["text"] == late["question"]["question"]["text"] == "Is it round?"
    assert [one["id"] for one in early["results"]["results"]] == ids(turn)
    assert early["reasons"]["because"] == {one["id"]: one["because"] for one in turn["results"]}
    assert (early["turn"]["number"], early["turn"]["message"]) == (1, "something green")
    assert client.get(f"/conversations/{talk}").json()["turns"] == [turn]


def test_a_settled_conversation_is_told_after_what_is_being_answered(held):
    client, questioner = held
    talk = start_talk(client)
    with events_of(client, talk) as told:
        assert [next(told)[0] for _ in range(3)] == ["turn", "results", "reasons"]
    with ThreadPoolExecutor() as pool:
        settled = pool.submit(client.get, f"/conversations/{talk}", params={"settled": True})
        (unfinished,) = client.get(f"/conversations/{talk}").json()["turns"]
        assert unfinished["question"] is None
        assert not settled.done()
        questioner.gate.set()
        (turn,) = settled.result(60).json()["turns"]
    assert turn["question"]["text"] == "Is it round?"
    assert client.get(f"/conversations/{'0' * 32}", params={"settled": True}).status_code == 404


@pytest.mark.parametrize("held", [True], indirect=True)
def test_a_turn_without_a_question_is_written_once(held, monkeypatch):
    client, questioner = held
    questioner.gate.set()
    monkeypatch.setattr(Memory, "_write_again", None)
    talk = start_talk(client)
    for number in (1, 2):
        told = events(client, f"/conversations/{talk}/messages", {"text": "something green"})
        assert told[-1][1]["turn"]["number"] == number
    assert [turn["number"] for turn in client.get(f"/conversations/{talk}").json()["turns"]] == [1, 2]


@pytest.mark.parametrize("held", [True], indirect=True)
def test_a_question_that_fails_takes_nothing_away(held):
    client, questioner = held
    questioner.gate.set()
    talk = start_talk(client)
    told = events(client, f"/conversations/{talk}/messages", {"text": "something green"})
    assert [name for name, _ in told] == ["turn", "results", "reasons", "question", "done"]
    turn = told[-1][1]["turn"]
    assert turn["question"] is None
    assert client.get(f"/conversations/{talk}").json()["turns"] == [turn]
    assert say(client, talk, "in blue")["number"] == 2


def test_a_first_message_begins_its_conversation(client):
    answer = client.post("/collections/colours/messages", json={"text": "something red"})
    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"] == f"/api/v1/conversations/{made['id']}"
    assert made["turns"][0]["results"][0]["caption"].startswith("all red")
    assert client.get(f"/conversations/{made['id']}").json() == made
    assert say(client, made["id"], "no blue")["number"] == 2


def test_a_first_message_is_streamed_like_the_others(client):
    headers = {"Accept": "text/event-stream"}
    path = "/collections/colours/messages"
    with client.stream("POST", path, json={"text": "something green"}, headers=headers) as answer:
        id = answer.headers["location"].rsplit("/", 1)[1]
        told = dict(read_events(answer.iter_lines()))
    assert list(told) == ["turn", "results", "reasons", "question", "done"]
    assert client.get(f"/conversations/{id}").json()["turns"] == [told["done"]["turn"]]


@pytest.mark.parametrize("headers", [{}, {"Accept": "text/event-stream"}])
def test_a_first_message_that_is_refused_leaves_no_conversation(client, headers):
    before = client.get("/conversations").json()
    body = {"text": "red", "after": 7}
    assert client.post("/collections/colours/messages", json=body, headers=headers).status_code == 409
    assert client.post("/collections/nowhere/messages", json={"text": "red"}, headers=headers).status_code == 404
    assert client.post("/collections/colours/messages", json={"text": ""}, headers=headers).status_code == 422
    assert client.get("/conversations").json() == before


def test_what_is_refused_is_refused_with_a_status_not_in_a_stream(client, talk):
    headers = {"Accept": "text/event-stream"}
    say(client, talk, "blue")
    stale = client.post(f"/conversations/{talk}/messages", json={"text": "red", "after": 0}, headers=headers)
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale")
    gone = client.post(f"/conversations/{'0' * 32}/messages", json={"text": "red"}, headers=headers)
    assert gone.status_code == 404
    told = events(client, f"/conversations/{talk}/rollback", {"turn": 99})
    assert told[0][0] == "error"
    assert told[0][1]["error"]["code"] == "bad_input"


def test_a_client_that_goes_away_in_the_middle_loses_nothing(local, client, talk):
    """The request is sent and the line is cut at once: the turn is there all the same."""
    host, port = local.url.removeprefix("http://").split(":")
    body = json.dumps({"text": "something yellow"}).encode()
    path = f"/api/v1/conversations/{talk}/messages"
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as line:
        line.sendall(head.encode() + body)
        line.recv(10)
    turns = eventually(lambda: client.get(f"/conversations/{talk}").json()["turns"])
    assert turns[0]["message"] == "something yellow"
    assert turns[0]["results"]


def test_messages_of_one_conversation_are_done_one_after_the_other(local, client, talk):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(6) as pool:
        turns = list(pool.map(lambda word: say(client, talk, word), ["red", "blue", "green", "pink", "cyan", "grey"]))
    assert sorted(turn["number"] for turn in turns) == [1, 2, 3, 4, 5, 6]


def test_a_restart_in_the_middle_loses_nothing(start):
    with start() as running, running.client() as client:
        home = running.settings.home
        empty = client.post("/conversations", json={"collection": "colours", "name": "not begun"}).json()["id"]
        talk = client.post("/conversations", json={"collection": "colours"}).json()["id"]
        first = say(client, talk, "red")
    with start(home=home) as running, running.client() as client:
        assert client.get(f"/conversations/{talk}").json()["turns"] == [first]
        assert client.get(f"/conversations/{empty}").json()["name"] == "not begun"
        assert say(client, empty, "blue")["number"] == 1
        assert say(client, talk, "no pink")["number"] == 2


def test_wishes_are_looked_at_before_they_are_changed(client, talk):
    say(client, talk, "red")
    turn = say(client, talk, "no blue")
    preview = client.post(f"/conversations/{talk}/brief/preview", json={"changes": ["off 2.1"]}).json()
    assert [wish["active"] for wish in preview["brief"]["wishes"]] == [True, False]
    assert len(client.get(f"/conversations/{talk}").json()["turns"]) == 2
    changed = client.post(f"/conversations/{talk}/brief", json={"changes": ["off 2.1"]}).json()
    assert ids(changed) == [result["id"] for result in preview["results"]]
    again = client.post(f"/conversations/{talk}/brief", json={"changes": ["on 2.1"]}).json()
    assert ids(again) == ids(turn)
    wrong = client.post(f"/conversations/{talk}/brief", json={"changes": ["explode 1.1"]})
    assert wrong.status_code == 422
    assert client.post(f"/conversations/{talk}/brief", json={"changes": ["off 9.9"]}).status_code == 404


def test_scrolling_on_shows_every_picture_once_and_saves_nothing(client, talk):
    turn = say(client, talk, "red")
    pages = [
        client.post(f"/conversations/{talk}/more", params={"turn": 1, "offset": at, "limit": 7}).json()["results"]
        for at in range(0, 28, 7)
    ]
    seen = [result["id"] for page in pages for result in page]
    assert seen[: len(turn["results"])] == ids(turn)
    assert len(seen) == len(set(seen)) == 24
    assert client.post(f"/conversations/{talk}/more", params={"turn": 1, "offset": 10_001}).status_code == 422
    assert client.post(f"/conversations/{talk}/more", params={"turn": 2}).status_code == 422
    assert len(client.get(f"/conversations/{talk}").json()["turns"]) == 1


@pytest.mark.parametrize("kind", ["more_like", "less_like", "start_from", "hold"])
def test_a_click_points_at_any_picture(client, talk, kind):
    say(client, talk, "red")
    wall = client.get("/collections/colours/wall", params={"limit": 24}).json()["pictures"]
    blue = next(one["id"] for one in wall if one["caption"] == "all blue")
    turn = client.post(f"/conversations/{talk}/commands", json={"point": {kind: blue}}).json()
    wishes = [(wish["kind"], wish["picture"]) for wish in turn["brief"]["wishes"] if wish["active"]]
    expected = {
        "more_like": [("want", None), ("like", blue)],
        "less_like": [("want", None), ("unlike", blue)],
        "start_from": [("like", blue)],
        "hold": [("want", None)],
    }
    assert wishes == expected[kind]
    assert (turn["hand"] is not None) == (kind == "hold")
    assert "id:" not in turn["reply"]
    assert "forgotten" not in turn["reply"]
    unknown = client.post(f"/conversations/{talk}/commands", json={"point": {kind: "0" * 32}})
    assert unknown.status_code == 404


def test_commands_are_checked_before_anything_is_done(client, talk):
    say(client, talk, "red")
    path = f"/conversations/{talk}/commands"
    assert client.post(path, json={"commands": ["like #2"]}).json()["number"] == 2
    assert client.post(path, json={"commands": ["dance"]}).status_code == 422
    assert client.post(path, json={}).status_code == 422
    saved = client.post(path, json={"commands": ["export a.png"]})
    assert saved.status_code == 422
    assert len(client.get(f"/conversations/{talk}").json()["turns"]) == 2


def test_a_branch_goes_its_own_way(client, talk):
    say(client, talk, "red")
    say(client, talk, "no blue")
    branch = client.post(f"/conversations/{talk}/branch", json={"turn": 1, "name": "other"}).json()
    assert (branch["name"], branch["branch_of"], branch["branch_at"], len(branch["turns"])) == ("other", talk, 1, 1)
    say(client, branch["id"], "no green")
    assert len(client.get(f"/conversations/{talk}").json()["turns"]) == 2
    assert client.post(f"/conversations/{talk}/branch", json={"turn": 7}).status_code == 422


def test_the_list_tells_names_titles_and_pictures(client, talk):
    turn = say(client, talk, "purple")
    renamed = client.patch(f"/conversations/{talk}", json={"name": "  the  purple one "}).json()
    assert renamed["name"] == "the purple one"
    assert client.patch(f"/conversations/{talk}", json={"name": "\u0007"}).status_code == 422
    found = client.get("/conversations", params={"collection": "colours"}).json()["conversations"]
    mine = next(one for one in found if one["id"] == talk)
    assert (mine["name"], mine["title"], mine["turns"]) == ("the purple one", "purple", 1)
    assert mine["thumbs"] == ids(turn)[:3]
    assert [one["changed_at"] for one in found] == sorted((one["changed_at"] for one in found), reverse=True)


def test_conversations_of_the_command_line_are_there_too(start):
    from visavis.api import open_collection
    from visavis.assistant import Assistant

    with start() as running, running.client() as client:
        with open_collection("colours", running.settings.home) as collection:
            assistant = Assistant(collection)
            made = assistant.start("by hand")
            assistant.reply(made, "red")
        found = client.get("/conversations").json()["conversations"]
        assert [(one["name"], one["turns"]) for one in found] == [("by hand", 1)]
        assert say(client, made.id, "no blue")["number"] == 2
        assert client.patch(f"/conversations/{made.id}", json={"name": "by mouse"}).json()["name"] == "by mouse"


def test_forgetting_takes_the_edits_along_when_asked(client, talk):
    turn = say(client, talk, "red")
    edited = client.post(
        f"/conversations/{talk}/edit", json={"picture": ids(turn)[0], "commands": ["adjust_attr brightness 40"]}
    ).json()
    picture = edited["hand"]["picture"]
    assert client.get(f"/collections/colours/pictures/{picture}").json()["source_id"] == ids(turn)[0]
    gone = client.delete(f"/conversations/{talk}", params={"edits": "remove"}).json()
    assert gone["pictures"] == [picture]
    assert client.get(f"/conversations/{talk}").status_code == 404
    assert client.get(f"/collections/colours/pictures/{picture}").status_code == 404


def test_edits_are_undone_and_redone(client, talk):
    turn = say(client, talk, "red")
    path = f"/conversations/{talk}/edit"
    one = client.post(path, json={"picture": ids(turn)[0], "commands": ["rotate 90"]}).json()
    two = client.post(path, json={"picture": one["hand"]["picture"], "commands": ["grayscale"]}).json()
    assert two["hand"]["edits"] == ["rotate 90", "grayscale"]
    assert two["hand"]["source"] == ids(turn)[0]
    assert client.post(f"/conversations/{talk}/undo").json()["hand"] == one["hand"]
    assert client.post(f"/conversations/{talk}/redo").json()["hand"] == two["hand"]
    assert client.post(path, json={"picture": ids(turn)[0], "commands": ["search red"]}).status_code == 422
    assert client.post(path, json={"picture": ids(turn)[0], "commands": ["rotate much"]}).status_code == 422
    nothing = client.post(f"/conversations/{talk}/undo", json={"steps": 900})
    assert nothing.status_code == 422


@pytest.mark.parametrize("said", [(), ("red",)])
def test_edits_of_several_pictures_are_undone_as_one(client, talk, said):
    for text in said:
        say(client, talk, text)
    pictures = [one["id"] for one in client.get("/collections/colours/wall", params={"limit": 3}).json()["pictures"]]
    path = f"/conversations/{talk}"
    made = [client.post(f"{path}/edit", json={"picture": one, "commands": ["grayscale"]}).json() for one in pictures]
    undone = client.post(f"{path}/undo", json={"steps": 3}).json()
    assert undone["hand"] is None
    assert (undone["can_undo"], undone["can_redo"]) == (bool(said), True)
    assert [wish["label"] for wish in undone["brief"]["wishes"]] == list(said)
    assert client.post(f"{path}/redo", json={"steps": 3}).json()["hand"] == made[-1]["hand"]


def test_a_message_may_bring_its_picture(client, talk):
    turn = say(client, talk, "red")
    third = ids(turn)[2]
    edited = say(client, talk, "rotate it 90 degrees clockwise", picture=third)
    assert edited["hand"]["source"] == third
    assert edited["number"] == 3
