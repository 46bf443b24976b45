from __future__ import annotations

import numpy as np
import pytest
from editing_support import MEANINGS, FixedCutter
from PIL import Image

from visavis.demo import describe, draw
from visavis.editing.editor import Editor
from visavis.editing.finding.locate import decidedness, locate, outline
from visavis.editing.finding.phrases import RIVALS, Phrase, area_of, everything_but, listed, names_a_thing, read_phrase
from visavis.editing.finding.places import box_beside, choose, separate
from visavis.editing.finding.relevance import relevance, text_vectors
from visavis.encoders.registry import load_encoder
from visavis.errors import BadInputError


class TestPhrases:
    @pytest.mark.parametrize(
        ("text", "thing", "places", "size"),
        [
            ("the dog", "dog", (), None),
            ("woman on the left", "woman", ("left",), None),
            ("the woman on the left side", "woman", ("left",), None),
            ("the left-hand dog", "dog", ("left",), None),
            ("the leftmost red car", "red car", ("left",), None),
            ("the bird in the top right corner", "bird", ("top", "right"), None),
            ("the largest dog", "dog", (), "largest"),
            ("the small cat at the bottom of the picture", "cat", ("bottom",), "smallest"),
            ("dog in the middle", "dog", ("middle",), None),
            ("the sky", "sky", (), None),
            ("the man with the red hat", "man with the red hat", (), None),
            ("the left side", "", ("left",), None),
            ("the thing on the right", "", ("right",), None),
            ("main subject", "", (), None),
        ],
    )
    def test_thing_place_and_size_are_told_apart(self, text, thing, places, size):
        assert read_phrase(text) == Phrase(text, thing, places, size)

    @pytest.mark.parametrize(
        ("text", "thing", "places", "count"),
        [
            ("the two people", "people", (), 2),
            ("both cars on the left", "cars", ("left",), 2),
            ("two of the dogs", "dogs", (), 2),
            ("three", "three", (), None),
        ],
    )
    def test_how_many_are_meant(self, text, thing, places, count):
        assert read_phrase(text) == Phrase(text, thing, places, count=count)

    @pytest.mark.parametrize(
        ("text", "things"),
        [
            ("the cup and the napkin", ["the cup", "the napkin"]),
            ("cup, the spoon, and the plate", ["cup", "the spoon", "the plate"]),
            ("the dog and ball", ["dog", "ball"]),
            ("black and white cat", ["black and white cat"]),
            ("black and white", ["black and white"]),
            ("people in hats and coats", ["people in hats and coats"]),
        ],
    )
    def test_things_named_one_after_the_other(self, text, things):
        assert listed(text) == things

    @pytest.mark.parametrize("text", ["background", "the background", "The Backdrop", "everything else"])
    def test_the_background(self, text):
        assert read_phrase(text).background


class TestAreas:
    @pytest.mark.parametrize(
        ("phrase", "box"),
        [
            ("the top half", (0, 0, 60, 20)),
            ("bottom half of the picture", (0, 20, 60, 40)),
            ("the left third", (0, 0, 20, 40)),
            ("the right two thirds", (20, 0, 60, 40)),
            ("middle third", (0, 13, 60, 26)),
            ("the upper right corner", (30, 0, 60, 20)),
            ("bottom-left quarter", (0, 20, 30, 40)),
            ("the dog in the top half", None),
            ("the left side", None),
            ("half", None),
        ],
    )
    def test_parts_of_a_picture_are_exact_and_things_are_not_parts(self, phrase, box):
        assert area_of(phrase, (60, 40)) == box

    def test_a_part_needs_neither_an_encoder_nor_a_margin(self, scene):
        found = locate(scene, "the left half")
        assert (found.mask.getbbox(), found.sure) == ((0, 0, scene.width // 2, scene.height), True)
        made = Editor().edit(scene, ["crop on left half"])
        assert made.image.size == (scene.width // 2, scene.height)


class TestChoosing:
    HEAT = np.zeros((12, 12), np.float32)
    HEAT[5:7, 1:3] = 0.8
    HEAT[4:8, 8:12] = 0.9
    HEAT[0, 0] = 0.6

    @pytest.mark.parametrize(
        ("phrase", "kept", "dropped"),
        [
            ("dog on the left", (5, 1), (5, 9)),
            ("dog on the right", (5, 9), (5, 1)),
            ("largest dog", (5, 9), (5, 1)),
            ("smallest dog", (5, 1), (5, 9)),
        ],
    )
    def test_place_and_size_choose_one_of_several(self, phrase, kept, dropped):
        chosen = choose(self.HEAT, read_phrase(phrase), 0.5)
        assert chosen[kept] > 0
        assert chosen[dropped] == 0

    def test_without_a_place_all_are_meant(self):
        assert (choose(self.HEAT, read_phrase("dogs"), 0.5) == self.HEAT).all()


class TestLocating:
    def test_patches_of_the_thing_stand_out(self, scene, encoder):
        heat = relevance(scene, "dog", encoder)
        assert heat.shape == (16, 16)
        assert heat[10, 3] > 0.5 > heat[2, 8]

    @pytest.mark.parametrize(
        ("phrase", "inside", "outside"),
        [
            ("the dog on the left", (70, 210), (240, 240)),
            ("the largest dog", (240, 240), (70, 210)),
            ("the sky", (160, 60), (20, 300)),
            ("dog", (240, 240), (160, 60)),
        ],
    )
    def test_a_named_thing_is_found_with_confidence(self, scene, encoder, left_half, phrase, inside, outside):
        found = locate(scene, phrase, encoder, left_half)
        assert found.mask.size == scene.size
        assert found.mask.getpixel(inside) > 200
        assert found.mask.getpixel(outside) < 50
        assert found.sure

    def test_what_is_not_there_is_not_surely_found(self, scene, encoder, left_half):
        assert not locate(scene, "the xylophone", encoder, left_half).sure
        empty = Image.new("RGB", (64, 64), MEANINGS["grass"])
        assert not locate(empty, "the dog", encoder, left_half).sure

    def test_the_mask_follows_the_edge(self, scene, encoder, left_half):
        mask = np.asarray(locate(scene, "the sky", encoder, left_half).mask) > 127
        true = np.zeros((320, 320), bool)
        true[:160] = True
        assert (mask & true).sum() / (mask | true).sum() > 0.93

    def test_the_subject_needs_no_encoder(self, scene, left_half):
        found = locate(scene, "subject", None, left_half)
        assert found.mask.getpixel((20, 100)) == 255
        assert found.mask.getpixel((300, 100)) == 0
        assert found.sure

    def test_a_named_thing_without_an_encoder_is_refused(self, scene, left_half):
        with pytest.raises(BadInputError, match="needs an encoder"):
            locate(scene, "the dog", None, left_half)

    def test_a_mask_of_nothing_everything_or_doubt_is_not_sure(self):
        assert decidedness(np.zeros((9, 9), np.float32)) == 0
        assert decidedness(np.ones((9, 9), np.float32)) == 0
        assert decidedness(np.full((9, 9), 0.55, np.float32)) == 0


def test_no_rival_wins_everywhere():
    """A rival that is nearest to all patches, whatever they show, makes everything doubtful."""
    images = [draw(describe(7, number), (384, 512)) for number in range(6)]
    encoder = load_encoder()
    patches = encoder.encode_patches(images)
    scores = patches.reshape(-1, patches.shape[-1]) @ text_vectors(list(RIVALS), encoder).T
    wins = np.bincount(scores.argmax(axis=1), minlength=len(RIVALS)) / len(scores)
    assert wins.max() < 0.5, RIVALS[int(wins.argmax())]


def test_as_many_parts_stay_as_are_meant():
    heat = np.zeros((12, 12), np.float32)
    heat[2:5, 0:3], heat[2:5, 5:7], heat[8:10, 9:12] = 0.9, 0.8, 0.7
    chosen = choose(heat, read_phrase("the two people on the left"), 0.4)
    assert (chosen[2:5, 0:3] > 0).all()
    assert (chosen[2:5, 5:7] > 0).all()
    assert not chosen[8:10, 9:12].any()
    assert [int((part > 0.4).sum()) for part in separate(heat, 0.4)] == [9, 6, 6]


def test_an_outline_within_a_map_that_spreads_over_a_plain_ground_is_taken():
    class Middle(FixedCutter):
        def mask(self, image, hint=None):
            return self._mask

    found = np.zeros((48, 48), np.float32)
    found[16:32, 20:28] = 1
    hint = np.full((12, 12), 0.5, np.float32)
    hint[4:8, 5:7] = 1
    picture = Image.new("RGB", (96, 96), (255, 255, 255))
    picture.paste((20, 30, 90), (40, 32, 56, 64))
    traced = outline(picture, hint, Middle(found))
    assert traced.agreement >= 0.5
    assert np.asarray(traced.mask)[48, 48] > 200
    assert (np.asarray(traced.mask) > 128).mean() < 0.1


def test_what_the_cutter_traced_beside_the_thing_is_left_out():
    """A dog before a bull: the cutter also followed the bull's legs, which the patches do not call a dog."""

    class Both(FixedCutter):
        def mask(self, image, hint=None):
            return self._mask

    traced = np.zeros((48, 48), np.float32)
    traced[24:44, 4:20] = 1  # the dog
    traced[8:44, 30:36] = 1  # the legs
    hint = np.zeros((12, 12), np.float32)
    hint[6:11, 1:5] = 0.9
    hint[2:11, 7:9] = 0.25
    found = np.asarray(outline(Image.new("RGB", (96, 96), (90, 160, 60)), hint, Both(traced)).mask)
    assert found[68, 24] > 200
    assert found[50:, 62:70].max() == 0
    even = np.where(hint > 0, np.float32(0.9), np.float32(0))  # two dogs stay two
    assert np.asarray(outline(Image.new("RGB", (96, 96)), even, Both(traced)).mask)[68, 66] > 200


def test_things_named_together_are_found_together(scene, encoder, left_half):
    one, other = (np.asarray(locate(scene, name, encoder, left_half).mask) for name in ("the sky", "the grass"))
    both = locate(scene, "the sky and the grass", encoder, left_half)
    assert np.array_equal(np.asarray(both.mask), np.maximum(one, other))


class TestEverythingBut:
    @pytest.mark.parametrize(
        ("text", "thing"),
        [
            ("everything but the rose", "the rose"),
            ("Everything except for her hat", "her hat"),
            ("all apart from the dog on the left", "the dog on the left"),
            ("the rose", None),
            ("everything else", None),
        ],
    )
    def test_the_thing_that_is_left_out(self, text, thing):
        assert everything_but(text) == thing

    def test_its_mask_is_the_other_half(self, scene, encoder, left_half):
        sky = locate(scene, "the sky", encoder, left_half)
        rest = locate(scene, "everything but the sky", encoder, left_half)
        assert np.array_equal(np.asarray(rest.mask), 255 - np.asarray(sky.mask))
        assert rest.confidence == sky.confidence

    def test_the_subject_can_be_left_out_without_an_encoder(self):
        assert not names_a_thing("everything but the subject")
        assert names_a_thing("everything but the dog")
        assert not names_a_thing("bottom 80 percent")
        assert not names_a_thing("top half")

    @pytest.mark.parametrize(
        ("gone", "left"),
        [
            ((0, 0, 100, 40), (0, 40, 100, 80)),
            ((0, 50, 100, 80), (0, 0, 100, 50)),
            ((0, 0, 30, 80), (30, 0, 100, 80)),
            ((80, 10, 95, 70), (0, 0, 80, 80)),
        ],
    )
    def test_cropped_away_the_largest_side_stays(self, gone, left):
        kept = Image.new("L", (100, 80), 255)
        kept.paste(0, gone)
        assert box_beside(kept, "thing") == left

    def test_a_few_stray_pixels_do_not_count(self):
        kept = Image.new("L", (100, 80), 255)
        kept.paste(0, (0, 0, 100, 40))
        kept.putpixel((50, 75), 0)
        assert box_beside(kept, "sky") == (0, 40, 100, 80)

    def test_what_reaches_across_cannot_be_cropped_away(self):
        kept = Image.new("L", (100, 80), 255)
        kept.paste(0, (5, 5, 95, 75))
        with pytest.raises(BadInputError, match="reaches across"):
            box_beside(kept, "sky")
        with pytest.raises(BadInputError, match="not in the picture"):
            box_beside(Image.new("L", (9, 9), 255), "sky")

    def test_the_sky_is_cropped_away(self, scene, encoder, left_half):
        made = Editor(encoder, left_half).edit(scene, ["crop on everything but sky"]).image
        assert made.width == scene.width
        assert abs(made.height - 160) <= 6
        assert made.getpixel((10, 100)) == MEANINGS["grass"]

    def test_a_doubtful_thing_is_asked_about_by_its_own_name(self, scene, encoder, left_half):
        asked = Editor(encoder, left_half).edit(scene, ["blur 50 on everything but xylophone"])
        assert asked.question is not None
        assert "xylophone" in asked.question
        assert asked.preview is not None


@pytest.mark.parametrize(
    ("phrase", "box"),
    [
        ("bottom 80 percent", (0, 20, 200, 100)),
        ("left 25 percent", (0, 0, 50, 100)),
        ("middle 80 percent", (20, 10, 180, 90)),
        ("top 100 percent", None),
        ("the 80 percent", None),
    ],
)
def test_a_share_in_percent_is_a_part_of_the_picture(phrase, box):
    assert area_of(phrase, (200, 100)) == box
