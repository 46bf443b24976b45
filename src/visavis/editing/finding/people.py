"""Find people: the cutter sees them better than the map of patches, and the encoder tells whether they are people."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage, signal

from visavis.editing.cutout.masks import FloatArray
from visavis.editing.finding.phrases import RIVALS, Phrase
from visavis.editing.finding.places import best_parts
from visavis.editing.finding.relevance import text_vectors
from visavis.encoders.base import Encoder
from visavis.language.english import singular

Mask = NDArray[np.bool_]

#: What people are called.
_NAMES = frozenset(
    "person people human somebody someone folk man woman child boy girl kid lady guy gentleman skier snowboarder "
    "player surfer rider skater skateboarder cyclist pedestrian tourist hiker spectator men women children".split()
)
_KINDS = ("man", "woman", "child", "boy", "girl")
#: Rivals that are people, or on them.
_THEIRS = frozenset("face hand hair shirt trousers dress shoes hat bag man woman child skis umbrella text".split())
#: The share of the kinds among all names, at this temperature, from which a part shows people. Of 24 photographs with
#: people it was 0.06 or more in the largest part of 23, of 24 without in that of one.
_SHOWS, _TEMPERATURE = 0.04, 0.05
#: Parts of less than this share of the picture, or of the largest part, are not looked at; nor more than so many.
_LEAST, _LEAST_OF_LARGEST, _MOST_PARTS = 0.003, 0.08, 8
#: Room around a part when it is looked at, in pixels of the cutter's mask.
_MARGIN = 6
#: People stand side by side in a part that is wider than this share of its height; how far a head rises above
#: shoulders, and heads are apart, both of the height.
_SEVERAL, _RISE, _APART = 0.55, 0.05, 0.12
#: What has less than this share of the largest of them is an arm or a ski.
_LEAST_PERSON = 0.25

_VECTORS: weakref.WeakKeyDictionary[Encoder, FloatArray] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class People:
    """Who was found.

    Attributes:
        mask: The cutter's mask of them alone.
        alone: Which pixels of it may be theirs: one of several people who touch is cut off there.
    """

    mask: FloatArray
    alone: Mask


def names_people(thing: str) -> bool:
    """Whether a thing is a person, or several.

    >>> names_people("skiers"), names_people("man in a hat"), names_people("snowman")
    (True, True, False)
    """
    head = thing.lower().split(" in ")[0].split(" with ")[0].split()
    return bool(head) and (head[-1] in _NAMES or singular(head[-1]) in _NAMES)


def find_people(image: Image.Image, phrase: Phrase, encoder: Encoder, mask: FloatArray) -> People | None:
    """The people that a phrase means.

    Args:
        image: The picture.
        phrase: The phrase; it names people.
        encoder: Tells people from other things.
        mask: The cutter's mask of the picture, without a hint.

    Returns:
        None where the cutter follows something else.
    """
    labels, count = ndimage.label(mask > 0.5)
    areas = np.bincount(labels.ravel())[1:] if count else np.zeros(0, np.int64)
    large = [int(at) + 1 for at in np.argsort(-areas)[:_MOST_PARTS] if areas[at] >= _LEAST * mask.size]
    parts = [labels == at for at in large if areas[at - 1] >= _LEAST_OF_LARGEST * areas.max()]
    if not parts:
        return None
    one_of_several = bool(phrase.places or phrase.size or phrase.count)
    single = [_single(part) if one_of_several else [part] for part in parts]
    shares = iter(_shares(image, [one for own in single for one in own] + parts, encoder))
    best = [max(next(shares) for _ in own) for own in single]
    best = [max(share, next(shares)) for share in best]
    parts = [one for own, share in zip(single, best, strict=True) if share >= _SHOWS for one in own]
    if not parts:
        return None
    if one_of_several:
        parts = best_parts(parts, phrase)
    theirs = np.logical_or.reduce(parts)
    near = ndimage.binary_dilation(theirs, iterations=3) & (theirs | (labels == 0))
    return People(np.where(near, mask, 0).astype(np.float32), theirs)


def _shares(image: Image.Image, parts: list[Mask], encoder: Encoder) -> FloatArray:
    """How much each part looks like people, 0..1."""
    if encoder not in _VECTORS:
        _VECTORS[encoder] = text_vectors([*_KINDS, *(rival for rival in RIVALS if rival not in _THEIRS)], encoder)
    crops = [image.convert("RGB").crop(_box(part, image.size)) for part in parts]
    scores = encoder.encode_pictures(crops).whole @ _VECTORS[encoder].T / _TEMPERATURE
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(chances[:, : len(_KINDS)].sum(axis=1) / chances.sum(axis=1), np.float32)


def _box(part: Mask, size: tuple[int, int]) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(part.any(axis=1))[0], np.nonzero(part.any(axis=0))[0]
    across, down = size[0] / part.shape[1], size[1] / part.shape[0]
    return (
        round(max(0, columns[0] - _MARGIN) * across),
        round(max(0, rows[0] - _MARGIN) * down),
        round(min(part.shape[1], columns[-1] + 1 + _MARGIN) * across),
        round(min(part.shape[0], rows[-1] + 1 + _MARGIN) * down),
    )


def _single(part: Mask) -> list[Mask]:
    """A part cut between the heads of people who stand side by side."""
    rows, columns = np.nonzero(part.any(axis=1))[0], np.nonzero(part.any(axis=0))[0]
    high, wide = rows[-1] - rows[0] + 1, columns[-1] - columns[0] + 1
    if wide < _SEVERAL * high:
        return [part]
    top = np.where(part.any(axis=0), part.shape[0] - part.argmax(axis=0), part.shape[0] - rows[-1])
    line = ndimage.gaussian_filter1d(top[columns[0] : columns[-1] + 1].astype(np.float32), max(1.0, 0.012 * high))
    padded = np.pad(line, 1, constant_values=0)
    heads = signal.find_peaks(padded, prominence=_RISE * high, distance=max(1, round(_APART * high)))[0] - 1
    cuts = [one + int(line[one:other].argmin()) for one, other in pairwise(heads)]
    edges = [0, *(int(columns[0]) + cut for cut in cuts), part.shape[1]]
    single = []
    for start, end in pairwise(edges):
        one = part.copy()
        one[:, :start] = False
        one[:, end:] = False
        single.append(one)
    largest = max(int(one.sum()) for one in single)
    return [one for one in single if one.sum() >= _LEAST_PERSON * largest]
