"""Folders indexed in the background, followed live, stopped, gone on with."""

from __future__ import annotations

import json
from contextlib import ExitStack
from threading import Event, Timer

import pytest
from drawing import draw
from serving import eventually, read_events
from tiny_encoder import COLOURS, TinyEncoder

from visavis.collections import collection as collections_module
from visavis.server.database import JobRow
from visavis.server.errors import OverloadedError


@pytest.fixture
def folder(tmp_path):
    for name in COLOURS:
        draw(tmp_path / "pictures" / f"{name}.png", name)
    (tmp_path / "pictures" / "broken.jpg").write_bytes(b"no picture")
    (tmp_path / "pictures" / "sub").mkdir()
    (tmp_path / ".hidden").mkdir()
    return tmp_path / "pictures"


class HeldEncoder(TinyEncoder):
    """Goes on when it is told to."""

    def __init__(self):
        super().__init__()
        self.begun, self.gate = Event(), Event()

    def encode_pictures(self, images):
        if images:
            self.begun.set()
            assert self.gate.wait(60)
        return super().encode_pictures(images)


@pytest.fixture
def held(monkeypatch):
    encoder = HeldEncoder()
    monkeypatch.setattr(collections_module, "_load_encoder", lambda _: encoder)
    yield encoder
    encoder.gate.set()


def follow(client, job):
    with client.stream("GET", f"/jobs/{job}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        return list(read_events(answer.iter_lines()))


def test_a_collection_is_called_by_its_title(start):
    with start() as running, running.client() as client:
        made = client.post("/collections", json={"name": "my-holiday-2023", "title": " My  Holiday 2023 "}).json()
        assert (made["name"], made["title"]) == ("my-holiday-2023", "My Holiday 2023")
        known = {one["name"]: one["title"] for one in client.get("/collections").json()["collections"]}
        assert known == {"colours": "", "my-holiday-2023": "My Holiday 2023"}


def test_a_folder_is_indexed_while_one_watches(start, folder):
    with start() as running, running.client() as client:
        made = client.post("/collections", json={"name": "mine", "folder": str(folder)})
        assert made.status_code == 201
        told = follow(client, made.json()["job"])
        assert [name for name, _ in told][-1] == "done"
        job = told[-1][1]
        assert job["state"] == "done"
        assert job["progress"]["done"] == 13
        assert job["progress"]["failed"] == 1
        assert job["report"]["added"] == 12
        assert client.get("/jobs").json()["jobs"] == [job]
        look = client.get("/collections/mine").json()
        assert (look["pictures"], len(look["cover"])) == (12, 4)
        found = client.post("/collections/mine/search", json={"text": "red", "k": 1}).json()["results"]
        assert len(found) == 1
        again = client.post("/collections/mine/index", json={"folder": str(folder)})
        assert again.status_code == 202
        assert follow(client, again.json()["job"])[-1][1]["report"]["unchanged"] == 12
        assert client.post("/collections", json={"name": "mine"}).status_code == 409
        assert client.delete("/collections/mine").json() == {"deleted": "mine"}
        assert client.get("/collections/mine").status_code == 404
        assert (folder / "red.png").exists()


def test_a_job_can_be_stopped_and_gone_on_with(start, tmp_path, held):
    for number in range(60):
        draw(tmp_path / "many" / f"{number:03}.png", (number * 4, 255 - number * 4, number))
    with start() as running, running.client() as client:
        job = client.post("/collections", json={"name": "many", "folder": str(tmp_path / "many")}).json()["job"]
        assert client.delete("/collections/many").status_code == 409  # not beneath a job
        assert held.begun.wait(60)
        assert client.delete(f"/jobs/{job}").status_code == 200
        held.gate.set()
        assert follow(client, job)[-1][1]["state"] == "cancelled"
        before = client.get("/collections/many").json()["pictures"]
        assert before < 60
        job = client.post("/collections/many/index", json={"folder": str(tmp_path / "many")}).json()["job"]
        assert follow(client, job)[-1][1]["state"] == "done"
        assert client.get("/collections/many").json()["pictures"] == 60


def test_what_cannot_be_indexed_is_told(client):
    assert client.post("/collections/colours/index", json={"folder": "/no/such/folder"}).status_code == 404
    assert client.post("/collections/none/index", json={"folder": "/"}).status_code == 404
    assert client.get(f"/jobs/{'0' * 32}").status_code == 404
    assert client.get(f"/jobs/{'0' * 32}/events").status_code == 404


def test_two_jobs_on_one_collection_do_not_meet(start, folder, held):
    with start() as running, running.client() as client:
        one = client.post("/collections", json={"name": "mine", "folder": str(folder)}).json()["job"]
        assert held.begun.wait(60)
        two = client.post("/collections/mine/index", json={"folder": str(folder)}).json()["job"]
        told = follow(client, two)[-1]
        assert told[0] == "error"
        assert "indexing" in told[1]["error"]["message"]
        held.gate.set()
        assert follow(client, one)[-1][1]["state"] == "done"


def test_folders_to_choose_from(client, folder):
    top = client.get("/folders", params={"path": str(folder.parent)}).json()
    assert top["parent"] == str(folder.parent.parent)
    assert [(one["name"], one["pictures"]) for one in top["folders"]] == [("pictures", 13)]
    inside = client.get("/folders", params={"path": str(folder)}).json()
    assert inside["folders"] == []  # the one in it holds no pictures
    assert (inside["pictures"], inside["counted"], inside["empty"]) == (13, True, 1)
    assert client.get("/folders").status_code == 200
    assert client.get("/folders", params={"path": str(folder / "red.png")}).status_code == 404
    assert client.get("/folders", params={"path": "a\0b"}).status_code == 422


def test_a_folder_without_pictures_is_not_offered(client, tmp_path, monkeypatch):
    for name in ("Pictures/2019/a.jpg", "Pictures/b.png", "Documents/scans/old/c.tif", "node_modules/x/icon.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for name in ("Music", ".cache", "Documents/letters"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    found = client.get("/folders/suggested").json()
    assert [(one["path"], one["pictures"]) for one in found["folders"]] == [
        (str(tmp_path / "Pictures"), 2),
        (str(tmp_path / "Documents/scans/old"), 1),
    ]
    home = client.get("/folders").json()
    assert [(one["name"], one["pictures"]) for one in home["folders"]] == [("Documents", 1), ("Pictures", 2)]
    assert (home["pictures"], home["empty"]) == (3, 1)
    assert {"proc", "etc", "usr"}.isdisjoint(
        one["name"] for one in client.get("/folders", params={"path": "/"}).json()["folders"]
    )


def test_a_sample_shop_is_drawn_and_indexed_once(start, monkeypatch):
    monkeypatch.setattr("visavis.server.routes.collections._SAMPLE_PICTURES", 3)
    with start() as running, running.client() as client:
        made = client.post("/demo").json()
        assert made["name"] == "demo"
        assert follow(client, made["job"])[-1][1]["state"] == "done"
        assert client.get("/collections/demo").json()["pictures"] == 3
        again = client.post("/demo").json()
        assert (again["pictures"], again["job"]) == (3, None)


def test_a_server_that_goes_down_stops_its_jobs_and_keeps_what_is_done(start, folder, held):
    with start() as running, running.client() as client:
        home = running.settings.home
        job = client.post("/collections", json={"name": "mine", "folder": str(folder)}).json()["job"]
        assert held.begun.wait(60)
        Timer(0.5, held.gate.set).start()  # while it goes down
    with start(home=home) as running, running.client() as client:
        assert client.get(f"/jobs/{job}").json()["state"] in ("cancelled", "done")
        job = client.post("/collections/mine/index", json={"folder": str(folder)}).json()["job"]
        follow(client, job)
        assert client.get("/collections/mine").json()["pictures"] == 12


def test_a_home_that_nobody_has_is_told(client):
    for answer in (
        client.get("/folders", params={"path": "~nobody-of-this-name/x"}),
        client.post("/collections/colours/index", json={"folder": "~nobody-of-this-name"}),
        client.post("/collections", json={"name": "never", "folder": "~nobody-of-this-name"}),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_input")
    assert client.post("/collections", json={"name": "never", "folder": "a" * 4000}).status_code == 404
    assert client.get("/collections/never").status_code == 404


def test_nothing_is_made_for_a_folder_that_is_not_there(client):
    assert client.post("/collections", json={"name": "never", "folder": "/no/such/folder"}).status_code == 404
    assert client.get("/collections/never").status_code == 404


def test_a_job_that_gets_no_further_is_not_taken_for_lost(start, folder, held):
    with start() as running, running.client() as client:
        job = client.post("/collections", json={"name": "mine", "folder": str(folder)}).json()["job"]
        assert held.begun.wait(60)

        def last_heard_of():
            with running.app.state.services.database.transaction() as session:
                return session.get_one(JobRow, job).changed_at

        before = last_heard_of()
        assert eventually(lambda: last_heard_of() > before)  # though not one more file is done
        held.gate.set()
        assert follow(client, job)[-1][1]["state"] == "done"


def test_a_job_is_read_once_for_all_who_follow_it_and_nobody_follows_too_much(start, folder, held, log_lines):
    with start("keys", rate=0, streams=20) as running, running.client("admin") as admin, ExitStack() as stack:
        job = admin.post("/collections", json={"name": "mine", "folder": str(folder)}).json()["job"]
        assert held.begun.wait(60)
        path, services = f"/jobs/{job}/events", running.app.state.services
        with running.client("read") as reader:
            followed = []  # a stream whose lines nobody holds any more is closed
            for _ in range(20):
                answer = stack.enter_context(reader.stream("GET", path))
                followed.append(answer.iter_lines())
                assert next(followed[-1]) == "event: progress"
            assert len(services.job_feeds._tasks) == 1
            refused = reader.get(path)
            assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_much")
            with admin.stream("GET", path) as other:
                assert other.status_code == 200
            stack.close()  # all of them leave
        eventually(lambda: not services.streams._open and not services.job_feeds._feeds)
        with running.client("read") as reader:
            held.gate.set()
            assert follow(reader, job)[-1][1]["state"] == "done"
    assert not [line for line in log_lines if json.loads(line)["level"] == "error"]


def test_a_full_queue_does_not_end_a_stream(start, folder, held, log_lines):
    with start() as running, running.client() as client:
        job = client.post("/collections", json={"name": "mine", "folder": str(folder)}).json()["job"]
        assert held.begun.wait(60)
        jobs, refused = running.app.state.services.jobs, Event()
        get = jobs.get

        def overloaded(id):
            refused.set()
            raise OverloadedError("The server has too much to do.", "Try again in a moment.", 2)

        with client.stream("GET", f"/jobs/{job}/events") as answer:
            lines = answer.iter_lines()
            assert next(lines) == "event: progress"
            jobs.get = overloaded
            assert refused.wait(60)
            jobs.get = get
            held.gate.set()
            assert list(read_events(lines))[-1][1]["state"] == "done"
    assert not [line for line in log_lines if json.loads(line)["level"] == "error"]
