"""All eight EXIF orientations of all formats that have them give the same upright picture."""

from __future__ import annotations

import pytest
from PIL import Image
from PIL.ExifTags import Base

from visavis.pictures import open_picture, open_scaled

#: How a camera held that way would store an upright scene.
STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


@pytest.mark.parametrize("orientation", STORED)
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF", "HEIF"])
def test_every_orientation_comes_out_upright(kind, orientation, scene, encode, distance) -> None:
    turn = STORED[orientation]
    exif = Image.Exif()
    exif[Base.Orientation] = orientation
    data = encode(scene.transpose(turn) if turn is not None else scene, kind, exif=exif.tobytes(), quality=95)
    opened = open_picture(data)
    assert (opened.width, opened.height) == (64, 48)
    assert distance(opened.image, scene) < 6
    assert Base.Orientation not in opened.image.getexif()
    scaled = open_scaled(data, 24)
    assert (scaled.width, scaled.height) == (64, 48)
    assert distance(scaled.image, scene.resize((32, 24), Image.Resampling.BICUBIC)) < 8


@pytest.mark.parametrize("orientation", [0, 9, 65535])
def test_orientations_that_do_not_exist_change_nothing(orientation, scene, encode, distance) -> None:
    exif = Image.Exif()
    exif[Base.Orientation] = orientation
    assert distance(open_picture(encode(scene, "PNG", exif=exif)).image, scene) == 0


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
def test_damaged_tags_do_not_cost_the_picture(scene, encode, distance) -> None:
    data = encode(scene, "PNG", exif=b"Exif\0\0II*\0\xff\xff\xff\xff" + b"\xff" * 40)
    opened = open_picture(data)
    assert distance(opened.image, scene) == 0
    assert opened.attributes == {}
