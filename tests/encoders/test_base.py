"""The description beside the weights: read, checked, refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from visavis.encoders.base import DESCRIPTION, read_description
from visavis.encoders.builtin import BuiltinEncoder
from visavis.errors import NotFoundError, StorageError

GOOD = {"format": 1, "name": "test-1", "dimension": 8, "image_size": 28, "grid": 2, "max_tokens": 64}


def write(folder: Path, **changes: object) -> Path:
    values = {key: value for key, value in (GOOD | changes).items() if value is not None}
    (folder / DESCRIPTION).write_text(json.dumps(values))
    return folder


def test_reads_what_was_written(tmp_path: Path):
    read = read_description(write(tmp_path, calibration={"scale": 20}))
    assert (read.name, read.dimension, read.image_size, read.grid, read.max_tokens) == ("test-1", 8, 28, 2, 64)
    assert read.calibration == {"scale": 20.0}


def test_fingerprint_follows_the_content(tmp_path: Path):
    first = read_description(write(tmp_path)).fingerprint
    assert read_description(write(tmp_path)).fingerprint == first
    assert read_description(write(tmp_path, sha256={"image.onnx": "0"})).fingerprint != first


@pytest.mark.parametrize(
    "changes",
    [{"name": None}, {"dimension": "many"}, {"grid": 0}, {"max_tokens": 2}, {"calibration": 3}, {"format": None}],
)
def test_a_damaged_description_is_told(tmp_path: Path, changes: dict):
    with pytest.raises(StorageError, match="damaged"):
        read_description(write(tmp_path, **changes))


@pytest.mark.parametrize("text", ["", "{", "[]", "7"])
def test_no_json_object(tmp_path: Path, text: str):
    (tmp_path / DESCRIPTION).write_text(text)
    with pytest.raises(StorageError, match="damaged"):
        read_description(tmp_path)


def test_a_later_format_is_refused(tmp_path: Path):
    with pytest.raises(StorageError, match="newer visavis"):
        read_description(write(tmp_path, format=3))


def test_missing_weights(tmp_path: Path):
    with pytest.raises(NotFoundError, match="no encoder weights"):
        read_description(tmp_path)
    with pytest.raises(NotFoundError, match=r"image\.onnx is missing"):
        BuiltinEncoder(write(tmp_path))


def test_checksums_find_damage(tmp_path: Path):
    (tmp_path / "a.bin").write_bytes(b"as made")
    sums = {"a.bin": hashlib.sha256(b"as made").hexdigest(), "b.bin": "0" * 64}
    description = read_description(write(tmp_path, sha256=sums))
    assert description.damaged() == ["b.bin"]
    (tmp_path / "a.bin").write_bytes(b"as mad3")
    assert description.damaged() == ["a.bin", "b.bin"]


def test_a_damaged_model_is_told(tmp_path: Path):
    for name in ("image.onnx", "text.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"nonsense")
    encoder = BuiltinEncoder(write(tmp_path))
    with pytest.raises(StorageError, match=r"tokenizer\.json is damaged"):
        encoder.encode_texts(["a"])
    from PIL import Image

    with pytest.raises(StorageError, match=r"image\.onnx cannot be loaded"):
        encoder.encode_images([Image.new("RGB", (4, 4))])


def test_damaged_weights_are_noticed_when_they_are_loaded(tmp_path: Path):
    """One flipped bit: the towers still load, and find other pictures."""
    from visavis.encoders.base import DESCRIPTION, TEXT_TOWER, read_description
    from visavis.encoders.builtin import WEIGHTS

    (tmp_path / DESCRIPTION).write_bytes((WEIGHTS / DESCRIPTION).read_bytes())
    data = bytearray((WEIGHTS / TEXT_TOWER).read_bytes())
    (tmp_path / TEXT_TOWER).write_bytes(data)
    assert read_description(tmp_path).file(TEXT_TOWER) == tmp_path / TEXT_TOWER
    data[len(data) // 2] ^= 1
    (tmp_path / TEXT_TOWER).write_bytes(data)
    with pytest.raises(StorageError, match=r"text\.onnx is damaged") as caught:
        read_description(tmp_path).file(TEXT_TOWER)
    assert "reinstall" in caught.value.remedy
