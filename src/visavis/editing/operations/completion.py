"""Fills a hole with patches from around it: multi-scale PatchMatch (Barnes et al. 2009; Wexler et al. 2007).

From coarse to fine, every place of the hole looks for a patch outside that resembles what is there now; then all
patches that cover a place vote for its colour. Neighbours tell each other what they found, and each tries a few places
at random, so that good finds spread and nothing is searched exhaustively. It is deterministic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from visavis.editing.cutout.masks import resized

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Places = NDArray[np.int64]

#: Patches of seven by seven.
_REACH = 3
_SIDE = 2 * _REACH + 1
#: The coarsest level has about this many places along its shorter side.
_COARSEST = 28
#: Each level is so many times finer than the one before.
_FINER = 1.6
#: Rounds of searching and voting at the coarsest and at the finest level.
_MOST_ROUNDS, _FEWEST_ROUNDS = 8, 2
#: How much less a colour that was made up counts for each place further into the hole.
_DOUBT = 0.85
#: What looking far away costs, against a difference of colours of one over a patch.
_FAR = 0.02
_SEED = 7


@dataclass(frozen=True)
class Completion:
    """A picture without its hole.

    Attributes:
        colours: ``[height, width, 3]``.
        rows: Where each place was taken from, ``[height, width]``; its own row outside the hole.
        columns: The same for columns.
    """

    colours: Floats
    rows: Places
    columns: Places


def complete(colours: Floats, hole: Mask) -> Completion:
    """Fill a hole.

    Args:
        colours: ``[height, width, 3]``, 0..1.
        hole: ``[height, width]``; what is outside must have room for a patch somewhere.
    """
    random = np.random.default_rng(_SEED)
    sizes = _levels(hole.shape)
    filled: Floats | None = None
    found: tuple[Places, Places] | None = None
    for number, size in enumerate(sizes):
        small, missing = _reduced(colours, hole, size)
        level = _Level(small, missing, random)
        if not level.usable:
            continue
        if filled is None or found is None:
            level.start()
        else:
            level.go_on(filled, found)
        share = number / max(1, len(sizes) - 1)
        level.improve(round(_MOST_ROUNDS + share * (_FEWEST_ROUNDS - _MOST_ROUNDS)))
        filled, found = level.colours, level.sources()
    if filled is None or found is None or filled.shape[:2] != hole.shape:
        return Completion(_smooth(colours, hole), *_own_places(hole.shape))
    return Completion(filled, *found)


def _own_places(shape: tuple[int, ...]) -> tuple[Places, Places]:
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    return rows.astype(np.int64), columns.astype(np.int64)


def _levels(shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """Heights and widths, coarsest first."""
    sizes, factor = [(shape[0], shape[1])], 1.0
    while min(sizes[-1]) > _COARSEST * _FINER:
        factor *= _FINER
        sizes.append((round(shape[0] / factor), round(shape[1] / factor)))
    return sizes[::-1]


def _reduced(colours: Floats, hole: Mask, size: tuple[int, int]) -> tuple[Floats, Mask]:
    """A picture and its hole at a smaller size; what lies in the hole shines through nowhere."""
    if size == hole.shape:
        return colours, hole
    factors = (size[0] / hole.shape[0], size[1] / hole.shape[1])
    known = (~hole).astype(np.float32)
    spread = 0.4 / factors[0]
    weight = ndimage.gaussian_filter(known, spread)
    parts = [ndimage.gaussian_filter(colours[..., at] * known, spread) / np.maximum(weight, 1e-4) for at in range(3)]
    rows = np.minimum(((np.arange(size[0]) + 0.5) / factors[0]).astype(int), hole.shape[0] - 1)
    columns = np.minimum(((np.arange(size[1]) + 0.5) / factors[1]).astype(int), hole.shape[1] - 1)
    small = np.stack([part[np.ix_(rows, columns)] for part in parts], axis=-1)
    inside = ndimage.maximum_filter(hole, max(1, round(1 / factors[0])))[np.ix_(rows, columns)]
    return np.asarray(small, np.float32), inside


def _smooth(colours: Floats, hole: Mask) -> Floats:
    """The hole filled from its rim inwards, the nearest known colours mixed."""
    known = (~hole).astype(np.float32)
    filled = colours * known[..., None]
    weight = known.copy()
    spread = 1.5
    result = filled.copy()
    left = hole.copy()
    while left.any() and spread < 4 * max(hole.shape):
        near = ndimage.gaussian_filter(weight, spread)
        now = left & (near > 0.02)
        for at in range(3):
            mixed = ndimage.gaussian_filter(filled[..., at], spread) / np.maximum(near, 1e-6)
            result[..., at][now] = mixed[now]
        left &= ~now
        spread *= 1.7
    return np.asarray(result, np.float32)


class _Level:
    """One size of the picture."""

    def __init__(self, colours: Floats, hole: Mask, random: np.random.Generator) -> None:
        self.colours = colours.copy()
        self._hole = hole
        self._random = random
        self._height, self._width = hole.shape
        around = np.ones((_SIDE, _SIDE), bool)
        inner = np.zeros(hole.shape, bool)
        inner[_REACH : self._height - _REACH, _REACH : self._width - _REACH] = True
        touched = ndimage.binary_dilation(hole, around)
        self._allowed = inner & ~touched
        self._rows, self._columns = np.nonzero(touched & inner)
        self.usable = bool(self._allowed.any()) and len(self._rows) > 0
        if not self.usable:
            return
        self._number = np.full(hole.shape, -1, np.int64)
        self._number[self._rows, self._columns] = np.arange(len(self._rows))
        steps = np.arange(-_REACH, _REACH + 1)
        self._patch = (steps[:, None] * self._width + steps).ravel()
        self._own = (self._rows * self._width + self._columns)[:, None] + self._patch
        depth = ndimage.distance_transform_edt(hole)
        trust = np.where(hole, _DOUBT ** np.minimum(depth, 40), 1.0).astype(np.float32)
        weights = trust.ravel()[self._own]
        self._weights = (weights / weights.sum(axis=1, keepdims=True))[..., None]
        self._trust = trust[self._rows, self._columns]
        self._free = np.flatnonzero(self._allowed)
        self._source = np.zeros(len(self._rows), np.int64)
        self._cost = np.full(len(self._rows), np.inf, np.float32)

    # -- where to begin --------------------------------------------------------------------------------

    def start(self) -> None:
        """Without anything coarser: smooth colours, and places at random."""
        self.colours = _smooth(self.colours, self._hole)
        self._source = self._free[self._random.integers(0, len(self._free), len(self._rows))]

    def go_on(self, coarser: Floats, found: tuple[Places, Places]) -> None:
        """From a coarser level: its finds, moved to this size."""
        high, wide = coarser.shape[:2]
        down, across = self._height / high, self._width / wide
        at_row = np.minimum((self._rows / down).astype(int), high - 1)
        at_column = np.minimum((self._columns / across).astype(int), wide - 1)
        rows = self._rows + np.round((found[0][at_row, at_column] - at_row) * down).astype(np.int64)
        columns = self._columns + np.round((found[1][at_row, at_column] - at_column) * across).astype(np.int64)
        fits = self._is_allowed(rows, columns)
        fallback = self._free[self._random.integers(0, len(self._free), len(self._rows))]
        self._source = np.where(fits, rows * self._width + columns, fallback)
        self.colours = _smooth(self.colours, self._hole)
        missing = self._hole
        grown = np.stack([resized(coarser[..., at], (self._width, self._height)) for at in range(3)], axis=-1)
        self.colours[missing] = grown[missing]
        self._vote()

    # -- rounds ----------------------------------------------------------------------------------------

    def improve(self, rounds: int) -> None:
        """Search and vote."""
        for _ in range(max(1, rounds)):
            self._cost = self._costs(self._source, np.arange(len(self._rows)))
            self._search()
            self._vote()

    def sources(self) -> tuple[Places, Places]:
        """The row and the column that each place of the hole was taken from."""
        rows, columns = (axis.copy() for axis in _own_places(self._hole.shape))
        rows[self._rows, self._columns] = self._source // self._width
        columns[self._rows, self._columns] = self._source % self._width
        return rows, columns

    def _costs(self, sources: Places, which: Places) -> Floats:
        """How different patches are from what is there now, and a little for how far away they are."""
        flat = self.colours.reshape(-1, 3)
        apart = flat[self._own[which]] - flat[sources[:, None] + self._patch]
        apart *= apart
        apart *= self._weights[which]
        far = np.hypot(self._rows[which] - sources // self._width, self._columns[which] - sources % self._width)
        return np.asarray(apart.sum(axis=(1, 2)) + _FAR * far / (self._height + self._width), np.float32)

    def _try(self, rows: Places, columns: Places, which: Places) -> None:
        fits = self._is_allowed(rows, columns)
        sources, which = (rows * self._width + columns)[fits], which[fits]
        changed = sources != self._source[which]
        sources, which = sources[changed], which[changed]
        if not len(which):
            return
        costs = self._costs(sources, which)
        better = costs < self._cost[which]
        self._source[which[better]] = sources[better]
        self._cost[which[better]] = costs[better]

    def _is_allowed(self, rows: Places, columns: Places) -> Mask:
        inside = (rows >= 0) & (rows < self._height) & (columns >= 0) & (columns < self._width)
        return np.asarray(inside & self._allowed[np.where(inside, rows, 0), np.where(inside, columns, 0)])

    def _search(self) -> None:
        every = np.arange(len(self._rows))
        for step in (4, 1):
            for down, across in ((0, step), (0, -step), (step, 0), (-step, 0)):
                beside_rows, beside_columns = self._rows + down, self._columns + across
                inside = (beside_rows >= 0) & (beside_rows < self._height)
                inside &= (beside_columns >= 0) & (beside_columns < self._width)
                number = np.where(
                    inside, self._number[np.where(inside, beside_rows, 0), np.where(inside, beside_columns, 0)], -1
                )
                which = every[number >= 0]
                source = self._source[number[number >= 0]]
                self._try(source // self._width - down, source % self._width - across, which)
        reach = max(self._height, self._width) / 2
        while reach >= 1:
            down, across = self._random.uniform(-reach, reach, (2, len(every)))
            rows = self._source // self._width + np.round(down).astype(np.int64)
            self._try(rows, self._source % self._width + np.round(across).astype(np.int64), every)
            reach /= 3

    def _vote(self) -> None:
        """Every place of the hole gets the mean of what the patches over it say, those that fit best most."""
        flat = self.colours.reshape(-1, 3)
        cost = np.where(np.isfinite(self._cost), self._cost, 0.01)
        spread = max(float(np.percentile(cost, 60)), 1e-5)
        say = (np.exp(-cost / (2 * spread)) * self._trust + 1e-6).astype(np.float32)
        to, come = self._own.ravel(), (self._source[:, None] + self._patch).ravel()
        missing = self._hole.ravel()[to]
        to, come = to[missing], come[missing]
        weight = np.repeat(say, _SIDE * _SIDE)[missing]
        total = np.bincount(to, weight, flat.shape[0])
        places = np.flatnonzero(total > 0)
        for at in range(3):
            sums = np.bincount(to, weight * flat[come, at], flat.shape[0])
            flat[places, at] = sums[places] / total[places]
