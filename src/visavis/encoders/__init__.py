"""Encoders: pictures and words as vectors of one space. ``load_encoder`` is the way in."""

from __future__ import annotations

from visavis.encoders.base import Encoded, Encoder, FloatArray
from visavis.encoders.registry import load_encoder

__all__ = ["Encoded", "Encoder", "FloatArray", "load_encoder"]
