"""Takes a thing out of a picture and fills the hole from its surroundings.

What is around the thing is looked at, the hole filled by patches from there (:mod:`.completion`), and its rim blended.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from visavis.editing.operations.completion import Mask, complete
from visavis.editing.operations.layers import with_shadow
from visavis.errors import BadInputError

Pixels = NDArray[np.uint8]
Box = tuple[int, int, int, int]

#: The mask is grown by this share of the thing's longer side, and this share of the picture's, for soft rims.
_GROWN, _GROWN_PICTURE = 0.04, 0.004
_BELONGS = 96
#: Gaps in it up to this share of its longer side wide are closed; the longer side of the copy that this is done on.
_GAPS, _COARSE = 0.05, 384
#: How much around the thing is looked at, in shares of its longer side; and of the picture's shorter side at least.
_AROUND, _AROUND_PICTURE = 1.2, 0.25
#: With less than this share of a picture left, there is nothing to fill from.
_LEAST_LEFT = 0.35


def remove(image: Image.Image, mask: Image.Image, name: str = "it", *, exact: bool = False) -> Image.Image:
    """The picture without what the mask covers.

    Args:
        image: RGB or RGBA.
        mask: Where the thing is; an ``L`` picture of the same size.
        name: What it is called, for errors.
        exact: Whether somebody corrected the mask: then neither its shadow nor gaps in it go along.

    Raises:
        BadInputError: There is nothing there, or nothing would be left to fill from.
    """
    hole = _grown(mask, exact=True) if exact else _grown(with_shadow(image, mask, _BELONGS))
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
    inner = _box_of(missing, 0)
    filled = Image.fromarray(complete(np.asarray(part), missing)).crop(inner)
    result = image.copy()
    if image.mode == "RGBA":
        filled.putalpha(255)
    result.paste(filled, (left + inner[0], top + inner[1]), _rim(missing[inner[1] : inner[3], inner[0] : inner[2]]))
    return result


def _grown(mask: Image.Image, *, exact: bool = False) -> Mask:
    """The mask as a hole: a little larger, for outlines are never exact, and without gaps such as a car's windows."""
    hole = np.asarray(mask) >= _BELONGS
    if not hole.any():
        return hole
    left, top, right, bottom = _box_of(hole, 0)
    longest = max(right - left, bottom - top)
    reach = 2 + (0 if exact else _GROWN * min(longest, 0.5 * max(mask.size))) + _GROWN_PICTURE * max(mask.size)
    gaps = 0 if exact else _GAPS * longest
    box = _box_of(hole, round(reach + gaps) + 2)
    # Distances are measured on a coarser copy: a pixel more or less does not matter.
    step = max(1.0, longest / _COARSE)
    size = (max(1, round((box[2] - box[0]) / step)), max(1, round((box[3] - box[1]) / step)))
    coarse = np.asarray(mask.resize(size, Image.Resampling.BOX, box=box)) >= _BELONGS // 2
    near = ndimage.distance_transform_edt(~coarse) * step if coarse.any() else np.full(coarse.shape, reach + gaps + 1)
    closed = near <= reach + gaps
    closed = np.pad(closed if exact else ndimage.binary_fill_holes(closed), 1, mode="edge")
    shrunk = ndimage.distance_transform_edt(closed)[1:-1, 1:-1] * step > gaps
    grown = Image.fromarray((shrunk | (near <= reach)).astype(np.uint8) * np.uint8(255))
    result = hole.copy()
    part = grown.resize((box[2] - box[0], box[3] - box[1]), Image.Resampling.BILINEAR)
    result[box[1] : box[3], box[0] : box[2]] |= np.asarray(part) >= 128
    return result


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


def _rim(hole: Mask) -> Image.Image:
    """Where the filling is pasted: all of the hole, its outermost pixels blended with what was there."""
    reach = max(1, round(0.004 * max(hole.shape)))
    soft = ndimage.uniform_filter(np.pad(hole, reach, mode="edge").astype(np.float32), 2 * reach + 1)
    soft = soft[reach:-reach, reach:-reach]
    return Image.fromarray(np.round(np.clip(2 * soft - 1, 0, 1) * 255).astype(np.uint8))
