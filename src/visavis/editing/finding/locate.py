"""Locate a named object: its mask and its confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np
from PIL import Image, ImageChops, ImageFilter
from scipy import ndimage

from visavis.editing.cutout.cutters import Cutter
from visavis.editing.cutout.cutters import cutter as default_cutter
from visavis.editing.cutout.masks import FloatArray, refine, resized
from visavis.editing.finding.people import find_people, names_people
from visavis.editing.finding.phrases import Phrase, area_mask, area_of, everything_but, listed, read_phrase
from visavis.editing.finding.places import choose, separate
from visavis.editing.finding.relevance import relevance
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError

#: Below this confidence the user is asked before anything is changed.
SURE = 0.4
#: The confidence in people whom the cutter follows: enough to crop to them, too little to take them out unasked.
_GROUP = 0.55
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
    found = _named(flat, parsed, encoder, tool)
    if found.confidence < _GROUP and names_people(parsed.thing):
        return _people(flat, parsed, encoder, tool) or found
    return found


def _named(image: Image.Image, parsed: Phrase, encoder: Encoder, tool: Cutter) -> Located:
    """Locate an object by the map of patches."""
    heat = relevance(image, parsed.thing, encoder)
    best = float(heat.max())
    if (parsed.places or parsed.size) and not parsed.count:
        apart = _one_of_several(image, np.clip(heat / max(best, 1e-6), 0, 1), parsed, tool)
        if apart is not None:
            near = resized(np.asarray(apart.mask, np.float32) / np.float32(255), heat.shape[::-1])
            return Located(parsed.text, apart.mask, round(_confidence(apart, heat * (near > 0)), 3))
    heat = choose(heat, parsed, _SHARE * best)
    hint = np.clip(heat / max(best, 1e-6), 0, 1)
    traced = _outlines(image, hint, tool) if parsed.count else outline(image, hint, tool)
    return Located(parsed.text, traced.mask, round(_confidence(traced, heat), 3))


def _people(image: Image.Image, parsed: Phrase, encoder: Encoder, tool: Cutter) -> Located | None:
    """Locate people by what the cutter follows of its own accord; None where that is something else."""
    rough = tool.mask(image)
    found = find_people(image, parsed, encoder, rough)
    if found is None:
        return None
    mask = refine(image, found.mask)
    alone = Image.fromarray(found.alone.astype(np.uint8) * np.uint8(255)).resize(mask.size, Image.Resampling.BILINEAR)
    cut = ImageChops.darker(mask, alone.filter(ImageFilter.MaxFilter(3)))
    return Located(parsed.text, cut, round(min(_GROUP, _GROUP * decidedness(rough)), 3))


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


def _one_of_several(image: Image.Image, hint: FloatArray, phrase: Phrase, tool: Cutter) -> Outline | None:
    """The one that is meant of several objects whose outlines lie apart; None where they do not.

    People in a row touch each other in the coarse map, and seldom in the outlines.
    """
    traced = _supported(tool.mask(image, hint), hint)
    labels, count = ndimage.label(traced > _INSIDE)
    if count < 2:
        return None
    chosen = choose(np.where(labels > 0, traced, 0).astype(np.float32), phrase, _INSIDE)
    part = (chosen > _INSIDE) & (labels > 0)
    if part.sum() == (labels > 0).sum():
        return None
    rim = ndimage.binary_dilation(part, iterations=_RIM) & ((labels == 0) | part)
    alone = np.where(rim, traced, 0).astype(np.float32)
    coarse, meant = resized(alone, hint.shape[::-1]), hint * (resized(rim.astype(np.float32), hint.shape[::-1]) > 0)
    agreement = float(np.minimum(coarse, meant).sum()) / max(float(np.maximum(coarse, meant).sum()), 1e-6)
    return Outline(refine(image, alone), agreement, decidedness(alone))


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
