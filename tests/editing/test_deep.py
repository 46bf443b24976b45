"""Sixteen bits of grey: kept where an edit can keep them, from the file to the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from visavis.editing.editor import Editor
from visavis.editing.files import open_file, save_file
from visavis.editing.pipeline import apply

RAMP = (np.arange(48, dtype=np.uint32).reshape(6, 8) * 1301 + 7).astype(np.uint16)


def deep(values: np.ndarray = RAMP) -> Image.Image:
    return Image.fromarray(values)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("rotate 90", np.rot90(RAMP)),
        ("rotate 180", RAMP[::-1, ::-1]),
        ("flip horizontal", RAMP[:, ::-1]),
        ("flip vertical", RAMP[::-1]),
        ("crop 1 2 5 6", RAMP[2:6, 1:5]),
        ("crop 1:1", RAMP[:, 1:7]),
        ("invert", 65535 - RAMP),
        ("grayscale", RAMP),
        ("adjust_attr saturation 50", RAMP),
        ("adjust_attr brightness 0", RAMP),
        ("adjust_attr brightness -50", np.floor(RAMP * 0.5 + 0.5)),
        ("adjust_attr brightness 100", np.minimum(65535, RAMP.astype(np.int64) * 2)),
    ],
)
def test_exact_values(command, expected):
    result = apply(deep(), [command])
    assert result.mode == "I;16"
    assert np.array_equal(np.asarray(result), expected)


def test_contrast_spreads_around_the_mean():
    values = np.asarray(apply(deep(), ["adjust_attr contrast 20"])).astype(float)
    mean = RAMP.mean()
    expected = np.clip((RAMP - mean) * 1.2 + mean, 0, 65535)
    assert np.abs(values - expected).max() <= 1


def test_resizing_keeps_what_eight_bits_would_lose():
    fine = deep(np.full((64, 64), 12345, np.uint16))
    assert np.asarray(apply(fine, ["resize 50%"])).tolist() == [[12345] * 32] * 32


@pytest.mark.parametrize("command", ["rotate 30", "sepia 50", "blur 10", "adjust_attr sharpness 20", "border 2 red"])
def test_other_edits_go_on_in_eight_bits(command):
    result = apply(deep(), ["flip vertical", command])
    assert result.mode in ("RGB", "RGBA")


def test_the_picture_given_is_not_changed():
    image = deep()
    apply(image, ["invert"])
    assert np.array_equal(np.asarray(image), RAMP)


@given(st.lists(st.sampled_from(["rotate 90", "rotate 270", "flip horizontal", "flip vertical"]), max_size=6))
@settings(max_examples=30, deadline=None)
def test_turns_and_flips_lose_nothing(commands):
    back = {"rotate 90": "rotate 270", "rotate 270": "rotate 90"}
    there = apply(deep(), commands)
    assert np.array_equal(np.asarray(apply(there, [back.get(c, c) for c in reversed(commands)])), RAMP)


@pytest.mark.parametrize("suffix", ["png", "tiff"])
def test_files_keep_sixteen_bits(tmp_path: Path, suffix: str):
    source, out = tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}"
    deep().save(source)
    opened = open_file(source)
    save_file(Editor().edit(opened.image, ["invert"]).image, out)
    with Image.open(out) as image:
        assert image.mode == "I;16"
        assert np.array_equal(np.asarray(image), 65535 - RAMP)


def test_formats_without_sixteen_bits_get_eight(tmp_path: Path):
    deep().save(tmp_path / "in.png")
    for name in ("out.jpg", "out.webp", "out.bmp"):
        save_file(open_file(tmp_path / "in.png").image, tmp_path / name)
        with Image.open(tmp_path / name) as image:
            assert image.mode == "RGB"
            assert abs(np.asarray(image)[0, 0].mean() - RAMP[0, 0] / 257) < 8


def test_a_preview_has_eight_bits():
    assert Editor().preview(deep(), ["invert"]).image.mode == "RGB"
