from __future__ import annotations

import numpy as np
import pytest
from editing_support import picture, values
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from visavis.editing.operations import effects, geometry, layers, tone
from visavis.editing.operations import tone as colour
from visavis.editing.operations.geometry import tilt
from visavis.errors import BadInputError

A, B, C, D = (10, 20, 30), (100, 110, 120), (200, 150, 50), (255, 0, 128)
TWO_BY_TWO = picture([[A, B], [C, D]])

pictures = st.builds(
    lambda seed, width, height, alpha: Image.fromarray(
        np.random.default_rng(seed).integers(0, 256, (height, width, 4 if alpha else 3), np.uint8)
    ),
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.integers(1, 40),
    st.booleans(),
)
amounts = st.floats(-100, 100)


class TestTone:
    def test_brightness_multiplies_and_stops_at_white(self):
        assert values(tone.brightness(TWO_BY_TWO, 50)) == [
            [(15, 30, 45), (150, 165, 180)],
            [(255, 225, 75), (255, 0, 192)],
        ]

    def test_darkest_is_black(self):
        assert values(tone.brightness(TWO_BY_TWO, -100)) == [[(0, 0, 0)] * 2] * 2

    def test_contrast_spreads_around_the_mean_light(self):
        grey = picture([[(100, 100, 100), (140, 140, 140)]])
        assert values(tone.contrast(grey, 50)) == [[(90, 90, 90), (150, 150, 150)]]
        assert values(tone.contrast(grey, -100)) == [[(120, 120, 120)] * 2]

    def test_contrast_ignores_what_cannot_be_seen(self):
        image = picture([[(100, 100, 100, 255), (140, 140, 140, 255), (255, 255, 255, 0)]])
        assert values(tone.contrast(image, -100))[0][:2] == [(120, 120, 120, 255)] * 2

    def test_no_saturation_is_the_grey_that_pillow_makes(self):
        grey = np.asarray(TWO_BY_TWO.convert("L").convert("RGB"), np.int16)
        assert np.abs(np.asarray(tone.saturation(TWO_BY_TWO, -100), np.int16) - grey).max() <= 1

    def test_more_saturation_moves_colours_away_from_grey(self):
        assert values(tone.saturation(picture([[(100, 150, 100)]]), 100)) == [[(71, 171, 71)]]

    def test_highlights_and_shadows_move_their_half_of_the_tones(self):
        greys = picture([[(0, 0, 0), (64, 64, 64), (128, 128, 128), (192, 192, 192), (255, 255, 255)]])
        tones = [value[0] for value in values(tone.highlights(greys, -100))[0]]
        assert tones[:3] == [0, 64, 128]
        assert 128 < tones[3] < 192
        assert tones[3] < tones[4] < 255
        tones = [value[0] for value in values(tone.shadows(greys, 100))[0]]
        assert 0 < tones[0] < tones[1] < 128
        assert tones[2:] == [128, 192, 255]

    def test_warmth_raises_red_and_lowers_blue(self):
        assert values(tone.warmth(picture([[(100, 100, 100)]]), 100)) == [[(130, 105, 70)]]
        assert values(tone.warmth(picture([[(100, 100, 100)]]), -100)) == [[(70, 95, 130)]]

    def test_sharpness_strengthens_an_edge_and_leaves_flat_parts(self):
        row = [(100,) * 3] * 6 + [(150,) * 3] * 6
        image = picture([row] * 6)
        sharp = np.asarray(tone.sharpness(image.resize((13, 6), Image.Resampling.BILINEAR), 100), np.int16)
        soft = np.asarray(tone.sharpness(image.resize((13, 6), Image.Resampling.BILINEAR), -100), np.int16)
        assert sharp[3, 0, 0] == soft[3, 0, 0] == 100
        assert np.ptp(sharp[3, :, 0]) > 50 >= np.ptp(soft[3, :, 0])
        assert np.abs(np.diff(sharp[3, :, 0])).max() > np.abs(np.diff(soft[3, :, 0])).max()

    def test_sharpness_without_detail_is_a_blur_over_one_pixel(self):
        dot = Image.new("RGB", (9, 9))
        dot.putpixel((4, 4), (255, 128, 64))
        soft = np.asarray(tone.sharpness(dot, -100), np.int16)
        bell = np.exp(-0.5 * np.arange(-4, 5) ** 2)
        bell /= bell.sum()
        assert np.abs(soft - np.outer(bell, bell)[..., None] * np.array([255, 128, 64])).max() <= 1

    @pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1), (3, 17)])
    def test_sharpness_repeats_the_rim_beyond_it(self, size):
        flat = Image.new("RGB", size, C)
        assert tone.sharpness(flat, 100).tobytes() == flat.tobytes()

    def test_enhance_stretches_a_flat_picture_to_the_full_range(self):
        ramp = Image.fromarray(np.tile(np.linspace(80, 180, 200).astype(np.uint8)[None, :, None], (50, 1, 3)))
        low, high = tone.enhance(ramp).convert("L").getextrema()
        assert low <= 4
        assert high >= 250

    def test_enhance_weakens_a_colour_cast(self):
        ramp = np.tile(np.linspace(40, 200, 200)[None, :, None], (50, 1, 3))
        cast = Image.fromarray(np.clip(ramp * [1.2, 1.0, 0.8], 0, 255).astype(np.uint8))
        arrays = [np.asarray(image, np.float32) for image in (cast, tone.enhance(cast))]
        before, after = (np.ptp(array.mean((0, 1))) / array.std() for array in arrays)
        assert after < 0.75 * before

    @given(pictures)
    @settings(max_examples=25, deadline=None)
    def test_nothing_changes_nothing(self, image):
        for function in (tone.brightness, tone.contrast, tone.highlights, tone.shadows, tone.saturation, tone.warmth):
            assert function(image, 0).tobytes() == image.tobytes(), function

    @given(pictures, amounts)
    @settings(max_examples=25, deadline=None)
    def test_size_mode_alpha_and_source_stay(self, image, amount):
        before = image.tobytes()
        for function in (tone.brightness, tone.contrast, tone.highlights, tone.shadows, tone.saturation, tone.warmth):
            result = function(image, amount)
            assert (result.size, result.mode) == (image.size, image.mode)
            if image.mode == "RGBA":
                assert result.getchannel("A").tobytes() == image.getchannel("A").tobytes()
        assert image.tobytes() == before


class TestColour:
    def test_tint_moves_each_pixel_towards_the_colour(self):
        assert values(colour.tint(TWO_BY_TWO, (255, 0, 0), 0.5)) == [
            [(133, 10, 15), (178, 55, 60)],
            [(228, 75, 25), (255, 0, 64)],
        ]

    def test_full_strength_leaves_only_the_colour_and_none_changes_nothing(self):
        assert values(colour.tint(TWO_BY_TWO, (1, 2, 3), 1)) == [[(1, 2, 3)] * 2] * 2
        assert colour.tint(TWO_BY_TWO, (1, 2, 3), 0).tobytes() == TWO_BY_TWO.tobytes()

    def test_grayscale(self):
        assert values(colour.grayscale(picture([[(255, 0, 0), (0, 255, 0)]]))) == [[(76,) * 3, (150,) * 3]]

    def test_sepia(self):
        assert values(colour.sepia(picture([[(100, 100, 100)]]), 100)) == [[(135, 120, 94)]]
        assert values(colour.sepia(TWO_BY_TWO, 0)) == values(TWO_BY_TWO)

    @given(pictures)
    @settings(max_examples=25, deadline=None)
    def test_inverting_twice_is_the_picture(self, image):
        assert colour.invert(colour.invert(image)).tobytes() == image.tobytes()

    def test_invert_leaves_alpha(self):
        assert values(colour.invert(picture([[(0, 255, 10, 7)]]))) == [[(255, 0, 245, 7)]]


class TestGeometry:
    def test_quarter_turns_are_counter_clockwise_and_exact(self):
        assert values(geometry.rotate(TWO_BY_TWO, 90)) == [[B, D], [A, C]]
        assert values(geometry.rotate(TWO_BY_TWO, 180)) == [[D, C], [B, A]]
        assert values(geometry.rotate(TWO_BY_TWO, 270)) == [[C, A], [D, B]]

    @given(pictures)
    @settings(max_examples=25, deadline=None)
    def test_a_full_turn_and_four_quarters_are_the_picture(self, image):
        assert geometry.rotate(image, 360).tobytes() == geometry.rotate(image, 0).tobytes() == image.tobytes()
        turned = image
        for _ in range(4):
            turned = geometry.rotate(turned, 90)
        assert turned.tobytes() == image.tobytes()

    def test_other_angles_grow_the_canvas_and_leave_empty_corners(self):
        turned = geometry.rotate(Image.new("RGB", (100, 60), A), 30)
        assert turned.mode == "RGBA"
        assert turned.size == (118, 102)
        assert turned.getpixel((0, 0))[3] == 0
        assert turned.getpixel((59, 51)) == (*A, 255)

    @given(st.integers(2, 300), st.integers(2, 300), st.floats(-45, 45))
    @settings(max_examples=60, deadline=None)
    def test_straightening_leaves_no_empty_corner(self, width, height, degrees):
        image = Image.new("RGB", (width, height), (255, 255, 255))
        result = geometry.straighten(image, degrees)
        assert result.width <= width
        assert result.height <= height
        if min(result.size) > 4:  # rotation blends the outermost pixel with nothing
            inner = result.crop((1, 1, result.width - 1, result.height - 1))
            assert inner.convert("L").getextrema()[0] > 250

    def test_flip(self):
        assert values(geometry.flip(TWO_BY_TWO, "horizontal")) == [[B, A], [D, C]]
        assert values(geometry.flip(TWO_BY_TWO, "vertical")) == [[C, D], [A, B]]

    def test_crop(self):
        assert values(geometry.crop(TWO_BY_TWO, (1, 0, 2, 2))) == [[B], [D]]

    def test_a_crop_is_cut_to_the_picture(self):
        assert geometry.crop(TWO_BY_TWO, (1, 1, 999, 999)).size == (1, 1)

    @pytest.mark.parametrize("box", [(2, 0, 3, 1), (0, 2, 1, 9), (50, 50, 60, 60)])
    def test_a_crop_outside_is_refused(self, box):
        with pytest.raises(BadInputError, match="outside the picture"):
            geometry.crop(TWO_BY_TWO, box)

    @given(pictures, st.integers(1, 20), st.integers(1, 20))
    @settings(max_examples=60, deadline=None)
    def test_a_crop_to_a_shape_lies_within_and_has_the_shape(self, image, wide, high):
        result = geometry.crop_to_aspect(image, (wide, high), (0, 0, 1, 1))
        assert result.width <= image.width
        assert result.height <= image.height
        assert result.width == image.width or result.height == image.height
        assert (
            abs(result.width - result.height * wide / high) <= 1 or abs(result.height - result.width * high / wide) <= 1
        )

    @pytest.mark.parametrize(
        ("wanted", "size"), [((20, None), (20, 10)), ((None, 20), (40, 20)), ((7, 9), (7, 9)), ((None, None), (80, 40))]
    )
    def test_resize_keeps_the_proportion_unless_told_otherwise(self, wanted, size):
        assert geometry.resize(Image.new("RGB", (80, 40)), *wanted).size == size

    def test_scale(self):
        assert geometry.scale(Image.new("RGB", (80, 40)), 50).size == (40, 20)
        assert geometry.scale(Image.new("RGB", (80, 40)), 1).size == (1, 1)

    def test_a_flat_picture_keeps_its_colour_when_resized(self):
        assert values(geometry.resize(Image.new("RGB", (64, 64), C), 2, 1)) == [[C, C]]

    def test_what_would_not_fit_into_memory_is_refused(self):
        with pytest.raises(BadInputError, match="too large"):
            geometry.resize(Image.new("RGB", (10, 10)), 30_000, 30_000)


class TestLevelling:
    @pytest.mark.parametrize("angle", [-7.5, -3, 2, 6])
    def test_a_tilted_horizon_is_found(self, angle):
        striped = np.zeros((500, 700, 3), np.uint8)
        striped[::40] = striped[1::40] = striped[2::40] = 200
        striped[250:] += 40
        tilted = geometry.straighten(Image.fromarray(striped), angle)
        assert tilt(tilted) == pytest.approx(-angle, abs=0.5)

    def test_noise_and_tiny_pictures_have_no_tilt(self):
        noise = Image.fromarray(np.random.default_rng(1).integers(0, 256, (300, 300, 3), np.uint8))
        assert tilt(noise) == 0
        assert tilt(TWO_BY_TWO) == 0


class TestEffects:
    def test_blur_keeps_the_mean_and_lowers_the_differences(self):
        image = Image.fromarray(np.random.default_rng(1).integers(0, 256, (200, 300, 3), np.uint8))
        for amount in (5, 50, 100):
            before, after = np.asarray(image, np.float32), np.asarray(effects.blur(image, amount), np.float32)
            assert after.mean() == pytest.approx(before.mean(), abs=1.5)
            assert after.std() < before.std()

    def test_no_blur_is_the_picture(self):
        assert effects.blur(TWO_BY_TWO, 0).tobytes() == TWO_BY_TWO.tobytes()

    def test_invisible_colours_do_not_bleed(self):
        image = Image.new("RGBA", (100, 100), (0, 0, 255, 255))
        image.paste((255, 0, 0, 0), (0, 0, 50, 100))
        blurred = np.asarray(effects.blur(image, 100))
        assert blurred[..., 0][blurred[..., 3] > 8].max() <= 2

    def test_a_blurred_ground_takes_no_colour_from_the_thing_before_it(self):
        image = Image.new("RGB", (200, 200), (0, 0, 255))
        image.paste((255, 0, 0), (0, 0, 100, 200))
        ground = Image.new("L", (200, 200), 255)
        ground.paste(0, (0, 0, 100, 200))
        result = np.asarray(effects.blur_where(image, 100, ground), np.int16)
        assert result[:, :100].tolist() == np.asarray(image)[:, :100].tolist()
        assert result[:, 104:, 0].max() < 25

    def test_vignette_darkens_corners_and_not_the_middle(self):
        image = Image.new("RGB", (101, 81), (200, 200, 200))
        result = effects.vignette(image, 100)
        assert result.getpixel((50, 40)) == (200, 200, 200)
        assert max(result.getpixel((0, 0))) < 5
        assert effects.vignette(image, 0).tobytes() == image.tobytes()


class TestLettering:
    def test_border(self):
        assert values(layers.border(picture([[A]]), 1, B)) == [[B] * 3, [B, A, B], [B] * 3]
        assert values(layers.border(picture([[(*A, 0)]]), 1, B))[0] == [(*B, 255)] * 3

    @pytest.mark.parametrize(("position", "rows"), [("top", (0, 70)), ("center", (60, 140)), ("bottom", (130, 200))])
    def test_a_caption_is_written_where_it_was_asked_for(self, position, rows):
        before = Image.new("RGB", (300, 200), (90, 90, 90))
        changed = np.asarray(layers.caption(before, "Hello there", position)) != 90
        touched = np.nonzero(changed.any((1, 2)))[0]
        assert len(touched) > 5
        assert rows[0] <= touched.min() <= touched.max() < rows[1]

    def test_a_long_caption_stays_inside(self):
        image = layers.caption(Image.new("RGB", (200, 150), (90, 90, 90)), "words and words " * 12, "bottom")
        assert image.crop((0, 0, 200, 60)).getcolors() == [(200 * 60, (90, 90, 90))]

    def test_letters_that_no_font_has_are_refused(self):
        with pytest.raises(BadInputError, match="No font"):
            layers.caption(Image.new("RGB", (50, 50)), "\U000f0000", "top")


class TestMasking:
    MASK = Image.fromarray(np.array([[255, 0], [128, 255]], np.uint8))

    def test_limited(self):
        assert values(layers.limited(TWO_BY_TWO, picture([[D, D], [D, D]]), self.MASK))[0] == [D, B]

    def test_cut_out_is_transparent_and_black_elsewhere(self):
        assert values(layers.cut_out(TWO_BY_TWO, self.MASK)) == [[(*A, 255), (0, 0, 0, 0)], [(*C, 128), (*D, 255)]]

    def test_cut_out_keeps_what_was_transparent(self):
        image = TWO_BY_TWO.copy()
        image.putalpha(Image.fromarray(np.array([[0, 255], [255, 100]], np.uint8)))
        assert [pixel[3] for row in values(layers.cut_out(image, self.MASK)) for pixel in row] == [0, 0, 128, 100]

    def test_another_ground(self):
        assert values(layers.over_colour(TWO_BY_TWO, self.MASK, (0, 0, 0)))[0] == [A, (0, 0, 0)]
        assert values(layers.over_picture(TWO_BY_TWO, self.MASK, picture([[D]])))[0] == [A, D]

    def test_a_box_has_a_margin_within_the_picture(self):
        mask = Image.new("L", (100, 100))
        mask.paste(255, (0, 20, 50, 70))
        assert layers.box_of(mask, "it") == (0, 17, 53, 73)

    def test_an_empty_mask_has_no_box(self):
        with pytest.raises(BadInputError, match="'dog' was not found"):
            layers.box_of(Image.new("L", (5, 5)), "dog")
