"""Files that cost far more to decode than their size says are refused from their header."""

from __future__ import annotations

import io
import struct
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from PIL import Image

from visavis.pictures import FailureReason, PictureError
from visavis.pictures.decoder import DEFAULT_LIMITS, MOST_SCANS, MemoryBudget, decoded_bytes
from visavis.pictures.reader import open_picture, open_scaled


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def lossless_webp(width: int, height: int, padding: int = 0) -> bytes:
    """A header, and hardly anything behind it."""
    data = b"\x2f" + struct.pack("<I", (width - 1) | ((height - 1) << 14)) + bytes(9 + padding)
    chunk = b"VP8L" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def refused(data: bytes, monkeypatch: pytest.MonkeyPatch) -> str:
    """The error of a file whose pixels are never decoded."""

    def load(*_: object) -> None:
        raise AssertionError("it was decoded")

    monkeypatch.setattr("visavis.pictures.decoder._decoded", load)
    with pytest.raises(PictureError) as caught:
        open_scaled(data, 256)
    assert caught.value.reason is FailureReason.TOO_LARGE
    return str(caught.value)


def test_a_few_bytes_cannot_claim_a_large_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "34 bytes" in refused(lossless_webp(14000, 14000), monkeypatch)


def test_a_padded_file_is_bounded_by_the_memory_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "MB allowed" in refused(lossless_webp(14000, 14000, padding=1_000_000), monkeypatch)


@pytest.mark.parametrize("progressive", [True, False])
def test_a_jpeg_of_many_scans_is_refused(monkeypatch: pytest.MonkeyPatch, progressive: bool) -> None:
    """662 kB of scans took 118 seconds, in which nothing else ran."""
    data = encoded(Image.effect_noise((64, 64), 20), "JPEG", progressive=progressive)
    assert open_scaled(data, 32).width == 64
    last = data[data.rfind(b"\xff\xda") : -2]
    bomb = data[:-2] + last * MOST_SCANS + b"\xff\xd9"
    assert "scans" in refused(bomb, monkeypatch)


def test_few_scans_of_many_pixels_are_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytearray(encoded(Image.new("L", (8, 8)), "JPEG", progressive=True))
    frame = data.find(b"\xff\xc2")
    data[frame + 5 : frame + 9] = struct.pack(">HH", 14000, 14000)
    last = bytes(data[data.rfind(b"\xff\xda") : -2])
    assert "scans" in refused(bytes(data[:-2]) + last * 20 + bytes(200_000), monkeypatch)


def test_the_largest_photographs_pass() -> None:
    assert decoded_bytes("JPEG", "RGB", (16320, 12240)) <= DEFAULT_LIMITS.memory
    assert decoded_bytes("PNG", "RGB", (10000, 10000)) <= DEFAULT_LIMITS.memory


def test_ordinary_pictures_of_every_format_pass() -> None:
    image = Image.effect_noise((300, 200), 50).convert("RGB")
    for kind in ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "AVIF", "JPEG2000"):
        assert open_picture(encoded(image, kind)).width == 300, kind


def test_large_decodes_wait_for_one_another() -> None:
    budget = MemoryBudget(100)
    entered, leave = Event(), Event()
    order: list[str] = []

    def large() -> None:
        with budget.reserve(80):
            entered.set()
            leave.wait(60)
            order.append("large")

    def second() -> None:
        entered.wait(60)
        with budget.reserve(30):
            order.append("second")

    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(large), pool.submit(second)]
        entered.wait(60)
        with budget.reserve(20):
            order.append("small")
        leave.set()
        for job in jobs:
            job.result()
    assert order == ["small", "large", "second"]
    assert budget.used == 0
    with budget.reserve(500):
        assert budget.used == 500, "one that is larger than the budget runs alone"
