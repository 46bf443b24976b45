"""Opening every common format gives the same pixels, whatever the file's kind and colour space."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from visavis.pictures import content_id, open_picture, open_scaled

WHITE = (255, 255, 255)
#: What a format loses, in mean grey levels.
FORMATS = {
    "jpeg": ("JPEG", {"quality": 95}, 4),
    "progressive jpeg": ("JPEG", {"quality": 95, "progressive": True}, 4),
    "png": ("PNG", {}, 0),
    "webp": ("WEBP", {"lossless": True}, 0),
    "lossy webp": ("WEBP", {"quality": 95}, 5),
    "tiff": ("TIFF", {}, 0),
    "compressed tiff": ("TIFF", {"compression": "tiff_lzw"}, 0),
    "bmp": ("BMP", {}, 0),
    "avif": ("AVIF", {"quality": 95}, 5),
    "jpeg 2000": ("JPEG2000", {}, 0),
    "ppm": ("PPM", {}, 0),
    "heic": ("HEIF", {"quality": 95}, 5),
}


@pytest.mark.parametrize("case", FORMATS)
def test_every_format_gives_the_picture(case, scene, encode, distance, tmp_path: Path) -> None:
    kind, options, loss = FORMATS[case]
    data = encode(scene, kind, **options)
    path = tmp_path / "picture.bin"
    path.write_bytes(data)
    opened = open_picture(path)
    assert opened.image.mode == "RGB"
    assert distance(opened.image, scene) <= loss
    assert (opened.width, opened.height, opened.bytes, opened.format) == (64, 48, len(data), kind)
    assert opened.id == content_id(data)
    from_bytes = open_picture(data)
    assert distance(from_bytes.image, opened.image) == 0
    assert open_picture(data, id="known").id == "known"


MODES = [("PNG", "1"), ("PNG", "L"), ("PNG", "P"), ("GIF", "P"), ("BMP", "P"), ("JPEG", "L"), ("JPEG", "CMYK")]
MODES += [("TIFF", mode) for mode in ("1", "L", "P", "CMYK", "YCbCr")]


@pytest.mark.parametrize(("kind", "mode"), MODES)
def test_modes_without_alpha(mode, kind, scene, encode, distance) -> None:
    stored = scene.convert(mode)
    data = encode(stored, kind, **({"quality": 95} if kind == "JPEG" else {}))
    opened = open_picture(data)
    assert opened.image.mode == "RGB"
    assert distance(opened.image, stored.convert("RGB")) < 6
    assert distance(open_scaled(data, 24).image, stored.convert("RGB").resize((32, 24), Image.Resampling.BICUBIC)) < 16


def test_lab_colours(scene, encode, distance) -> None:
    lab = ImageCms.profileToProfile(
        scene, ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), outputMode="LAB"
    )
    assert distance(open_picture(encode(lab, "TIFF")).image, scene) < 8


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF", "AVIF", "GIF"])
def test_transparency_is_laid_on_white_or_kept(kind, scene, encode) -> None:
    clear = scene.convert("RGBA")
    clear.paste((0, 0, 0, 0), (0, 0, 32, 48))
    data = encode(clear, kind, **({"lossless": True} if kind == "WEBP" else {}))
    flat = open_picture(data).image
    assert flat.mode == "RGB"
    assert min(flat.getpixel((8, 8))) >= 250
    assert flat.getpixel((48, 8))[0] < 100
    kept = open_picture(data, keep_alpha=True).image
    assert kept.mode == "RGBA"
    assert kept.getpixel((8, 8))[3] == 0
    assert kept.getpixel((48, 8))[3] == 255
    assert min(open_scaled(data, 24).image.getpixel((4, 4))) >= 250


def test_keeping_alpha_of_an_opaque_picture_gives_rgb(scene, encode) -> None:
    assert open_picture(encode(scene, "PNG"), keep_alpha=True).image.mode == "RGB"


def test_palette_with_one_clear_colour(scene, encode) -> None:
    palette = scene.quantize(4)
    data = encode(palette, "PNG", transparency=palette.getpixel((2, 2)))
    assert open_picture(data).image.getpixel((2, 2)) == WHITE
    assert open_picture(data).image.getpixel((60, 40)) != WHITE


def test_grey_with_alpha(encode) -> None:
    data = encode(Image.new("LA", (8, 8), (100, 0)), "PNG")
    assert open_picture(data).image.getpixel((4, 4)) == WHITE


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_sixteen_bits_are_scaled_not_clipped(kind, encode) -> None:
    ramp = np.linspace(0, 65535, 64).astype(np.uint16)
    opened = open_picture(encode(Image.fromarray(np.tile(ramp, (48, 1))), kind)).image
    grey = np.asarray(opened)[0, :, 0].astype(int)
    assert grey[0] == 0
    assert grey[-1] == 255
    assert np.abs(grey - np.linspace(0, 255, 64)).max() <= 1


def test_floats_and_long_integers(encode) -> None:
    ramp = np.tile(np.linspace(0, 1, 64, dtype=np.float32), (8, 1))
    assert np.asarray(open_picture(encode(Image.fromarray(ramp), "TIFF")).image)[0, -1, 0] == 255
    wide = np.tile(np.linspace(-1e6, 1e6, 64, dtype=np.float32), (8, 1))
    assert np.asarray(open_picture(encode(Image.fromarray(wide), "TIFF")).image)[0, 32, 0] in range(120, 136)
    counts = np.tile(np.arange(64, dtype=np.int32) * 4, (8, 1))
    assert np.asarray(open_picture(encode(Image.fromarray(counts), "TIFF")).image)[0, 63, 0] == 252


def test_first_frame_of_an_animation(scene, encode) -> None:
    other = Image.new("RGB", scene.size, "black")
    for kind in ("GIF", "WEBP", "PNG", "TIFF"):
        data = encode(scene, kind, save_all=True, append_images=[other])
        pixel = open_picture(data).image.getpixel((8, 8))
        assert pixel[0] > 150, kind
        assert pixel[2] < 90, kind


def test_a_camera_s_pair_of_views_gives_the_first(scene, encode, distance) -> None:
    data = encode(scene, "MPO", save_all=True, append_images=[Image.new("RGB", (640, 480))])
    assert open_picture(data).format == "JPEG"
    assert distance(open_picture(data).image, scene) < 8
    assert distance(open_scaled(data, 24).image, scene.resize((32, 24), Image.Resampling.BICUBIC)) < 10


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_colour_profile_is_applied_and_dropped(kind, scene, encode) -> None:
    xyz = ImageCms.ImageCmsProfile(ImageCms.createProfile("XYZ")).tobytes()  # a profile that does not fit: passed over
    odd = open_picture(encode(scene, kind, icc_profile=xyz))
    srgb = open_picture(
        encode(scene, kind, icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    )
    plain = open_picture(encode(scene, kind))
    assert np.array_equal(np.asarray(srgb.image), np.asarray(plain.image))
    assert np.array_equal(np.asarray(odd.image), np.asarray(plain.image))
    assert not srgb.image.info


def test_wide_gamut_becomes_srgb(scene, encode) -> None:
    swapped = _swapped_profile()
    opened = open_picture(encode(Image.new("RGB", (8, 8), (255, 0, 0)), "PNG", icc_profile=swapped)).image
    red, green, blue = opened.getpixel((4, 4))
    assert green > 200  # this profile's first primary is green
    assert max(red, blue) < 60
    clear = open_picture(
        encode(Image.new("RGBA", (8, 8), (255, 0, 0, 128)), "PNG", icc_profile=swapped), keep_alpha=True
    )
    assert clear.image.getpixel((4, 4))[1] > 200
    assert clear.image.getpixel((4, 4))[3] == 128


def test_damaged_profile_is_passed_over(scene, encode) -> None:
    assert open_picture(encode(scene, "PNG", icc_profile=b"nonsense" * 30)).image.getpixel((2, 2))[0] > 200


def _swapped_profile() -> bytes:
    """The sRGB profile with its red and green primaries (and its name) exchanged."""
    data = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    swapped = data.replace(b"rXYZ", b"tmpX").replace(b"gXYZ", b"rXYZ").replace(b"tmpX", b"gXYZ")
    return swapped.replace("sRGB".encode("utf-16-be"), "odd!".encode("utf-16-be"))


@pytest.mark.parametrize("size", [(640, 480), (480, 640), (641, 479), (2000, 10), (33, 1000), (20, 10)])
@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_scaled_keeps_the_shape_and_never_enlarges(size, kind, encode) -> None:
    data = encode(Image.new("RGB", size, (10, 120, 200)), kind)
    opened = open_scaled(data, 32)
    assert (opened.width, opened.height) == size
    scale = min(1, 32 / min(size))
    assert opened.image.size == (round(size[0] * scale), round(size[1] * scale))
    assert np.abs(np.asarray(opened.image, int) - (10, 120, 200)).max() <= 3


def test_scaled_jpeg_is_close_to_fair_scaling(scene, encode, distance) -> None:
    large = scene.resize((1024, 768), Image.Resampling.BICUBIC)
    opened = open_scaled(encode(large, "JPEG", quality=95), 96)
    assert distance(opened.image, large.resize((128, 96), Image.Resampling.BICUBIC)) < 2.5


def test_scaled_needs_a_size(scene, encode) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        open_scaled(encode(scene, "PNG"), 0)


def test_a_file_is_read_exactly_once(scene, encode, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(encode(scene, "JPEG"))
    opens = []
    true_open = os.open
    monkeypatch.setattr(os, "open", lambda file, *a, **k: opens.append(file) or true_open(file, *a, **k))
    monkeypatch.setattr(Path, "open", lambda *a, **k: pytest.fail("opened behind our back"))
    open_scaled(path, 16)
    assert opens == [path]


def test_threads_open_the_same_and_different_files(scene, encode, distance) -> None:
    swapped = _swapped_profile()
    files = [encode(scene, kind, icc_profile=swapped) for kind in ("JPEG", "PNG", "WEBP", "TIFF")] * 10
    alone = [open_scaled(data, 24) for data in files]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda data: open_scaled(data, 24), files))
    assert all(distance(one.image, other.image) == 0 for one, other in zip(alone, together, strict=True))
    assert [one.id for one in alone] == [other.id for other in together]
