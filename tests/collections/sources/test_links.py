"""Links: which downloads are allowed, and which are refused."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.collections.sources import links
from visavis.collections.sources.links import LinkError, LinkLimits, fetch, is_public

CONTENT = b"\x89PNG" + b"x" * 5000


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        route = {
            "/good.png": self._good,
            "/hop": lambda: self._redirect("/good.png"),
            "/loop": lambda: self._redirect("/loop"),
            "/inside": lambda: self._redirect("http://169.254.169.254/latest/meta-data"),
            "/file": lambda: self._redirect("file:///etc/passwd"),
            "/endless": self._endless,
            "/lies": self._lies,
            "/drip": self._drip,
            "/greeting": self._greeting,
        }.get(self.path, lambda: self.send_error(404))
        route()

    def _begin(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def _write(self, piece: bytes, times: int, pause: float = 0.0) -> None:
        """Writes a piece again and again, until the reader goes."""
        with suppress(OSError):
            for _ in range(times):
                self.wfile.write(piece)
                time.sleep(pause)

    def _good(self) -> None:
        self._begin(200, Content_Length=str(len(CONTENT)))
        self.wfile.write(CONTENT)

    def _redirect(self, to: str) -> None:
        self._begin(302, Location=to, Content_Length="0")

    def _endless(self) -> None:
        self._begin(200, Connection="close")
        self._write(b"x" * 10_000, 200)

    def _lies(self) -> None:
        self._begin(200, Content_Length=str(10**12))

    def _drip(self) -> None:
        self._begin(200, Content_Length="1000")
        self._write(b"x", 100, 0.05)

    def _greeting(self) -> None:
        """Sends headers for ever."""
        with suppress(OSError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        self._write(b"x", 200, 0.05)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()
    running.server_close()


def local(address: str) -> bool:
    return address == "127.0.0.1"


def test_a_picture_is_fetched_over_redirects(server: str):
    assert fetch(f"{server}/good.png", may_reach=local) == CONTENT
    assert fetch(f"{server}/hop", may_reach=local) == CONTENT


def test_private_addresses_are_refused_by_default(server: str):
    with pytest.raises(LinkError, match="not a public address"):
        fetch(f"{server}/good.png")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/inside", "169.254.169.254, which is not a public address"),
        ("/file", "only http and https"),
        ("/loop", "redirects"),
        ("/missing", "404"),
        ("/lies", "more than"),
        ("/endless", "more than"),
    ],
)
def test_what_a_server_may_not_do(server: str, path: str, why: str):
    with pytest.raises(LinkError, match=why) as caught:
        fetch(f"{server}{path}", LinkLimits(bytes=100_000), may_reach=local)
    assert server in str(caught.value), "the message does not name the link"


def test_a_server_that_drips_is_given_up(server: str):
    """Who waited to the end would complain of the length instead."""
    with pytest.raises(LinkError, match=r"too long|timed out"):
        fetch(f"{server}/drip", LinkLimits(seconds=0.4), may_reach=local)


def test_a_greeting_that_never_ends_is_given_up(server: str):
    with pytest.raises(LinkError, match="too long"):
        fetch(f"{server}/greeting", LinkLimits(seconds=0.4), may_reach=local)


def test_the_name_is_asked_once_and_the_checked_address_is_used(server: str, monkeypatch: pytest.MonkeyPatch):
    """A name that answers differently the second time (DNS rebinding) gains nothing."""
    asked = []
    port = int(server.rsplit(":", 1)[1])

    def resolve(host, _port, **_):
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "10.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    real = socket.getaddrinfo
    monkeypatch.setattr(
        links.socket,
        "getaddrinfo",
        lambda host, *a, **k: resolve(host, *a, **k) if host == "pictures.example" else real(host, *a, **k),
    )
    assert fetch(f"http://pictures.example:{port}/good.png", may_reach=local) == CONTENT
    assert asked == ["pictures.example"]


def test_one_private_address_among_many_is_enough_to_refuse(monkeypatch: pytest.MonkeyPatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, 80)) for ip in ("93.184.216.34", "192.168.1.1")]
    monkeypatch.setattr(links.socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(LinkError, match=r"192\.168\.1\.1"):
        fetch("http://pictures.example/x.png")


@pytest.mark.parametrize(
    "link", ["ftp://x/y", "http://", "http://x:99999/", "http://x y/", "http://ex\nample/", "javascript:1"]
)
def test_nonsense_is_refused(link: str):
    with pytest.raises(LinkError):
        fetch(link)


private = st.one_of(
    st.ip_addresses(network="10.0.0.0/8"),
    st.ip_addresses(network="172.16.0.0/12"),
    st.ip_addresses(network="192.168.0.0/16"),
    st.ip_addresses(network="127.0.0.0/8"),
    st.ip_addresses(network="169.254.0.0/16"),
    st.ip_addresses(network="100.64.0.0/10"),
    st.ip_addresses(network="224.0.0.0/4"),
    st.ip_addresses(network="0.0.0.0/8"),
)


@given(private)
def test_no_disguise_makes_a_private_address_public(ip):
    number = int(ip)
    disguises = [str(ip), f"::ffff:{ip}", f"64:ff9b::{ip}", f"2002:{number >> 16:x}:{number & 0xFFFF:x}::"]
    assert not any(is_public(disguise) for disguise in disguises)


@given(
    st.one_of(st.ip_addresses(network="fc00::/7"), st.ip_addresses(network="fe80::/10"), st.just("::1"), st.just("::"))
)
def test_private_ipv6_is_private(ip):
    assert not is_public(str(ip))


def test_public_addresses_are_public():
    assert all(map(is_public, ("93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946")))


@pytest.mark.parametrize(
    "address",
    ["fec0::1", "64:ff9b:1::a00:1", "5f00::1", "3fff::1", "::7f00:1", "::ffff:0:7f00:1", "100:0:0:1::1", "4000::1",
     "192.88.99.1"],
)  # fmt: skip
def test_rare_ranges_are_not_public(address: str):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["2606:4700::1", "2a00:1450::1", "64:ff9b::808:808", "8.8.8.8"])
def test_public_addresses_stay_public(address: str):
    assert is_public(address)


@pytest.mark.parametrize("address", ["2606:2800::5efe:10.0.0.1", "2606:2800::200:5efe:192.168.0.1", "2001:20::1"])
def test_addresses_of_tunnels_are_those_inside_them(address: str):
    assert not is_public(address)
