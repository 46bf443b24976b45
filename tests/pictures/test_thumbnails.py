"""Thumbnails: small, in proportion, written atomically."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from visavis.errors import StorageError
from visavis.pictures import make_thumbnail, save_thumbnail, thumbnail_path
from visavis.pictures.picture import content_id


def opened(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    assert image.format == "WEBP"
    return image


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 900), st.integers(1, 900), st.integers(1, 400))
def test_shape_is_kept_and_nothing_is_enlarged(width: int, height: int, longest: int) -> None:
    size = opened(make_thumbnail(Image.new("RGB", (width, height)), longest)).size
    scale = min(1, longest / max(width, height))
    assert max(size) <= max(longest, 1)
    assert size == (max(1, round(width * scale)), max(1, round(height * scale)))


def test_colours_and_alpha_survive() -> None:
    assert opened(make_thumbnail(Image.new("RGB", (800, 600), "red"))).convert("RGB").getpixel((5, 5))[0] > 240
    clear = opened(make_thumbnail(Image.new("RGBA", (800, 600), (255, 0, 0, 0))))
    assert clear.getpixel((5, 5))[3] == 0
    assert opened(make_thumbnail(Image.new("L", (800, 600), 90))).size == (320, 240)
    with pytest.raises(ValueError, match="longest"):
        make_thumbnail(Image.new("RGB", (8, 8)), 0)


def test_saved_by_id_in_small_folders(tmp_path: Path) -> None:
    id = content_id(b"x")
    path = save_thumbnail(tmp_path, id, b"first")
    assert path == thumbnail_path(tmp_path, id) == tmp_path / id[:2] / id[2:4] / f"{id}.webp"
    save_thumbnail(tmp_path, id, b"second")
    assert path.read_bytes() == b"second"
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_failed_write_leaves_the_old_one_and_no_rubbish(tmp_path: Path, monkeypatch) -> None:
    id = content_id(b"x")
    path = save_thumbnail(tmp_path, id, b"old")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StorageError, match="No space left"):
        save_thumbnail(tmp_path, id, b"new")
    assert path.read_bytes() == b"old"
    assert len(list(path.parent.iterdir())) == 1
