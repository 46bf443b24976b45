"""Checks and headers of every request and response."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx
import pytest
from serving import eventually, png, say, start_talk

from visavis.server.middleware import SecurityMiddleware
from visavis.server.security import COOKIE


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


def test_no_other_site_is_let_in_by_cors(client):
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = client.options("/conversations", headers=headers)
    assert answer.status_code == 403
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


def test_bodies_are_bounded_however_they_come(client, talk):
    path = f"/conversations/{talk}/messages"
    assert client.post(path, content=b"x" * 1_000_001).status_code == 413

    def chunks():
        for _ in range(30):
            yield b" " * 50_000

    answer = client.post(path, content=chunks(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert client.post(path, content=b"{not json", headers={"Content-Type": "application/json"}).status_code == 422


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


def test_one_user_has_few_uploads_on_their_way(start):
    """Each was stored whole before any limit but that of requests: a writer could fill the disk for temporary files."""
    head = "POST /api/v1/collections/colours/upload HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n"
    head += "Content-Length: 400000000\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n"
    with start("keys", uploads=2) as running, ExitStack() as stack:
        url = urlsplit(running.url)

        def begin(user):
            line = stack.enter_context(socket.create_connection((url.hostname, url.port), timeout=20))
            line.sendall(head.format(url.netloc, running.keys[user]).encode())
            return line

        lines = [begin("write") for _ in range(2)]
        begin("other")  # has its own
        eventually(lambda: uploads_of(running) == {"write": 2, "other": 1})
        assert begin("write").recv(100).startswith(b"HTTP/1.1 429")
        lines[0].close()
        eventually(lambda: uploads_of(running)["write"] == 1)
        with running.client("write") as client:
            sent = client.post("/collections/colours/upload", files=[("files", ("a.png", png()))])
            assert sent.status_code == 200


def uploads_of(running):
    """How many uploads of each user go on."""
    layer = running.app.middleware_stack
    while not isinstance(layer, SecurityMiddleware):
        layer = getattr(layer, "app", None) or layer._app
    return dict(layer._uploads._open)


def test_nobody_needs_a_large_body_to_log_in(keyed):
    """Whoever had no key could make the server hold 400 bodies of a megabyte."""
    with keyed.client() as nobody:
        assert nobody.post("/session", json={"key": "x" * 9000}).status_code in (401, 422)
        assert nobody.post("/session", json={"key": "x" * 10_000}).status_code == 413


def ask_for_body(running, path: str, *headers: str) -> bytes:
    """The status line for a request whose body never comes."""
    url = urlsplit(running.url)
    with socket.create_connection((url.hostname, url.port), timeout=20) as line:
        lines = [f"POST /api/v1{path} HTTP/1.1", f"Host: {url.netloc}", "Content-Length: 400000", *headers, "", ""]
        line.sendall("\r\n".join(lines).encode())
        return line.recv(100).partition(b"\r\n")[0]


@pytest.mark.parametrize("foreign", ["Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"])
def test_the_page_of_another_site_is_told_before_its_body_is_read(local, keyed, foreign):
    files = "Content-Type: multipart/form-data; boundary=x"
    for path in ("/collections/colours/upload", "/conversations", "/session"):
        assert ask_for_body(local, path, foreign, files).startswith(b"HTTP/1.1 403")
        key = f"Authorization: Bearer {keyed.keys['admin']}"
        assert ask_for_body(keyed, path, foreign, files, key).startswith(b"HTTP/1.1 403")


def test_whoever_has_no_key_is_told_before_a_body_is_read(keyed):
    for path in ("/conversations", "/collections", f"/conversations/{'0' * 32}/messages", "/nothing"):
        assert ask_for_body(keyed, path, "Content-Type: application/json").startswith(b"HTTP/1.1 401")


@pytest.mark.parametrize("user", [None, "read", "wrong"])
def test_made_up_methods_are_limited_and_cost_no_memory(start, user):
    limits = {"rate": 0.001, "burst": 20, "failed_login_rate": 0.001, "failed_login_burst": 20}
    with start("keys", **limits) as running, running.client("read" if user == "read" else None) as client:
        if user == "wrong":
            client.headers["Authorization"] = "Bearer vv_wrong"
        statuses = [client.request(f"MADEUP{number}", "/me").status_code for number in range(30)]
        assert statuses[-10:] == [429] * 10
        paths = [client.get(f"/made/up/{number}").status_code for number in range(10)]
        assert paths == [429] * 10
        metrics = running.app.state.services.metrics.text().decode()
    assert "MADEUP" not in metrics
    assert "made/up" not in metrics
    assert 'method="other"' in metrics


def test_made_up_methods_are_one_label_without_a_login_too(start, log_lines):
    with start() as running, running.client() as client:
        assert {client.request(f"MADEUP{number}", "/me").status_code for number in range(30)} == {405}
        assert "MADEUP" not in running.app.state.services.metrics.text().decode()
    assert "MADEUP" not in "\n".join(log_lines)
