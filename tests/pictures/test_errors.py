"""A file that cannot be used raises a `PictureError`, quickly and without much memory, and nothing else."""

from __future__ import annotations

import io
import os
import pickle
import struct
import tracemalloc
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from visavis.errors import BadInputError
from visavis.pictures import DecodeLimits, FailureReason, PictureError, open_picture, open_scaled

KINDS = ["JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "AVIF", "JPEG2000", "HEIF"]
#: Formats whose end can be told from the file itself.
SELF_ENDING = ["JPEG", "PNG", "WEBP", "GIF", "BMP", "AVIF", "HEIF"]


def reason(source: bytes | Path | str, **options) -> FailureReason:
    with pytest.raises(PictureError) as caught:
        open_picture(source, **options)
    assert caught.value.remedy
    return caught.value.reason


def png_header(width: int, height: int) -> bytes:
    """The beginning of a PNG that claims a size, followed by hardly any pixels."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 100)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@cache
def noise(kind: str) -> bytes:
    """A small file of a format, full of detail, always the same."""
    if kind == "HEIF":
        pytest.importorskip("pillow_heif").register_heif_opener()
    file = io.BytesIO()
    pixels = np.random.default_rng(7).integers(0, 256, (48, 64, 3), np.uint8)
    Image.fromarray(pixels).save(file, kind)
    return file.getvalue()


def test_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.jpg"
    path.touch()
    assert reason(path) is FailureReason.EMPTY
    assert reason(b"") is FailureReason.EMPTY


def test_what_is_no_picture_and_what_only_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    path.write_text("<html>404 not found</html>")
    assert reason(path) is FailureReason.MISLABELLED
    assert reason(b"hello", name="upload.webp") is FailureReason.MISLABELLED
    assert reason(b"hello") is FailureReason.NOT_AN_IMAGE
    assert reason(b"hello", name="notes.md") is FailureReason.NOT_AN_IMAGE
    assert reason(b"BM is not always a bitmap, is it?") is FailureReason.NOT_AN_IMAGE


def test_another_format_than_the_name_says_is_welcome(scene, encode, tmp_path: Path) -> None:
    path = tmp_path / "really-a-jpeg.png"
    path.write_bytes(encode(scene, "JPEG"))
    assert open_picture(path).format == "JPEG"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "SVG"),
        (b"8BPS\0\1", "Photoshop"),
        (b"%PDF-1.7", "PDF"),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "PostScript"),
        (b"\xff\x0a\xfa\x1f", "JPEG XL"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "film"),
    ],
)
def test_known_but_unsupported(data: bytes, words: str) -> None:
    assert reason(data) is FailureReason.UNSUPPORTED
    with pytest.raises(PictureError, match=words):
        open_picture(data)


def test_heic_without_its_extra_says_what_to_install(scene, encode, monkeypatch) -> None:
    data = encode(scene, "HEIF")
    monkeypatch.setattr("visavis.pictures.reader.heif_is_ready", lambda: False)
    with pytest.raises(PictureError, match=r"visavis\[heic\]"):
        open_picture(data)


def test_missing_folder_pipe_and_strange_names(tmp_path: Path) -> None:
    assert reason(tmp_path / "nowhere.jpg") is FailureReason.MISSING
    assert reason(tmp_path) is FailureReason.UNREADABLE
    os.mkfifo(tmp_path / "pipe.jpg")
    assert reason(tmp_path / "pipe.jpg") is FailureReason.UNREADABLE
    assert reason("a\0b.jpg") is FailureReason.UNREADABLE
    (tmp_path / "circle.jpg").symlink_to(tmp_path / "circle.jpg")
    assert reason(tmp_path / "circle.jpg") is FailureReason.UNREADABLE


def test_file_without_permission(scene, encode, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "private.jpg"
    path.write_bytes(encode(scene, "JPEG"))

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("visavis.pictures.reader.open_regular", refuse)  # a real one would let the superuser in
    with pytest.raises(PictureError, match="permission denied") as caught:
        open_picture(path)
    assert caught.value.reason is FailureReason.UNREADABLE


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("size", [(30_000, 30_000), (25_000, 20_000), (2**31 - 1, 2**31 - 1), (200_000_001, 1)])
def test_bombs_are_refused_by_their_header(size: tuple[int, int]) -> None:
    tracemalloc.start()
    assert reason(png_header(*size)) is FailureReason.TOO_LARGE
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()


def test_pixel_limit_is_exact(scene, encode) -> None:
    data = encode(scene, "PNG")
    assert open_picture(data, limits=DecodeLimits(pixels=64 * 48)).width == 64
    with pytest.raises(PictureError, match="64 x 48") as caught:
        open_picture(data, limits=DecodeLimits(pixels=64 * 48 - 1))
    assert caught.value.reason is FailureReason.TOO_LARGE


def test_byte_limit(scene, encode, tmp_path: Path) -> None:
    data = encode(scene, "PNG")
    path = tmp_path / "a.png"
    path.write_bytes(data)
    for source in (path, data):
        assert open_picture(source, limits=DecodeLimits(file_bytes=len(data))).width == 64
        assert reason(source, limits=DecodeLimits(file_bytes=len(data) - 1)) is FailureReason.TOO_LARGE


def test_bomb_of_webp_is_refused_before_its_canvas() -> None:
    canvas = struct.pack("<I", 0)[:4] + (16_382).to_bytes(3, "little") * 2
    data = b"VP8X" + struct.pack("<I", 10) + canvas
    whole = b"RIFF" + struct.pack("<I", len(data) + 4) + b"WEBP" + data
    assert reason(whole) in {FailureReason.TOO_LARGE, FailureReason.DAMAGED}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tenth", range(1, 10))
def test_truncated_at_every_tenth(kind: str, tenth: int) -> None:
    data = noise(kind)
    cut = data[: len(data) * tenth // 10]
    for attempt in (lambda: open_picture(cut, name="a.jpg"), lambda: open_scaled(cut, 16, name="a.jpg")):
        with pytest.raises(PictureError) as caught:
            attempt()
        if kind in SELF_ENDING:
            assert caught.value.reason is FailureReason.TRUNCATED
        else:
            assert caught.value.reason in {FailureReason.TRUNCATED, FailureReason.DAMAGED}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::UserWarning:PIL", "ignore::PIL.Image.DecompressionBombWarning")
@settings(max_examples=60, deadline=5000)
@given(data=st.data())
def test_nothing_but_named_errors_from_damaged_files(kind: str, data: st.DataObject) -> None:
    damaged = bytearray(noise(kind))
    # The head decides most of what a decoder does, so it is hit as often as all the rest.
    places = st.one_of(st.integers(0, min(200, len(damaged) - 1)), st.integers(0, len(damaged) - 1))
    for at, value in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), max_size=8)):
        damaged[at] = value
    end = data.draw(st.one_of(st.just(len(damaged)), st.integers(0, len(damaged))))
    for attempt in (open_picture, lambda source, **options: open_scaled(source, 16, **options)):
        with suppress(PictureError):
            assert attempt(bytes(damaged[:end]), limits=DecodeLimits(pixels=4_000_000)).image.mode == "RGB"


@pytest.mark.filterwarnings("ignore::UserWarning:PIL", "ignore::PIL.Image.DecompressionBombWarning")
@settings(max_examples=200, deadline=2000)
@given(head=st.sampled_from([noise(kind)[:16] for kind in ("JPEG", "PNG", "TIFF", "BMP", "WEBP")]), rest=st.binary())
def test_nothing_but_named_errors_from_rubbish(head: bytes, rest: bytes) -> None:
    for data in (rest, head + rest):
        with pytest.raises(PictureError):
            open_picture(data)


def test_errors_travel_between_processes() -> None:
    with pytest.raises(PictureError) as caught:
        open_picture(b"", name="a.jpg")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.reason, copy.name, str(copy)) == (FailureReason.EMPTY, "a.jpg", str(caught.value))
    assert isinstance(copy, BadInputError)
