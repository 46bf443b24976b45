"""Which part of an outline is the body of a thing: its paint or cloth, not its glass, tyres, or who wears it.

Colours in the outline form heaps in Oklab. A heap goes from its summit down to where the next one begins; shade and
light of one material are one heap, since they run into each other. The largest is the body, and what of it lies apart
in small pieces (hair of the colour of a dress) is not. Where no heap is large enough (a pattern), nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Labels = NDArray[np.int32]

#: Cells in which colours are counted (lightness, and two axes of colour): their sides, where they begin, how many.
_CELL, _LOW, _CELLS = np.array([0.04, 0.02, 0.02], np.float32), np.array([0.0, -0.3, -0.32], np.float32), (27, 31, 33)
#: How far counts are spread, in cells, and how deep the valley between two heaps is at least, of the lower summit.
_SPREAD, _VALLEY = (1.2, 0.8, 0.8), 0.8
#: The difference of neighbours at which a pixel counts half.
_EDGE = 0.04
#: Heaps of a smaller share are no summits of their own.
_LEAST_HEAP = 0.01
#: A body has this share of the outline at least; and on a pattern, where so little is even.
_LEAST_BODY, _PATTERN = (0.3, 0.75), 0.18
#: A heap of the first chroma counts double, or so much more among glass and tyres; from the second on it has a colour.
_CHROMA, _PAINT, _COLOURED = 0.1, 3.0, 0.045
#: Between these lightnesses what has no colour begins to be glass or tyres, and what that is worth.
_DARK, _DARK_WORTH = (0.3, 0.5), 0.3
#: Heaps whose hues are nearer than this (radians) are one material in other light.
_SAME_HUE = 0.45
#: Pieces of a body smaller than this share of the largest are something else; links thinner than this share of the
#: outline's longer side do not hold pieces together.
_PIECE, _LINK = 0.2, 0.02


@dataclass(frozen=True)
class ThingBody:
    """What was found.

    Attributes:
        where: Which pixels are of the body, ``[height, width]``.
        around: What is nearer to the body than to pieces of its colour that are not of it, ``[height, width]``.
        likeness: How far the colours of each cell are the body's.
    """

    where: Mask
    around: Mask
    likeness: Floats

    def belonging(self, lab: Floats) -> Floats:
        """How far colours (Oklab, ``[n, 3]``) are the body's, 0..1."""
        at = ((lab - _LOW) / _CELL - 0.5).T
        return np.asarray(ndimage.map_coordinates(self.likeness, at, order=1, mode="nearest"), np.float32)


def find_body(lab: Floats, inside: Mask, *, glassy: bool, worn: bool) -> ThingBody | None:
    """The body of a thing.

    Args:
        lab: A small copy of the picture in Oklab, ``[height, width, 3]``.
        inside: What may be of it.
        glassy: Whether what is dark and colourless may be its glass and tyres.
        worn: Whether somebody wears it: then small pieces that lie apart may be their hair.
    """
    if not inside.any():
        return None
    cells = np.clip(((lab - _LOW) / _CELL).astype(np.int32), 0, np.array(_CELLS) - 1)
    counts = np.zeros(_CELLS, np.float32)
    mine = cells[inside]
    weights = _evenness(lab)[inside]
    patterned = not glassy and float(weights.mean()) < _PATTERN
    np.add.at(counts, (mine[:, 0], mine[:, 1], mine[:, 2]), weights / weights.sum())
    heaps = _heaps(np.asarray(ndimage.gaussian_filter(counts, _SPREAD), np.float32), counts)
    chosen = _chosen(*_measured(heaps, counts), glassy=glassy)
    if chosen is None:
        return None
    labels = heaps[cells[..., 0], cells[..., 1], cells[..., 2]]
    where = chosen[labels] & inside
    around = _around(where) if worn else np.ones(where.shape, np.bool_)
    where &= around
    if where.sum() < _LEAST_BODY[patterned] * inside.sum():
        return None
    likeness = ndimage.gaussian_filter(chosen[heaps].astype(np.float32), 0.6)
    return ThingBody(where, around, np.asarray(likeness, np.float32))


def _chosen(shares: Floats, means: list[Floats], *, glassy: bool) -> Mask | None:
    """The heaps of the body: the one that counts most, and others of its hue, since shade may be a heap of its own."""
    light, green, blue = means
    chroma = np.hypot(green, blue)
    along = (np.outer(green, green) + np.outer(blue, blue)) / (np.outer(chroma, chroma) + 1e-9)
    tinted = np.outer(chroma > _COLOURED, chroma > _COLOURED / 2)
    joined = ((along > np.cos(_SAME_HUE)) & tinted) | np.eye(len(shares), dtype=np.bool_)
    together = joined @ shares
    if together.max() < _LEAST_BODY[0]:
        return None
    counting = np.where(together >= _LEAST_BODY[0], together * _worth(light, chroma, glassy=glassy), 0)
    return np.asarray(joined[int(counting.argmax())], np.bool_)


def _evenness(lab: Floats) -> Floats:
    """How even the picture is around each pixel: at edges two materials mix to colours that neither has."""
    apart = [np.linalg.norm(np.diff(lab, axis=axis, append=lab.take([-1], axis)), axis=-1) for axis in (0, 1)]
    edges = ndimage.maximum_filter(np.maximum(*apart), 3)
    return np.asarray(1 / (1 + (edges / _EDGE) ** 2), np.float32)


def _heaps(spread: Floats, counts: Floats) -> Labels:
    """The heap of every cell: up to the summit, over valleys that are none."""
    summit = _climbed(spread)
    tops, labels = np.unique(summit, return_inverse=True)
    labels = labels.reshape(spread.shape)
    height = spread.reshape(-1)[tops]
    parent = list(range(len(tops)))

    def root(of: int) -> int:
        while parent[of] != of:
            of = parent[of]
        return of

    # Passes between neighbouring heaps, the highest first.
    passes: dict[tuple[int, int], float] = {}
    for axis in range(3):
        first, second = (np.moveaxis(labels, axis, 0)[part].ravel() for part in (slice(None, -1), slice(1, None)))
        low = np.minimum(*(np.moveaxis(spread, axis, 0)[part].ravel() for part in (slice(None, -1), slice(1, None))))
        for at in np.flatnonzero((first != second) & (low > 1e-7)):
            pair = (min(first[at], second[at]), max(first[at], second[at]))
            passes[pair] = max(passes.get(pair, 0.0), float(low[at]))
    for (one, other), pass_height in sorted(passes.items(), key=lambda item: -item[1]):
        a, b = root(int(one)), root(int(other))
        if a == b:
            continue
        lower, higher = (a, b) if height[a] < height[b] else (b, a)
        if pass_height > _VALLEY * height[lower]:
            parent[lower] = higher
    merged = np.array([root(number) for number in range(len(tops))])[labels]
    # Cells in which nothing was counted, and tiny heaps, belong to the nearest heap.
    shares = np.bincount(merged.ravel(), counts.ravel())
    small = (shares[merged] < _LEAST_HEAP) | (spread < 1e-7)
    nearest = ndimage.distance_transform_edt(
        small, sampling=(2.0, 1.0, 1.0), return_distances=False, return_indices=True
    )
    return np.asarray(np.unique(merged[tuple(nearest)], return_inverse=True)[1].reshape(spread.shape), np.int32)


def _climbed(heights: Floats) -> NDArray[np.int64]:
    """The number of the summit that each cell leads up to."""
    padded = np.pad(heights, 1, constant_values=-1.0)
    numbers = np.pad(np.arange(heights.size).reshape(heights.shape), 1, constant_values=-1)
    best, to = padded[1:-1, 1:-1, 1:-1].copy(), numbers[1:-1, 1:-1, 1:-1].copy()
    for step in np.ndindex(3, 3, 3):
        part = tuple(slice(at, at + length) for at, length in zip(step, heights.shape, strict=True))
        higher = padded[part] > best
        best[higher], to[higher] = padded[part][higher], numbers[part][higher]
    to = to.ravel()
    while not np.array_equal(to, to[to]):
        to = to[to]
    return to.reshape(heights.shape)


def _measured(heaps: Labels, counts: Floats) -> tuple[Floats, list[Floats]]:
    """The share of each heap, and its mean colour."""
    flat, weights = heaps.ravel(), counts.ravel()
    shares = np.asarray(np.bincount(flat, weights), np.float32)
    places = np.unravel_index(np.arange(counts.size), counts.shape)
    colours = [low + cell * (at + 0.5) for low, cell, at in zip(_LOW, _CELL, places, strict=True)]
    sums = [np.bincount(flat, weights * values) for values in colours]
    return shares, [np.asarray(total / np.maximum(shares, 1e-9), np.float32) for total in sums]


def _worth(light: Floats, chroma: Floats, *, glassy: bool) -> Floats:
    """How much more than its share a heap counts, by its colour."""
    strong = np.minimum(chroma / _CHROMA, 1.0)
    if not glassy:
        return np.asarray(1 + strong, np.float32)
    dark = np.clip((_DARK[1] - light) / (_DARK[1] - _DARK[0]), 0, 1) * (chroma < _COLOURED)
    return np.asarray((1 + _PAINT * strong) * (1 - (1 - _DARK_WORTH) * dark), np.float32)


def _around(where: Mask) -> Mask:
    """What is nearer to the large pieces of a body than to small ones that lie apart."""
    rows, columns = np.nonzero(where.any(axis=1))[0], np.nonzero(where.any(axis=0))[0]
    everywhere = np.ones(where.shape, np.bool_)
    if not len(rows):
        return everywhere
    longest = max(rows[-1] - rows[0], columns[-1] - columns[0]) + 1
    reach = max(1, round(_LINK * longest))
    pieces, count = ndimage.label(ndimage.binary_erosion(where, iterations=reach))
    if not count:
        return everywhere
    sizes = np.bincount(pieces.ravel())
    sizes[0] = 0
    kept = np.isin(pieces, np.flatnonzero(sizes >= _PIECE * sizes.max()))
    joined = ndimage.label(ndimage.binary_dilation(where, iterations=reach))[0]
    dropped = ((pieces > 0) & ~kept) | (where & ~np.isin(joined, np.unique(joined[kept])))
    if not dropped.any():
        return everywhere
    return np.asarray(ndimage.distance_transform_edt(~kept) <= ndimage.distance_transform_edt(~dropped), np.bool_)
