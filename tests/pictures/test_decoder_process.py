"""Decoding in child processes: the same pictures, and a decoder that hangs, eats memory or crashes ends alone."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from visavis.pictures import FailureReason, PictureError, decoder_process, reader
from visavis.pictures.decoder import DecodeTask
from visavis.pictures.decoder_process import DecoderPool
from visavis.pictures.reader import open_picture, open_scaled

POSIX = pytest.mark.skipif(os.name != "posix", reason="limits of processes are those of POSIX")


def encoded(kind: str, size: tuple[int, int] = (90, 60), mode: str = "RGB", **options: object) -> bytes:
    values = np.random.default_rng(5).integers(0, 255, (size[1], size[0], len(mode)), np.uint8)
    file = io.BytesIO()
    Image.fromarray(values.squeeze(), mode).save(file, kind, **options)
    return file.getvalue()


@pytest.fixture(scope="module")
def pool() -> Iterator[DecoderPool]:
    made = DecoderPool()
    yield made
    made.close()


def decoded(pool: DecoderPool, data: bytes, kind: str = "JPEG"):
    return pool.decode(data, DecodeTask(kind, "x", keep_alpha=True))


@pytest.mark.parametrize(("kind", "mode"), [("JPEG", "RGB"), ("PNG", "RGBA"), ("TIFF", "RGB"), ("WEBP", "RGB")])
def test_a_child_decodes_what_this_process_decodes(kind: str, mode: str):
    data = encoded(kind, mode=mode)
    here, there = (open_picture(data, keep_alpha=True, apart=apart) for apart in (False, True))
    assert here.image.tobytes() == there.image.tobytes()
    assert here.image.mode == there.image.mode == mode
    assert {**vars(here), "image": None} == {**vars(there), "image": None}
    assert open_scaled(data, 30, apart=True).image.size == open_scaled(data, 30).image.size == (45, 30)


@pytest.mark.parametrize(
    "head", [b"P3\n9 9\n255\n", b"P5\n9 9\n254\n", b"P6 9 9 255\n", b"P6 #" + bytes(3000) + b"\n9 9 255\n"]
)
def test_a_plain_map_of_pixels_is_decoded_apart(monkeypatch: pytest.MonkeyPatch, head: bytes):
    """Pillow reads most of these pixel by pixel in Python, 0.7 s a megapixel: other threads waited for minutes."""
    monkeypatch.setattr(reader, "decode", lambda *_, **__: pytest.fail("decoded in this process"))
    data = head + (b"7 " * 243 if head[1:2] == b"3" else b"7" * 243)
    assert open_scaled(data, 4).image.size == (4, 4)


def test_exif_comes_back(pictures_with_exif: bytes):
    assert open_picture(pictures_with_exif, apart=True).attributes == open_picture(pictures_with_exif).attributes != {}


@pytest.fixture
def pictures_with_exif() -> bytes:
    exif = Image.Exif()
    exif[0x0110] = "Camera 3"
    exif.get_ifd(0x8769)[0x9003] = "2020:02:03 04:05:06"
    return encoded("JPEG", exif=exif)


@pytest.mark.parametrize("data", [encoded("JPEG")[:400], encoded("PNG")[:-30] + bytes(30), b"hello"])
def test_errors_are_the_same(data: bytes):
    told = []
    for apart in (False, True):
        with pytest.raises(PictureError) as caught:
            open_picture(data, apart=apart)
        told.append((caught.value.reason, str(caught.value)))
    assert told[0] == told[1]


@POSIX
def test_a_decoder_that_runs_too_long_is_ended(pool: DecoderPool):
    """Scans that the header allows: each is a pass over all pixels."""
    data = encoded("JPEG", (900, 700), progressive=True)
    last = data[data.rfind(b"\xff\xda") : -2]
    slow = data[:-2] + last * 60 + b"\xff\xd9"
    short = DecoderPool(seconds=0.02)
    with pytest.raises(PictureError, match=r"longer than the 0\.02 s allowed") as caught:
        decoded(short, slow)
    assert caught.value.reason is FailureReason.TOO_LARGE
    assert decoded(pool, encoded("JPEG")).width == 90


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is that of Linux")
def test_a_decoder_that_takes_too_much_memory_is_ended():
    small = DecoderPool(memory=100_000_000)
    with pytest.raises(PictureError, match=r"too large|too much memory"):
        decoded(small, encoded("PNG", (6000, 6000), "L"), "PNG")
    assert decoded(small, encoded("PNG"), "PNG").width == 90
    small.close()


def test_an_error_without_words_leaves_no_empty_brackets(monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    for module in (reader, decoder_process):
        monkeypatch.setattr(module, "decode", fail)
    with pytest.raises(PictureError, match="too large to decode") as caught:
        open_picture(encoded("PNG"))
    task = {**vars(DecodeTask("PNG", "x")), "limits": vars(DecodeTask("PNG", "x").limits)}
    told, _ = decoder_process._answer(task, b"")
    assert "()" not in f"{caught.value} {told}"


@POSIX
def test_a_child_that_crashed_is_told_and_replaced(pool: DecoderPool):
    assert decoded(pool, encoded("JPEG")).width == 90
    (child,) = pool._idle
    os.kill(child._process.pid, signal.SIGSEGV)
    child._process.wait()
    assert decoded(pool, encoded("JPEG")).width == 90


@POSIX
def test_a_child_that_crashes_at_work_is_told(monkeypatch: pytest.MonkeyPatch):
    crashing = DecoderPool()
    monkeypatch.setattr(decoder_process, "__name__", "tests_that_there_is_no_such_module")
    with pytest.raises(PictureError, match="crashed") as caught:
        decoded(crashing, encoded("JPEG"))
    assert caught.value.reason is FailureReason.TOO_LARGE


def test_several_threads_get_their_own_pictures(pool: DecoderPool):
    sizes = [(30 + place, 20) for place in range(20)]
    files = [encoded("PNG", size) for size in sizes]
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda data: decoded(pool, data, "PNG").image.size, files))
    assert found == sizes
    assert len(pool._idle) <= 2


def test_heavy_files_go_to_a_child_and_ordinary_ones_do_not(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def decode(self: DecoderPool, data: bytes, task: DecodeTask) -> None:
        asked.append(task.name)

    monkeypatch.setattr(DecoderPool, "decode", decode)
    progressive = encoded("JPEG", progressive=True)
    last = progressive[progressive.rfind(b"\xff\xda") : -2]
    files = {
        "photo": encoded("JPEG"),
        "progressive": progressive,
        "drawing": encoded("PNG"),
        "scans": progressive[:-2] + last * 30 + b"\xff\xd9",
        "canvas": encoded("PNG", (6000, 6000), "L"),
        "scanner": encoded("TIFF"),
    }
    for name, data in files.items():
        open_picture(data, name=name)
    assert asked == ["scans", "canvas", "scanner"]


def test_modules_in_the_present_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder of pictures may hold a module of the name of a library."""
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entry for entry in sys.path if entry))
    here = DecoderPool()
    assert decoded(here, encoded("JPEG")).width == 90
    here.close()
