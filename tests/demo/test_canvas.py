import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.demo.canvas import (
    Canvas,
    CanvasView,
    Mask,
    blurred,
    bounds,
    curve,
    ellipse,
    flip,
    reach,
    ribbon,
    smoothed,
    symmetric,
    turned,
    waved,
)

lengths = st.floats(-200, 200)


@given(lengths, lengths, lengths, lengths)
def test_a_curve_starts_and_ends_where_it_is_told(a, b, c, d):
    points = curve((0, 0), (a, b, c, d), (d, c, b, a, 1, 2), (5, 6))
    assert points[0] == pytest.approx((0, 0))
    assert points[-1] == pytest.approx((5, 6))
    assert any(np.allclose(point, (c, d)) for point in points)


def test_a_mirrored_outline_is_symmetric():
    outline = symmetric(curve((0, 0), (10, 0), (12, 5, 8, 20), (0, 20)))
    assert np.allclose(flip(outline), outline)


@given(st.floats(0.5, 20))
def test_a_straight_ribbon_is_as_wide_as_it_should_be(width):
    left, top, right, bottom = bounds([ribbon([(0, 0), (50, 0), (100, 0)], width)])
    assert (left, right) == (0, 100)
    assert bottom - top == pytest.approx(width)


@given(st.floats(0, 2), st.floats(0, 6))
def test_waves_stay_small(amplitude, phase):
    points = ellipse(0, 0, 100, 150)
    assert np.abs(waved(points, amplitude, phase) - points).max() <= 1.5 * amplitude + 1e-9


def test_turning_a_quarter():
    assert turned([(1, 0)], 90) == pytest.approx(np.array([(0, 1)]))


def test_a_mask_covers_the_area_of_its_outline():
    canvas = Canvas(200, 200, CanvasView(1, 0, 0))
    mask = canvas.mask([ellipse(100, 100, 50, 30, 200)], [ellipse(100, 100, 10, 10, 100)])
    assert mask.cover.sum() == pytest.approx(np.pi * (50 * 30 - 100), rel=0.01)


def test_nothing_outside_the_canvas():
    assert Canvas(50, 50, CanvasView(1, 0, 0)).mask([ellipse(200, 200, 5, 5)]) is None


def test_paint_over_paint():
    canvas = Canvas(4, 4, CanvasView(1, 0, 0))
    canvas.paint(Mask(0, 0, np.ones((4, 4), np.float32)), (1, 0, 0))
    canvas.paint(Mask(2, 2, np.ones((9, 9), np.float32)), (0, 0, 1), opacity=0.5)
    assert canvas.colour[:, 0, 0] == pytest.approx((1, 0, 0))
    assert canvas.colour[:, 3, 3] == pytest.approx((0.5, 0, 0.5))
    assert canvas.cover.min() == 1


@given(st.floats(0.6, 9))
def test_smoothing_keeps_the_sum_and_the_middle(radius):
    margin = 2 * reach(radius) + 2
    plane = np.zeros((2 * margin + 1, 2 * margin + 1), np.float32)
    plane[margin, margin] = 1
    soft = smoothed(plane, radius)
    assert soft.shape == tuple(side - 2 * reach(radius) for side in plane.shape)
    assert soft.sum() == pytest.approx(1, rel=1e-3)
    assert np.unravel_index(soft.argmax(), soft.shape) == (soft.shape[0] // 2, soft.shape[1] // 2)


@pytest.mark.parametrize("radius", [0.1, 1, 4, 10])
def test_blurring_keeps_shape_and_brightness(radius):
    plane = np.zeros((120, 90), np.float32)
    plane[50:70, 40:50] = 1
    soft = blurred(plane, radius)
    assert soft.shape == plane.shape
    assert soft.sum() == pytest.approx(plane.sum(), rel=0.06)
