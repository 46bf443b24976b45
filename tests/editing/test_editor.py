from __future__ import annotations

import numpy as np
import pytest
from editing_support import MEANINGS
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from visavis.editing.cutout.cutters import cutter
from visavis.editing.editor import Editor, _doubt
from visavis.editing.pipeline import Tools, UnsureError, apply, edit_names, read_commands
from visavis.editing.table import OPERATIONS
from visavis.errors import BadInputError
from visavis.language.commands import KINDS
from visavis.language.commands.edits import Edit

DOG, SKY, GRASS = MEANINGS["dog"], MEANINGS["sky"], MEANINGS["grass"]


def test_the_table_has_every_edit_that_language_knows():
    assert set(OPERATIONS) == {kind for kind in KINDS if issubclass(kind, Edit)}


@pytest.mark.parametrize(
    "line",
    [
        "rotate 30", "rotate 270", "adjust_attr brightness 20", "adjust_attr contrast -20", "adjust_attr saturation 20",
        "adjust_attr warmth 20", "adjust_attr sharpness 20", "adjust_color skyblue 0.4", "crop 10 10 50 60",
        "crop 16:9", "flip vertical", "resize 64x", "resize 50%", "straighten 3", "straighten", "grayscale", "sepia 60",
        "invert",
        "enhance", "vignette 40", "blur 50", "border 7 #ff8800", 'caption "Hi" top',
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1", "I;16", "CMYK", "F"])
def test_every_operation_takes_every_kind_of_picture(line, mode):
    ramp = np.linspace(0, 255, 120 * 90).reshape(90, 120)
    image = (
        Image.fromarray((ramp * 257).astype(np.uint16))
        if mode == "I;16"
        else Image.fromarray(ramp.astype(np.uint8)).convert(mode)
    )
    before = image.tobytes()
    result = apply(image, [line])
    assert result.mode in ("RGB", "RGBA") or result.mode == mode == "I;16"
    assert min(result.size) > 0
    assert image.tobytes() == before


class TestEditing:
    def test_commands_follow_one_another(self, scene):
        result = Editor().edit(scene, ["crop 0 0 100 50", "rotate 90"])
        assert result.image.size == (50, 100)
        assert [str(command) for command in result.applied] == ["crop 0 0 100 50", "rotate 90"]
        assert result.done
        assert result.seconds > 0

    def test_order_matters(self, scene):
        one, other = (
            apply(scene, lines).size for lines in (["rotate 90", "resize 100x50"], ["resize 100x50", "rotate 90"])
        )
        assert (one, other) == ((100, 50), (50, 100))

    @given(
        st.lists(
            st.sampled_from(["rotate 90", "flip horizontal", "invert", "grayscale", "adjust_attr contrast 20"]),
            max_size=5,
        )
    )
    @settings(max_examples=20, deadline=None)
    def test_replaying_gives_the_same_bytes(self, lines):
        image = Image.fromarray(np.random.default_rng(3).integers(0, 256, (20, 30, 3), np.uint8))
        editor = Editor()
        first = editor.edit(image, lines)
        assert editor.edit(image, first.recipe.active).image.tobytes() == first.image.tobytes()

    def test_the_source_is_never_changed(self, scene, left_half):
        before = scene.tobytes()
        lines = ["adjust_attr brightness 50", "blur 50 on background", "image_cutout", "border 5 red"]
        Editor(cutter=left_half).edit(scene, lines)
        assert scene.tobytes() == before

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("rotate banana", "not a number"),
            ("rotate 400", "out of range"),
            ("adjust_attr brightness 101", "out of range"),
            ("adjust_attr contrast", "not a number"),
            ("adjust_attr volume 3", "cannot be adjusted"),
            ("adjust_color red 1.5", "out of range"),
            ("adjust_color rde 0.5", "Did you mean red"),
            ("crop 5 5 5 9", "empty"),
            ("crop 9000 9000 9100 9100", "outside the picture"),
            ("crop 1 2 3", "no box"),
            ("flip sideways", "no way to flip"),
            ("resize 0x10", "pixels cannot be made"),
            ("resize 30000x30000", "too large"),
            ("straighten 80", "out of range"),
            ("blur 101", "out of range"),
            ("border 5 nosuchcolour", "no colour"),
            ("border -3 red", "not understood"),
            ("replace_background nosuchcolour", "no colour"),
            ("replace_background #3", "not known here"),
            ("rotate 90 on dog", "whole picture"),
            ("flip horizontal on dog", "whole picture"),
            ("adjust_color red 0.4 on dog", "needs an encoder"),
            ("search red dress", "does not change a picture"),
            ("explode 3", "no command"),
            ("", "no command"),
        ],
    )
    def test_a_bad_command_is_refused_in_words_and_changes_nothing(self, scene, line, words):
        before = scene.tobytes()
        with pytest.raises(BadInputError, match=words):
            Editor().edit(scene, ["invert", line])
        assert scene.tobytes() == before

    def test_all_commands_are_read_before_the_first_is_carried_out(self):
        with pytest.raises(BadInputError):
            read_commands(["invert", "rotate banana"])
        assert "rotate" in edit_names()

    def test_an_orientation_tag_is_applied(self):
        image = Image.new("RGB", (40, 20), "red")
        image.getexif()[0x0112] = 6
        assert apply(image, ["adjust_attr brightness 0"]).size == (20, 40)

    def test_a_picture_without_pixels_is_refused(self):
        with pytest.raises(BadInputError, match="no pixels"):
            apply(Image.new("RGB", (0, 5)), ["invert"])


class TestOnAThing:
    def test_a_change_is_limited_to_the_thing(self, scene, encoder, left_half):
        result = apply(scene, ["adjust_color yellow 1 on sky"], Tools(encoder, left_half), confirmed=True)
        assert result.getpixel((160, 40)) == (255, 255, 0)
        assert result.getpixel((160, 310)) == GRASS

    def test_crop_to_the_thing_on_the_right(self, scene, encoder, left_half):
        result = apply(scene, ["crop on dog on the right"], Tools(encoder, left_half), confirmed=True)
        assert result.width == pytest.approx(120, abs=45)
        assert result.getpixel((result.width // 2, result.height // 2)) == DOG

    def test_crop_to_a_shape_around_a_thing(self, scene, encoder, left_half):
        result = apply(scene, ["crop 1:2 on dog on the left"], Tools(encoder, left_half), confirmed=True)
        assert result.size == (160, 320)
        assert result.getpixel((40, 210)) == DOG

    def test_cut_out_keeps_the_subject(self, scene, left_half):
        result = apply(scene, ["image_cutout"], Tools(cutter=left_half))
        assert result.getpixel((20, 20)) == (*SKY, 255)
        assert result.getpixel((300, 20)) == (0, 0, 0, 0)

    def test_cutting_out_the_background_means_removing_it(self, scene, left_half):
        tools = Tools(cutter=left_half)
        assert (
            apply(scene, ["image_cutout on background"], tools).tobytes()
            == apply(scene, ["image_cutout"], tools).tobytes()
        )

    def test_the_background_is_what_the_subject_is_not(self, scene, left_half):
        result = apply(scene, ["adjust_color red 1 on background"], Tools(cutter=left_half))
        assert result.getpixel((20, 20)) == SKY
        assert result.getpixel((300, 20)) == (255, 0, 0)

    def test_another_background(self, scene, left_half):
        result = apply(scene, ["replace_background white"], Tools(cutter=left_half))
        assert result.getpixel((300, 20)) == (255, 255, 255)
        other = Image.new("RGB", (10, 10), (1, 2, 3))
        tools = Tools(cutter=left_half, resolve={"#3": other, "beach.jpg": other}.__getitem__)
        for line in ("replace_background #3", 'replace_background "beach.jpg"'):
            assert apply(scene, [line], tools).getpixel((300, 20)) == (1, 2, 3)

    def test_an_unsure_find_asks_and_shows_instead_of_changing(self, scene, encoder, left_half):
        editor = Editor(encoder, left_half)
        result = editor.edit(scene, ["invert", "invert", "image_cutout on xylophone", "rotate 90"])
        assert not result.done
        assert [str(command) for command in result.pending] == ["image_cutout on xylophone", "rotate 90"]
        assert "xylophone" in (result.question or "")
        assert result.image.tobytes() == scene.tobytes()
        assert result.preview is not None
        assert result.preview.size == scene.size
        with pytest.raises(UnsureError, match="xylophone"):
            apply(scene, ["image_cutout on xylophone"], Tools(encoder, left_half))

    def test_a_confirmed_find_is_used(self, scene, encoder, left_half):
        result = Editor(encoder, left_half).edit(scene, ["image_cutout on xylophone"], confirmed=True)
        assert result.done
        assert result.image.mode == "RGBA"


class TestPreview:
    def test_a_preview_looks_like_the_result_made_small(self):
        ramp = np.linspace(0, 255, 1600 * 1200).reshape(1200, 1600).astype(np.uint8)
        image = Image.fromarray(np.stack([ramp, ramp.T.reshape(1200, 1600), 255 - ramp], 2))
        lines = ["crop 200 100 1400 1100", "adjust_attr contrast 30", "border 40 red", "blur 20", "vignette 60"]
        editor = Editor()
        full = editor.edit(image, lines).image
        small = editor.preview(image, lines, longest=400).image
        assert small.width == pytest.approx(full.width / 4, abs=2)
        difference = np.asarray(full.resize(small.size, Image.Resampling.BOX), np.float32) - np.asarray(
            small, np.float32
        )
        assert np.abs(difference).mean() < 6

    def test_a_small_picture_is_not_enlarged(self, scene):
        assert Editor().preview(scene, ["invert"]).image.size == scene.size


def test_the_default_cutter_always_works(scene):
    assert cutter().mask(scene).max() <= 1


@pytest.mark.parametrize(
    ("sure", "words"), [(0.0, "I do not see “dog” here."), (0.4, "I am not sure that this is “dog” (40%).")]
)
def test_a_thing_that_is_not_there_is_said_not_to_be_seen(sure: float, words: str):
    assert _doubt("dog", sure).startswith(words)
