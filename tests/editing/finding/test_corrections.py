"""What an edit touches can be corrected by hand, and the correction is replayed with it."""

from __future__ import annotations

import numpy as np
import pytest
from editing_support import FixedCutter
from PIL import Image

from visavis.editing.editor import Editor
from visavis.editing.finding.corrections import brushed, corrected
from visavis.editing.recipe import EditRecipe
from visavis.errors import BadInputError
from visavis.language.commands import Remove
from visavis.language.commands.base import Mark


@pytest.fixture
def tracer() -> FixedCutter:
    """Finds no subject, and traces exactly what it is pointed at."""
    return FixedCutter(np.zeros((64, 64), np.float32))


def covers(mask: Image.Image, x: float, y: float) -> bool:
    return mask.getpixel((round(x * mask.width), round(y * mask.height))) >= 128


@pytest.fixture
def nothing(scene):
    return Image.new("L", scene.size, 0)


def test_a_stroke_covers_what_the_brush_went_over():
    area = brushed((400, 200), Mark(adds=True, points=((250, 500), (750, 500)), radius=50))
    assert covers(area, 0.25, 0.5)
    assert covers(area, 0.5, 0.59)  # the radius is a share of the longer side
    assert not covers(area, 0.5, 0.65)
    assert not covers(area, 0.9, 0.5)


def test_strokes_add_and_take_away_in_their_order(scene, nothing):
    on, off = (Mark(adds, ((500, 500),), 100) for adds in (True, False))
    assert covers(corrected(scene, nothing, [off, on]), 0.5, 0.5)
    assert not covers(corrected(scene, nothing, [on, off]), 0.5, 0.5)


def test_a_click_adds_what_is_seen_there(scene, nothing, encoder, tracer):
    mask = corrected(scene, nothing, [Mark(adds=True, points=((220, 650),))], encoder, tracer)
    assert covers(mask, 0.22, 0.65)
    assert not covers(mask, 0.75, 0.75)  # the other dog lies apart
    assert not covers(mask, 0.5, 0.2)


def test_a_click_takes_a_part_away_that_lies_apart(scene, encoder, tracer):
    both = Image.new("L", scene.size, 0)
    both.paste(255, (40, 180, 100, 240))
    both.paste(255, (180, 180, 300, 300))
    mask = corrected(scene, both, [Mark(adds=False, points=((220, 650),))], encoder, tracer)
    assert not covers(mask, 0.22, 0.65)
    assert covers(mask, 0.75, 0.75)


def test_a_click_never_takes_everything_away(scene, encoder, tracer):
    one = Image.new("L", scene.size, 0)
    one.paste(255, (180, 180, 300, 300))
    mask = corrected(scene, one, [Mark(adds=False, points=((750, 750),))], encoder, tracer)
    assert not covers(mask, 0.75, 0.75)
    assert covers(mask, 0.6, 0.6)


@pytest.fixture
def dotted():
    """A small red thing on a wide green ground, of which the left half is lit."""
    image = Image.new("RGB", (400, 400), (40, 120, 60))
    image.paste((140, 220, 150), (0, 0, 200, 400))
    image.paste((200, 30, 30), (300, 300, 324, 324))
    return image


class Ground:
    """Sees the ground on the right, the same everywhere, and on the left what differs from patch to patch."""

    def encode_patches(self, images):
        patches = np.zeros((len(images), 8, 8, 33), np.float32)
        patches[:, :, 4:, 32] = 1
        for at in range(32):
            patches[:, at // 4, at % 4, at] = 1
        return patches


def test_a_click_on_a_small_thing_does_not_add_the_ground(dotted):
    everything = FixedCutter(np.ones((64, 64), np.float32))
    mask = corrected(dotted, Image.new("L", dotted.size, 0), [Mark(True, ((780, 780),))], Ground(), everything)
    assert covers(mask, 0.78, 0.78)
    assert covers(mask, 0.76, 0.76), "all of the thing"
    assert not covers(mask, 0.6, 0.3)
    assert not covers(mask, 0.2, 0.5)


def test_a_click_takes_away_the_surface_that_it_is_on(dotted):
    everything = FixedCutter(np.ones((64, 64), np.float32))
    mask = corrected(dotted, Image.new("L", dotted.size, 255), [Mark(False, ((250, 500),))], Ground(), everything)
    assert not covers(mask, 0.1, 0.1), "the whole lit half, and not a disc of it"
    assert not covers(mask, 0.4, 0.9)
    assert covers(mask, 0.8, 0.2)


def test_a_click_needs_an_encoder(scene, nothing):
    with pytest.raises(BadInputError, match="encoder"):
        corrected(scene, nothing, [Mark(adds=True, points=((220, 650),))])


class TestInARecipe:
    def test_the_marked_place_is_changed_and_nothing_else(self, scene):
        made = Editor().edit(scene, ["recolor blue on selection marked +60:750,750"])
        assert made.done
        assert made.image.getpixel((240, 240)) != scene.getpixel((240, 240))
        assert made.image.getpixel((70, 210)) == scene.getpixel((70, 210))

    def test_it_is_replayed_from_its_text_form(self, scene, left_half):
        editor = Editor(cutter=left_half)
        line = "image_cutout on subject marked +50:750,750 -50:250,500"
        made = editor.edit(scene, [line])
        again = editor.edit(scene, [str(command) for command in made.recipe.active])
        assert again.image.tobytes() == made.image.tobytes()
        alpha = made.image.getchannel("A")
        assert covers(alpha, 0.75, 0.75)
        assert covers(alpha, 0.25, 0.2)
        assert not covers(alpha, 0.25, 0.5)

    def test_who_corrected_it_is_not_asked(self, scene, encoder, tracer):
        editor = Editor(encoder, tracer)
        assert editor.edit(scene, ["remove zebra"]).question
        assert editor.edit(scene, ["remove zebra marked +40:750,750"]).done

    def test_marks_hold_for_every_size(self, scene):
        line = "recolor blue on selection marked +60:750,750"
        small = Editor().preview(scene, [line], longest=160).image
        assert small.getpixel((120, 120))[2] > 120 > small.getpixel((35, 105))[2]

    def test_a_selection_without_marks_is_told(self, scene):
        with pytest.raises(BadInputError, match="Nothing is selected"):
            Editor().edit(scene, [Remove(target="selection")])

    def test_scaling_a_recipe_leaves_marks_alone(self):
        line = "remove dog marked +20:100,80,140,90"
        assert str(EditRecipe.of([line]).scaled(0.25).commands[0]) == line


class TestFinding:
    def test_what_the_last_edit_would_touch(self, scene, encoder, tracer):
        found = Editor(encoder, tracer).find(scene, ["flip horizontal", "remove dog on the right"])
        assert covers(found.mask, 0.78, 0.65)  # the small one, after flipping
        assert found.phrase == "dog on the right"

    def test_a_cut_out_of_the_background_keeps_the_subject(self, scene, left_half):
        found = Editor(cutter=left_half).find(scene, ["image_cutout on background"])
        assert covers(found.mask, 0.2, 0.2)

    def test_an_edit_of_the_whole_picture_has_no_mask(self, scene):
        with pytest.raises(BadInputError, match="whole picture"):
            Editor().find(scene, ["grayscale"])
