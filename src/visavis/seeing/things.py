"""From a grid of vectors to the things that a picture shows, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from visavis.editing.cutout.arrays import parts
from visavis.encoders.base import FloatArray

#: How many nouns, the likeliest for the whole picture or a part of it, compete for each patch.
_COMPETING = 40
#: Cosines of patches lie close together; this makes a small lead a clear one.
_TEMPERATURE = 0.05
#: Nouns this near to each other ("bus", "double-decker bus") speak for the same thing.
_SYNONYM = 0.7
#: A patch belongs to a thing from this chance on; a thing has this chance somewhere, less where it was asked for.
_BELONGS, _CLEAR, _ASKED = 0.25, 0.4, 0.12
#: The patches that are told of are those with at least this share of the thing's best chance.
_CORE = 0.6
#: Two things with this share of patches in common, and alike in name, are one.
_SAME = 0.3
#: Things told of at most, and parts of one name.
_MOST, _MOST_PARTS = 24, 3


@dataclass(frozen=True)
class Thing:
    """A thing in the grid: its name's place in the list of nouns, how sure, and the patches that belong to it."""

    noun: int
    chance: float
    patches: np.ndarray

    @property
    def area(self) -> int:
        """How many patches it has."""
        return int(self.patches.sum())

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom in 0..1."""
        rows, columns = np.nonzero(self.patches)
        high, wide = self.patches.shape
        return (
            float(columns.min() / wide),
            float(rows.min() / high),
            float((columns.max() + 1) / wide),
            float((rows.max() + 1) / high),
        )


def find_things(patches: FloatArray, nouns: FloatArray, ordinary: FloatArray, asked: Sequence[int] = ()) -> list[Thing]:
    """The things, the surest first.

    Args:
        patches: ``[rows, columns, d]``.
        nouns: ``[n, d]``, unit length.
        ordinary: What each noun scores on an ordinary picture, ``[n]``.
        asked: Places of nouns that are talked about: such a thing is there, and the question is where.
    """
    smooth = _smoothed(patches)
    scores = np.einsum("rcd,nd->rcn", smooth, nouns) - ordinary
    ranked = np.argsort(-scores.reshape(-1, scores.shape[-1]).max(axis=0))[:_COMPETING]
    likely = np.array(list(dict.fromkeys([*asked, *ranked.tolist()])), np.int64)
    logits = scores[..., likely] / _TEMPERATURE
    chances = np.exp(logits - logits.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    alike = (nouns[likely] @ nouns[likely].T) >= _SYNONYM
    together = chances @ alike.astype(np.float32)
    found: list[tuple[float, int, Thing]] = []
    for place, noun in enumerate(likely):
        clear = _ASKED if int(noun) in asked else _CLEAR
        own = chances[..., place]
        found += [
            (float(own[one.patches].sum()), place, one) for one in _parts_of(int(noun), together[..., place], clear)
        ]
    found.sort(key=lambda one: (one[2].noun not in asked, -one[0]))
    return _without_doubles(found, alike)


def _without_doubles(found: list[tuple[float, int, Thing]], alike: np.ndarray) -> list[Thing]:
    """Each thing once, by the name that most speaks for."""
    kept: list[tuple[int, Thing]] = []
    for _, place, thing in found:
        doubles = (
            alike[place, other] and (thing.patches & seen.patches).sum() >= _SAME * min(thing.area, seen.area)
            for other, seen in kept
        )
        if not any(doubles):
            kept.append((place, thing))
    return sorted((thing for _, thing in kept), key=lambda thing: -thing.chance)[:_MOST]


def _smoothed(patches: FloatArray) -> FloatArray:
    """Each patch with a little of its neighbours, unit length: single patches are noisy."""
    padded = np.pad(patches, ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows, columns, _ = patches.shape
    total = 2.0 * patches
    for down in range(3):
        for across in range(3):
            total = total + padded[down : down + rows, across : across + columns]
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=-1, keepdims=True), 1e-9), np.float32)


def _parts_of(noun: int, chance: FloatArray, clear: float) -> Sequence[Thing]:
    labels, count = parts(chance >= min(_BELONGS, _CORE * clear))
    found = []
    for at in range(1, count + 1):
        inside = labels == at
        best = float(chance[inside].max())
        if best >= clear:
            found.append(Thing(noun, best, inside & (chance >= _CORE * best)))
    return sorted(found, key=lambda one: (-one.chance * one.area, one.box))[:_MOST_PARTS]
