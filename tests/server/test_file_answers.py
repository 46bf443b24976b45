"""Pictures in full size: slow clients hold no memory, and what was put in the place of a file is not read."""

from __future__ import annotations

import io
import os
import socket
import tracemalloc
from contextlib import ExitStack, closing

import pytest
from PIL import Image, PngImagePlugin
from serving import eventually


def large_png() -> bytes:
    """A file of 12 MB: more than a socket takes at once."""
    file = io.BytesIO()
    Image.frombytes("RGB", (2000, 2000), os.urandom(12_000_000)).save(file, "PNG", compress_level=0)
    return file.getvalue()


def ask_slowly(running, key, path):
    """A connection that asks and does not read."""
    host, _, port = running.url.removeprefix("http://").partition(":")
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect((host, int(port)))
    who = f"Authorization: Bearer {running.keys[key]}\r\n"
    line.sendall(f"GET /api/v1{path} HTTP/1.1\r\nHost: {host}:{port}\r\n{who}\r\n".encode())
    return line


@pytest.mark.parametrize(("what", "slow"), [("full", 6), ("download", 2)])
def test_files_for_slow_clients_are_not_in_memory_and_are_counted(start, what, slow):
    """A reader with 20 connections made the server hold 1.7 GB of a file of 81 MB."""
    with start("keys", downloads=slow, rate=0, heavy_rate=0) as running, running.client("write") as client:
        sent = client.post("/collections/colours/upload", files=[("files", ("large.png", large_png()))]).json()
        path = f"/collections/colours/pictures/{sent['added'][0]['id']}/{what}"
        services = running.app.state.services
        tracemalloc.start()
        try:
            with ExitStack() as stack:
                for _ in range(slow):
                    line = stack.enter_context(closing(ask_slowly(running, "read", path)))
                    assert line.recv(12) == b"HTTP/1.1 200"
                assert tracemalloc.get_traced_memory()[0] < 12_000_000
                with running.client("read") as again:
                    refused = again.get(path)
                    assert (refused.status_code, "retry-after" in refused.headers) == (429, True)
                    assert again.get("/collections/colours/wall").status_code == 200
                assert client.get(path).status_code == 200, "another user is not kept waiting"
        finally:
            tracemalloc.stop()
        eventually(lambda: not services.downloads._open)
        with running.client("read") as again:
            assert len(again.get(path).content) > 1_000_000


def test_a_file_that_fails_is_not_counted(start):
    with start("keys", downloads=1, rate=0, heavy_rate=0) as running, running.client("read") as client:
        for _ in range(3):
            assert client.get(f"/collections/colours/pictures/{'0' * 32}/full").status_code == 404


@pytest.mark.parametrize("instead", ["a pipe", "a device", "a file of a terabyte"])
def test_what_was_put_in_the_place_of_a_file_is_not_read(start, tmp_path, instead):
    """A pipe held a thread for ever; a device or an endless file was read into memory."""
    from drawing import draw

    file = draw(tmp_path / "pictures" / "one.png", "red")
    with start() as running, running.client() as client:
        made = client.post("/collections", json={"name": "few", "folder": str(file.parent)}).json()
        eventually(lambda: client.get(f"/jobs/{made['job']}").json()["state"] != "running")
        id = client.get("/collections/few/wall").json()["pictures"][0]["id"]
        file.unlink()
        if instead == "a pipe":
            os.mkfifo(file)
        elif instead == "a device":
            file.symlink_to("/dev/zero")
        else:
            file.touch()
            os.truncate(file, 10**12)
        for _ in range(8):  # more than there are threads that read
            assert client.get(f"/collections/few/pictures/{id}").json()["shot"] == {}
        for part in ("full", "download", "thumbnail?size=800"):
            assert client.get(f"/collections/few/pictures/{id}/{part}").status_code in (404, 422)


def test_what_is_known_of_a_png_is_told_without_decoding_it(client, monkeypatch):
    """Pillow looks for tags behind the pixels, so that asking about a large PNG decoded all of it."""
    wall = client.get("/collections/colours/wall").json()["pictures"]
    decoded = []
    monkeypatch.setattr(PngImagePlugin.PngImageFile, "load", lambda self: decoded.append(self.size))
    assert client.get(f"/collections/colours/pictures/{wall[0]['id']}").json()["format"] == "PNG"
    assert not decoded


def test_a_file_with_much_beside_its_pixels_is_not_asked_for_its_tags(client, monkeypatch):
    wall = client.get("/collections/colours/wall").json()["pictures"]
    monkeypatch.setattr("visavis.server.services.images.has_odd_header", lambda *_: True)
    monkeypatch.setattr("visavis.server.services.images.Image.open", lambda *_, **__: pytest.fail("opened"))
    assert client.get(f"/collections/colours/pictures/{wall[0]['id']}").json()["shot"] == {}


def test_a_large_tiff_is_not_asked_for_its_tags(start, monkeypatch):
    """They may be as large as the file, and are read as numbers of Python."""
    file = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(file, "TIFF")
    with start() as running, running.client() as client:
        sent = client.post("/collections/colours/upload", files=[("files", ("a.tif", file.getvalue()))]).json()
        monkeypatch.setattr("visavis.server.services.images._LARGEST_APART", 1000)
        monkeypatch.setattr("visavis.server.services.images.Image.open", lambda *_, **__: pytest.fail("opened"))
        assert client.get(f"/collections/colours/pictures/{sent['added'][0]['id']}").json()["shot"] == {}


def test_a_plain_map_of_pixels_is_not_asked_for_its_tags(start, monkeypatch):
    """It has none, and a comment in it is read byte by byte."""
    file = b"P5\n#" + b"x" * 1000 + b"\n40 30 255\n" + bytes(1200)
    with start() as running, running.client() as client:
        sent = client.post("/collections/colours/upload", files=[("files", ("a.pgm", file))]).json()
        monkeypatch.setattr("visavis.server.services.images.Image.open", lambda *_, **__: pytest.fail("opened"))
        assert client.get(f"/collections/colours/pictures/{sent['added'][0]['id']}").json()["shot"] == {}


def test_an_archive_has_a_limit(start):
    with start(archive_bytes=400) as running, running.client() as client:
        ids = [one["id"] for one in client.get("/collections/colours/wall").json()["pictures"]]
        assert client.post("/collections/colours/export", json={"pictures": ids[:1]}).status_code == 200
        assert client.post("/collections/colours/export", json={"pictures": ids}).status_code == 422
