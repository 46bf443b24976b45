"""Attacks on a server over HTTP; it listens on 127.0.0.1 and ends with its attack."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
from pathlib import Path

from _attack_meter import attack, meter


class _Server:
    """A server of its own on 127.0.0.1, with a small collection."""

    def __init__(self, home: Path) -> None:
        from PIL import Image

        from visavis.api import open_collection
        from visavis.server.runner import serving
        from visavis.server.settings import ServerSettings

        (home / "pictures").mkdir(exist_ok=True)
        for number in range(24):
            Image.new("RGB", (900, 600), (number * 10, 255 - number * 10, 99)).save(home / f"pictures/{number}.jpg")
        with open_collection("shop", home, create=True) as collection:
            collection.index(home / "pictures")
        self._serving = serving(ServerSettings.of(str(home)))

    def __enter__(self) -> str:
        url = self._serving.__enter__()
        meter.start()
        return url

    def __exit__(self, *error: object) -> None:
        self._serving.__exit__(*error)


def _place(url: str) -> tuple[str, int]:
    host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
    return host, int(port)


def _ask(url: str, path: str, body: object = None, method: str = "") -> tuple[int, bytes]:
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    data = None if body is None else json.dumps(body).encode()
    headers = {"X-Visavis": "1", "Content-Type": "application/json"}
    how = method or ("POST" if data else "GET")
    request = Request(f"{url.rstrip('/')}/api/v1{path}", data, headers, method=how)  # noqa: S310  # our own server
    try:
        with urlopen(request, timeout=100) as answer:  # noqa: S310
            return answer.status, answer.read()
    except HTTPError as error:
        return error.code, error.read()


def _timed(url: str, path: str) -> tuple[int, float]:
    """The status of a response, and the seconds that it took."""
    started = time.perf_counter()
    status, _body = _ask(url, path)
    return status, time.perf_counter() - started


@attack
def connections(home: Path) -> str:
    """A thousand silent connections; somebody else asks."""
    with _Server(home) as url:
        silent = [socket.create_connection(_place(url)) for _n in range(1000)]
        status, took = _timed(url, "/health")
        for one in silent:
            one.close()
    return f"health answers {status} after {took:.2f} s"


@attack
def slow_readers(home: Path) -> str:
    """Sixty clients that ask for a picture of 27 megapixels and do not read it; somebody else asks."""
    from PIL import Image

    (home / "pictures").mkdir()
    Image.frombytes("RGB", (5200, 5200), os.urandom(5200 * 5200 * 3)).save(
        home / "pictures/large.png", compress_level=0
    )
    with _Server(home) as url:
        wall = json.loads(_ask(url, "/collections/shop/wall?limit=500")[1])["pictures"]
        id = next(one["id"] for one in wall if one["width"] == 5200)
        host, port = _place(url)
        lines = [socket.socket() for _n in range(60)]
        for line in lines:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect((host, port))
            line.sendall(f"GET /api/v1/collections/shop/pictures/{id}/full HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        told = [line.recv(12)[9:].decode() for line in lines]
        status, waited = _timed(url, "/collections/shop/wall")
        for line in lines:
            line.close()
    return f"{ {one: told.count(one) for one in set(told)} }, the wall {status} after {waited:.1f} s"


class _Tracebacks(logging.Handler):
    """Counts what is logged with a traceback."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += record.exc_info is not None or "Traceback" in record.getMessage()


@attack
def streams(home: Path) -> str:
    """Follow a job 980 times at once and leave without a word; somebody else asks meanwhile."""
    import numpy as np
    from PIL import Image

    (home / "many").mkdir()
    for number in range(3000):
        noise = np.random.default_rng(number).integers(0, 255, (60, 80, 3), np.uint8)
        Image.fromarray(noise).save(home / f"many/{number}.jpg")
    found = _Tracebacks()
    for name in (None, "visavis", "visavis.server", "uvicorn", "uvicorn.error", "asyncio"):
        logging.getLogger(name).addHandler(found)
    with _Server(home) as url:
        job = json.loads(_ask(url, "/collections", {"name": "many", "folder": str(home / "many")})[1])["job"]
        host, port = _place(url)
        lines: list[socket.socket] = []
        told: dict[str, int] = {}
        for _n in range(980):
            line = socket.create_connection((host, port))
            line.sendall(f"GET /api/v1/jobs/{job}/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            lines.append(line)
        started = time.perf_counter()
        status, _body = _ask(url, "/health")
        waited = time.perf_counter() - started
        for line in lines:
            try:
                line.settimeout(60)
                how = line.recv(12)[9:].decode() or "closed"
            except OSError:
                how = "closed"
            told[how] = told.get(how, 0) + 1
        for line in lines:
            line.close()
        time.sleep(5)
        state = json.loads(_ask(url, f"/jobs/{job}")[1])["state"]
        _ask(url, f"/jobs/{job}", method="DELETE")
    return f"{told}, health {status} after {waited:.2f} s, {found.count} tracebacks, the job {state}"


@attack
def methods(home: Path) -> str:
    """Made-up methods, 20,000 of them; the page of metrics afterwards."""
    with _Server(home) as url:
        line = socket.create_connection(_place(url))
        stream, told = line.makefile("rb"), {}
        for number in range(20_000):
            line.sendall(f"M{number:X} / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n".encode())
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                read = stream.readline()
                if not read:
                    break
                head += read
            if not head:
                line = socket.create_connection(_place(url))
                stream = line.makefile("rb")
                continue
            fields = dict(row.split(b": ", 1) for row in head.lower().split(b"\r\n") if b": " in row)
            stream.read(int(fields.get(b"content-length", 0)))
            told[head[9:12].decode()] = told.get(head[9:12].decode(), 0) + 1
        line.close()
        time.sleep(5)
        return f"{told}, metrics {len(_ask(url, '/metrics')[1]):,} bytes"


@attack
def long_conversation(home: Path) -> str:
    """A conversation of 802 turns, asked for by eight at once."""
    from visavis.api import open_collection
    from visavis.conversation.memory import Memory
    from visavis.conversation.turns import Turn
    from visavis.types import Reason, Result

    server = _Server(home)
    with open_collection("shop", home) as collection:
        because = tuple(Reason(place, "a wish of many words", 0.5) for place in range(10))
        shown = tuple(Result(picture.id, 0.5, because) for picture in collection)
        memory = Memory(collection.catalogue)
        talk = memory.start()
        for number in range(1, 803):
            memory.save(talk, Turn(number, "more", results=shown))
    with server as url:
        sizes: list[int] = []
        readers = [
            threading.Thread(target=lambda: sizes.append(len(_ask(url, f"/conversations/{talk.id}")[1])))
            for _n in range(8)
        ]
        for one in readers:
            one.start()
        for one in readers:
            one.join()
    return f"{max(sizes):,} bytes each"


@attack
def previews(home: Path) -> str:
    """Twenty rotations by 45 degrees, each larger than the one before."""
    with _Server(home) as url:
        pictures = json.loads(_ask(url, "/collections/shop/wall?limit=1")[1])["pictures"]
        body = {"commands": ["rotate 45"] * 20, "size": 1600}
        status, answer = _ask(url, f"/collections/shop/pictures/{pictures[0]['id']}/preview", body)
    return f"{status}, {len(answer):,} bytes"


@attack
def enlarging(home: Path) -> str:
    """An edit that makes 392 megapixels of a small picture."""
    with _Server(home) as url:
        picture = json.loads(_ask(url, "/collections/shop/wall?limit=1")[1])["pictures"][0]["id"]
        talk = json.loads(_ask(url, "/conversations", {"collection": "shop"})[1])["id"]
        _ask(url, f"/conversations/{talk}/messages", {"text": "red"})
        body = {"picture": picture, "commands": ["resize 14000x14000", "rotate 45"]}
        status, answer = _ask(url, f"/conversations/{talk}/edit", body)
    return f"{status}: {json.loads(answer).get('reply', '')[:120]}"


@attack
def splitting(home: Path) -> str:
    """Twenty messages of "i but i but ..." of 4,000 characters, while somebody else asks."""
    with _Server(home) as url:
        talks = [json.loads(_ask(url, "/conversations", {"collection": "shop"})[1])["id"] for _n in range(21)]
        _ask(url, f"/conversations/{talks[20]}/messages", {"text": "red"})
        text = ("i but " * 700)[:3999]
        attackers = [
            threading.Thread(target=_ask, args=(url, f"/conversations/{talk}/messages", {"text": text}))
            for talk in talks[:20]
        ]
        for one in attackers:
            one.start()
        time.sleep(0.5)
        started = time.perf_counter()
        status, _body = _ask(url, f"/conversations/{talks[20]}/messages", {"text": "blue"})
        waited = time.perf_counter() - started
        for one in attackers:
            one.join()
    return f"another message {status} after {waited:.1f} s"
