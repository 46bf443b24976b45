"""Run the attacks of docs/security.md in full size, once, and print what each costs.

    python tools/attacks.py                # all of them, each in a process of its own with a limit of 8 GB
    python tools/attacks.py ignore scans   # some

Every attack prints the seconds, the processor time and the peak of memory of the process that met it (40 MB are
Python's, 300 those of a server with its encoder), and what it was told.
The server that is attacked listens on 127.0.0.1 and ends with its attack.
"""

from __future__ import annotations

import io
import json
import os
import random
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

_LIMIT = 8 << 30
_SECONDS = 240
_ATTACKS: dict[str, Callable[[Path], str]] = {}


def attack(work: Callable[[Path], str]) -> Callable[[Path], str]:
    """Add an attack; its name is the function's, its text says what was told."""
    _ATTACKS[work.__name__] = work
    return work


class _Meter:
    """Time and memory since the attack was prepared."""

    started = worked = 0.0

    def start(self) -> None:
        """Forget what preparing took."""
        Path("/proc/self/clear_refs").write_text("5")  # the peak of memory is counted anew
        self.started, self.worked = time.perf_counter(), _worked()

    def told(self) -> str:
        """What was taken since."""
        took, worked = time.perf_counter() - self.started, _worked() - self.worked
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return f"{took:7.1f} s {worked:7.1f} CPU s {int(status['VmHWM'].split()[0]) // 1000:6d} MB"


def _worked() -> float:
    both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in both)


meter = _Meter()


def opened(data: bytes) -> str:
    """Open a file as indexing does; the error where it is refused."""
    from visavis.errors import VisavisError
    from visavis.pictures import open_scaled

    if not meter.started:
        meter.start()
    try:
        found = open_scaled(data, 256, name="file")
    except VisavisError as error:
        return str(error)[:110]
    return f"opened: {found.width} x {found.height}"


# -- files -----------------------------------------------------------------------------------------


@attack
def ignore(folder: Path) -> str:
    """A pattern of many stars beside a file of 200 letters."""
    from visavis.pictures import walk

    (folder / ".visavisignore").write_text("a*" * 40 + "b\n")
    (folder / ("a" * 200 + ".jpg")).write_bytes(b"x")
    meter.start()
    return f"{len(list(walk(folder)))} files walked"


@attack
def scans(_: Path) -> str:
    """A JPEG of 662 kB that is one scan after the other."""
    from PIL import Image

    file = io.BytesIO()
    Image.effect_noise((4000, 4000), 3).save(file, "JPEG", progressive=True, quality=5)
    data = file.getvalue()
    last = data[data.rfind(b"\xff\xda") : -2]
    return opened((data[:-2] + last * (662_000 // len(last)))[:662_000] + b"\xff\xd9")


@attack
def scans_within_the_limits(_: Path) -> str:
    """As many scans as the header allows: decoded in a child process, with a limit of time."""
    from PIL import Image

    file = io.BytesIO()
    Image.effect_noise((5400, 5400), 60).save(file, "JPEG", progressive=True, quality=60)
    data = file.getvalue()
    last = data[data.rfind(b"\xff\xda") : -2]
    return opened(data[:-2] + last * 89 + b"\xff\xd9")


@attack
def comments(_: Path) -> str:
    """Forty comments of XML in a file that is called a picture."""
    return opened(b"<!---->" * 40)


@attack
def segments(_: Path) -> str:
    """A JPEG of 60 MB, most of it empty segments."""
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (64, 64)).save(file, "JPEG")
    return opened(file.getvalue()[:2] + b"\xff\xe0\x00\x02" * 15_000_000 + file.getvalue()[2:])


@attack
def webp(_: Path) -> str:
    """A WebP of 34 bytes that claims 196 megapixels."""
    data = b"\x2f" + struct.pack("<I", 13999 | (13999 << 14)) + bytes(9)
    chunk = b"VP8L" + struct.pack("<I", len(data)) + data
    return opened(b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk)


@attack
def tiff(_: Path) -> str:
    """A TIFF of some 700 kB that unpacks to 3 GB."""
    from PIL import Image

    file = io.BytesIO()
    Image.new("I;16", (14000, 14000)).save(file, "TIFF", compression="tiff_adobe_deflate")
    return f"{len(file.getvalue()):,} bytes; {opened(file.getvalue())}"


@attack
def parquet(folder: Path) -> str:
    """A Parquet file of some 10 kB with one long text a thousand times."""
    from visavis.api import open_collection
    from visavis.errors import VisavisError

    path = folder / "rows.parquet"
    program = (
        "import sys, pyarrow as pa, pyarrow.parquet as pq; names = [f'{n}.jpg' for n in range(1700)];"
        "table = pa.table({'file': names, 'caption': ['a' * 1_000_000] * 1700});"
        "pq.write_table(table, sys.argv[1], compression='zstd')"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)  # noqa: S603  # apart: it takes 3 GB
    meter.start()
    with open_collection("attacked", folder / "home", create=True) as collection:
        try:
            report = collection.index(path)
        except VisavisError as error:
            return f"{path.stat().st_size:,} bytes; {str(error)[:90]}"
    return f"{path.stat().st_size:,} bytes; {dict(report.outcomes)}"


@attack
def sidecars(folder: Path) -> str:
    """A list 900 deep in a sidecar, and a pipe as a sidecar."""
    from PIL import Image

    from visavis.api import open_collection

    for name in ("deep", "piped"):
        Image.new("RGB", (40, 40), "red" if name == "deep" else "blue").save(folder / f"{name}.png")
    (folder / "deep.json").write_text('{"caption": ' + "[" * 900 + "]" * 900 + "}")
    os.mkfifo(folder / "piped.json")
    meter.start()
    with open_collection("attacked", folder / "home", create=True) as collection:
        return f"{dict(collection.index(folder).outcomes)}"


@attack
def damaged_files(_: Path) -> str:
    """Two thousand damaged files."""
    from PIL import Image

    chance, told = random.Random(1), {}
    for kind in ("JPEG", "PNG", "WEBP", "GIF", "BMP"):
        file = io.BytesIO()
        Image.effect_noise((60, 40), 30).convert("RGB").save(file, kind)
        for _n in range(400):
            data = bytearray(file.getvalue())
            for _m in range(chance.randrange(1, 20)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            how = opened(bytes(data))[:6]
            told[how] = told.get(how, 0) + 1
    return f"{sum(told.values())} files, {told.get('opened', 0)} opened"


# -- the server --------------------------------------------------------------------------------------


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


@attack
def connections(home: Path) -> str:
    """A thousand silent connections; somebody else asks."""
    with _Server(home) as url:
        silent = [socket.create_connection(_place(url)) for _n in range(1000)]
        started = time.perf_counter()
        status, _body = _ask(url, "/health")
        took = time.perf_counter() - started
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
        started = time.perf_counter()
        status, _body = _ask(url, "/collections/shop/wall")
        waited = time.perf_counter() - started
        for line in lines:
            line.close()
    return f"{ {one: told.count(one) for one in set(told)} }, the wall {status} after {waited:.1f} s"


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
        talk = Memory(collection.catalogue).take_in([Turn(n, "more", results=shown) for n in range(1, 803)])
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


# -- each in a process of its own ----------------------------------------------------------------------


def run(name: str) -> None:
    """Run one attack in this process and print what it took."""
    resource.setrlimit(resource.RLIMIT_AS, (_LIMIT * 2, _LIMIT * 2))
    from visavis.pictures.decoder_process import shared_pool

    with tempfile.TemporaryDirectory(prefix="visavis-attack-") as folder:
        told = _ATTACKS[name](Path(folder))
        shared_pool().close()
        print(f"{name:24} {meter.told()}  {told}", flush=True)


def main() -> None:
    """Start a process for each attack that was asked for."""
    for name in sys.argv[1:] or _ATTACKS:
        try:
            ended = subprocess.run(  # noqa: S603  # this program
                [sys.executable, __file__, "--one", name], timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            print(f"{name:24} did not end within {_SECONDS} s", flush=True)
            continue
        if ended.returncode:
            print(f"{name:24} ended with {ended.returncode}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run(sys.argv[2])
    else:
        main()
