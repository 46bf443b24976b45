"""Tell whether a thing gets another colour as a whole: a dog, but not a bus with windows or a dress that is worn."""

from __future__ import annotations

import weakref

import numpy as np
from PIL import Image

from visavis.editing.cutout.masks import FloatArray
from visavis.editing.finding.phrases import area_of, everything_but, read_phrase
from visavis.editing.finding.relevance import text_vectors
from visavis.encoders.base import Encoder
from visavis.language.commands.base import SELECTION

#: Things of one piece, and things with parts of other materials, or worn by somebody: a thing is like its neighbours.
_WHOLE = (
    "dog", "cat", "horse", "cow", "sheep", "bird", "fish", "elephant", "bear", "teddy bear", "umbrella", "ball",
    "balloon", "kite", "frisbee", "sofa", "chair", "bed", "table", "pillow", "blanket", "curtain", "carpet", "vase",
    "cup", "bowl", "apple", "banana", "flower", "tree", "grass", "sky", "wall", "floor", "water", "snow", "sand",
    "surfboard", "snowboard", "guitar", "suitcase", "fire hydrant", "door", "fence", "hair", "toilet", "rock",
)  # fmt: skip
_WITH_PARTS = (
    "bus", "car", "lorry", "train", "motorcycle", "bicycle", "boat", "aeroplane", "tractor", "building", "house",
    "tower", "man", "woman", "boy", "girl", "child", "people", "player", "skier", "rider", "shirt", "dress", "jacket",
    "trousers", "shorts", "skirt", "sweater", "suit", "top", "uniform", "shoe", "sandal", "hat", "cap", "bag",
    "backpack", "glasses", "watch", "clock", "traffic light", "television", "laptop", "telephone", "oven",
    "microwave", "refrigerator",
)  # fmt: skip

_VECTORS: weakref.WeakKeyDictionary[Encoder, tuple[FloatArray, FloatArray]] = weakref.WeakKeyDictionary()


def is_of_one_piece(target: str, image: Image.Image, mask: Image.Image, encoder: Encoder | None) -> bool:
    """Whether all of a thing is painted when it gets another colour.

    Args:
        target: What was said: "the dog", "subject", "background", "selection".
        image: The picture.
        mask: Where the thing is; an ``L`` picture of the same size.
        encoder: Knows what the thing is; without one it may have parts.
    """
    if target == SELECTION or area_of(target, image.size) or everything_but(target):
        return True
    phrase = read_phrase(target)
    if phrase.background:
        return True
    if encoder is None:
        return False
    vector = text_vectors([phrase.thing], encoder)[0] if phrase.thing else _seen(image, mask, encoder)
    if encoder not in _VECTORS:
        _VECTORS[encoder] = text_vectors(list(_WHOLE), encoder), text_vectors(list(_WITH_PARTS), encoder)
    whole, parts = (float((names @ vector).max()) for names in _VECTORS[encoder])
    return whole > parts


def _seen(image: Image.Image, mask: Image.Image, encoder: Encoder) -> FloatArray:
    """The vector of what a mask covers."""
    patches = encoder.encode_patches([image.convert("RGB")])[0]
    share = np.asarray(mask.resize(patches.shape[1::-1], Image.Resampling.BOX), np.float32)
    return np.asarray((patches * share[..., None]).sum(axis=(0, 1)), np.float32)
