"""Users, keys and daily quotas."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from serving import png, say, start_talk

from visavis.server.database import ServerDatabase
from visavis.server.errors import TooMuchError
from visavis.server.services.accounts import DailyQuotas


def test_keys_are_kept_as_hashes(start):
    with start("keys") as running:
        files = sorted(running.settings.home.glob("server.sqlite*"))
        kept = b"".join(path.read_bytes() for path in files)
        assert files[0].stat().st_mode & 0o077 == 0
        assert all(key.encode() not in kept for key in running.keys.values())


def test_quotas_of_uploads_edits_and_conversations(start):
    limits = {"upload_bytes_a_day": 1000, "edits_a_day": 1, "conversations": 2}
    with start("keys", **limits) as running, running.client("write") as client:
        data = png()
        assert client.post("/collections/colours/upload", files={"files": ("a.png", data)}).status_code == 200
        large = png(side=64, noise=True)
        refused = client.post("/collections/colours/upload", files={"files": ("a.png", large)})
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        talk = start_talk(client)
        start_talk(client)
        assert client.post("/conversations", json={"collection": "colours"}).status_code == 429
        picture = say(client, talk, "red")["results"][0]["id"]
        body = {"picture": picture, "commands": ["grayscale"]}
        assert client.post(f"/conversations/{talk}/edit", json=body).status_code == 200
        assert client.post(f"/conversations/{talk}/edit", json=body).status_code == 429
        assert client.post(f"/conversations/{talk}/branch", json={"turn": 1}).status_code == 429


def test_turns_count_and_those_of_a_branch_too(start):
    """A reader could copy a long conversation two thousand times, a hundred times a second."""
    with start("keys", turns_a_day=4, heavy_rate=0) as running, running.client("read") as client:
        talk = start_talk(client)
        say(client, talk, "red")
        say(client, talk, "darker")
        assert client.post(f"/conversations/{talk}/branch", json={"turn": 7}).status_code == 422
        assert client.post(f"/conversations/{talk}/branch", json={"turn": 2}).status_code == 201
        refused = client.post(f"/conversations/{talk}/branch", json={"turn": 2})
        assert (refused.status_code, int(refused.headers["retry-after"]) > 0) == (429, True)
        answer = client.post(f"/conversations/{talk}/messages", json={"text": "blue"})
        assert (answer.status_code, "turns" in answer.text) == (429, True)
    with start(turns_a_day=1) as running, running.client() as client:
        talk = start_talk(client)
        say(client, talk, "red")
        say(client, talk, "on one's own machine nothing is counted")


def test_a_quota_holds_however_many_ask_at_once(tmp_path):
    records = ServerDatabase(tmp_path)
    usage = DailyQuotas(records)
    for number in range(10):
        begin = Barrier(6)

        def take(user=f"user{number}", begin=begin):
            begin.wait()
            try:
                usage.take(user, "upload_bytes", 60, 100)
            except TooMuchError:
                return 0
            return 60

        with ThreadPoolExecutor(6) as pool:
            assert sum(one.result() for one in [pool.submit(take) for _ in range(6)]) == 60
        assert usage.used(f"user{number}", "upload_bytes") == 60
    records.close()
