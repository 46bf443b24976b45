"""Locate a named object: its mask and its confidence."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from functools import reduce

import numpy as np
from PIL import Image, ImageChops
from scipy import ndimage

from visavis.editing.cutout.cutters import Cutter
from visavis.editing.cutout.cutters import cutter as default_cutter
from visavis.editing.cutout.masks import FloatArray, refine, resized
from visavis.editing.finding.phrases import RIVALS, Phrase, area_mask, area_of, everything_but, listed, read_phrase
from visavis.editing.finding.places import choose, separate
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError

#: Prompts for a bare noun, since the encoder was trained on captions.
_WORDINGS = ("a photo of a {}", "a {}", "{}")
#: Rivals that mean nearly the same as the object must not compete with it. Measured with the built-in encoder: the best
#: patch is in the box of the named object in 81 % of 160 COCO photos at 0.6, 77 % at 0.72, 79 % at 0.4.
_SYNONYM = 0.6
#: Softmax temperature; cosines of patches are close together (0.03: 80 %, 0.05: 81 %, 0.1: 78 %).
_TEMPERATURE = 0.05

#: Words so general that their vectors fit every patch are looked for by their kinds: "a person" was everywhere.
_KINDS = dict.fromkeys(
    ("person", "people", "persons", "human", "humans", "human being", "somebody", "someone", "folk"),
    ("man", "woman", "child"),
)

_RIVAL_VECTORS: weakref.WeakKeyDictionary[Encoder, FloatArray] = weakref.WeakKeyDictionary()


def relevance(image: Image.Image, thing: str, encoder: Encoder) -> FloatArray:
    """Return the probability, 0..1 for each patch ``[rows, columns]``, that it shows the object.

    A softmax for each patch over the object and the rivals.
    """
    targets = text_vectors(list(_KINDS.get(thing.lower(), (thing,))), encoder)
    rivals = _rivals(encoder)
    rivals = rivals[(rivals @ targets.T).max(axis=1) < _SYNONYM]
    patches = encoder.encode_patches([image])[0]
    logits = np.einsum("rcd,nd->rcn", patches, np.concatenate([targets, rivals])) / _TEMPERATURE
    logits -= logits.max(axis=-1, keepdims=True)
    chances = np.exp(logits)
    return np.asarray(chances[..., : len(targets)].sum(axis=-1) / chances.sum(axis=-1), dtype=np.float32)


def text_vectors(things: list[str], encoder: Encoder) -> FloatArray:
    """Return one unit vector an object: the mean over its prompts."""
    texts = [wording.format(thing) for thing in things for wording in _WORDINGS]
    vectors = encoder.encode_texts(texts).reshape(len(things), len(_WORDINGS), -1).mean(axis=1)
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def _rivals(encoder: Encoder) -> FloatArray:
    if encoder not in _RIVAL_VECTORS:
        _RIVAL_VECTORS[encoder] = text_vectors(list(RIVALS), encoder)
    return _RIVAL_VECTORS[encoder]


#: Below this confidence the user is asked before anything is changed.
SURE = 0.4
#: A patch belongs to the object from this share of the best patch's probability on.
_SHARE = 0.4
#: The confidence is the probability that a person would take the mask as it is: a logistic regression on how far map
#: and cutter agree, how likely the object is inside the mask, how large that is, and how decided the cutter was.
#: Fitted on the masks of benchmarks/finding_judged.txt (``benchmarks/finding.py --judged``).
_AGREES, _INSIDE_LOG, _AREA_LOG, _DECIDEDNESS, _INTERCEPT = 4.716, 1.871, -1.244, 25.906, -28.446
#: The cutter's mask is used when it agrees with the patches at least this much (IoU), else their map is refined.
_AGREEMENT = 0.35
#: ... or when it lies within them this much, where they are this much surer than elsewhere, and is this decided; the
#: agreement that this counts as.
_WITHIN, _CONTRAST, _DECIDED, _BEST_PART = 0.85, 0.25, 0.9, 0.5


#: A separate part of the cutter's mask stays where the map is this strong in it, compared with the part where it is
#: strongest; parts of less than this share of the mask are no measure for others.
_INSIDE, _LEAST_SUPPORT, _LEAST_PART = 0.5, 0.5, 0.05
#: The soft rim of a part, in pixels of the cutter's mask.
_RIM = 3


@dataclass(frozen=True)
class Located:
    """The location of an object.

    Attributes:
        phrase: The phrase.
        mask: An ``L`` picture of the image's size: 255 belongs to it.
        confidence: The probability that a person would take the mask as it is; for the subject and the background,
            how decided the cutter is.
    """

    phrase: str
    mask: Image.Image
    confidence: float

    @property
    def sure(self) -> bool:
        """Whether it can be used without a question."""
        return self.confidence >= SURE


def locate(image: Image.Image, phrase: str, encoder: Encoder | None = None, cutter: Cutter | None = None) -> Located:
    """Locate what a phrase names in a picture.

    Args:
        image: The picture.
        phrase: "the dog", "woman on the left", "largest car", "sky", "background", "subject", "top half",
            "everything but the rose", "the two people", "the cup and the napkin".
        encoder: Needed for named objects; not for the subject and the background.
        cutter: Segments the object; the default one when not given.

    Raises:
        BadInputError: An object is named, but there is no encoder that could know it.
    """
    if left_out := everything_but(phrase):
        found = locate(image, left_out, encoder, cutter)
        return Located(phrase, ImageChops.invert(found.mask), found.confidence)
    if box := area_of(phrase, image.size):
        return Located(phrase, area_mask(box, image.size), 1.0)
    if len(things := listed(phrase)) > 1:
        each = [locate(image, thing, encoder, cutter) for thing in things]
        mask = reduce(ImageChops.lighter, (found.mask for found in each))
        return Located(phrase, mask, min(found.confidence for found in each))
    parsed = read_phrase(phrase)
    tool = cutter or default_cutter()
    if parsed.thing == "":
        return _subject(image, parsed, tool)
    if encoder is None:
        raise BadInputError(
            f"Finding '{parsed.thing}' needs an encoder, and there is none here.",
            "Name the 'subject' or the 'background', or give a box in pixels.",
        )
    flat = image.convert("RGB")
    heat = relevance(flat, parsed.thing, encoder)
    best = float(heat.max())
    heat = choose(heat, parsed, _SHARE * best)
    hint = np.clip(heat / max(best, 1e-6), 0, 1)
    traced = _outlines(flat, hint, tool) if parsed.count else outline(flat, hint, tool)
    return Located(phrase, traced.mask, round(_confidence(traced, heat), 3))


def _confidence(traced: Outline, heat: FloatArray) -> float:
    """The probability that a person would take a mask as it is."""
    share = np.asarray(traced.mask.resize(heat.shape[::-1], Image.Resampling.BOX), np.float32) / 255
    area = float(share.mean())
    inside = float((heat * share).sum() / max(float(share.sum()), 1e-6))
    evidence = _AGREES * traced.agreement + _DECIDEDNESS * traced.decided + _INTERCEPT
    evidence += _INSIDE_LOG * math.log(inside + 0.01) + _AREA_LOG * math.log(area + 0.002)
    return 1 / (1 + math.exp(-evidence))


def _subject(image: Image.Image, parsed: Phrase, tool: Cutter) -> Located:
    """Locate the main object, or the background."""
    rough = tool.mask(image.convert("RGB"))
    if parsed.places or parsed.size:
        size = (min(96, rough.shape[1]), min(96, rough.shape[0]))
        chosen = choose(resized(rough, size), parsed, 0.5)
        rough = np.minimum(rough, np.where(resized(chosen, rough.shape[::-1]) > 0.25, 1, 0)).astype(np.float32)
    mask = refine(image, rough)
    if parsed.background:
        mask = ImageChops.invert(mask)
    return Located(parsed.text, mask, round(decidedness(rough), 3))


def decidedness(mask: FloatArray) -> float:
    """Return a cutter's confidence in its own mask: few uncertain pixels, and neither empty nor full."""
    area = float((mask > 0.5).mean())
    if not 0.002 < area < 0.98:
        return 0.0
    doubtful = float(((mask > 0.2) & (mask < 0.8)).mean())
    return float(np.clip(1 - 0.6 * doubtful / max(min(area, 1 - area), 0.02), 0, 1))


@dataclass(frozen=True)
class Outline:
    """A traced object.

    Attributes:
        mask: An ``L`` picture of the image's size.
        agreement: The cutter's agreement with the map of patches, 0..1.
        decided: How decided the cutter is, 0..1.
    """

    mask: Image.Image
    agreement: float
    decided: float


def _outlines(image: Image.Image, hint: FloatArray, tool: Cutter) -> Outline:
    """The same for several objects: each is traced by itself, since the cutter would keep only the most salient."""
    each = [outline(image, part, tool) for part in separate(hint, _SHARE) or [hint]]
    mask = reduce(ImageChops.lighter, (one.mask for one in each))
    return Outline(mask, min(one.agreement for one in each), min(one.decided for one in each))


def _supported(traced: FloatArray, hint: FloatArray) -> FloatArray:
    """A cutter's mask without the separate parts that the map does not speak for: what stands beside the object."""
    labels, count = ndimage.label(traced > _INSIDE)
    if count < 2:
        return traced
    numbers = np.arange(1, count + 1)
    support = np.asarray(ndimage.mean(resized(hint, traced.shape[::-1]), labels, numbers))
    areas = np.asarray(ndimage.sum_labels(labels > 0, labels, numbers))
    best = float(support[areas >= _LEAST_PART * areas.sum()].max())
    dropped = np.isin(labels, numbers[support < _LEAST_SUPPORT * best])
    rim = ndimage.binary_dilation(dropped, iterations=_RIM) & ((labels == 0) | dropped)
    return np.where(rim, 0, traced).astype(np.float32)


def outline(image: Image.Image, hint: FloatArray, tool: Cutter) -> Outline:
    """Trace the object that a coarse map marks."""
    traced = _supported(tool.mask(image, hint), hint)
    decided = decidedness(traced)
    coarse = resized(traced, hint.shape[::-1])
    both = float(np.minimum(coarse, hint).sum())
    agreement = both / max(float(np.maximum(coarse, hint).sum()), 1e-6)
    if agreement >= _AGREEMENT:
        return Outline(refine(image, traced), agreement, decided)
    # On a plain ground the map spreads over all of it, and the outline is a small part of the map, but the best one.
    within = both / max(float(coarse.sum()), 1e-6)
    beside = float((hint * (1 - coarse)).sum()) / max(float((1 - coarse).sum()), 1e-6)
    if within >= _WITHIN and within - beside >= _CONTRAST and decided >= _DECIDED:
        return Outline(refine(image, traced), _BEST_PART, decided)
    smooth = np.clip((resized(hint, (96, 96)) - 0.25) / 0.4, 0, 1)
    return Outline(refine(image, smooth.astype(np.float32)), agreement, decided)
