"""Who is let in, how often, and what is never told."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier, Event
from urllib.parse import urlsplit

import httpx
import pytest
from serving import eventually, png, say, start_talk

from visavis.apps.server.records.database import Records
from visavis.apps.server.records.usage import Usage
from visavis.apps.server.records.users import Users
from visavis.apps.server.running import check, free_address
from visavis.apps.server.security.buckets import Buckets
from visavis.apps.server.security.errors import TooMuchError
from visavis.apps.server.security.sessions import COOKIE
from visavis.apps.server.settings import ServerSettings
from visavis.errors import BadInputError, BusyError

# -- without a login -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "10.0.0.1", "[fe80::1]"]
)
def test_a_foreign_name_that_leads_here_is_refused(client, host):
    answer = client.get("/me", headers={"Host": host})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "not_allowed"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8765", "127.0.0.1", "[::1]:80"])
def test_names_of_this_machine_are_let_in(client, host):
    assert client.get("/me", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_a_proxy_before_a_server_without_a_login_is_refused(client, name):
    assert client.get("/me", headers={name: "10.0.0.1"}).status_code == 403


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_pages_of_other_sites_change_nothing(client, talk, headers):
    assert client.post(f"/conversations/{talk}/undo", headers=headers).status_code == 403
    assert client.delete(f"/conversations/{talk}", headers=headers).status_code == 403
    assert client.get(f"/conversations/{talk}").status_code == 200


def test_our_own_page_may(local, client, talk):
    headers = {"Origin": local.url, "Sec-Fetch-Site": "same-origin", "X-Visavis": "1"}
    assert client.patch(f"/conversations/{talk}", json={"name": "mine"}, headers=headers).status_code == 200


def test_no_other_site_is_let_in_by_cors(client):
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = client.options("/conversations", headers=headers)
    assert answer.status_code == 405
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_every_answer_keeps_browsers_careful(local, client):
    for answer in (
        client.get("/me"),
        client.get("/nothing"),
        httpx.get(f"{local.url}/"),
        client.get("/me", headers={"Host": "x"}),
    ):
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert len(answer.headers["x-request-id"]) >= 6
        assert "server" not in answer.headers


def test_a_request_id_is_kept_when_it_is_one(client):
    assert client.get("/me", headers={"X-Request-Id": "abc-123_xyz"}).headers["x-request-id"] == "abc-123_xyz"
    assert client.get("/me", headers={"X-Request-Id": "a b\tc"}).headers["x-request-id"] != "a b\tc"


# -- keys and sessions ---------------------------------------------------------------------------------


def test_a_session_needs_its_header_to_change_anything(keyed):
    with keyed.client() as client:
        assert client.post("/session", json={"key": "vv_wrong"}).status_code == 401
        answer = client.post("/session", json={"key": keyed.keys["write"]})
        assert answer.json() == {"user": "write", "role": "write", "mode": "keys", "version": answer.json()["version"]}
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert client.get("/me").json()["user"] == "write"
        body = {"collection": "colours"}
        assert client.post("/conversations", json=body).status_code == 403
        assert client.post("/conversations", json=body, headers={"X-Visavis": "1"}).status_code == 201
        assert client.delete("/session").status_code == 204
        assert client.get("/me").status_code == 401


def test_a_forged_session_is_none(keyed):
    with keyed.client() as client:
        client.post("/session", json={"key": keyed.keys["read"]})
        cookie = client.cookies[COOKIE]
        for forged in (cookie[:-2] + "xx", "WyJhZG1pbiIsIngiXQ.aaaa.bbbb", "", "x" * 5000):
            with keyed.client(cookies={COOKIE: forged}) as other:
                assert other.get("/me").status_code == 401


def test_a_revoked_key_ends_its_sessions_at_once(start):
    with start("keys") as running, running.client("write") as client, running.client() as page:
        page.post("/session", json={"key": running.keys["write"]})
        assert client.get("/me").status_code == page.get("/me").status_code == 200
        records = Records(running.settings.home)
        Users(records).revoke("write")
        assert client.get("/me").status_code == page.get("/me").status_code == 401
        key = Users(records).add("write", "read")
        records.close()
        assert page.get("/me").status_code == 401
        assert (
            httpx.get(f"{running.url}/api/v1/me", headers={"Authorization": f"Bearer {key}"}).json()["role"] == "read"
        )


def test_a_key_in_the_address_is_no_key(keyed):
    with keyed.client() as client:
        key = keyed.keys["admin"]
        for name in ("key", "api_key", "token", "access_token"):
            assert client.get("/me", params={name: key}).status_code == 401
        assert client.get("/me", headers={"Authorization": f"Basic {key}"}).status_code == 401
        assert client.get("/me").headers["www-authenticate"].startswith("Bearer")


def test_wrong_keys_cannot_be_tried_for_ever(start):
    with start("keys", stranger_rate=0.01, stranger_burst=5) as running, running.client() as client:
        statuses = [client.post("/session", json={"key": f"vv_{n}"}).status_code for n in range(8)]
        assert statuses == [401] * 5 + [429] * 3
        headers = {"Authorization": "Bearer vv_x"}
        assert client.get("/me", headers=headers).status_code == 429


def test_logs_hold_no_key_and_no_words(start, log_lines):
    with start("keys") as running, running.client("write") as client, running.client() as page:
        page.post("/session", json={"key": running.keys["write"]})
        cookie = page.cookies[COOKIE]
        page.get("/me", headers={"Authorization": "Bearer vv_not_a_key"})
        talk = start_talk(client)
        say(client, talk, "a secret wish")
        token = client.post(f"/conversations/{talk}/share").json()["token"]
        page.get(f"/shared/{token}")
        httpx.get(f"{running.url}/s/{token}")
        client.get("/collections/colours/facets", params={"fields": "secretfield"})
    text = "\n".join(log_lines)
    assert len(log_lines) >= 8
    for secret in (*running.keys.values(), cookie, token, "vv_not_a_key", "secret wish", "secretfield"):
        assert secret not in text
    lines = [json.loads(line) for line in log_lines]
    said = next(line for line in lines if line.get("route", "").endswith("/messages"))
    assert (said["user"], said["status"], said["method"]) == ("write", 200, "POST")
    assert said["request_id"]


def test_keys_are_kept_as_hashes(start):
    with start("keys") as running:
        files = sorted(running.settings.home.glob("server.sqlite*"))
        kept = b"".join(path.read_bytes() for path in files)
        assert files[0].stat().st_mode & 0o077 == 0
        assert all(key.encode() not in kept for key in running.keys.values())


# -- limits --------------------------------------------------------------------------------------------


def test_a_bucket_fills_up_again():
    now = [0.0]
    buckets = Buckets(2.0, 3, lambda: now[0])
    for _ in range(3):
        buckets.take("anna")
    with pytest.raises(TooMuchError) as refused:
        buckets.take("anna")
    assert refused.value.retry_after == pytest.approx(0.5)
    buckets.take("bert")
    now[0] = 0.5
    buckets.take("anna")
    with pytest.raises(TooMuchError):
        buckets.take("anna")
    now[0] = 1000.0
    for _ in range(3):
        buckets.take("anna")
    with pytest.raises(TooMuchError):
        buckets.take("anna")


def test_each_user_has_limits_of_their_own(start):
    body, path = {"text": "red"}, "/collections/colours/search"
    with (
        start("keys", heavy_rate=0.01, heavy_burst=2) as running,
        running.client("read") as one,
        running.client("write") as other,
    ):
        assert [one.post(path, json=body).status_code for _ in range(4)] == [200, 200, 429, 429]
        refused = one.post(path, json=body)
        assert int(refused.headers["retry-after"]) > 1
        assert refused.json()["error"]["code"] == "too_much"
        assert other.post(path, json=body).status_code == 200
        assert one.get("/collections").status_code == 200  # what is light has a limit of its own


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


def test_too_much_waiting_work_is_refused_and_the_rest_is_done(start, monkeypatch):
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from visavis.collections.searching.searcher import Searcher

    search, gate = Searcher.search, Event()
    monkeypatch.setattr(Searcher, "search", lambda self, wanted: (gate.wait(60), search(self, wanted))[1])
    with start(threads=1, waiting=2) as running, running.client() as client, ThreadPoolExecutor(10) as pool:
        asked = [pool.submit(client.post, "/collections/colours/search", json={"text": "red"}) for _ in range(10)]
        answers = (one.result() for one in as_completed(asked))
        refused = [next(answers) for _ in range(7)]  # at once, while one is being done and two wait
        assert [answer.status_code for answer in refused] == [503] * 7
        assert int(refused[0].headers["retry-after"]) >= 1
        assert client.get("/collections/colours/wall").status_code == 200  # what only reads goes on
        gate.set()
        assert [answer.status_code for answer in answers] == [200] * 3


def test_what_takes_too_long_is_told_so_and_finished(start, monkeypatch):
    from visavis.assistant import Assistant

    reply, gate = Assistant.reply, Event()
    monkeypatch.setattr(Assistant, "reply", lambda self, *said, **more: (gate.wait(60), reply(self, *said, **more))[1])
    with start() as running, running.client() as client:
        talk = start_talk(client)
        running.app.state.services.work._seconds = 0.05  # for the message alone: the rest may be slow here
        slow = client.post(f"/conversations/{talk}/messages", json={"text": "red"})
        assert (slow.status_code, slow.json()["error"]["code"]) == (504, "too_slow")
        gate.set()
        assert len(eventually(lambda: client.get(f"/conversations/{talk}").json()["turns"])) == 1


def test_bodies_are_bounded_however_they_come(client, talk):
    path = f"/conversations/{talk}/messages"
    assert client.post(path, content=b"x" * 1_000_001).status_code == 413

    def chunks():
        for _ in range(30):
            yield b" " * 50_000

    answer = client.post(path, content=chunks(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert client.post(path, content=b"{not json", headers={"Content-Type": "application/json"}).status_code == 422


# -- starting ------------------------------------------------------------------------------------------


def test_beyond_this_machine_somebody_must_have_a_key(tmp_path):
    settings = ServerSettings.of(tmp_path)
    check(settings, "127.0.0.1")
    check(settings, "::1")
    with pytest.raises(BadInputError, match=r"127\.0\.0\.1 only"):
        check(settings, "0.0.0.0")
    keyed = replace(settings, mode="keys")
    with pytest.raises(BadInputError, match="Nobody could log in"):
        check(keyed, "0.0.0.0")
    records = Records(tmp_path)
    Users(records).add("anna", "read")
    check(keyed, "0.0.0.0")
    Users(records).revoke("anna")
    records.close()
    with pytest.raises(BadInputError, match="Nobody could log in"):
        check(keyed, "0.0.0.0")


def test_several_workers_need_servers_below(own_home):
    with pytest.raises(BadInputError, match="Qdrant"):
        check(replace(ServerSettings.of(own_home), workers=2), "127.0.0.1")
    spread = {"database": "postgresql://x/y", "store": "qdrant://x:1", "catalogue": "postgresql://x/y"}
    with pytest.raises(BadInputError, match="'colours'"):
        check(replace(ServerSettings.of(own_home, **spread), workers=2), "127.0.0.1")


def test_a_port_that_is_taken_is_named_or_passed_over():
    address, bound = free_address("127.0.0.1", 0)
    with bound:
        with pytest.raises(BusyError, match=str(address.port)):
            free_address("127.0.0.1", address.port)
        other, second = free_address("127.0.0.1", None)
        second.close()
        assert other.port != address.port
    with pytest.raises(BadInputError, match=r"192\.0\.2\.1"):
        free_address("192.0.2.1", 0)


def test_settings_reach_worker_processes(tmp_path, monkeypatch):
    settings = replace(ServerSettings.of(tmp_path, mode="keys"), workers=3, proxies=("10.0.0.0/8",))
    monkeypatch.setenv("VISAVIS_SERVER_SETTINGS", "")
    settings.export()
    assert ServerSettings.imported() == settings


# -- strangers with much to send -----------------------------------------------------------------------


@pytest.mark.parametrize("user", [None, "read"])
@pytest.mark.parametrize("path", ["collections/colours/upload", f"conversations/{'0' * 32}/picture"])
def test_whoever_may_send_no_files_is_told_before_they_are_read(keyed, user, path):
    url = urlsplit(keyed.url)
    key = f"Authorization: Bearer {keyed.keys[user]}\r\n" if user else ""
    with socket.create_connection((url.hostname, url.port), timeout=20) as line:
        line.sendall(
            f"POST /api/v1/{path} HTTP/1.1\r\nHost: {url.netloc}\r\n{key}Content-Length: 400000000\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\n\r\n".encode()
        )
        assert line.recv(100).startswith(b"HTTP/1.1 403" if user else b"HTTP/1.1 401")  # with nothing of it sent


def test_a_quota_holds_however_many_ask_at_once(tmp_path):
    records = Records(tmp_path)
    usage = Usage(records)
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


# -- behind a proxy ------------------------------------------------------------------------------------


def wrong_key(client, address):
    headers = {"Authorization": "Bearer vv_wrong", "X-Forwarded-For": address}
    return client.get("/me", headers=headers).status_code


@pytest.mark.parametrize(("proxies", "others"), [(("127.0.0.1",), 401), (("192.0.2.7",), 429), ((), 429)])
def test_a_proxy_that_was_named_is_believed_where_requests_come_from(start, proxies, others):
    with start("keys", proxies=proxies, stranger_rate=0.001, stranger_burst=2) as running, running.client() as client:
        assert [wrong_key(client, "203.0.113.1") for _ in range(3)] == [401, 401, 429]
        assert wrong_key(client, "203.0.113.2") == others  # somebody else


def test_a_proxy_needs_an_address_and_a_login(tmp_path):
    settings = ServerSettings.of(tmp_path, proxies=("127.0.0.1",))
    with pytest.raises(BadInputError, match="without a login"):
        check(settings, "127.0.0.1")
    for wrong in ("*", "proxy.example", ""):
        with pytest.raises(BadInputError, match="no address of a proxy"):
            check(replace(settings, mode="keys", proxies=(wrong,)), "127.0.0.1")
