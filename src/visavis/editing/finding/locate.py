"""Locate a named thing: where it is, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageChops

from visavis.editing.cutout.arrays import FloatArray, resized
from visavis.editing.cutout.base import Cutter
from visavis.editing.cutout.refine import refine
from visavis.editing.cutout.registry import cutter as default_cutter
from visavis.editing.finding.areas import area_mask, area_of
from visavis.editing.finding.choosing import choose
from visavis.editing.finding.phrases import Phrase, everything_but, read_phrase
from visavis.editing.finding.relevance import relevance
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError

#: Below this the person is asked before anything is changed.
SURE = 0.5
#: A patch belongs to the thing from this share of the best patch's chance on.
_SHARE = 0.4
#: A chance of this much is as good as certainty: a patch can always also be something else.
_CERTAIN = 0.5
#: The cutter is followed when it agrees with the patches at least this much (IoU), else their map itself is refined.
_AGREEMENT = 0.35


@dataclass(frozen=True)
class Located:
    """Where a thing is.

    Attributes:
        phrase: What was looked for.
        mask: An ``L`` picture of the image's size: 255 belongs to it.
        confidence: 0..1.
    """

    phrase: str
    mask: Image.Image
    confidence: float

    @property
    def sure(self) -> bool:
        """Whether it can be used without asking."""
        return self.confidence >= SURE


def locate(image: Image.Image, phrase: str, encoder: Encoder | None = None, cutter: Cutter | None = None) -> Located:
    """Find what a phrase names in a picture.

    Args:
        image: The picture.
        phrase: "the dog", "woman on the left", "largest car", "sky", "background", "subject", "top half",
            "everything but the rose".
        encoder: Needed for named things; not for the subject and the background.
        cutter: Who follows the outline; the default one when not given.

    Raises:
        BadInputError: A thing is named, but there is no encoder that could know it.
    """
    if left_out := everything_but(phrase):
        found = locate(image, left_out, encoder, cutter)
        return Located(phrase, ImageChops.invert(found.mask), found.confidence)
    if box := area_of(phrase, image.size):
        return Located(phrase, area_mask(box, image.size), 1.0)
    wanted = read_phrase(phrase)
    tool = cutter or default_cutter()
    if wanted.thing == "":
        return _subject(image, wanted, tool)
    if encoder is None:
        raise BadInputError(
            f"Finding '{wanted.thing}' needs an encoder, and there is none here.",
            "Name the 'subject' or the 'background', or give a box in pixels.",
        )
    flat = image.convert("RGB")
    heat = relevance(flat, wanted.thing, encoder)
    best = float(heat.max())
    heat = choose(heat, wanted, _SHARE * best)
    hint = np.clip(heat / max(best, 1e-6), 0, 1)
    mask, agreement = _outline(flat, hint, tool)
    confidence = min(1.0, best / _CERTAIN) * (0.6 + 0.4 * agreement)
    return Located(phrase, mask, round(confidence, 3))


def _subject(image: Image.Image, wanted: Phrase, tool: Cutter) -> Located:
    """The main thing, or what lies behind it."""
    rough = tool.mask(image.convert("RGB"))
    if wanted.places or wanted.size:
        size = (min(96, rough.shape[1]), min(96, rough.shape[0]))
        chosen = choose(resized(rough, size), wanted, 0.5)
        rough = np.minimum(rough, np.where(resized(chosen, rough.shape[::-1]) > 0.25, 1, 0)).astype(np.float32)
    mask = refine(image, rough)
    if wanted.background:
        mask = ImageChops.invert(mask)
    return Located(wanted.text, mask, round(decidedness(rough), 3))


def decidedness(mask: FloatArray) -> float:
    """How sure a cutter is of its own mask: little between yes and no, and neither nothing nor everything."""
    area = float((mask > 0.5).mean())
    if not 0.002 < area < 0.98:
        return 0.0
    doubtful = float(((mask > 0.2) & (mask < 0.8)).mean())
    return float(np.clip(1 - 0.6 * doubtful / max(min(area, 1 - area), 0.02), 0, 1))


def _outline(image: Image.Image, hint: FloatArray, tool: Cutter) -> tuple[Image.Image, float]:
    """The mask of the thing that a coarse map points at, and how well the cutter agreed with the map."""
    traced = tool.mask(image, hint)
    coarse = resized(traced, hint.shape[::-1])
    both = float(np.minimum(coarse, hint).sum())
    agreement = both / max(float(np.maximum(coarse, hint).sum()), 1e-6)
    if agreement >= _AGREEMENT:
        return refine(image, traced), min(1.0, agreement / 0.7)
    smooth = np.clip((resized(hint, (96, 96)) - 0.25) / 0.4, 0, 1)
    return refine(image, smooth.astype(np.float32)), agreement
