"""Readers of data sets in their published layouts."""

from __future__ import annotations

from visavis.datasets.base import CaptionedPicture, CaptionedSet, LabelledPicture, LabelledSet
from visavis.datasets.opening import open_dataset

__all__ = ["CaptionedPicture", "CaptionedSet", "LabelledPicture", "LabelledSet", "open_dataset"]
