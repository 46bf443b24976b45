"""Fills a hole with patches from around it: multi-scale PatchMatch (Barnes 2009, Wexler 2007, Newson 2014).

At the coarsest level the hole is filled from its rim inwards, each layer by the best of all patches that fit what is
known, so that edges are continued. From coarse to fine, every place of the hole then looks for a patch outside that
resembles what is there now, in colour and in the amount of texture, and all patches that cover a pixel vote for its
colour. Neighbours tell each other what they found, and each tries a few places at random, so that good finds spread and
nothing is searched exhaustively. The inner loops are in ``patches.wat``; all of it is deterministic.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter
from scipy import ndimage

from visavis.editing.operations.machine import Machine, aligned

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Places = NDArray[np.int32]

#: Patches of seven by seven, and pixels around a plane that belong to nothing.
_REACH, _MARGIN = 3, 5
_SIDE = 2 * _REACH + 1
#: Where a machine's planes begin: before them lie the patch in hand and the shares of a vote.
_SHARES, _PLANES = 1024, 2048
_SEED = 7
#: Each level is so many times finer than the one before.
_FINER = 1.5
#: At the coarsest level the hole is about this many pixels deep, and the picture at least so many wide and high.
_DEEPEST, _COARSEST = 8.0, 22
#: Rounds of searching and voting at the coarsest and at the finest level.
_MOST_ROUNDS, _FEWEST_ROUNDS = 8, 2
#: The most places that are searched for; at a finer level they are where the coarser one found them. And how far away
#: sources are tried at random where there are more places than the second.
_MOST_PLACES, _MANY, _NEAR = 100_000, 20_000, 12
#: A coarser pixel of which less than this (of 255) is known belongs to the hole.
_MOSTLY = 240
#: How much known pixels count, and how much less a made one for each pixel further into the hole, down to a least.
_KNOWN, _DOUBT, _LEAST = 100, 0.88, 6
#: What looking far away costs: the mean square of a difference of colours across the whole picture.
_FAR = 4000
#: How widely patches vote around their middles, and in the last round.
_WIDE, _NARROW = 1.5, 0.8
#: The cost at which a patch has a third of its say: this quantile of all costs.
_QUANTILE = 0.6
#: How much the nearest known colours count where nothing is filled yet, and how near is near.
_PRIOR, _ENOUGH = 10, 0.02
#: Pixels of a spread; a wider one is blurred in a coarser copy.
_WIDEST = 16
#: The weight of texture beside colours.
_TEXTURE = 1.0


def complete(colours: Pixels, hole: Mask) -> Pixels:
    """Fill a hole.

    Args:
        colours: ``[height, width, 3]``.
        hole: ``[height, width]``; what is outside must have room for a patch somewhere.
    """
    levels = _pyramid(colours, hole)
    coarser: _Level | None = None
    for number, (pixels, missing) in enumerate(levels):
        level = _Level(pixels, missing)
        if not level.usable:
            continue
        if coarser is None:
            level.peel()
        else:
            level.go_on(coarser)
        share = number / max(1, len(levels) - 1)
        level.improve(round(_MOST_ROUNDS + share * (_FEWEST_ROUNDS - _MOST_ROUNDS)), last=number == len(levels) - 1)
        coarser = level
    if coarser is None or coarser.colours.shape[:2] != hole.shape:
        return _smooth(colours, hole)
    return np.ascontiguousarray(coarser.colours[..., :3])


def _pyramid(colours: Pixels, hole: Mask) -> list[tuple[Pixels, Mask]]:
    """The picture, its texture as a fourth value, and its hole, coarsest first; nothing of the hole shines through."""
    pixels = np.dstack([colours, _texture(colours, hole)])
    levels = [(pixels, hole)]
    known = Image.fromarray(np.where(hole, np.uint8(0), np.uint8(255)))
    shown = _four(np.where(hole[..., None], np.uint8(0), pixels))
    for size in _sizes(hole):
        shown, known = shown.resize(size, Image.Resampling.BOX), known.resize(size, Image.Resampling.BOX)
        share = np.maximum(np.asarray(known), 1)
        levels.append((_divided(np.asarray(shown), share), share < _MOSTLY))
    return levels[::-1]


def _sizes(hole: Mask) -> Iterator[tuple[int, int]]:
    """Widths and heights of the coarser levels, finest first; a very large hole is not searched at full size."""
    deepest = _depth_of(hole)
    factor = max(_FINER, float(np.sqrt(np.count_nonzero(hole) / _MOST_PLACES)))
    while deepest * _FINER / factor > _DEEPEST and min(hole.shape) / factor >= _COARSEST:
        yield round(hole.shape[1] / factor), round(hole.shape[0] / factor)
        factor *= _FINER


def _divided(shown: Pixels, share: Pixels) -> Pixels:
    """Colours of pixels of which only a share of 255 is known."""
    partly = np.flatnonzero(share < 255)
    result = shown.copy()
    flat = result.reshape(-1, 4)
    flat[partly] = np.minimum(flat[partly].astype(np.uint32) * 255 // share.ravel()[partly, None], 255)
    return result


def _four(pixels: Pixels) -> Image.Image:
    """Four values a pixel as a picture; not as RGBA, whose colours Pillow would weigh by the fourth."""
    return Image.frombuffer(
        "CMYK", (pixels.shape[1], pixels.shape[0]), np.ascontiguousarray(pixels), "raw", "CMYK", 0, 1
    )


def _texture(colours: Pixels, hole: Mask) -> Pixels:
    """How much neighbouring pixels differ around each: smooth and rough ground of one colour are not the same."""
    grey = np.asarray(Image.fromarray(colours).convert("L")).astype(np.int16)
    across, down = np.zeros(hole.shape, np.uint8), np.zeros(hole.shape, np.uint8)
    across[:, 1:] = np.minimum(np.abs(np.diff(grey, axis=1)), 85)
    down[1:] = np.minimum(np.abs(np.diff(grey, axis=0)), 85)
    rough = Image.fromarray(np.where(hole, np.uint8(0), across + down))
    return np.asarray(rough.filter(ImageFilter.BoxBlur(2)).point(lambda value: min(255, round(value * _TEXTURE))))


def _depth_of(hole: Mask) -> float:
    """How many pixels the hole is deep, where it is deepest."""
    step = max(1, max(hole.shape) // 512)
    return float(_depths(hole[::step, ::step]).max(initial=0) * step)


def _depths(hole: Mask) -> Floats:
    """How far each pixel of the hole is from what is known; the border of the picture is no rim."""
    result = np.zeros(hole.shape, np.float32)
    if hole.any():
        rows, columns = np.nonzero(hole.any(axis=1))[0], np.nonzero(hole.any(axis=0))[0]
        box = (slice(max(0, rows[0] - 1), rows[-1] + 2), slice(max(0, columns[0] - 1), columns[-1] + 2))
        result[box] = ndimage.distance_transform_edt(hole[box])
    return result


def _smooth(colours: Pixels, hole: Mask) -> Pixels:
    """The hole filled from its rim inwards, the nearest known colours mixed."""
    known = (~hole).astype(np.float32)
    result, left, spread = colours.copy(), hole.copy(), 1.5
    if not known.any():
        return result
    while left.any():
        near = _blurred(known, spread)
        now = left & (near > _ENOUGH)
        for at in range(colours.shape[-1]):
            mixed = _blurred(colours[..., at] * known, spread)
            result[..., at][now] = np.round(mixed[now] / near[now])
        left &= ~now
        spread *= 1.7
    return result


def _blurred(values: Floats, spread: float) -> Floats:
    """A Gaussian blur; a wide one is made of a coarser copy, since its time grows with the spread."""
    step = int(spread / _WIDEST)
    if step < 2:
        return np.asarray(ndimage.gaussian_filter(values, spread))
    coarse = values
    for axis, length in enumerate(values.shape):
        begins = np.arange(0, length, step)
        sizes = np.diff(begins, append=length).astype(np.float32)
        sums = np.add.reduceat(coarse, begins, axis)
        coarse = np.asarray(sums / (sizes[:, None] if axis == 0 else sizes), np.float32)
    wide = np.asarray(ndimage.gaussian_filter(coarse, spread / step), np.float32)
    return wide.repeat(step, 0).repeat(step, 1)[: values.shape[0], : values.shape[1]]


class _Level:
    """One size of the picture, in a machine's memory."""

    def __init__(self, pixels: Pixels, hole: Mask) -> None:
        self._hole = hole
        self._height, self._width = hole.shape
        touched = ndimage.maximum_filter(hole, _SIDE, mode="constant")
        free = ~touched
        free[:_REACH] = free[-_REACH:] = False
        free[:, :_REACH] = free[:, -_REACH:] = False
        self.usable = bool(free.any()) and bool(hole.any())
        if not self.usable:
            return
        self._stride = self._width + 2 * _MARGIN
        self._places, self._missing = self._numbers(touched), self._numbers(hole)
        count = self._stride * (self._height + 2 * _MARGIN)
        at, size = {}, _PLANES
        lists = 4 * len(self._places)
        for name, length in (
            ("image", 4 * count),
            ("trust", count),
            ("source", 4 * count),
            ("cost", 4 * count),
            ("places", lists),
            ("missing", lists),
            ("votes", lists),
            ("free", 4 * int(free.sum())),
        ):
            at[name], size = size, aligned(size + length)
        self._at, self._machine = at, Machine("patches", size)
        memory = self._machine.memory
        shape = (self._height + 2 * _MARGIN, self._stride)
        self._image = memory[at["image"] : at["image"] + 4 * count].reshape(*shape, 4)
        self._trust = memory[at["trust"] : at["trust"] + count].reshape(shape)
        self._source = memory[at["source"] : at["source"] + 4 * count].view(np.int32)
        self._cost = memory[at["cost"] : at["cost"] + 4 * count].view(np.float32)
        inner = (slice(_MARGIN, -_MARGIN), slice(_MARGIN, -_MARGIN))
        self._inner = inner
        self._image[inner] = pixels
        self._source[:] = -1
        self._free = free
        self._trust[inner] = _KNOWN + np.where(free, np.uint8(128), np.uint8(0))
        self._depth = _depths(hole)[hole]
        self._put("places", self._places)
        self._put("missing", self._missing)
        self._machine.run(
            "begin", self._stride, shape[0], at["image"], at["trust"], at["source"], at["cost"], _SEED, _FAR
        )

    @property
    def colours(self) -> Pixels:
        """``[height, width, 4]``."""
        return self._image[self._inner]

    def _numbers(self, where: Mask) -> Places:
        """The pixel numbers of a mask's pixels in the plane with its margin."""
        rows, columns = np.nonzero(where)
        return np.asarray((rows + _MARGIN) * self._stride + columns + _MARGIN, np.int32)

    def _put(self, name: str, values: NDArray[np.int32]) -> int:
        begin = self._at[name]
        self._machine.memory[begin : begin + 4 * len(values)].view(np.int32)[:] = values
        return begin + 4 * len(values)

    # -- where to begin --------------------------------------------------------------------------------

    def peel(self) -> None:
        """Without anything coarser: layer by layer from the rim, the best of all sources by what is known around."""
        ends = self._put("free", self._numbers(self._free))
        trust = self._trust.reshape(-1)
        trust[self._missing] = _PRIOR
        self._image[self._inner] = _smooth(self._image[self._inner], self._hole)
        layers = np.ceil(self._depth).astype(np.int64)
        for layer in range(1, int(layers.max()) + 1):
            now = self._missing[layers == layer]
            self._machine.run("compare", self._at["missing"], self._put("missing", now), self._at["free"], ends)
            self._vote(now, _WIDE)
            trust[now] = self._trusted(float(layer))
        self._put("missing", self._missing)

    def go_on(self, coarser: _Level) -> None:
        """From a coarser level: its finds, moved to this size."""
        rows, columns = self._places // self._stride - _MARGIN, self._places % self._stride - _MARGIN
        down, across = self._height / coarser._height, self._width / coarser._width
        at_row = np.minimum(((rows + 0.5) / down).astype(np.int32), coarser._height - 1)
        at_column = np.minimum(((columns + 0.5) / across).astype(np.int32), coarser._width - 1)
        at = (at_row + _MARGIN) * coarser._stride + at_column + _MARGIN
        found = coarser._source[at]
        to_rows = rows + np.round((found // coarser._stride - _MARGIN - at_row) * down).astype(np.int32)
        to_columns = columns + np.round((found % coarser._stride - _MARGIN - at_column) * across).astype(np.int32)
        to_rows = np.clip(to_rows, _REACH, self._height - 1 - _REACH)
        to_columns = np.clip(to_columns, _REACH, self._width - 1 - _REACH)
        fits = (found >= 0) & self._free[to_rows, to_columns]
        self._source[self._places] = np.where(fits, (to_rows + _MARGIN) * self._stride + to_columns + _MARGIN, -1)
        size = (self._width, self._height)
        grown = np.asarray(_four(coarser.colours).resize(size, Image.Resampling.BILINEAR))
        self._image[self._inner][self._hole] = grown[self._hole]
        self._trust.reshape(-1)[self._missing] = self._trusted(self._depth)
        self._cost[self._places] = 0
        self._vote(self._missing, _NARROW)

    def _trusted(self, depth: float | Floats) -> NDArray[np.uint8]:
        by_depth = np.array([max(_LEAST, round(_KNOWN * _DOUBT**number)) for number in range(61)], np.uint8)
        return np.asarray(by_depth[np.minimum(np.ceil(depth), 60).astype(np.int64)])

    # -- rounds ----------------------------------------------------------------------------------------

    def improve(self, rounds: int, *, last: bool) -> None:
        """Search and vote."""
        first, end = self._at["places"], self._at["places"] + 4 * len(self._places)
        reach = max(self._height, self._width) // 2 if len(self._places) < _MANY else _NEAR
        for number in range(rounds if len(self._missing) <= 1.1 * _MOST_PLACES else 0):
            self._machine.run("search", first, end, 4, reach)
            self._machine.run("search", end - 4, first - 4, -4, reach)
            self._vote(self._missing, _NARROW if last and number == rounds - 1 else _WIDE)

    def _vote(self, pixels: Places, width: float) -> None:
        """Give pixels the mean of what the patches over them show, those that fit best most."""
        steps = np.arange(-_REACH, _REACH + 1)
        shares = np.exp(-(steps[:, None] ** 2 + steps**2) / (2 * width * width))
        shares = np.round(shares * 4096).astype(np.float32)  # whole numbers are the same on every machine
        self._machine.memory[_SHARES : _SHARES + 196].view(np.float32)[:] = shares.ravel()
        cost = self._cost[self._places]
        known = self._source[self._places] >= 0
        spread = max(float(np.partition(cost[known], int(_QUANTILE * known.sum()))[int(_QUANTILE * known.sum())]), 1.0)
        apart = cost / np.float32(spread)
        self._cost[self._places] = 1 / (1 + apart * (1 + apart * (0.5 + apart / 6)))
        flat = self._image.reshape(-1).view(np.int32)
        begin = self._at["votes"]
        self._put("votes", flat[pixels])
        self._machine.run("vote", self._at["missing"], self._at["missing"] + 4 * len(pixels), _SHARES, begin)
        flat[pixels] = self._machine.memory[begin : begin + 4 * len(pixels)].view(np.int32)
