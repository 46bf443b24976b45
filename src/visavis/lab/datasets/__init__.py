"""Readers of data sets in their published layouts."""

from __future__ import annotations

from visavis.lab.datasets.base import CaptionedPicture, CaptionedSet, LabelledPicture, LabelledSet
from visavis.lab.datasets.folders import open_dataset

__all__ = ["CaptionedPicture", "CaptionedSet", "LabelledPicture", "LabelledSet", "open_dataset"]
