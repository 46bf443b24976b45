"""Pictures into files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from visavis.editing.editor import Editor
from visavis.editing.files import encoded, mask_preview, working_form
from visavis.editing.pipeline import apply
from visavis.errors import BadInputError


@pytest.mark.parametrize("suffix", ["jpg", "webp", "gif", "avif"])
def test_a_picture_longer_than_a_format_can_count_is_told(suffix: str):
    with pytest.raises(BadInputError, match="cannot be written"):
        encoded(Image.new("RGB", (70_000, 1)), Path(f"wide.{suffix}"))


def test_a_picture_in_its_form_is_not_copied():
    image = Image.new("RGB", (4, 3), (1, 2, 3))
    assert working_form(image) is image


@pytest.mark.parametrize("mode", ["L", "P", "CMYK", "1", "LA", "F"])
def test_other_modes_are_converted(mode: str):
    assert working_form(Image.new(mode, (4, 3))).mode in ("RGB", "RGBA")


def test_tags_are_left_behind_and_stay_where_they_were():
    image = Image.new("RGB", (4, 3))
    image.info["comment"] = "mine"
    form = working_form(image)
    assert form is not image
    assert not form.info
    assert image.info == {"comment": "mine"}


@pytest.mark.parametrize(("orientation", "size"), [(1, (4, 3)), (3, (4, 3)), (6, (3, 4)), (8, (3, 4)), (99, (4, 3))])
def test_it_stands_upright(orientation: int, size: tuple[int, int]):
    image = Image.new("RGB", (4, 3))
    image.getexif()[0x0112] = orientation
    assert working_form(image).size == size


@pytest.mark.parametrize("commands", [[], ["adjust_attr brightness 0"], ["rotate 360"], ["blur 0"]])
def test_a_result_is_never_the_picture_given(commands: list[str]):
    image = Image.new("RGB", (4, 3), (9, 9, 9))
    for result in (Editor().edit(image, commands).image, apply(image, commands)):
        result.putpixel((0, 0), (255, 0, 0))
    assert image.getpixel((0, 0)) == (9, 9, 9)


def test_what_lies_behind_a_cut_out_is_checkered_in_the_preview_of_a_mask():
    cut = Image.new("RGBA", (64, 48), (0, 0, 0, 0))
    shown = mask_preview(cut, Image.new("L", cut.size, 255))
    assert len(set(shown.get_flattened_data())) == 2, "two greys"
    assert min(shown.convert("L").get_flattened_data()) > 150
