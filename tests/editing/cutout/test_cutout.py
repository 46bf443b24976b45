from __future__ import annotations

import numpy as np
import pytest
from editing_support import drawn_garment, overlap
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image, ImageDraw

from visavis.editing.cutout.cutters import CUTTERS, ColourCutter, NetworkCutter, _joined, cutter
from visavis.editing.cutout.masks import box_mean, refine, resized, within, without_holes
from visavis.errors import NotFoundError

needs_weights = pytest.mark.skipif(NetworkCutter.missing() is not None, reason="the cut-out weights are not installed")


def garment(
    index: int, ground: tuple[int, int, int], size: tuple[int, int] = (300, 400)
) -> tuple[Image.Image, Image.Image]:
    """A drawn garment on a plain ground, and its exact mask."""
    thing = drawn_garment(31, index, size, chance=5)
    image = Image.new("RGB", size, ground)
    image.paste(thing, mask=thing.getchannel("A"))
    return image, thing.getchannel("A")


class TestArrays:
    @given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 5))
    @settings(max_examples=30, deadline=None)
    def test_box_mean_is_the_mean_of_the_window(self, height, width, radius):
        values = np.random.default_rng(1).random((height, width)).astype(np.float32)
        means = box_mean(values, radius)
        row, column = height // 2, width // 3
        window = values[max(0, row - radius) : row + radius + 1, max(0, column - radius) : column + radius + 1]
        assert means[row, column] == pytest.approx(window.mean(), abs=1e-5)

    def test_resizing_keeps_a_flat_map(self):
        assert resized(np.full((3, 4), 0.25, np.float32), (40, 30)) == pytest.approx(0.25)

    def test_within(self):
        assert within((4000, 1000), 640) == (640, 160)
        assert within((40, 10), 640) == (40, 10)
        assert within((5000, 1), 640) == (640, 1)


class TestRefining:
    def test_a_rough_mask_snaps_to_the_edge(self):
        image = Image.new("RGB", (400, 300), (230, 230, 225))
        true = Image.new("L", image.size)
        for target, fill in ((image, (150, 40, 60)), (true, 255)):
            ImageDraw.Draw(target).ellipse((100, 60, 300, 240), fill=fill)
        rough = resized(np.asarray(true, np.float32) / 255, (20, 15))
        before = overlap(Image.fromarray((resized(rough, image.size) * 255).astype(np.uint8)), true)
        after = overlap(refine(image, rough), true)
        assert after > 0.96
        assert after > before

    @pytest.mark.parametrize("size", [(1, 1), (3, 700), (1500, 1100)])
    def test_any_size_gives_a_mask_of_that_size(self, size):
        mask = refine(Image.new("RGB", size, (10, 10, 10)), np.ones((8, 8), np.float32))
        assert mask.size == size
        assert mask.mode == "L"

    def test_strips_meet_without_a_seam(self):
        ramp = np.tile(np.linspace(0, 255, 1400).astype(np.uint8)[:, None, None], (1, 900, 3))
        rough = np.tile(np.linspace(0, 1, 32, dtype=np.float32)[:, None], (1, 32))
        rows = np.asarray(refine(Image.fromarray(ramp), rough), np.int16).mean(1)
        assert np.abs(np.diff(rows)).max() < 4

    def test_nothing_stays_nothing(self):
        assert refine(Image.new("RGB", (50, 40)), np.zeros((5, 5), np.float32)).getextrema() == (0, 0)


class TestColourCutter:
    @pytest.mark.parametrize("index", [0, 3, 8])
    def test_a_thing_on_a_plain_ground_is_found(self, index):
        image, true = garment(index, (120, 200, 90))
        assert overlap(refine(image, ColourCutter().mask(image)), true) > 0.7

    def test_a_hint_decides_which_of_two_things_is_meant(self):
        image = Image.new("RGB", (200, 100), (235, 235, 235))
        image.paste((200, 30, 30), (20, 20, 80, 80))
        image.paste((30, 30, 200), (120, 20, 180, 80))
        hint = np.full((10, 20), 0.05, np.float32)
        hint[2:8, 12:18] = 0.95
        mask = refine(image, ColourCutter().mask(image, hint))
        assert mask.getpixel((150, 50)) > 200
        assert mask.getpixel((50, 50)) < 60


class TestRegistry:
    def test_the_default_is_the_first_that_works(self):
        assert cutter().name == ("network" if NetworkCutter.missing() is None else "colour")

    def test_by_name(self):
        assert cutter("colour").name == "colour"

    def test_an_unknown_name_is_refused_with_what_there_is(self):
        with pytest.raises(NotFoundError, match="network, colour"):
            cutter("scissors")

    @pytest.mark.parametrize("name", ["u2netp", "modnet"])
    def test_one_that_is_not_installed_says_how_to_get_it(self, name):
        if CUTTERS[name].missing() is None:
            pytest.skip("it is installed here")
        with pytest.raises(NotFoundError, match="pip install"):
            cutter(name)


class TestFirstGuesses:
    @pytest.mark.parametrize(("rows", "trust"), [(6, 0.75), (10, 0.5)])
    def test_the_more_two_guesses_share_the_more_counts_the_second(self, rows, trust):
        own, known = np.zeros((12, 12), np.float32), np.zeros((12, 12), np.float32)
        own[:4, 2:8], known[:rows, 2:8] = 1, 1
        joined = _joined(own, known)
        assert joined[3, 3] == 1
        assert joined[rows - 1, 3] == trust

    def test_of_another_thing_nothing_is_taken(self):
        own, known = np.zeros((12, 12), np.float32), np.zeros((12, 12), np.float32)
        own[1:4, 1:4], known[6:12, 3:12] = 1, 1
        assert (_joined(own, known) == own).all()

    def test_nothing_found_stays_nothing(self):
        assert not _joined(*np.zeros((2, 12, 12), np.float32)).any()


@needs_weights
class TestNetworkCutter:
    @pytest.mark.parametrize("index", range(5))
    def test_drawn_garments_are_cut_out_nearly_exactly(self, index):
        image, true = garment(index, (205, 214, 220))
        assert overlap(refine(image, NetworkCutter().mask(image)), true) > 0.85

    def test_a_hint_decides_which_of_two_things_is_meant(self):
        left, left_mask = garment(1, (205, 214, 220), (240, 320))
        right, right_mask = garment(6, (205, 214, 220), (240, 320))
        image = Image.new("RGB", (480, 320))
        image.paste(left, (0, 0))
        image.paste(right, (240, 0))
        things = []
        for offset, true in ((0, left_mask), (240, right_mask)):
            things.append(Image.new("L", image.size))
            things[-1].paste(true, (offset, 0))
        for meant, other in (things, things[::-1]):
            hint = resized(np.asarray(meant, np.float32) / 255, (12, 12))
            mask = refine(image, NetworkCutter().mask(image, hint))
            assert overlap(mask, meant) > 0.7
            assert overlap(mask, other) < 0.05

    def test_the_same_picture_gives_the_same_mask(self):
        image, _ = garment(2, (250, 250, 250))
        assert (NetworkCutter().mask(image) == NetworkCutter().mask(image)).all()

    def test_there_are_no_ghosts(self):
        image, _ = garment(3, (205, 214, 220))
        mask = NetworkCutter().mask(image)
        assert ((mask > 0.1) & (mask < 0.9)).mean() < 0.03


SMALL = st.tuples(st.integers(1, 12), st.integers(1, 12))


def square(side: int = 100) -> np.ndarray:
    mask = np.zeros((side, side), np.float32)
    mask[20:80, 20:80] = 1
    return mask


def test_a_speck_is_filled_and_a_handle_is_not():
    mask = square()
    mask[30:33, 30:33] = 0
    mask[45:65, 45:65] = 0
    filled = without_holes(mask)
    assert filled[30:33, 30:33].min() == 1
    assert filled[48:62, 48:62].max() == 0


def test_a_bay_is_no_hole_however_narrow():
    mask = square()
    mask[20:60, 50:52] = 0
    assert (without_holes(mask) == mask).all()


def test_doubt_within_a_thing_is_taken_for_the_thing():
    mask = square()
    mask[40:42, 40:42] = 0.2
    assert without_holes(mask)[40:42, 40:42].min() == 1


@given(arrays(np.float32, SMALL, elements=st.floats(0, 1, width=32)))
def test_a_mask_only_grows(mask: np.ndarray):
    filled = without_holes(mask)
    assert ((filled == mask) | (filled == 1)).all()
