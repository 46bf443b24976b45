"""Files with much beside their pixels are opened in a child process; ordinary ones are not."""

from __future__ import annotations

import io
import struct
import time
import zlib

import pytest
from PIL import Image, PngImagePlugin

from visavis.pictures import open_scaled, reader
from visavis.pictures.formats import has_odd_header, unsupported_format
from visavis.pictures.picture import PictureError


def file_of(kind: str, side: int = 64, **options: object) -> bytes:
    file = io.BytesIO()
    Image.effect_noise((side, side), 60).convert("P" if kind == "GIF" else "RGB").save(file, kind, **options)
    return file.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def bombs() -> dict[str, tuple[str, bytes]]:
    jpeg, png, gif = file_of("JPEG"), file_of("PNG"), file_of("GIF")
    tags = b"\xff\xe1" + struct.pack(">H", 65000) + b"Exif\0\0" + bytes(64992)
    texts = b"".join(chunk(b"tEXt", b"%d\0" % number) for number in range(3000))
    frame, pixels = gif.index(b"\x2c", 13 + 3 * 256), png.index(b"IDAT") - 4
    return {
        "empty segments": ("JPEG", jpeg[:2] + b"\xff\xe0\0\x02" * 2000 + jpeg[2:]),
        "tags in many segments": ("JPEG", jpeg[:2] + tags * 150 + jpeg[2:]),
        "bytes between segments": ("JPEG", jpeg[:2] + b"\xff" * 5000 + jpeg[2:]),
        "texts": ("PNG", png[:33] + texts + png[33:]),
        "texts behind the pixels": ("PNG", png[:-12] + texts + png[-12:]),
        "empty pixels": ("PNG", png[:pixels] + chunk(b"IDAT", b"") * 3000 + png[pixels:]),
        "comments": ("GIF", gif[:frame] + b"\x21\xfe\x01x\0" * 2000 + gif[frame:]),
    }


@pytest.mark.parametrize("name", bombs())
def test_a_file_with_much_beside_its_pixels_is_opened_apart(monkeypatch: pytest.MonkeyPatch, name: str):
    """20 MB of empty segments took 7 s and 700 MB in this process, 512 MB would take 17 GB."""
    kind, data = bombs()[name]
    monkeypatch.setattr(reader, "decode", lambda *_, **__: pytest.fail("decoded in this process"))
    assert has_odd_header(data, kind)
    assert open_scaled(data, 32).image.size == (32, 32)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("JPEG", {"progressive": True, "quality": 95, "exif": b"Exif\0\0II*\0" + bytes(60_000)}),
        ("JPEG", {"icc_profile": bytes(3_000_000)}),
        ("JPEG", {"comment": b"x" * 60_000}),
        ("PNG", {"compress_level": 0}),
        ("GIF", {"comment": b"x" * 5000}),
        ("WEBP", {}),
        ("BMP", {}),
    ],
)
def test_an_ordinary_file_is_opened_here(monkeypatch: pytest.MonkeyPatch, kind: str, options: dict[str, object]):
    monkeypatch.setattr(reader.shared_pool(), "decode", lambda *_: pytest.fail("decoded in a child process"))
    data = file_of(kind, 900, **options)
    assert not has_odd_header(data, kind)
    assert open_scaled(data, 32).image.size == (32, 32)


def test_a_photo_with_an_album_of_texts_is_ordinary():
    texts = PngImagePlugin.PngInfo()
    for number in range(200):
        texts.add_text(f"note {number}", "x" * 100)
    assert not has_odd_header(file_of("PNG", pnginfo=texts), "PNG")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF"])
def test_a_header_that_is_cut_anywhere_ends(kind: str):
    data = file_of(kind)
    assert not any(has_odd_header(data[:end], kind) for end in range(len(data)))


def test_forty_comments_are_told_from_a_drawing_at_once():
    """A comment could end at each later "-->": 280 bytes kept every thread waiting for a day."""
    begun = time.process_time()
    for data in (b"<!---->" * 290 + b"x", b"<!-- --> \n" * 200, b"<!--" * 500, b"<?xml >" + b"<!DOCTYPE svg>" * 140):
        assert unsupported_format(data) is None
        with pytest.raises(PictureError):
            open_scaled(data, 32, name="a.jpg")
    assert time.process_time() - begun < 2
    assert (
        unsupported_format(b"<?xml version='1.0'?>\n<!-- a --> <!DOCTYPE svg x>\n<!-- b --><svg >") == "an SVG drawing"
    )
