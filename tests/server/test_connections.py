"""Connections that send nothing, little or too slowly do not keep the server from others."""

from __future__ import annotations

import contextlib
import socket
import time
from threading import Event
from urllib.parse import urlsplit

import pytest
from serving import PATIENCE_SECONDS

from visavis.server import connections

HALF_HEADERS = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX-Half: "


def dial(running) -> socket.socket:
    url = urlsplit(running.url)
    return socket.create_connection((url.hostname, url.port), timeout=PATIENCE_SECONDS)


def half_body(path: str, key: str = "") -> bytes:
    return (
        f"POST /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{key}Content-Type: application/json\r\n"
        'Content-Length: 900000\r\n\r\n{"key": "'
    ).encode()


def closed(line: socket.socket) -> bool:
    """Whether the server ends the connection; a patient wait, and never endless."""
    with contextlib.suppress(ConnectionError):
        while line.recv(65536):
            pass
    return True


def drip(line: socket.socket) -> bytes:
    """Send a byte now and then until the server answers or ends the connection; what it answered."""
    line.settimeout(0.05)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            line.sendall(b"x")
            return line.recv(65536)
        except TimeoutError:
            continue
        except ConnectionError:
            return b""
    raise AssertionError("it went on for ever")


@pytest.mark.parametrize("sent", [b"", b"\r\n", HALF_HEADERS], ids=["nothing", "an empty line", "half of the headers"])
@pytest.mark.parametrize("mode", ["local", "keys"])
def test_silent_connections_make_room_for_others(start, mode, sent):
    with start(mode, connections=30, header_seconds=PATIENCE_SECONDS * 10) as running, contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(dial(running)).sendall(sent)
        with running.client() as client:
            assert client.get("/health").status_code == 200


def test_one_address_has_its_share_of_connections(start):
    limits = {"connections_per_address": 20, "header_seconds": 600}
    with start(connections=1000, **limits) as running, contextlib.ExitStack() as stack:
        lines = [stack.enter_context(dial(running)) for _ in range(60)]
        assert all(closed(line) for line in lines[:40])
        with running.client() as client:
            assert client.get("/health").status_code == 200


def test_a_trusted_proxy_is_not_one_person(start):
    limits = {"connections_per_address": 5, "header_seconds": 600}
    with start("keys", proxies=("127.0.0.0/8",), **limits) as running, contextlib.ExitStack() as stack:
        lines = [stack.enter_context(dial(running)) for _ in range(30)]
        for line in lines:
            line.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert line.recv(100).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("sent", [b"", HALF_HEADERS])
def test_headers_have_a_deadline(start, sent):
    with start(header_seconds=0.3) as running, dial(running) as line:
        line.sendall(sent)
        assert closed(line)


def test_dripped_headers_have_the_same_deadline(start):
    with start(header_seconds=0.5) as running, dial(running) as line:
        line.sendall(HALF_HEADERS)
        assert drip(line) == b""


def test_the_second_request_of_a_connection_has_the_deadline_too(start):
    with start(header_seconds=0.5) as running, dial(running) as line:
        line.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert line.recv(65536).startswith(b"HTTP/1.1 200")
        line.sendall(HALF_HEADERS)
        assert not drip(line).startswith(b"HTTP/1.1 2")


def test_a_dripped_body_is_given_up(start):
    with start(body_seconds=0.5, body_rate=1000.0) as running, dial(running) as line:
        line.sendall(half_body("/session"))
        assert drip(line).startswith(b"HTTP/1.1 408")


def test_a_body_that_comes_in_time_is_taken(start):
    with start(body_seconds=PATIENCE_SECONDS) as running, dial(running) as line:
        head = half_body("/session").replace(b"900000", b"12").split(b"\r\n\r\n")[0]
        line.sendall(head + b"\r\n\r\n")
        for letter in b'{"key": "a"}':
            line.sendall(bytes([letter]))
        assert line.recv(100).startswith(b"HTTP/1.1 200")


def test_the_body_of_an_answered_request_is_not_read_for_ever(start, monkeypatch):
    monkeypatch.setattr(connections, "_DRAIN_SECONDS", 0.3)
    with start("keys") as running, dial(running) as line:
        line.sendall(half_body("/collections/colours/upload"))
        assert line.recv(65536).startswith(b"HTTP/1.1 401")
        while drip(line):  # the rest of the answer, then the end
            pass


@pytest.mark.parametrize(("grace", "status"), [(0.0, 200), (1e9, 503)], ids=["too slow", "in time"])
def test_slow_bodies_make_room_and_others_do_not(start, monkeypatch, grace, status):
    monkeypatch.setattr(connections, "_GRACE_SECONDS", grace)
    with start(connections_per_address=10, body_seconds=600) as running, contextlib.ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(dial(running)).sendall(half_body("/session"))
        with running.client() as client:
            _wait_for_requests(running, 10)
            assert client.get("/health").status_code == status


def test_a_client_that_does_not_read_is_given_up(start, monkeypatch):
    ended, lost = Event(), connections.BoundedProtocol.connection_lost

    def watched(protocol, error):
        lost(protocol, error)
        ended.set()

    monkeypatch.setattr(connections, "_READ_CHECK_SECONDS", 0.3)
    monkeypatch.setattr(connections.BoundedProtocol, "connection_lost", watched)
    request = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with start() as running, dial(running) as line:
        line.sendall(request * 400)  # the answers are more than all buffers hold, and nobody reads them
        assert ended.wait(PATIENCE_SECONDS)


def _wait_for_requests(running, number: int) -> None:
    """Wait until so many requests are being answered."""
    from serving import eventually

    def going_on() -> bool:
        told = running.app.state.services.metrics.text().decode()
        lines = told.splitlines()
        return any(line == f"visavis_requests_going_on {float(number)}" for line in lines)

    time.sleep(0.1)
    eventually(going_on)
