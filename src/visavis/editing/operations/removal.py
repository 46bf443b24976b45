"""Takes a thing out of a picture and fills the hole from its surroundings.

Where each place of the hole comes from is worked out on a small copy; the texture itself is then copied at full size,
its overall colour corrected to that of the small solution, and its rim blended.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from visavis.editing.cutout.masks import pixels
from visavis.editing.operations.completion import Completion, Floats, Mask, complete
from visavis.errors import BadInputError

Pixels = NDArray[np.uint8]
Box = tuple[int, int, int, int]

#: The mask is grown by this share of the thing's longer side, and this share of the picture's, for soft rims.
_GROWN, _GROWN_PICTURE = 0.04, 0.004
_BELONGS = 96
#: The longer side of the copy that is worked on, and how many places its hole has at most.
_LONGEST, _MOST_PLACES = 384, 13_000
#: How much around the thing is looked at, in shares of its longer side; and of the picture's shorter side at least.
_AROUND, _AROUND_PICTURE = 1.2, 0.25
#: Colours are corrected over so many places of the small copy.
_OVERALL = 5.0
#: With less than this share of a picture left, there is nothing to fill from.
_LEAST_LEFT = 0.35


def remove(image: Image.Image, mask: Image.Image, name: str = "it") -> Image.Image:
    """The picture without what the mask covers.

    Args:
        image: RGB or RGBA.
        mask: Where the thing is; an ``L`` picture of the same size.
        name: What it is called, for errors.

    Raises:
        BadInputError: There is nothing there, or nothing would be left to fill from.
    """
    hole = _grown(mask)
    if not hole.any():
        raise BadInputError(f"'{name}' was not found in the picture.", "Name something that can be seen in it.")
    if hole.mean() > 1 - _LEAST_LEFT:
        raise BadInputError(
            f"'{name}' fills most of the picture, so that nothing is left to fill the hole from.",
            "Crop it away, or cut out what should stay.",
        )
    left, top, right, bottom = _surroundings(hole)
    part = image.crop((left, top, right, bottom)).convert("RGB")
    missing = hole[top:bottom, left:right]
    scale = _working_scale(missing)
    size = (max(16, round(part.width * scale)), max(16, round(part.height * scale)))
    small_hole = np.asarray(Image.fromarray(missing).convert("L").resize(size, Image.Resampling.BOX)) > 4
    done = complete(pixels(part.resize(size, Image.Resampling.BOX)), small_hole)
    inner = _box_of(missing, 0)
    filled = Image.fromarray(_at_full_size(np.asarray(part), missing, done, small_hole, inner))
    result = image.copy()
    if image.mode == "RGBA":
        filled.putalpha(255)
    result.paste(filled, (left + inner[0], top + inner[1]), _rim(missing[inner[1] : inner[3], inner[0] : inner[2]]))
    return result


def _grown(mask: Image.Image) -> Mask:
    """The mask as a hole: a little larger, for outlines are never exact and things have soft rims."""
    hole = np.asarray(mask) >= _BELONGS
    if not hole.any():
        return hole
    rows, columns = np.nonzero(hole.any(axis=1))[0], np.nonzero(hole.any(axis=0))[0]
    longest = max(rows[-1] - rows[0], columns[-1] - columns[0]) + 1
    reach = 2 + _GROWN * min(longest, 0.5 * max(mask.size)) + _GROWN_PICTURE * max(mask.size)
    top, bottom = max(0, int(rows[0] - reach - 1)), int(rows[-1] + reach + 2)
    left, right = max(0, int(columns[0] - reach - 1)), int(columns[-1] + reach + 2)
    part = hole[top:bottom, left:right]
    step = max(
        1, min(int(reach // 8), *part.shape)
    )  # distances are measured on a coarser copy: a pixel more or less does not matter
    coarse = ndimage.maximum_filter(part, step)[step // 2 :: step, step // 2 :: step] if step > 1 else part
    near = ndimage.distance_transform_edt(~coarse) * step <= reach
    if step > 1:
        near = np.repeat(np.repeat(near, step, axis=0), step, axis=1)
        near = np.pad(near, ((0, step), (0, step)), mode="edge")[: part.shape[0], : part.shape[1]]
    result = hole.copy()
    result[top:bottom, left:right] |= near
    return np.asarray(ndimage.binary_fill_holes(result)) if result.size < 2_000_000 else result


def _surroundings(hole: Mask) -> Box:
    """The part of the picture that is looked at."""
    left, top, right, bottom = _box_of(hole, 0)
    return _box_of(hole, round(max(_AROUND * max(right - left, bottom - top), _AROUND_PICTURE * min(hole.shape))))


def _box_of(hole: Mask, around: int) -> Box:
    """The box of a hole and what is around it."""
    rows, columns = np.nonzero(hole.any(axis=1))[0], np.nonzero(hole.any(axis=0))[0]
    return (
        max(0, int(columns[0]) - around),
        max(0, int(rows[0]) - around),
        min(hole.shape[1], int(columns[-1]) + 1 + around),
        min(hole.shape[0], int(rows[-1]) + 1 + around),
    )


def _working_scale(hole: Mask) -> float:
    """How much smaller the copy is: small enough for its hole to be filled in time."""
    by_side = _LONGEST / max(hole.shape)
    by_places = float(np.sqrt(_MOST_PLACES / max(1, int(hole.sum()))))
    return float(min(1.0, by_side, by_places))


def _at_full_size(part: Pixels, hole: Mask, done: Completion, small_hole: Mask, box: Box) -> Pixels:
    """The texture inside a box, from where the small solution took its places; blocks overlap, so no seams show."""
    height, width = hole.shape
    left, top, right, bottom = box
    down, across = height / small_hole.shape[0], width / small_hole.shape[1]
    inner_high, inner_wide = bottom - top, right - left
    rows, columns = np.nonzero(small_hole)
    shift_rows = np.round((done.rows[rows, columns] - rows) * down).astype(np.int64)
    shift_columns = np.round((done.columns[rows, columns] - columns) * across).astype(np.int64)
    centre_rows, centre_columns = ((rows + 0.5) * down).astype(np.int64), ((columns + 0.5) * across).astype(np.int64)
    reach = max(1, int(np.ceil(max(down, across))))
    window = np.hanning(2 * reach + 3)[1:-1].astype(np.float32)
    total = np.zeros(inner_high * inner_wide, np.float32)
    sums = np.zeros((inner_high * inner_wide, 3), np.float32)
    flat, missing = part.reshape(-1, 3), hole.ravel()
    for step_row in range(-reach, reach + 1):
        to_rows = centre_rows + step_row
        for step_column in range(-reach, reach + 1):
            to_columns = centre_columns + step_column
            come_rows, come_columns = to_rows + shift_rows, to_columns + shift_columns
            fits = (to_rows >= top) & (to_rows < bottom) & (to_columns >= left) & (to_columns < right)
            fits &= (come_rows >= 0) & (come_rows < height) & (come_columns >= 0) & (come_columns < width)
            come = (come_rows * width + come_columns)[fits]
            usable = ~missing[come]
            to = ((to_rows - top) * inner_wide + to_columns - left)[fits][usable]
            weight = window[step_row + reach] * window[step_column + reach]
            total[to] += weight  # centres lie at least a pixel apart: one step meets no place twice
            sums[to] += weight * flat[come[usable]]
    covered = total > 0
    made = _stretched(done.colours * 255, box, (down, across), (inner_wide, inner_high)).reshape(-1, 3)
    made[covered] = sums[covered] / total[covered, None]
    return _colour_corrected(made.reshape(inner_high, inner_wide, 3), hole, done, box, (down, across))


def _stretched(colours: Floats, box: Box, scale: tuple[float, float], size: tuple[int, int]) -> Floats:
    """A part of the small solution, given by its box at full size, at another size (width, height)."""
    down, across = scale
    high, wide = colours.shape[:2]
    source = (box[0] / across, box[1] / down, min(wide, box[2] / across), min(high, box[3] / down))
    planes = (Image.fromarray(np.ascontiguousarray(colours[..., at], np.float32)) for at in range(3))
    return np.stack([np.asarray(one.resize(size, Image.Resampling.BILINEAR, box=source)) for one in planes], axis=-1)


def _colour_corrected(made: Floats, hole: Mask, done: Completion, box: Box, scale: tuple[float, float]) -> Pixels:
    """The texture with the overall colours of the small solution, which fits the rim; its detail stays."""
    high, wide = made.shape[:2]
    size = (max(1, round(wide / scale[1])), max(1, round(high / scale[0])))
    wanted = _stretched(done.colours * 255, box, scale, size)
    inside = Image.fromarray(hole[box[1] : box[3], box[0] : box[2]]).convert("L").resize(size, Image.Resampling.BOX)
    weight = np.asarray(inside, np.float32) / 255
    near = np.maximum(ndimage.gaussian_filter(weight, _OVERALL), 1e-3)
    for at in range(3):
        plane = Image.fromarray(np.ascontiguousarray(made[..., at]))
        apart = weight * (wanted[..., at] - np.asarray(plane.resize(size, Image.Resampling.BOX)))
        change = Image.fromarray((ndimage.gaussian_filter(apart, _OVERALL) / near).astype(np.float32))
        made[..., at] += np.asarray(change.resize((wide, high), Image.Resampling.BILINEAR))
    return np.asarray(np.clip(made + 0.5, 0, 255), np.uint8)


def _rim(hole: Mask) -> Image.Image:
    """Where the filling is pasted: all of the hole, its outermost pixels blended with what was there."""
    reach = max(1, round(0.004 * max(hole.shape)))
    soft = ndimage.uniform_filter(np.pad(hole, reach, mode="edge").astype(np.float32), 2 * reach + 1)
    soft = soft[reach:-reach, reach:-reach]
    return Image.fromarray(np.round(np.clip(2 * soft - 1, 0, 1) * 255).astype(np.uint8))
